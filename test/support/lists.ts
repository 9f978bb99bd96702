import { changeTypeOf } from '../../src/domain/change-type.ts';
import fc from 'fast-check';
import { expandRow } from '../../build/fold/expand-lines.ts';
import { addObservation, type RowsTaken, companiesOf } from '../../build/fold/observation-rows.ts';
import type { Observation } from '../../build/ledger/observation.ts';
import { formKeyOf, formOfKey, kindOfKey } from '../../src/contract/filing-filters.ts';
import { readerOf } from '../../src/snapshot/open.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { eventTypeOfForm, familyOf, hasItems } from '../../src/domain/event-types.ts';
import { changeCauses, type ChangeCause, type Filing, type Party } from '../../src/contract/records.ts';
import type { Transaction } from '../../src/contract/ownership.ts';
import { historySortKey, type SegmentEntry, type TableName } from '../../src/format/snapshot.ts';
import { readHistory } from '../../src/answers/read-history.ts';
import { readFeed } from '../../src/answers/read-feed.ts';
import type { FoundRows, ListRequest, ListRow, ListSource } from '../../src/answers/read-list.ts';
import { hostileText } from './arbitraries.ts';
import { withEasternOffset } from '../../src/time/eastern.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import { finishIn, logIn, writerIn } from './log.ts';
import { makeSegment, openSegments, partsIn, type SegmentRow } from './table.ts';
import { inPasses } from '../../src/table/passes.ts';

/** The lists that there are, of all companies and of one. */
export const lists = ['latest', 'changes', 'company-filings', 'company-changes'] as const;
/** The name of a list. */
export type ListName = (typeof lists)[number];

/** A request, and the list that is asked. */
export interface AskedList extends ListRequest {
  readonly company: string | null;
  readonly table: ListName;
}

/** Whether a list holds changes by sequence; else it holds filings, newest first. */
export const isFeed = (table: ListName) => table === 'changes' || table === 'company-changes';

/** Reads the list that is asked. */
export const readList = async (source: ListSource, asked: AskedList): Promise<readonly ListRow[]> =>
  (await readBoundedList(source, asked, Infinity)).rows;

/** Reads a page of the list that is asked, which ends when about `leftOutMost` rows were left out. */
export function readBoundedList(
  source: ListSource,
  asked: AskedList,
  leftOutMost: number,
): Promise<FoundRows> {
  if (!isFeed(asked.table)) return inPasses(() => readHistory(source, asked, leftOutMost));
  const { company, after: sort, ...rest } = asked;
  const after = Number(sort ?? 0);
  const companies = company === null ? null : new Map([[company, after]]);
  return inPasses(() => readFeed(source, { ...rest, companies, after }, leftOutMost));
}

/** Forms of the filings that are made up; the first two are of one family. */
export const forms = ['8-K', '8-K/A', '4', '10-K', 'X.1&(2)'] as const;
/** Items of them; one is the beginning of another. */
export const items = ['2.02', '9.01', '1.01', '1'] as const;
/** Days of them. */
export const days = ['1999-12-31', '2026-01-01', '2026-01-02', '2026-02-28'] as const;
/** Acceptances of them: on, before, long before and after the days, and on both sides of a change of clocks. */
const stamps = [
  '20260101000000',
  '20260101000001',
  '20260102163000',
  '19991231180000',
  '20251102013000',
] as const;

/** Companies of them. */
export const ciks = ['0000000002', '0000000004', '0000000006'] as const;

/** What a batch says of a filing. */
export interface Said {
  readonly number: number;
  readonly form: string;
  readonly items: readonly string[];
  readonly filedAt: string;
  readonly acceptanceDateTime: string | null;
  /** What was known of its company. */
  readonly company?: {
    readonly sic: string | null;
    readonly exchange: string | null;
    readonly ticker: string | null;
  };
  /** Types of its exhibits; null or left out if its list of documents was not read. */
  readonly exhibits?: readonly string[] | null;
  readonly parties: readonly string[];
  readonly text: string;
  /** Why, if it corrects what was said before; EDGAR if left out. */
  readonly cause?: ChangeCause;
  /** Transactions of a Form 4; left out of a filing whose document was not read. */
  readonly traded?: readonly Traded[] | undefined;
}

/** What a transaction is filtered by. */
type Traded = Pick<Transaction, 'code' | 'value'>;

/** Codes of transactions, and values on both sides of each partition. */
const codes = ['P', 'S', 'M'] as const;
const values = [null, 0, 9_999.99, 10_000, 99_999.99, 100_000, 1_234_567.89, 5_000_000_000] as const;
const traded: fc.Arbitrary<Traded> = fc.record({
  code: fc.constantFrom(...codes, null),
  value: fc.constantFrom(...values),
});

/** Filings of few numbers, so that later ones correct earlier ones in every way. */
export const said: fc.Arbitrary<Said> = fc.record({
  number: fc.integer({ min: 1, max: 14 }),
  form: fc.constantFrom(...forms),
  items: fc.subarray([...items]),
  // Most corrections keep the position of a filing.
  filedAt: fc.oneof(
    { weight: 4, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.constantFrom(...days) },
  ),
  acceptanceDateTime: fc.option(fc.constantFrom(...stamps), { nil: null, freq: 1 }),
  company: fc.record({
    sic: fc.constantFrom(null, '6022', '3571'),
    exchange: fc.constantFrom(null, 'Nasdaq', 'CBOE', 'OTC, "grey"'),
    ticker: fc.constantFrom(null, 'ABC'),
  }),
  exhibits: fc.option(fc.subarray(['EX-99.1', 'ex-10.1', 'EX-99.4(A)', 'LETTER "x"', 'X'.repeat(60)]), {
    nil: null,
  }),
  parties: fc.subarray([...ciks], { minLength: 1 }),
  traded: fc.option(fc.array(traded, { maxLength: 4 }), { nil: undefined, freq: 4 }),
  text: fc.oneof(
    { weight: 4, arbitrary: fc.constant('') },
    { weight: 2, arbitrary: hostileText },
    { weight: 1, arbitrary: fc.integer({ min: 20_000, max: 70_000 }).map((length) => 'x'.repeat(length)) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(...forms)
        .map(
          (form) =>
            `","cause":"rules","form":"${form}","items":["2.02"],"filedAt":"9999-01-01","cik":"0000000002","role":"issuer"`,
        ),
    },
  ),
  cause: fc.constantFrom(...changeCauses),
});

/** The observations that follow from what is said, in one group for each segment. */
export function observationsOf(groups: readonly (readonly Said[])[]): Observation[][] {
  const known = new Map<number, Observation>();
  let sequence = 0;
  return groups.map((group) =>
    group.map((each) => {
      const before = known.get(each.number);
      const filing = filingOf(each, before?.filing);
      const observation: Observation = {
        filing,
        sequence: ++sequence,
        revision: (before?.revision ?? 0) + 1,
        changeType: before ? 'amended' : changeTypeOf(filing.form, filing.items),
        observedAt: '2026-03-01T00:00:00.000Z',
        before: before?.filing ?? null,
        corrected: before
          ? (Object.keys(filing) as (keyof Filing)[]).filter(
              (name) => JSON.stringify(filing[name]) !== JSON.stringify(before.filing[name]),
            )
          : [],
        ...(before ? { cause: each.cause ?? 'source' } : {}),
      };
      known.set(each.number, observation);
      return observation;
    }),
  );
}

function filingOf(
  {
    number,
    form,
    items: own,
    filedAt,
    acceptanceDateTime,
    company,
    exhibits,
    parties,
    text,
    traded: transactions,
  }: Said,
  before: Filing | undefined,
): Filing {
  const [cik = ''] = parties;
  const isOwnership = /^[45](\/A)?$/.test(form);
  const role = (at: number): Party['role'] =>
    isOwnership ? (at === 0 ? 'issuer' : 'reporting_owner') : 'filer';
  return {
    accessionNo: `0000000001-26-${String(number).padStart(6, '0')}`,
    companyName: text,
    ticker: company?.ticker ?? null,
    form,
    eventType: eventTypeOfForm(form),
    items: hasItems(form) ? [...own] : [],
    filedAt: filedAt || (before?.filedAt ?? days[number % days.length] ?? null),
    detailUrl: null,
    acceptanceDateTime: before && filedAt === '' ? before.acceptanceDateTime : acceptanceDateTime,
    cik,
    sic: company?.sic ?? null,
    exchange: company?.exchange ?? null,
    acceptedAt: null,
    reportDate: null,
    primaryDocument: text,
    primaryDocDescription: null,
    documentUrl: null,
    size: null,
    isXbrl: false,
    isInlineXbrl: false,
    ingestedAt: '2026-03-01T00:00:00.000Z',
    parties: parties.map((each, at) => ({ cik: each, name: text, role: role(at) })),
    exhibits: exhibits?.map((type) => ({ type, name: text })) ?? null,
    ownership: isOwnership && transactions !== undefined ? ownershipOf(transactions, text) : null,
  };
}

/** What the document of a Form 4 says; its texts are those of the filing. */
function ownershipOf(transactions: readonly Traded[], text: string): Filing['ownership'] {
  return {
    kind: 'section_16',
    periodOfReport: null,
    originalSubmissionOn: null,
    isPlanned: null,
    isExit: false,
    owners: [
      {
        cik: null,
        name: text,
        isDirector: false,
        isOfficer: true,
        isTenPercentOwner: false,
        isOther: false,
        title: text,
      },
    ],
    transactions: transactions.map(({ code, value }, at) => ({
      number: at + 1,
      isDerivative: false,
      security: text,
      on: null,
      deemedExecutedOn: null,
      code,
      isEquitySwap: null,
      timeliness: null,
      shares: null,
      totalValue: null,
      price: null,
      value,
      direction: null,
      sharesAfter: null,
      valueAfter: null,
      isDirect: null,
      nature: null,
    })),
    holdingCount: 0,
  };
}

/** Writes a segment for each group of observations. */
export async function writeObservations(
  directory: string,
  groups: readonly (readonly Observation[])[],
): Promise<SegmentEntry[]> {
  const entries: SegmentEntry[] = [];
  let lastSequence = 0;
  const log = await writerIn(directory, 0, openPartFolder(directory));
  for (const [at, group] of groups.entries()) {
    const rows: SegmentRow[] = [];
    const kept: { readonly sort: string; readonly row: string | null; readonly note?: string }[] = [];
    const keep: RowsTaken['keep'] = (sort, row, note) =>
      kept.push({ sort, row, ...(note === undefined ? {} : { note }) }) - 1;
    const add: RowsTaken['add'] = (table, partition, sort, row, note) =>
      void rows.push({
        table: table as TableName,
        partition,
        sort: table === 'summaries' ? '' : sort,
        row: row === null ? null : expandRow(table as TableName, row).row,
        ...(note === undefined ? {} : { note }),
      });
    const addKept: RowsTaken['addKept'] = (table, partition, number) => {
      const { sort, row, note } = kept[number] as (typeof kept)[number];
      add(table, partition, sort, row, note);
    };
    for (const observation of group) addObservation({ add, keep, addKept }, log, observation);
    lastSequence = group.at(-1)?.sequence ?? lastSequence;
    entries.push(
      await makeSegment(directory, { from: at + 1, to: at + 1, rows: group.length }, rows, {
        before: entries,
        lastSequence,
      }),
    );
  }
  await finishIn(directory, log);
  return entries;
}

/** Opens the segments of a directory as the source of lists. `entries` and `groups` tell what they have. */
export async function sourceOf(
  directory: string,
  entries: readonly SegmentEntry[],
  groups: readonly (readonly Observation[])[],
  parts = partsIn(directory),
  cacheBytes = 8 * 1024 * 1024,
): Promise<ListSource> {
  const cache = createBlockCache(cacheBytes);
  const segments = await openSegments(directory, entries, cache, parts);
  const filings = groups.flat().map(({ filing }) => filing);
  return {
    ...readerOf(segments),
    log: logIn(directory, entries, parts, cache),
    manifest: { segments: [...entries] },
    forms: [...new Set(filings.map(({ form }) => form))],
    formerKinds: [...new Set(filings.map(formKeyOf))].filter((key) => key !== formOfKey(key)).map(kindOfKey),
  };
}

/** What a list must hold, by a filter over an array. */
export function expectedRows(groups: readonly (readonly Observation[])[], request: AskedList): Observation[] {
  const log = groups.flat();
  const isLog = isFeed(request.table);
  const newest = new Map(log.map((each) => [each.filing.accessionNo, each]));
  const order = (each: Observation) =>
    isLog ? String(each.sequence).padStart(12, '0') : historySortKey(each.filing);
  const all = isLog ? log : [...newest.values()].sort((a, b) => (order(a) < order(b) ? 1 : -1));
  return all
    .filter((each) => {
      const { filing, before } = each;
      const { form: anyForm, eventType, items: anyItem, since, until, isIssuer, company, after } = request;
      const { corrections, sic: anySic, exchange: anyExchange, listed: [listed] = [] } = request;
      const { exhibit: anyExhibit } = request;
      const { acceptedSince: [acceptedSince] = [], acceptedUntil: [acceptedUntil] = [] } = request;
      const stamp = filing.acceptanceDateTime;
      const acceptedMs = stamp === null ? Number.NaN : Date.parse(withEasternOffset(stamp));
      const { transactionCode: anyCode, minValue: [least] = [] } = request;
      const isTraded =
        filing.ownership?.kind === 'section_16' &&
        filing.ownership.transactions.some(
          ({ code, value }) =>
            (!anyCode || anyCode.includes(code ?? 'none')) &&
            (least === undefined || (value !== null && value >= Number(least))),
        );
      const named = [...companiesOf(filing), ...(isLog && before ? companiesOf(before) : [])];
      return (
        (company === null || named.includes(company)) &&
        (!corrections || each.cause === undefined || corrections.includes(each.cause)) &&
        (after === undefined || (isLog ? order(each) > after : order(each) < after)) &&
        (!anyForm || anyForm.includes(filing.form)) &&
        (!eventType || eventType.includes(filing.eventType)) &&
        (!anySic || anySic.includes(filing.sic ?? '')) &&
        (!anyExchange || anyExchange.includes(filing.exchange?.toUpperCase() ?? '')) &&
        (!anyExhibit ||
          (filing.exhibits ?? []).some(({ type }) => anyExhibit.includes(type.toUpperCase()))) &&
        (listed === undefined || String(filing.ticker !== null) === listed) &&
        (acceptedSince === undefined || acceptedMs >= Date.parse(acceptedSince)) &&
        (acceptedUntil === undefined || acceptedMs <= Date.parse(acceptedUntil)) &&
        (!anyItem || anyItem.some((item) => filing.items.includes(item))) &&
        ((!anyCode && least === undefined) || isTraded) &&
        (since === undefined || (filing.filedAt ?? '') >= since) &&
        (until === undefined || (filing.filedAt ?? '') <= until) &&
        (isIssuer !== true ||
          (filing.parties.some(({ role }) => role === 'issuer') && filing.cik === company))
      );
    })
    .slice(0, request.limit);
}

/** Bounds of acceptances, some of them in the hour that clocks show twice. */
const instants = [
  '1990-01-01T00:00:00.000Z',
  '2025-11-02T05:30:00.000Z',
  '2025-11-02T06:30:00.000Z',
  '2026-01-01T05:00:01.000Z',
  '2026-01-02T21:30:00.000Z',
  '9999-12-31T23:59:59.000Z',
] as const;

/** Any request of a list. */
export const request = (table: ListName): fc.Arbitrary<AskedList> => {
  const orNone = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
  const rarely = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 1 });
  return fc.record({
    table: fc.constant(table),
    company: table.startsWith('company-')
      ? fc.constantFrom(...ciks, '0000000001', '0000000009')
      : fc.constant(null),
    form: orNone(fc.subarray([...forms, 'NOPE'], { minLength: 1 })),
    eventType: orNone(
      fc.subarray(
        [...new Set(forms.map(eventTypeOfForm)), 'annual_report'].map((name) => familyOf(name) && name),
        { minLength: 1 },
      ),
    ),
    items: fc.option(fc.subarray([...items, '7.01'], { minLength: 1 }), { nil: undefined, freq: 1 }),
    transactionCode: fc.option(fc.subarray([...codes, 'H'], { minLength: 1 }), { nil: undefined, freq: 1 }),
    minValue: fc.option(
      fc
        .constantFrom('0', '500', '10000', '50000', '100000', '1000000', '10000000000')
        .map((least) => [least]),
      { nil: undefined, freq: 1 },
    ),
    sic: rarely(fc.subarray(['6022', '3571', '7011'], { minLength: 1 })),
    exchange: rarely(fc.subarray(['NASDAQ', 'CBOE', 'NYSE'], { minLength: 1 })),
    exhibit: rarely(fc.subarray(['EX-99.1', 'EX-10.1', 'EX-99.4(A)', 'EX-5'], { minLength: 1 })),
    listed: rarely(fc.constantFrom('true', 'false').map((value) => [value])),
    acceptedSince: rarely(fc.constantFrom(...instants).map((each) => [each])),
    acceptedUntil: rarely(fc.constantFrom(...instants).map((each) => [each])),
    since: orNone(fc.constantFrom(...days, '2026-01-15', '3000-01-01')),
    until: orNone(fc.constantFrom(...days, '1990-01-01')),
    // Only feeds are asked for the corrections of some causes.
    corrections: isFeed(table) ? orNone(fc.subarray([...changeCauses])) : fc.constant(undefined),
    // Only histories of companies are asked for the filings of the issuer.
    isIssuer: table === 'company-filings' ? fc.boolean() : fc.constant(undefined),
    after: orNone(
      isFeed(table)
        ? fc.nat(30).map((number) => String(number).padStart(12, '0'))
        : fc
            .tuple(fc.constantFrom(...days), fc.constantFrom('', '20260101000000'), fc.nat(15))
            .map(([day, time, number]) => `${day} ${time} 0000000001-26-${String(number).padStart(6, '0')}`),
    ),
    limit: fc.integer({ min: 1, max: 20 }),
  });
};
