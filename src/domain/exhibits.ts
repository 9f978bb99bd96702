/** What is asked of a document here: its type as filed, and its file name; null where it has no file of its own. */
interface Listed {
  readonly type: string;
  readonly name: string | null;
}

/** Pictures and the data of XBRL are no exhibits. */
const noExhibit = /^(?:GRAPHIC|EX-10[01](?:\..*)?)$/;

/** Whether a document beyond the main one is an exhibit: neither graphic nor XBRL. */
export const isExhibit = ({ type }: Pick<Listed, 'type'>): boolean => type !== '' && !noExhibit.test(type);

/** Returns the documents beyond the main one that are neither graphic nor XBRL: `Filing.exhibits`. */
export function exhibitsOf(documents: readonly Listed[]): Listed[] {
  return documents
    .slice(1)
    .filter(isExhibit)
    .map(({ type, name }) => ({ type, name }));
}

const pressReleaseTypes: ReadonlySet<string> = new Set(['EX-99', 'EX-99.1', 'EX-99.01']);
const familiesWithPressReleases: ReadonlySet<string> = new Set(['current_report', 'foreign_current_report']);

/** Returns the file name of the press release of a current report or Form 6-K: its first exhibit 99. Null if it has none. */
export function pressReleaseName({
  eventType,
  exhibits,
}: {
  readonly eventType: string;
  readonly exhibits: readonly Listed[] | null;
}): string | null {
  if (exhibits === null || !familiesWithPressReleases.has(eventType)) return null;
  return exhibits.find(({ type }) => pressReleaseTypes.has(type.toUpperCase()))?.name ?? null;
}
