/**
 * The partition key of a filing in tables by filing: the year of its accession number, the filer's login and the number.
 * `0000320193-26-000077` is in partition `26-0000320193-000077`. A segment mostly has filings of the same years, so those
 * that it lacks are looked up in few of its blocks, which stay in memory.
 */
export const filingPartition = (accessionNo: string): string =>
  `${accessionNo.slice(11, 13)}-${accessionNo.slice(0, 10)}${accessionNo.slice(13)}`;

/** Whether a text is written as such a key. */
export const isFilingPartition = (text: string): boolean => /^\d{2}-\d{10}-\d{6}$/.test(text);

/** The accession number of the filing with a partition key. */
export const accessionNoOf = (partition: string): string =>
  `${partition.slice(3, 13)}-${partition.slice(0, 2)}${partition.slice(13)}`;
