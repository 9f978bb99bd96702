import { eventTypeOfForm, ownershipFamilies } from '../../src/domain/event-types.ts';
import { foldSymbol, isCik } from '../../src/domain/scalars.ts';
import {
  companyOf,
  mostFrequentFirst,
  type Change,
  type Company,
  type CompanyEntry,
  type CountByEventType,
  type CountByForm,
  type Filing,
  type IngestRun,
} from '../../src/contract/records.ts';
import { type ReconciledDay } from '../../src/contract/reconciled-days.ts';
import type { ProfileRow } from '../../src/format/profile-rows.ts';
import { filingPartition } from '../../src/format/filing-partition.ts';
import { allPartition, countPartitions, type BatchRow, type Manifest } from '../../src/format/snapshot.ts';
import { newestCikOf, relatedCiks } from '../../src/domain/successors.ts';
import { findCompany } from '../../src/answers/company-answers.ts';
import { filingExtentOf } from '../../src/rows/parts.ts';
import { readHistory } from '../../src/answers/read-history.ts';
import { readFeed } from '../../src/answers/read-feed.ts';
import type { ListRequest } from '../../src/answers/read-list.ts';
import { findRow } from '../../src/table/finder.ts';
import { mergedRows, readPage } from '../../src/table/merge.ts';
import { rowBytes, type TableRow } from '../../src/table/table.ts';
import type { Snapshot } from '../../src/snapshot/open.ts';
import { contractAccession, exampleSymbols } from '../../site/content/examples.ts';
import {
  firstDayOf,
  overviewLimits,
  type DayCount,
  type Overview,
  type ShownCompany,
} from '../../site/content/overview.ts';

/**
 * The part of a snapshot from which an overview is read: its segments and its log. The documents need not exist
 * yet.
 */
export type Data = Pick<Snapshot, 'segments' | 'tables' | 'log' | 'forms' | 'formerKinds'> & {
  readonly manifest: Pick<Manifest, 'segments'>;
};

/**
 * Companies that most readers know. Pages show them in this order, before all others. They leave out those
 * that the snapshot lacks.
 */
const wellKnown = [
  'AAPL',
  'MSFT',
  'NVDA',
  'GOOGL',
  'AMZN',
  'META',
  'JNJ',
  'WMT',
  'PG',
  'KO',
  'CSCO',
  'DIS',
] as const;

/** Totals of a snapshot, read from the counts and lists of its segments. */
export interface SnapshotTotals {
  readonly forms: readonly CountByForm[];
  readonly filingCount: number;
  readonly companyCount: number;
  readonly lastSequence: number;
  readonly newestFiledAt: string | null;
}

const parse = <Row>(row: TableRow) => JSON.parse(rowBytes(row).toString()) as Row;

function parseFiling(row: TableRow): Filing {
  const { bytes, from, to } = filingExtentOf(row);
  return JSON.parse(bytes.toString('utf8', from, to)) as Filing;
}

/** A count by its name in the table `counts`. */
interface NamedCount {
  readonly name: string;
  readonly count: number;
}

/**
 * Reads the counts of a partition in the order of their names, beginning at the name `from`. Leaves out
 * counts of zero.
 */
function* countsOf(
  { tables }: Pick<Data, 'tables'>,
  partition: string,
  from?: string,
): Generator<NamedCount> {
  for (const row of mergedRows(tables('counts'), { partitions: [partition], from })) {
    const count = parse<number>(row);
    if (count !== 0) yield { name: row.sort, count };
  }
}

/** The first count: there are counts of ten thousand days. */
const firstCount = (data: Pick<Data, 'tables'>, partition: string): NamedCount | undefined =>
  countsOf(data, partition).next().value as NamedCount | undefined;

/** Reads the totals of a snapshot from its segments. */
export function readTotals(data: Omit<Data, 'forms' | 'formerKinds'>): SnapshotTotals {
  const forms = mostFrequentFirst(
    [...countsOf(data, countPartitions.forms)].map(({ name, count }) => [name, count]),
  ).map(([form, count]) => ({ form, count }));
  const companies = firstCount(data, countPartitions.companies);
  const [newest] = readPage(data.tables('latest'), { partitions: [allPartition], limit: 1 });
  return {
    forms,
    filingCount: forms.reduce((sum, { count }) => sum + count, 0),
    companyCount: companies?.count ?? 0,
    lastSequence: data.manifest.segments.at(-1)?.lastSequence ?? 0,
    newestFiledAt: newest?.sort.slice(0, 10) || null,
  };
}

/** Reads the overview of a snapshot from its tables. */
export function readOverview(
  data: Data,
  totals: SnapshotTotals,
  latestRun: IngestRun,
  isSample: boolean,
  reconciledDays: readonly ReconciledDay[] = [],
): Overview {
  const { newestFiledAt } = totals;
  const newest = (request: Omit<ListRequest, 'company'>) =>
    readHistory(data, { company: null, ...request }).rows.map(parseFiling);
  const oldest = firstCount(data, countPartitions.days);
  const reports = newest({ eventType: ['current_report'], limit: overviewLimits.rows });
  const ranked = readPage(data.tables('companies'), {
    partitions: [allPartition],
    limit: overviewLimits.rows,
  }).map(parse<Company>);
  const refused = firstCount(data, countPartitions.refusals);
  return {
    isSample,
    latestRun,
    newestFiledAt,
    reconciledDays,
    oldestFiledAt: oldest?.name.slice(0, 10) ?? null,
    companyCount: totals.companyCount,
    filingCount: totals.filingCount,
    lastSequence: totals.lastSequence,
    forms: totals.forms,
    eventTypes: byEventType(totals.forms),
    days:
      newestFiledAt === null
        ? []
        : [...countsOf(data, countPartitions.days, firstDayOf(newestFiledAt))].map(
            ({ name, count }): DayCount => ({ filedAt: name.slice(0, 10), eventType: name.slice(11), count }),
          ),
    newestFilings: newest({ limit: overviewLimits.rows }),
    newestInsiderFilings: newest({ eventType: [...ownershipFamilies], limit: overviewLimits.rows }),
    newestTrade: newest({ transactionCode: ['P', 'S'], limit: 1 })[0] ?? null,
    newestReports: reports.filter(({ items }) => items.length > 0).slice(0, overviewLimits.reports),
    listedCompanies: ranked.filter(({ ticker }) => ticker !== null),
    shownCompanies: shownCompanies(data, ranked),
    exampleCompanies: exampleCompanies(data, ranked),
    exampleAccession: exampleAccession(data),
    batches: readPage(data.tables('batches'), { partitions: [allPartition], limit: overviewLimits.batches })
      .map(parse<BatchRow>)
      .map(({ number, sha256, createdAt, changes }) => ({ number, sha256, createdAt, changes })),
    refusals: {
      count: refused?.count ?? 0,
      first: readPage(data.tables('refusals'), {
        partitions: [allPartition],
        limit: overviewLimits.refusals,
      }).map(parse<string>),
    },
  };
}

function byEventType(forms: readonly CountByForm[]): CountByEventType[] {
  const counts = new Map<string, number>();
  for (const { form, count } of forms)
    counts.set(eventTypeOfForm(form), (counts.get(eventTypeOfForm(form)) ?? 0) + count);
  return mostFrequentFirst(counts).map(([eventType, count]) => ({ eventType, count }));
}

/**
 * Returns the companies of the explorer: the well-known ones of the snapshot, then those with a symbol by
 * rank. If no company is well-known or has a symbol, returns all by rank.
 */
function shownCompanies(data: Data, ranked: readonly Company[]): ShownCompany[] {
  const known = wellKnown.map((symbol) => findCompany(data, symbol));
  const listed = ranked.filter(({ ticker }) => ticker !== null);
  const candidates = [
    ...known.flatMap((company) => (company ? [company.cik] : [])),
    ...listed.map(({ cik }) => cik),
  ];
  const shown: ShownCompany[] = [];
  for (const cik of new Set(candidates.length > 0 ? candidates : ranked.map((company) => company.cik))) {
    if (shown.length === overviewLimits.shownCompanies) break;
    const row = findRow(data.tables('profiles'), cik);
    const company = row && parse<ProfileRow>(row);
    if (!company || isPredecessor(company)) continue;
    const { rows: filings } = readHistory(data, {
      company: newestCikOf(cik),
      limit: overviewLimits.shownFilings,
    });
    shown.push({
      symbol: symbolOf(data, company) ?? cik,
      company,
      filings: filings.map(parseFiling),
    });
  }
  return shown;
}

/**
 * Whether the snapshot has a successor of a company. The explorer then shows the filings of both under the
 * successor.
 */
function isPredecessor({ cik, relatedCiks: held }: CompanyEntry): boolean {
  return relatedCiks(cik).find((each) => each === cik || held.includes(each)) !== cik;
}

/**
 * Returns the first symbol of a company by which `findCompany` finds this company; null if there is none.
 * Skips a symbol of ten digits, because `findCompany` would take it for a CIK.
 */
function symbolOf(data: Data, { cik, tickers }: CompanyEntry): string | null {
  for (const symbol of tickers.map(foldSymbol))
    if (!isCik(symbol) && findCompany(data, symbol)?.cik === cik) return symbol;
  return null;
}

/**
 * Returns the companies that the contract's examples name. If the snapshot lacks one, the company with the
 * best rank that is not used yet stands in for it.
 */
function exampleCompanies(data: Data, ranked: readonly Company[]): Company[] {
  const named = exampleSymbols.map((symbol) => {
    const found = findCompany(data, symbol);
    return found && companyOf(parse<ProfileRow>(found.profile));
  });
  const others = ranked.filter(({ cik }) => !named.some((company) => company?.cik === cik));
  return named.flatMap((company) => company ?? others.shift() ?? []);
}

/**
 * Returns the filing that the contract's examples name, or else the first one of the feed; null if there is
 * none.
 */
function exampleAccession(data: Data): string | null {
  if (findRow(data.tables('summaries'), filingPartition(contractAccession))) return contractAccession;
  const [first] = readFeed(data, { companies: null, after: 0, limit: 1 }).rows;
  return first ? parse<Change>(first).filing.accessionNo : null;
}
