import { amendsEarlier, familyOf, isFiledByNamedCompany, nounOfForm } from '../../src/domain/event-types.ts';
import { ownershipSentence } from '../../src/contract/ownership-sentence.ts';
import type { Ownership } from '../../src/contract/ownership.ts';
import { itemTitle } from '../../src/domain/items.ts';
import { remembered } from '../../src/domain/remembered.ts';

/** The members of a filing from which its summary is made. The schema `Filing` describes them. */
export interface FilingForSummary {
  readonly accessionNo: string;
  readonly cik: string;
  readonly ticker: string | null;
  readonly companyName: string;
  readonly form: string;
  readonly eventType: string;
  readonly items: readonly string[];
  readonly filedAt: string | null;
  readonly reportDate: string | null;
  readonly ownership: Ownership | null;
}

/** White space that is not one space between words: few names have it. */
const otherSpace = /[^\S ]|  |^ | $/;
const oneLine = (text: string) => (otherSpace.test(text) ? text.replace(/\s+/g, ' ').trim() : text);

function companyWords({
  companyName,
  ticker,
  cik,
}: Pick<FilingForSummary, 'companyName' | 'ticker' | 'cik'>): string {
  const name = oneLine(companyName);
  const label = ticker ? ticker : `CIK ${cik}`;
  return name === '' ? label : `${name} (${label})`;
}

const documentWords = remembered(1000, (form: string): string => {
  const noun = nounOfForm(form);
  const words = amendsEarlier(form) && !noun.endsWith('amendment') ? `amended ${noun}` : noun;
  const formType = oneLine(form);
  return `${/^[aeiou]/i.test(words) ? 'an' : 'a'} ${words}${formType === '' ? '' : ` on Form ${formType}`}`;
});

function reportDatePhrase(eventType: string, isAhead: boolean): string {
  switch (familyOf(eventType).reportDate) {
    case 'period':
      return 'for the period ended';
    case 'fiscal_year':
      return 'for the fiscal year ended';
    case 'event':
      return 'for an event dated';
    case 'transaction':
      return 'with an earliest reported transaction date of';
    // Proxy statements also give the end of the fiscal year or their own date here. Only a day after the
    // filing date can be the day of the meeting.
    case 'meeting':
      return isAhead ? 'for a meeting dated' : 'with a report date of';
    default:
      return 'with a report date of';
  }
}

function itemWords(items: readonly string[]): string {
  const names = items.map((code) => {
    const title = itemTitle(code);
    return title === undefined ? `Item ${code}` : `Item ${code} (${title})`;
  });
  if (names.length < 3) return names.join(' and ');
  return `${names.slice(0, -1).join(', ')}, and ${names.at(-1)}`;
}

/**
 * Writes sentences about a filing: who filed what and when, what its document says about ownership, and its accession number. The same filing
 * always gives the same text. If the named company always files such a form itself, the text says that the
 * company filed. Owners, exchanges, dissidents and SEC staff file the other forms, too: there the text says
 * that the filing names the company. Dates that are null are left out; if there is no ticker, the CIK stands
 * for it.
 */
export function summarize(filing: FilingForSummary): string {
  const { ownership } = filing;
  const said = ownership === null ? null : ownershipSentence(ownership);
  return sentencesOf(filing, isReportedAhead(filing), said);
}

/** Whether the report date is behind the filing date. */
export const isReportedAhead = ({
  filedAt,
  reportDate,
}: Pick<FilingForSummary, 'filedAt' | 'reportDate'>): boolean =>
  filedAt !== null && reportDate !== null && reportDate > filedAt;

/**
 * Writes the same of a filing whose dates may be placeholders; `isAhead` is what `isReportedAhead` says of the dates, and
 * `said` what its document says.
 */
export function sentencesOf(
  filing: Omit<FilingForSummary, 'ownership'>,
  isAhead: boolean,
  said: string | null,
): string {
  const company = companyWords(filing);
  const document = documentWords(filing.form);
  const opening = isFiledByNamedCompany(filing.form)
    ? `${company} filed ${document}`
    : `A${document.slice(1)} naming ${company} was filed`;
  const filed = filing.filedAt === null ? '' : ` on ${filing.filedAt}`;
  const reported =
    filing.reportDate === null ? '' : ` ${reportDatePhrase(filing.eventType, isAhead)} ${filing.reportDate}`;
  const items = filing.items.length === 0 ? '' : `, reporting ${itemWords(filing.items)}`;
  const owned = said === null ? '' : ` ${said}.`;
  return `${opening}${filed}${reported}${items}.${owned} SEC accession number ${filing.accessionNo}.`;
}
