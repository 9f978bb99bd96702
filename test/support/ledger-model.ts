import { BrokenLedger } from '../../build/ledger/batch.ts';
import {
  firstObservation,
  isCorrection,
  nextObservation,
  type Observation,
} from '../../build/ledger/observation.ts';
import { linksOf } from '../../build/ledger/document-addresses.ts';
import type { LedgerContents } from '../../build/ledger/contents.ts';
import { readCompanies, readContents, readFilings, type ReadRows } from '../../build/ledger/read.ts';
import type { Holder } from '../../build/ledger/symbols.ts';
import { describeRefusal, type LedgerCompany, type LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { changeTypeOf } from '../../src/domain/change-type.ts';
import { summarize } from '../../build/fold/summary.ts';
import { sicCodes } from '../../src/domain/company-codes.ts';
import { eventTypeOfForm, ownershipFamilies } from '../../src/domain/event-types.ts';
import { factsFrom } from '../../src/domain/company-facts.ts';
import { itemTitle } from '../../src/domain/items.ts';
import {
  Event,
  type Change,
  type Company,
  type CompanyProfile,
  type CountByEventType,
  type CountByForm,
  type Filing,
  type FilingSummary,
  type IngestRun,
} from '../../src/contract/records.ts';
import { filingPartition } from '../../src/format/filing-partition.ts';
import { postingsOf, rankOf } from '../../src/format/search-rows.ts';
import { compareText, foldSymbol } from '../../src/domain/scalars.ts';
import {
  allPartition,
  batchSortKey,
  countPartitions,
  feedSortKey,
  historySortKey,
  type BatchRow,
  type TableName,
} from '../../src/format/snapshot.ts';
import { newestCikOf, relatedCiks } from '../../src/domain/successors.ts';
import { askedName, exhibitsOf, isWanted, meets, reportOf, type ModelFilter } from './filter-model.ts';
import { headsOf } from './heads.ts';
import { personsIn } from './log-model.ts';

export type { ModelFilter };

/** A batch, as `foldBatches` takes it. */
export interface BatchRows {
  readonly number: number;
  readonly sha256: string;
  readonly run: IngestRun;
  readonly isSample?: boolean;
  readonly filings: readonly LedgerFiling[];
  readonly companies: readonly LedgerCompany[];
  readonly contents?: readonly LedgerContents[];
  /** Refused rows, each described in one line. */
  readonly refusals?: readonly string[];
}

/** The row of a company in the last batch that carries it, with every symbol that the company ever had. */
export interface ModelCompany extends LedgerCompany {
  readonly updatedAt: string;
  readonly everTickers: readonly string[];
}

/**
 * A ledger as one state in memory, made with arrays, Maps and sort alone. Tests compare snapshots with it.
 */
export interface LedgerModel {
  readonly batches: readonly BatchRow[];
  readonly latestRun: IngestRun;
  /** Whether all of its batches come from recordings. */
  readonly isSample: boolean;
  /** Every observation, in the order of the change feed. */
  readonly observations: readonly Observation[];
  /** The newest observation of each filing, in the order in which the filings came. */
  readonly newest: ReadonlyMap<string, Observation>;
  /** What the document of each filing says. */
  readonly contents: ReadonlyMap<string, LedgerContents>;
  /** The last row of each filing. */
  readonly rows: ReadonlyMap<string, LedgerFiling>;
  /** The newest record of each filing, newest filing first. */
  readonly filings: readonly Filing[];
  /** By CIK. */
  readonly companies: ReadonlyMap<string, ModelCompany>;
  /** The CIK of the company that got a symbol last, by folded symbol. */
  readonly symbols: ReadonlyMap<string, Holder>;
  /** The refused rows of each batch. */
  readonly refusals: readonly (readonly string[])[];
}

const byText =
  <Value>(keyOf: (value: Value) => string) =>
  (a: Value, b: Value) =>
    compareText(keyOf(a), keyOf(b));

const personNamed = (cik: string, name: string): LedgerCompany => ({
  cik,
  name,
  tickers: [],
  exchange: null,
  formerNames: [],
});

/** What is known when a row is observed. */
export interface KnownBefore {
  readonly before: Observation | undefined;
  readonly companies: ReadonlyMap<string, LedgerCompany>;
  /** All that documents of the filing have said, and what the batch brings of it. */
  readonly said: LedgerContents | undefined;
  readonly brought: LedgerContents | null;
}

/** Makes the observation of a row. Null if it corrects nothing. */
export type Observe = (
  row: LedgerFiling,
  known: KnownBefore,
  observedAt: string,
  sequence: number,
) => Observation | null;

const observeByTheBuild: Observe = (row, { before, companies, said, brought }, observedAt, sequence) => {
  const companyOf = (cik: string) => companies.get(cik);
  if (!before) return firstObservation(row, companyOf, observedAt, sequence, said);
  const next = nextObservation(before, row, companyOf, observedAt, sequence, { contents: brought });
  return isCorrection(next) ? next : null;
};

/** A text that orders the new filings of a batch: by day, acceptance and accession number. */
const arrivalOf = ({ filedAt, acceptedEastern, accessionNo }: LedgerFiling) =>
  `${filedAt} ${acceptedEastern ?? ''.padEnd(14)} ${accessionNo}`;

/**
 * Folds batches, the oldest first. What an observation says is up to the build; `log-model.ts` says it independently.
 * Throws `BrokenLedger` for a batch that carries a filing twice.
 */
export function foldBatches(
  batches: readonly BatchRows[],
  observe: Observe = observeByTheBuild,
): LedgerModel {
  const observations: Observation[] = [];
  const newest = new Map<string, Observation>();
  const rows = new Map<string, LedgerFiling>();
  const contents = new Map<string, LedgerContents>();
  const companies = new Map<string, ModelCompany>();
  const symbols = new Map<string, Holder>();
  const folded: BatchRow[] = [];
  for (const {
    number,
    sha256,
    run,
    filings,
    companies: described,
    contents: said = [],
    refusals = [],
  } of batches) {
    const firstSequence = observations.length + 1;
    for (const company of described.toSorted(byText(({ cik }) => cik))) {
      const everTickers = new Set([...company.tickers, ...(companies.get(company.cik)?.everTickers ?? [])]);
      companies.set(company.cik, { ...company, everTickers: [...everTickers], updatedAt: run.createdAt });
      for (const ticker of company.tickers)
        symbols.set(foldSymbol(ticker), { cik: company.cik, at: run.createdAt });
    }
    const brought = new Map<string, LedgerContents>();
    for (const each of said.toSorted(byText(({ accessionNo }) => accessionNo))) {
      for (const { cik, name } of each.ownership ? personsIn(each.ownership.ownership) : [])
        if (cik !== null && name !== null && !companies.has(cik))
          companies.set(cik, { ...personNamed(cik, name), updatedAt: run.createdAt, everTickers: [] });
      const before = contents.get(each.accessionNo);
      const { source, ownership, ...rest } = each;
      const isOld = source === 'data_set' && before?.source === 'document';
      const counting = isOld || !source || !ownership ? rest : { ...rest, source, ownership };
      if (Object.keys(counting).length === 1) continue;
      contents.set(each.accessionNo, { ...before, ...counting });
      brought.set(each.accessionNo, counting);
    }
    const fresh = filings.filter(({ accessionNo }) => !newest.has(accessionNo)).sort(byText(arrivalOf));
    const alone = [...brought.keys()].filter((each) =>
      filings.every(({ accessionNo }) => accessionNo !== each),
    );
    const known = [...filings, ...alone.flatMap((each) => rows.get(each) ?? [])]
      .filter(({ accessionNo }) => newest.has(accessionNo))
      .sort(byText(({ accessionNo }) => accessionNo));
    const carried = new Set<string>();
    for (const row of [...fresh, ...known]) {
      const before = newest.get(row.accessionNo);
      if (carried.has(row.accessionNo))
        throw new BrokenLedger(`batch ${number} carries ${row.accessionNo} twice`);
      carried.add(row.accessionNo);
      rows.set(row.accessionNo, row);
      const observation = observe(
        row,
        {
          before,
          companies,
          said: contents.get(row.accessionNo),
          brought: brought.get(row.accessionNo) ?? null,
        },
        run.createdAt,
        observations.length + 1,
      );
      if (observation === null) continue;
      observations.push(observation);
      newest.set(row.accessionNo, observation);
    }
    folded.push({
      number,
      sha256,
      createdAt: run.createdAt,
      lastSequence: observations.length,
      changes: observations.length - firstSequence + 1,
      refused: refusals.length,
    });
  }
  return {
    batches: folded,
    observations,
    newest,
    contents,
    rows,
    companies,
    symbols,
    latestRun: batches.at(-1)?.run ?? { target: '', status: '', message: null, createdAt: '' },
    isSample: batches.every(({ isSample }) => isSample === true),
    filings: [...newest.values()]
      .map(({ filing }) => filing)
      .sort(byText(historySortKey))
      .reverse(),
    refusals: batches.map(({ refusals = [] }) => refusals),
  };
}

/** The batches of a ledger, the oldest first. Throws `BrokenLedger`. */
export async function readBatches(directory: string): Promise<BatchRows[]> {
  return Promise.all(
    (await headsOf(directory)).map(async ({ head, sha256 }) => {
      const [companies, filings] = [[], []] as [ReadRows<LedgerCompany>[], ReadRows<LedgerFiling>[]];
      const contents: ReadRows<LedgerContents>[] = [];
      for await (const part of readContents(directory, head)) contents.push(part);
      for await (const part of readCompanies(directory, head)) companies.push(part);
      for await (const part of readFilings(directory, head)) filings.push(part);
      return {
        number: head.number,
        sha256,
        run: head.run,
        isSample: head.sample === true,
        companies: companies.flatMap((part) => part.rows),
        filings: filings.flatMap((part) => part.rows),
        contents: contents.flatMap((part) => part.rows),
        refusals: [...companies, ...filings, ...contents]
          .flatMap((part) => part.refusals)
          .map(describeRefusal),
      };
    }),
  );
}

/** Reads and folds a ledger. Throws `BrokenLedger`. */
export async function readModel(directory: string): Promise<LedgerModel> {
  return foldBatches(await readBatches(directory));
}

/** Whether a filing names a company, or a predecessor or successor of it. */
const namesCompany = ({ parties }: Filing, company: string) =>
  parties.some(({ cik }) => newestCikOf(cik) === newestCikOf(company));

/** The newest observation of each filing that matches, newest first. */
export function filingsOf({ filings }: LedgerModel, filter: ModelFilter = {}): Filing[] {
  const { company } = filter;
  const own = filings.filter(meets(filter));
  return company === undefined ? own : own.filter((filing) => namesCompany(filing, company));
}

/** Filings of Forms 3, 4 and 5 that match, newest first. With a company: only those of which it is the issuer. */
export function insiderFilingsOf(
  { filings }: LedgerModel,
  company?: string,
  filter: ModelFilter = {},
): Filing[] {
  const isIssuer = ({ parties }: Filing) =>
    company === undefined ||
    parties.some(({ cik, role }) => role === 'issuer' && relatedCiks(company).includes(cik));
  const own = filings.filter(meets(filter));
  return own.filter((filing) => ownershipFamilies.has(filing.eventType) && isIssuer(filing));
}

/** A filing as an event. */
export function eventOf(filing: Filing): Event {
  return Event.parse(filing);
}

/** An observation as an entry of the change feed. */
function changeOf({ filing, sequence, revision, observedAt, before, corrected, cause }: Observation): Change {
  const changeType = before ? 'amended' : changeTypeOf(filing.form, filing.items);
  return {
    sequence,
    changeType,
    observedAt,
    revision,
    ...(before ? { corrected: [...corrected], cause } : {}),
    filing,
  };
}

/**
 * The entries of the change feed that match. The feed of a company has the entries that name it, and the
 * corrections that name it no longer.
 */
export function changesOf({ observations }: LedgerModel, filter: ModelFilter = {}): Change[] {
  const { company } = filter;
  const [isMet, hasCause] = [meets(filter), isWanted(filter)];
  const isIn = ({ filing, before }: Observation) =>
    company === undefined ||
    namesCompany(filing, company) ||
    (before !== null && namesCompany(before, company));
  return observations
    .filter((each) => isMet(each.filing) && hasCause(each.cause) && isIn(each))
    .map(changeOf);
}

/** The newest observation of a filing with its sentence. Null if there is no such filing. */
export function summaryOf(
  { newest, contents }: Pick<LedgerModel, 'newest' | 'contents'>,
  accessionNo: string,
): FilingSummary | null {
  const filing = newest.get(accessionNo)?.filing;
  const folder = filing?.detailUrl?.replace(/[^/]*$/, '') ?? '';
  return filing
    ? {
        ...filing,
        summary: summarize(filing),
        itemTitles: filing.items.map((code) => itemTitle(code) ?? null),
        links: linksOf(filing),
        notInvestmentAdvice: true,
        documents:
          contents
            .get(accessionNo)
            ?.documents?.map((each) => ({ ...each, url: each.name === null ? null : folder + each.name })) ??
          null,
      }
    : null;
}

/** The CIK of the company that a symbol or CIK names. Null if the ledger has no such company. */
export function cikOfSymbol({ symbols, companies }: LedgerModel, symbol: string): string | null {
  const folded = foldSymbol(symbol);
  if (/^\d{10}$/.test(folded)) return companies.has(folded) ? folded : null;
  return symbols.get(folded)?.cik ?? null;
}

/** The profile of a company. Null if the ledger has no row of it. */
export function profileOf(model: LedgerModel, cik: string): CompanyProfile | null {
  const company = model.companies.get(cik);
  if (!company) return null;
  const filings = filingsOf(model, { company: cik });
  return {
    cik,
    ticker: company.tickers[0] ?? null,
    name: company.name,
    exchange: company.exchange,
    updatedAt: company.updatedAt,
    filingCount: filings.length,
    latestFilingAt: filings[0]?.filedAt ?? null,
    forms: formsOf(filings),
    latestFiling: filings[0] ?? null,
    latestIngestedAt:
      changesOf(model, { company: cik })
        .map(({ filing }) => filing.ingestedAt)
        .sort()
        .at(-1) ?? null,
    tickers: [...company.tickers],
    formerNames: [...company.formerNames],
    relatedCiks: relatedCiks(cik).filter((each) => each !== cik && model.companies.has(each)),
    ...factsFrom((name) => company.facts?.[name]),
    formerNamePeriods: [...(company.formerNamePeriods ?? [])],
  };
}

/** The members of a profile that lists of companies have. */
function companyOf({
  cik,
  ticker,
  name,
  exchange,
  updatedAt,
  filingCount,
  latestFilingAt,
}: CompanyProfile): Company {
  return { cik, ticker, name, exchange, updatedAt, filingCount, latestFilingAt };
}

/** Filings by form, most frequent first. */
export function formsOf(filings: readonly Filing[]): CountByForm[] {
  return countBy(filings, ({ form }) => form).map(([form, count]) => ({ form, count }));
}

/** Filings by event family, most frequent first. */
export function eventTypesOf(filings: readonly Filing[]): CountByEventType[] {
  return countBy(filings, ({ form }) => eventTypeOfForm(form)).map(([eventType, count]) => ({
    eventType,
    count,
  }));
}

function countBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): [string, number][] {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
  return [...counts].sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1));
}

/** Rows of a table, parsed, by `<partition> | <sort key>`. */
export type ModelTable = ReadonlyMap<string, unknown>;

/** The key of a row in a `ModelTable`. */
export function tableKey(partition: string, sort: string): string {
  return `${partition} | ${sort}`;
}

const monthOf = (filedAt: string | null) => (filedAt === null ? '0000-00' : filedAt.slice(0, 7));

/** The rows of a company in the partitions of filters. */
function filterRowsOf(profile: CompanyProfile): (readonly [partition: string, sort: string, row: unknown])[] {
  const row = {
    sic: profile.sic,
    state: askedName(profile.stateOfIncorporation),
    exchange: askedName(profile.exchange),
    listed: String(profile.ticker !== null),
  };
  return Object.entries(row).flatMap(([filter, value]) =>
    value === null ? [] : [[`${filter} ${value}`, profile.cik, row] as const],
  );
}

/** Every row of every table that a snapshot of the ledger has, totals of zero left out. */
export function tablesOf(model: LedgerModel): Readonly<Record<TableName | 'log', ModelTable>> {
  const { observations, filings, companies, symbols, batches, refusals } = model;
  const table = (rows: readonly (readonly [partition: string, sort: string, row: unknown])[]): ModelTable =>
    new Map(rows.map(([partition, sort, row]) => [tableKey(partition, sort), row]));
  const transactionKeysOf = (filing: Filing) => {
    const { transactions = [], owners = [] } = reportOf(filing) ?? {};
    if (transactions.length === 0) return [];
    const ofEach = transactions.flatMap(({ code, value }) => {
      const decades = [6, 7, 8, 9].filter((decade) => value !== null && value >= Number(`1e${decade}`));
      return [
        ...(code === null ? [] : [code]),
        ...decades.flatMap((each) => [`${each}`, `${code ?? ''}${each}`]),
      ];
    });
    const ofOwners = owners.flatMap(({ isTenPercentOwner, isOther }) => [
      ...(isTenPercentOwner ? ['ten_percent_owner'] : []),
      ...(isOther ? ['other'] : []),
    ]);
    return ['any', ...new Set([...ofEach, ...ofOwners])];
  };
  const largestValuesOf = (filing: Filing) => {
    const { transactions = [] } = reportOf(filing) ?? {};
    const codes = [...new Set(transactions.map(({ code }) => code))];
    return codes.map((code) => {
      const values = transactions.flatMap((each) => (each.code === code ? (each.value ?? []) : []));
      return [code ?? '', values.length === 0 ? null : Math.max(...values)] as const;
    });
  };
  const isOdd = ({ filedAt, acceptanceDateTime: stamp }: Filing) => {
    if (stamp === null || filedAt === null) return stamp !== null;
    const day = `${stamp.slice(0, 4)}-${stamp.slice(4, 6)}-${stamp.slice(6, 8)}`;
    const days = (Date.parse(filedAt) - Date.parse(day)) / 86_400_000;
    return days < 0 || days > 10;
  };
  const partitionsOf = (filing: Filing) => [
    allPartition,
    `form ${filing.form}`,
    ...filing.items.map((item) => `item ${item} ${filing.form}`),
    ...transactionKeysOf(filing).map((key) => `transaction ${key} ${filing.form}`),
    ...(filing.sic === null ? [] : [`industry code ${filing.sic}`]),
    ...(askedName(filing.exchange) === null || /^(NASDAQ|NYSE|OTC)$/.test(askedName(filing.exchange) ?? '')
      ? []
      : [`exchange ${askedName(filing.exchange)}`]),
    ...exhibitsOf(filing).map((type) => `exhibit ${type}`),
    ...(isOdd(filing) ? ['odd acceptance'] : []),
  ];
  const timesIn = (partition: string, { filedAt, acceptanceDateTime }: Filing) =>
    `${filedAt ?? ''} ${/^(first entries|cause )/.test(partition) ? (acceptanceDateTime ?? '') : ''}`;
  const rowIn = (partition: string, filing: Filing, place: unknown) => {
    const [kind, key = ''] = partition.split(' ');
    if (kind !== 'transaction') return place;
    const hasCode = /^[A-Z]/.test(key);
    const values = (reportOf(filing)?.transactions ?? []).flatMap(({ code, value }) =>
      value === null || (hasCode && !key.startsWith(code ?? ' ')) ? [] : value,
    );
    return values.length === 0 ? place : [place, Math.max(...values)];
  };
  const sequenceOf = ({ accessionNo }: Filing) => model.newest.get(accessionNo)?.sequence;
  const chainsOf = ({ parties }: Filing) => parties.map(({ cik }) => newestCikOf(cik));
  const profiles = [...companies.keys()].flatMap((cik) => profileOf(model, cik) ?? []);
  const number = (value: number) => String(value).padStart(9, '0');
  const days = countBy(filings, ({ filedAt, eventType }) => `${filedAt} ${eventType}`);
  const refused = refusals.flat().length;
  return {
    latest: table(
      filings.flatMap((filing) =>
        partitionsOf(filing).map(
          (partition) =>
            [partition, historySortKey(filing), rowIn(partition, filing, sequenceOf(filing))] as const,
        ),
      ),
    ),
    log: table(
      observations.map((each) => [allPartition, feedSortKey(each.sequence), changeOf(each)] as const),
    ),
    'change-dates': table(
      observations.flatMap((each) =>
        [...partitionsOf(each.filing), each.cause ? `cause ${each.cause}` : 'first entries']
          .filter((partition) => partition !== allPartition)
          .map(
            (partition) =>
              [
                partition,
                feedSortKey(each.sequence),
                rowIn(partition, each.filing, timesIn(partition, each.filing)),
              ] as const,
          ),
      ),
    ),
    'company-filings': table(
      filings.flatMap((filing) =>
        chainsOf(filing).map(
          (chain) =>
            [
              chain,
              historySortKey(filing),
              {
                sequence: sequenceOf(filing),
                form: filing.form,
                items: filing.items,
                sic: filing.sic,
                exchange: askedName(filing.exchange),
                listed: String(filing.ticker !== null),
                exhibit: exhibitsOf(filing).length > 1 ? exhibitsOf(filing) : (exhibitsOf(filing)[0] ?? null),
                ...(largestValuesOf(filing).length === 0
                  ? {}
                  : { largestValues: Object.fromEntries(largestValuesOf(filing)) }),
                ...(filing.parties.some(({ cik, role }) => role === 'issuer' && newestCikOf(cik) === chain)
                  ? { issuer: true }
                  : {}),
              },
            ] as const,
        ),
      ),
    ),
    'company-changes': table(
      observations.flatMap((each) =>
        [each.filing, each.before]
          .flatMap((filing) => (filing ? chainsOf(filing) : []))
          .flatMap((chain) => (each.filing.items.length === 0 ? [chain] : [chain, `${chain} item`]))
          .map((chain) => [chain, feedSortKey(each.sequence), changeOf(each)] as const),
      ),
    ),
    summaries: table(
      [...model.newest.keys()].map(
        (accessionNo) => [filingPartition(accessionNo), '', summaryOf(model, accessionNo)] as const,
      ),
    ),
    ownership: table(
      [...model.contents].flatMap(([accessionNo, { source, ownership: document }]) => {
        if (!document) return [];
        const { ownership, ...rest } = document;
        return [
          [
            filingPartition(accessionNo),
            '',
            { source, document: model.newest.has(accessionNo) ? rest : { ...rest, ownership } },
          ] as const,
        ];
      }),
    ),
    documents: table(
      [...model.contents].flatMap(([accessionNo, { documents = [] }]) =>
        documents.length === 0
          ? []
          : [
              [
                filingPartition(accessionNo),
                '',
                documents.map(({ sequence, type, description, name, size }) => [
                  sequence,
                  type,
                  description,
                  name,
                  size,
                ]),
              ] as const,
            ],
      ),
    ),
    profiles: table(
      profiles.map(({ latestFiling: latest, ...profile }) => [
        profile.cik,
        '',
        {
          ...profile,
          latestFiling: latest && { sequence: sequenceOf(latest), sort: historySortKey(latest) },
        },
      ]),
    ),
    companies: table(
      profiles.flatMap((profile) => [
        [allPartition, rankOf(profile), companyOf(profile)] as const,
        ...filterRowsOf(profile),
      ]),
    ),
    symbols: table(
      [...symbols]
        .filter(([symbol]) => !/^\d{10}$/.test(symbol))
        .map(([symbol, { cik, at }]) => [symbol, '', { symbol, cik, at }] as const),
    ),
    search: table(
      profiles
        .map((profile) => postingsOf(profile))
        .flatMap(({ keys, row }) => keys.map(({ partition, sort }) => [partition, sort, row] as const)),
    ),
    counts: table([
      ...formsOf(filings).map(({ form, count }) => [countPartitions.forms, form, count] as const),
      ...days.map(([day, count]) => [countPartitions.days, day, count] as const),
      ...(
        [
          ['months', ({ filedAt }) => [monthOf(filedAt)]],
          ['monthsOfForms', ({ form, filedAt }) => [`${form} ${monthOf(filedAt)}`]],
          ['formsOfMonths', ({ form, filedAt }) => [`${monthOf(filedAt)} ${form}`]],
          [
            'monthsOfItems',
            ({ form, filedAt, items }) => items.map((item) => `${item} ${form} ${monthOf(filedAt)}`),
          ],
          [
            'itemsOfMonths',
            ({ form, filedAt, items }) => items.map((item) => `${monthOf(filedAt)} ${item} ${form}`),
          ],
        ] as const satisfies readonly [keyof typeof countPartitions, (filing: Filing) => string[]][]
      ).flatMap(([name, keysOf]) =>
        countBy(
          filings.flatMap((filing) => [...new Set(keysOf(filing))]),
          (key) => key,
        ).map(([key, count]) => [countPartitions[name], key, count] as const),
      ),
      ...countBy(
        observations.flatMap(({ filing: { items } }) =>
          items.filter((item) => itemTitle(item) === undefined),
        ),
        (item) => item,
      ).map(([item, count]) => [countPartitions.unlistedItems, item, count] as const),
      ...countBy(
        observations.flatMap(({ filing }) => [
          ...(filing.sic !== null && !sicCodes.includes(filing.sic) ? [`sic ${filing.sic}`] : []),
          ...(/^(NASDAQ|NYSE|OTC|CBOE)$/.test(askedName(filing.exchange) ?? 'OTC')
            ? []
            : [`exchange ${askedName(filing.exchange)}`]),
        ]),
        (fact) => fact,
      ).map(([fact, count]) => [countPartitions.unlistedFacts, fact, count] as const),
      ...(profiles.length > 0 ? [[countPartitions.companies, '', profiles.length] as const] : []),
      ...(refused > 0 ? [[countPartitions.refusals, '', refused] as const] : []),
    ]),
    batches: table(
      batches.map(
        (batch) =>
          [allPartition, batchSortKey(batch.lastSequence - batch.changes + 1, batch.number), batch] as const,
      ),
    ),
    refusals: table(
      refusals.flatMap((texts, batch) =>
        texts.map((text, at) => [allPartition, `${number(batch + 1)} ${number(at)}`, text] as const),
      ),
    ),
  };
}
