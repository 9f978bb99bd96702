/** A number with what it counts: "1 filing", "2 filings". */
export const counted = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`;

/** Joins the lines that are not empty or false. */
export const paragraphs = (...texts: readonly (string | false)[]): string =>
  texts.filter((text) => text !== false && text !== '').join('\n');

/** The bounds of the filing date in words. */
export function datesText({
  since,
  until,
}: {
  readonly since: string | null;
  readonly until: string | null;
}): string {
  const bounds = [since !== null && `since ${since}`, until !== null && `until ${until}`].filter(Boolean);
  return bounds.length > 0 ? ` filed ${bounds.join(' and ')}` : '';
}
