import { eventTypes, ownershipFamilies } from '../../src/domain/event-types.ts';
import { formsByEventType } from '../../src/domain/forms.ts';
import { isFormInUse } from '../../src/domain/nearest.ts';
import type { CompanyProfile, FilingSummary, Stats } from '../../src/contract/records.ts';
import { searchWords } from '../../src/format/search-rows.ts';
import { foldSymbol } from '../../src/domain/scalars.ts';
import { historySortKey, type TableName } from '../../src/format/snapshot.ts';
import { summaryOf } from '../../build/snapshot/diff.ts';
import { feedLogOf } from '../../src/answers/read-list.ts';
import {
  encodeCompanyCursor,
  encodeFeedCursor,
  encodeHistoryCursor,
  encodeTransactionCursor,
} from '../../src/query/cursor.ts';
import { compareKeys, isHiding } from '../../src/table/line.ts';
import { rowBytes, type Table, type TableRow } from '../../src/table/table.ts';
import type { BlockEntry } from '../../src/table/table-head.ts';
import type { Snapshot } from '../../src/snapshot/open.ts';
import { withCurrent } from './current.ts';

/** A company that can be asked for. */
export type KnownCompany = Pick<CompanyProfile, 'cik' | 'name' | 'filingCount'> & {
  readonly symbol: string | null;
};

/** What can be asked of a snapshot: values that it knows. */
export interface Vocabulary {
  readonly newestFiledAt: string;
  /** Companies from all over the table of them. */
  readonly companies: readonly KnownCompany[];
  /** Those of them that have the most filings, and the half that has the fewest: people, most of them. */
  readonly busy: readonly KnownCompany[];
  readonly rare: readonly KnownCompany[];
  /** Those that have a symbol. */
  readonly listed: readonly KnownCompany[];
  /** Forms that there are: each of the frequent ones has a hundredth of all filings or more. */
  readonly frequentForms: readonly string[];
  readonly rareForms: readonly string[];
  /** Forms and event families that are known and that no filing has. */
  readonly absentForms: readonly string[];
  readonly absentEventTypes: readonly string[];
  /** Event families that there are. */
  readonly eventTypes: readonly string[];
  /** Filings from all over the history, some that insiders filed, and some of whose documents about ownership are there. */
  readonly filings: readonly FilingSummary[];
  readonly insiderFilings: readonly FilingSummary[];
  readonly readFilings: readonly FilingSummary[];
  /** Cursors of histories at these filings, and of the feed at any sequence. */
  readonly historyCursors: readonly string[];
  readonly feedCursors: readonly string[];
  /** Cursors of insider transactions behind all of these filings. */
  readonly transactionCursors: readonly string[];
  /** Cursors of the list of companies at these companies. */
  readonly companyCursors: readonly string[];
  /** Words of names, those first that most of the companies have. */
  readonly words: readonly string[];
}

/** How many filings and companies are read, a few of each block. */
const filingsSampled = 8000;
const companiesSampled = 12_000;
const rowsOfBlock = 8;
const cursorsMade = 4000;
const busyCompanies = 200;
const frequentShare = 0.01;

/** Reads what the current snapshot of a directory knows. `random` gives numbers in [0, 1). */
export function readVocabulary(snapshots: string, random: () => number): Promise<Vocabulary> {
  return withCurrent(snapshots, async (snapshot) => {
    const { manifest, documents } = snapshot;
    const filings: FilingSummary[] = [];
    for (const row of await sampleRows(snapshot, 'summaries', filingsSampled, random))
      filings.push(summaryOf(snapshot.log, row));
    const companies = (await sampleRows(snapshot, 'profiles', companiesSampled, random)).map((row) =>
      toKnown(JSON.parse(rowBytes(row).toString()) as CompanyProfile),
    );
    const stats = (JSON.parse(documents.stats.toString()) as { data: Stats }).data;
    const there = new Set(stats.forms.map(({ form }) => form));
    const eventTypesThere = stats.eventTypes
      .filter(({ count }) => count > 0)
      .map(({ eventType }) => eventType as string);
    const isFrequent = ({ count }: { readonly count: number }) =>
      count >= manifest.filingCount * frequentShare;
    const log = feedLogOf(snapshot);
    const cursors = Array.from({ length: cursorsMade }, () => {
      const { filedAt } = filings[Math.floor(random() * filings.length)] as FilingSummary;
      return encodeFeedCursor(
        log,
        { since: filedAt ?? '' },
        Math.floor(random() * (manifest.lastSequence + 1)),
      );
    });
    const byCount = companies.toSorted((a, b) => b.filingCount - a.filingCount);
    return {
      newestFiledAt: manifest.newestFiledAt ?? '',
      companies,
      busy: byCount.slice(0, busyCompanies),
      rare: byCount.slice(byCount.length / 2),
      listed: companies.filter(({ symbol }) => symbol !== null),
      frequentForms: stats.forms.filter(isFrequent).map(({ form }) => form),
      rareForms: stats.forms.filter((each) => !isFrequent(each)).map(({ form }) => form),
      absentForms: Object.values(formsByEventType)
        .flat()
        .filter((form) => isFormInUse(form) && !there.has(form)),
      absentEventTypes: eventTypes.filter((eventType) => !eventTypesThere.includes(eventType)),
      eventTypes: eventTypesThere,
      filings,
      insiderFilings: filings.filter(({ eventType }) => ownershipFamilies.has(eventType)),
      readFilings: filings.filter(({ ownership }) => ownership !== null),
      historyCursors: filings
        .slice(0, cursorsMade)
        .map((filing) => encodeHistoryCursor(manifest.ledger.id, historySortKey(filing), {})),
      transactionCursors: filings.slice(0, cursorsMade).map((filing) =>
        encodeTransactionCursor(manifest.ledger.id, {
          order: historySortKey(filing),
          number: null,
          since: undefined,
          until: undefined,
        }),
      ),
      feedCursors: await Promise.all(cursors),
      companyCursors: companies
        .slice(0, cursorsMade)
        .map(({ cik }) => encodeCompanyCursor(manifest.ledger.id, cik)),
      words: wordsOf(companies),
    };
  });
}

function toKnown({ cik, name, tickers, filingCount }: CompanyProfile): KnownCompany {
  return { cik, name, filingCount, symbol: tickers[0] === undefined ? null : foldSymbol(tickers[0]) };
}

function wordsOf(companies: readonly KnownCompany[]): string[] {
  const counts = new Map<string, number>();
  for (const { name } of companies)
    for (const word of searchWords(name)) if (word.length > 1) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([word]) => word);
}

/** Distinct rows of random blocks of a table; all of them if there are no more. */
async function sampleRows(
  { tables }: Snapshot,
  name: TableName,
  count: number,
  random: () => number,
): Promise<TableRow[]> {
  const rows = new Map<string, TableRow>();
  const pages = tables(name).flatMap((table) => table.head.root.map((_, at) => ({ table, at })));
  const total = tables(name).reduce((sum, { head }) => sum + head.rows, 0);
  const wanted = Math.min(count, Math.floor(total / 2));
  const entriesOf = new Map<object, Promise<BlockEntry[]>>();
  while (rows.size < wanted) {
    const page = pages[Math.floor(random() * pages.length)] as (typeof pages)[number];
    const listed = entriesOf.get(page) ?? entriesBetween(page.table, page.at);
    entriesOf.set(page, listed);
    const entries = await listed;
    const block = await page.table.read(entries[Math.floor(random() * entries.length)] as BlockEntry);
    for (let taken = 0; taken < rowsOfBlock; taken++) {
      const line = Math.floor(random() * block.ends.length);
      if (!isHiding(block, line)) rows.set(`${block.sha256} ${line}`, { block, line });
    }
  }
  return [...rows.values()];
}

/** The blocks of rows of one block of the index. */
async function entriesBetween(table: Table, at: number): Promise<BlockEntry[]> {
  const [from, to] = [table.head.root[at] as BlockEntry, table.head.root[at + 1]];
  const entries: BlockEntry[] = [];
  for (const entry of table.blocksFrom(from)) {
    if (to && compareKeys(table.head.direction, entry, to) >= 0) break;
    entries.push(entry);
  }
  return entries;
}
