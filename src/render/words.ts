/** A number with what it counts: "1 filing", "2 filings". */
export const counted = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`;

/** How many come first: "the first change", "the first 2 changes". */
export const firstCounted = (count: number, one: string, many: string): string =>
  `first ${count === 1 ? one : counted(count, one, many)}`;

/** The first of some words, and how many more there are. */
export function firstWords(words: readonly string[], maximum: number, more = 'more'): string[] {
  const rest = words.length - maximum;
  return [...words.slice(0, maximum), ...(rest > 0 ? [`${rest} ${more}`] : [])];
}

/** A filter that was applied, behind its word: "form 8-K or 10-Q"; nothing for one that was not. */
export const said = (word: string, value: string | number | boolean | null): string[] =>
  value === null ? [] : [`${word} ${String(value).replaceAll(',', ' or ')}`];

/** Filters in words, with the bounds of the filing date: " with form 8-K and item 2.02 filed since …". */
export const withFilters = (filters: readonly string[], dates: Parameters<typeof datesText>[0]): string =>
  `${filters.length > 0 ? ` with ${filters.join(' and ')}` : ''}${datesText(dates)}`;

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
