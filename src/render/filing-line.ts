import type { InsiderTransaction } from '../contract/insider-transactions.ts';
import { pressReleaseName } from '../domain/exhibits.ts';
import { ownershipSentence, transactionsSentence } from '../contract/ownership-sentence.ts';
import { quoted } from './filer-text.ts';
import { firstWords } from './words.ts';
import { xmlAddressOf } from '../domain/rendered-documents.ts';
import type { Event, Filing } from '../contract/records.ts';

/** The most parties with the same role that a text names for a filing. */
const namesMaximum = 5;

/** A filing or an event; filings have parties, the address of their document, and what it says about ownership. */
export type Row = Pick<
  Event,
  'accessionNo' | 'companyName' | 'ticker' | 'form' | 'eventType' | 'items' | 'filedAt'
> &
  Partial<Pick<Filing, 'cik' | 'parties' | 'documentUrl' | 'ownership' | 'exhibits'>>;

/** Whether the data names who filed about the company: owners of a Form 4, holders of a Schedule 13D. */
export const namesOwner = ({ parties = [] }: Row) =>
  parties.some(({ role }) => role === 'reporting_owner' || role === 'filed_by');

/** What a text calls the company that a filing belongs to. It is not said of a filer. */
const roleNames: Readonly<Record<string, string>> = {
  issuer: 'issuer',
  subject: 'subject',
  reporting_owner: 'reporting owner',
  filed_by: 'filed by it',
};

/** The role of the company that a filing belongs to, as a text says it; empty for a filer. */
export function ownRole({ cik, parties }: Row): string {
  if (!parties) return '';
  const role = parties.find((party) => party.cik === cik)?.role ?? null;
  return role === null ? 'role not known' : (roleNames[role] ?? '');
}

/** What the other parties of a filing are, in words before their names. */
const otherRoles: readonly (readonly [words: string, roles: readonly (string | null)[]])[] = [
  ['filed by', ['reporting_owner', 'filed_by']],
  ['about', ['issuer', 'subject']],
  ['also filed by', ['filer']],
  ['also names', [null]],
];

/** The other parties of a filing with their roles: `filed by "DOE JANE" and "ROE RICHARD"`. */
export function otherParties({ cik, parties = [] }: Row): string[] {
  return otherRoles.flatMap(([words, roles]) => {
    const names = parties
      .filter((party) => party.cik !== cik && roles.includes(party.role))
      .map((party) => (party.name === null ? `CIK ${party.cik}` : quoted(party.name)));
    return names.length === 0 ? [] : [`${words} ${firstWords(names, namesMaximum).join(' and ')}`];
  });
}

/** Whether a press release is known to come with a filing. */
const hasPressRelease = ({ eventType, exhibits = null }: Row): boolean =>
  pressReleaseName({ eventType, exhibits }) !== null;

/** What the document of a filing says about ownership, in a sentence; null if it is not known. */
export const saidOf = ({ ownership }: Row): string | null =>
  ownership ? ownershipSentence(ownership, quoted) : null;

/**
 * The line of a filing: date, form, company and its role, family, items, whether it has a press release, what its document
 * says, else the other parties, accession number.
 */
export function filingLine(row: Row): string {
  const { filedAt, form, companyName, ticker, eventType, items, accessionNo } = row;
  const role = ownRole(row);
  const said = saidOf(row);
  const facts = [
    eventType,
    ...(items.length > 0 ? [`items ${items.join(' ')}`] : []),
    ...(hasPressRelease(row) ? ['with a press release'] : []),
    ...(said === null ? otherParties(row) : [said]),
  ];
  return `- ${filedAt ?? 'no date'} ${form} ${named(companyName, ticker)}${role && `, ${role}`}: ${facts.join(', ')} [${accessionNo}]`;
}

/** The line of an insider filing, with the address of what the insider reported if the line does not say it. */
export function insiderLine(row: Row): string {
  const { eventType, documentUrl = null, ownership = null } = row;
  if (ownership !== null) return filingLine(row);
  const address = xmlAddressOf(eventType, documentUrl) ?? documentUrl;
  return `${filingLine(row)}${address === null ? '' : ` ${address}`}`;
}

/**
 * The line of the transactions of a filing that a list gives: filing date, form, issuer, what was done, the number of the
 * first one.
 */
export function transactionsLine(rows: readonly [InsiderTransaction, ...InsiderTransaction[]]): string {
  const [{ filedAt, form, companyName, ticker, accessionNo, owners, isPlanned }] = rows;
  const said = transactionsSentence({ owners, isPlanned, transactions: rows }, quoted);
  const numbers = rows.length === 1 ? ` #${rows[0].number}` : '';
  return `- ${filedAt ?? 'no date'} ${form} ${named(companyName, ticker)}: ${said} [${accessionNo}${numbers}]`;
}

/** The name of a company, in quotes, with its ticker symbol, if it has one. */
export const named = (name: string, ticker: string | null) =>
  `${quoted(name)}${ticker === null ? '' : ` (${ticker})`}`;
