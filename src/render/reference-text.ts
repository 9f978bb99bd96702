import type { ReferenceResponse, ReferenceSection } from '../contract/reference.ts';

/** An answer with the rows of one list of the reference. */
export interface SectionBody {
  readonly data: ReferenceResponse[ReferenceSection];
  /** `total`: how many rows match, given or not. */
  readonly meta: { readonly section: ReferenceSection; readonly count: number; readonly total: number };
}

/** A row of a list of the reference. */
export type SectionRow = SectionBody['data'][number];

const heads: Readonly<Record<ReferenceSection, string>> = {
  forms: 'Forms that EDGAR knows, with their event families; amendments have /A behind the name',
  items: 'Items of Form 8-K',
  transactionCodes: 'Codes of transactions of Forms 4 and 5 (`transactionCode`)',
  eventTypes: 'Event families (`eventType`)',
  exchanges: 'Exchanges',
  states: 'States, provinces and countries of incorporation',
  sicCodes: 'Codes of industries; `sicDescription` of a company says which one it is',
  roles: 'Roles of parties',
  successors:
    'Companies whose listing moved to another CIK; the ticker and each CIK find the filings of both. The list is kept by hand',
  changeTypes: 'Change types (`changeType`); the first one that holds decides',
  errorCodes: 'Error codes',
};

/** The rows of a list of the reference in words, with all that they have. */
export function sectionText(
  { data, meta: { section, count, total } }: SectionBody,
  line: (row: SectionRow) => string,
): string {
  const some = count < total ? `, the first ${count} of ${total}` : '';
  if (total === 0)
    return `${heads[section]}: none that was asked for. The forms of filings that are not listed belong to the event family other_filing.`;
  return `${heads[section]}${some}:\n${data.map(line).join('\n')}`;
}

/** The line of a row: its value, what that is, and every other member that says something. */
export const sectionLine = (row: SectionRow): string => `- ${rowText(row)}`;

function rowText(row: SectionRow): string {
  if (typeof row === 'string') return row;
  const [[, value] = ['', ''], ...others] = Object.entries(row as Record<string, unknown>);
  const said = others.flatMap(([name, each]) => {
    if (each === null || each === false || (Array.isArray(each) && each.length === 0)) return [];
    if (plainMembers.has(name)) return [String(each)];
    if (name === 'regime') return each === 'current' ? [] : ['before 23 August 2004'];
    if (name === 'amendsEarlier') return ['amends an earlier filing'];
    return [`${labels.get(name) ?? name} ${Array.isArray(each) ? each.join(', ') : String(each)}`];
  });
  return `${String(value)}: ${said.map((each) => each.replace(/\.$/, '')).join('; ')}`;
}

/** Members that say what a value is, and need no label. */
const plainMembers: ReadonlySet<string> = new Set(['eventType', 'description', 'title', 'name', 'advice']);
const labels: ReadonlyMap<string, string> = new Map([
  ['newName', 'now called'],
  ['successorCik', 'succeeded by'],
  ['successor', 'given as'],
  ['reportDate', '`reportDate` is the'],
  ['forms', 'forms'],
  ['status', 'HTTP'],
]);
