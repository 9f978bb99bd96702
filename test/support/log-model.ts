import type { Ownership } from '../../src/contract/ownership.ts';
import { withEasternOffset } from '../../src/time/eastern.ts';
import { addressesOf } from '../../build/ledger/document-addresses.ts';
import type { LedgerContents } from '../../build/ledger/contents.ts';
import type { LedgerCompany, LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { eventTypeOfForm, hasItems, isFiledByNamedCompany } from '../../src/domain/event-types.ts';
import { Filing, type ChangeCause, type Party } from '../../src/contract/records.ts';
import { relatedCiks } from '../../src/domain/successors.ts';
import { changeTypeOf } from '../../src/domain/change-type.ts';
import type { Observe } from './ledger-model.ts';

/**
 * What is observed of a row by the rules of the specification of formats, written as simply as possible, without any
 * function of the build that folds.
 */
export const observeNaively: Observe = (row, { before, companies, said }, observedAt, sequence) => {
  const contents = {
    ownership: said?.ownership?.ownership ?? null,
    exhibits: said?.documents ? exhibitsIn(said.documents) : null,
  };
  const filing = filingOf(row, contents, companies, before?.filing.ingestedAt ?? observedAt);
  const first = {
    filing,
    sequence,
    revision: 1,
    changeType: changeTypeOf(filing.form, filing.items),
    observedAt,
    before: null,
    corrected: [],
  };
  if (!before) return first;
  if (differing(withoutCompanies(before.filing), withoutCompanies(filing)).length === 0) return null;
  return {
    ...first,
    revision: before.revision + 1,
    changeType: 'amended',
    before: before.filing,
    corrected: differing(before.filing, filing),
    cause: causeOf(row, before.filing, filing, companies, observedAt),
  };
};

/** Why an entry follows another one: if the row alone, with what was said before, would give one, EDGAR is why. */
function causeOf(
  row: LedgerFiling,
  before: Filing,
  { acceptedAt, filedAt }: Filing,
  companies: ReadonlyMap<string, LedgerCompany>,
  observedAt: string,
): ChangeCause {
  const byRow = filingOf(row, before, companies, before.ingestedAt ?? '');
  if (differing(withoutCompanies(before), withoutCompanies(byRow)).length > 0) return 'source';
  const day = 86_400_000;
  const acceptedMs = acceptedAt === null ? Date.parse(filedAt ?? '') + day - 1000 : Date.parse(acceptedAt);
  return Date.parse(observedAt) - acceptedMs <= 3 * day ? 'contents' : 'history';
}

/** What lists of documents have beyond the main one that is neither a picture nor XBRL. */
function exhibitsIn(list: NonNullable<LedgerContents['documents']>): Filing['exhibits'] {
  return list.flatMap(({ type, name }, at) =>
    at === 0 || type === '' || type === 'GRAPHIC' || /^EX-10[01](\.|$)/.test(type) ? [] : [{ type, name }],
  );
}

/** The persons that a document names. */
export function personsIn(ownership: Ownership) {
  if (ownership.kind === 'section_16') return ownership.owners;
  return ownership.kind === 'schedule_13' ? ownership.persons : [];
}

function filingOf(
  row: LedgerFiling,
  { ownership, exhibits }: Pick<Filing, 'ownership' | 'exhibits'>,
  companies: ReadonlyMap<string, LedgerCompany>,
  ingestedAt: string,
): Filing {
  const persons = ownership ? personsIn(ownership).flatMap(({ cik }) => cik ?? []) : [];
  const roleOfPerson = ownership?.kind === 'section_16' ? 'reporting_owner' : 'filed_by';
  const login = row.accessionNo.slice(0, 10);
  const listedFiler = row.filerCiks.find((each) => (companies.get(each)?.tickers.length ?? 0) > 0);
  const cik =
    row.subjectCik ?? (row.filerCiks.includes(login) ? login : (listedFiler ?? (row.filerCiks[0] as string)));
  const heads = [
    cik,
    ...relatedCiks(cik)
      .filter((each) => companies.has(each))
      .slice(0, 1),
  ];
  const listed = heads.flatMap((each) => companies.get(each) ?? []).find(({ tickers }) => tickers.length > 0);
  return {
    accessionNo: row.accessionNo,
    cik,
    ticker: listed?.tickers[0] ?? null,
    sic: companies.get(cik)?.facts?.sic ?? null,
    exchange: (listed ?? companies.get(cik))?.exchange ?? null,
    companyName: companies.get(cik)?.name ?? `CIK ${cik}`,
    form: row.form,
    eventType: eventTypeOfForm(row.form),
    items: hasItems(row.form) ? [...row.items] : [],
    filedAt: row.filedAt,
    reportDate: row.reportDate,
    acceptanceDateTime: row.acceptedEastern,
    acceptedAt: row.acceptedEastern === null ? null : withEasternOffset(row.acceptedEastern),
    primaryDocument: row.primaryDocument,
    primaryDocDescription: row.primaryDocDescription,
    detailUrl: `https://www.sec.gov/Archives/edgar/data/${Number(cik)}/${row.accessionNo.replaceAll('-', '')}/${row.accessionNo}-index.htm`,
    documentUrl: addressesOf({ ...row, cik }).documentUrl,
    size: row.sizeBytes,
    isXbrl: row.isXbrl,
    isInlineXbrl: row.isInlineXbrl,
    ingestedAt,
    parties: [
      ...(row.subjectCik === null ? [] : [row.subjectCik]),
      ...[...new Set([...row.filerCiks, ...persons])].filter((each) => each !== row.subjectCik).sort(),
    ].map((each) => ({
      cik: each,
      name: companies.get(each)?.name ?? null,
      role:
        (row.filerCiks.includes(each) || each === row.subjectCik ? roleOf(row, each) : null) ??
        (persons.includes(each) ? roleOfPerson : null),
    })),
    exhibits,
    ownership,
  };
}

function roleOf({ form, subjectCik }: LedgerFiling, cik: string): Party['role'] {
  if (form === '4') return cik === subjectCik ? 'issuer' : 'reporting_owner';
  if (cik === subjectCik) return 'subject';
  if (subjectCik !== null) return 'filed_by';
  if (form === 'SC 13D') return null;
  return isFiledByNamedCompany(form) ? 'filer' : null;
}

/** A filing without what follows from the names, symbols and listings of companies. */
function withoutCompanies(filing: Filing): object {
  return {
    ...filing,
    cik: null,
    ticker: null,
    sic: null,
    exchange: null,
    companyName: null,
    detailUrl: null,
    documentUrl: null,
    parties: filing.parties.map((party) => ({ ...party, name: null })),
  };
}

function differing(before: object, after: object): (keyof Filing)[] {
  const [a, b] = [before, after] as Record<string, unknown>[];
  return (Object.keys(Filing.shape) as (keyof Filing)[]).filter(
    (name) => JSON.stringify(a?.[name]) !== JSON.stringify(b?.[name]),
  );
}
