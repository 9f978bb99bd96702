/** A row of a made-up index. */
export interface UpstreamIndexRow {
  readonly cik: string;
  readonly name?: string;
  readonly form?: string;
  /** `YYYY-MM-DD` */
  readonly filedAt: string;
  readonly accessionNo: string;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Writes a `master` index as upstream does: of a day, or with `isQuarterly` of the quarter through that day. */
export function masterIndexText(day: string, rows: readonly UpstreamIndexRow[], isQuarterly = false): string {
  const [year, month, date] = day.split('-') as [string, string, string];
  const lines = rows.map(({ cik, name = 'Made Up', form = '8-K', filedAt, accessionNo }) =>
    [
      Number(cik),
      name,
      form,
      isQuarterly ? filedAt : filedAt.replaceAll('-', ''),
      `edgar/data/${Number(cik)}/${accessionNo}.txt`,
    ].join('|'),
  );
  return `Description: Master Index\nLast Data Received: ${months[Number(month) - 1]} ${Number(date)}, ${year}\n \nCIK|Company Name|Form Type|Date Filed|${isQuarterly ? 'Filename' : 'File Name'}\n${'-'.repeat(80)}\n${lines.join('\n')}\n`;
}
