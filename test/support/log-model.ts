import type { Ownership } from '../../src/contract/ownership.ts';
import { withEasternOffset } from '../../src/time/eastern.ts';
import { addressesOf } from '../../build/ledger/document-addresses.ts';
import type { LedgerContents } from '../../build/ledger/contents.ts';
import type { LedgerCompany, LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { eventTypeOfForm, hasItems, isFiledByNamedCompany } from '../../src/domain/event-types.ts';
import { Filing, type Change, type Party } from '../../src/contract/records.ts';
import { relatedCiks } from '../../src/domain/successors.ts';
import { changeTypeOf } from '../../src/domain/change-type.ts';
import type { BatchRows } from './ledger-model.ts';

/**
 * The change feed of a ledger, and what is known at its end, without any function of the build that folds.
 */
export interface LogModel {
  readonly log: Change[];
  /** The newest entry of each accession number. */
  readonly newest: ReadonlyMap<string, Change>;
  readonly companies: ReadonlyMap<string, LedgerCompany>;
}

/** The rules of the specification of formats, written as simply as possible. */
export function modelOf(batches: readonly BatchRows[]): LogModel {
  const companies = new Map<string, LedgerCompany>();
  const newest = new Map<string, Change>();
  const log: Change[] = [];
  const rows = new Map<string, LedgerFiling>();
  const documents = new Map<string, LedgerContents>();
  for (const { filings: carried, companies: described, contents = [], run } of batches) {
    for (const company of described) companies.set(company.cik, company);
    const inOrder = contents.toSorted((a, b) => (a.accessionNo < b.accessionNo ? -1 : 1));
    const counting = inOrder.filter(
      ({ accessionNo, source, documents: list }) =>
        list || source === 'document' || documents.get(accessionNo)?.source !== 'document',
    );
    for (const { ownership } of inOrder)
      for (const { cik, name } of ownership ? personsIn(ownership.ownership) : [])
        if (cik !== null && name !== null && !companies.has(cik))
          companies.set(cik, { cik, name, tickers: [], exchange: null, formerNames: [] });
    for (const each of counting) {
      const before = documents.get(each.accessionNo);
      const isOld = each.source === 'data_set' && before?.source === 'document';
      const { source, ownership } = isOld || !each.ownership ? { ...before } : each;
      const list = each.documents ?? before?.documents;
      const { accessionNo } = each;
      documents.set(accessionNo, {
        accessionNo,
        ...(source && ownership ? { source, ownership } : {}),
        ...(list ? { documents: list } : {}),
      });
    }
    for (const row of carried) rows.set(row.accessionNo, row);
    const inBatch = new Set([...carried, ...counting].map(({ accessionNo }) => accessionNo));
    const filings = [...inBatch].flatMap((accessionNo) => rows.get(accessionNo) ?? []);
    const isNew = ({ accessionNo }: LedgerFiling) => !newest.has(accessionNo);
    const arrival = ({ filedAt, acceptedEastern, accessionNo }: LedgerFiling) =>
      `${filedAt} ${acceptedEastern ?? ''.padEnd(14)} ${accessionNo}`;
    const fresh = filings.filter(isNew).sort((a, b) => (arrival(a) < arrival(b) ? -1 : 1));
    const known = filings
      .filter((row) => !isNew(row))
      .sort((a, b) => (a.accessionNo < b.accessionNo ? -1 : 1));
    for (const row of [...fresh, ...known]) {
      const before = newest.get(row.accessionNo);
      const ingestedAt = before?.filing.ingestedAt ?? run.createdAt;
      const said = documents.get(row.accessionNo);
      const contents = {
        ownership: said?.ownership?.ownership ?? null,
        exhibits: said?.documents ? exhibitsIn(said.documents) : null,
      };
      const filing = filingOf(row, contents, companies, ingestedAt);
      const corrected = before ? differing(before.filing, filing) : [];
      if (before && differing(withoutCompanies(before.filing), withoutCompanies(filing)).length === 0)
        continue;
      const changeType = before ? 'amended' : changeTypeOf(filing.form, filing.items);
      const entry: Change = {
        sequence: log.length + 1,
        changeType,
        observedAt: run.createdAt,
        revision: (before?.revision ?? 0) + 1,
        ...(before
          ? { corrected, cause: causeOf(row, before.filing, filing, companies, run.createdAt) }
          : {}),
        filing,
      };
      log.push(entry);
      newest.set(row.accessionNo, entry);
    }
  }
  return { log, newest, companies };
}

/** Why an entry follows another one: if the row alone, with what was said before, would give one, EDGAR is why. */
function causeOf(
  row: LedgerFiling,
  before: Filing,
  { acceptedAt, filedAt }: Filing,
  companies: LogModel['companies'],
  observedAt: string,
): Change['cause'] {
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

function personsIn(ownership: Ownership) {
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

function differing(before: object, after: object): string[] {
  const [a, b] = [before, after] as Record<string, unknown>[];
  return Object.keys(Filing.shape).filter((name) => JSON.stringify(a?.[name]) !== JSON.stringify(b?.[name]));
}
