import { Change, type Filing } from '../../src/contract/records.ts';
import { filingPartition } from '../../src/format/filing-partition.ts';
import { feedSortKey, type BatchRow, type TableName } from '../../src/format/snapshot.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { makeLineRest } from '../../src/table/line.ts';
import type { Log } from '../../src/table/open-log.ts';
import { rowBytes } from '../../src/table/table.ts';
import type { Totals } from '../fold/counted-totals.ts';
import { changeTexts } from '../fold/compact-observation.ts';
import { expandRow } from '../fold/expand-lines.ts';
import { addObservation, type RowsTaken } from '../fold/observation-rows.ts';
import { hasValuesByRule } from '../fold/summary-row.ts';
import { knownFilings, type PastTables } from '../fold/past.ts';
import type { Presence } from '../fold/presence.ts';
import { createSpill } from '../fold/spill.ts';
import type { KnownFiling, Observation } from '../ledger/observation.ts';
import { groupsOf } from '../work/groups.ts';
import type { LineDigests, LineRest, LineSink } from './line-sums.ts';
import { parseAs } from './rows.ts';
import type { LogEntry, VerifiedLog } from './verified-log.ts';

/** The tables whose rows follow from the log. */
export const logTables = [
  'summaries',
  'latest',
  'company-filings',
  'company-changes',
  'change-dates',
] as const satisfies readonly TableName[];

/** In these tables, of several lines with the same keys the last one counts. */
const replacedTables: ReadonlySet<string> = new Set(['summaries', 'latest', 'company-filings']);

/** Bytes of corrections that are sorted in memory, and how many filings are looked up together. */
const [spillBytes, groupRows] = [32 * 1024 * 1024, 2000];

/** The entries of a segment, and where its rows go. */
export interface SegmentEntries {
  /** The log from the first entry of the segment on. */
  readonly entries: Iterator<LogEntry>;
  readonly log: VerifiedLog;
  /** The same, for look-ups. */
  readonly openLog: Pick<Log, 'entry'>;
  /** The batches of the segment, oldest first, and the path of their rows. */
  readonly batches: readonly BatchRow[];
  readonly batchesPath: string;
  /** The tables of the segments before it. Their rows were checked. */
  readonly past: Pick<PastTables, 'older'>;
  /** The filings of which its summaries tell a revision. `summaries` is the path of these. */
  readonly corrected: Presence;
  readonly summaries: string;
  /** A folder that need not exist, for corrections that are too many for memory. */
  readonly scratch: string;
  readonly totals: Pick<Totals, 'add'>;
  readonly sink: LineSink;
}

/**
 * Checks the entries of a segment: each is a Change, written as the fold writes it and observed when its batch
 * was recorded, and each correction follows the revision before it. Adds the lines that the fold makes of them.
 * Throws `CorruptSnapshot`.
 */
export function addLogRows(segment: SegmentEntries): void {
  const { openLog, past, corrected, totals, sink } = segment;
  let sequence = 0;
  const observe = createObserver(sink.digests, (table, partition, { rest }) =>
    sink.add(table, partition, rest, 1, sequence),
  );
  const spill = createSpill<Change>(
    segment.scratch,
    {
      keyOf: ({ filing, sequence }) => `${filingPartition(filing.accessionNo)} ${feedSortKey(sequence)}`,
      encode: (change) => JSON.stringify(change),
      decode: (text) => JSON.parse(text) as Change,
    },
    spillBytes,
  );
  readChanges(segment, (change) => {
    const observation = observationOf(change, null);
    if (change.revision === 1 && !corrected.mayHave(change.filing.accessionNo)) {
      totals.add(observation);
      ({ sequence } = change);
      return observe(observation);
    }
    // Its rows depend on the revision before it.
    spill.add(change);
    return changeTexts(observation).change;
  });
  for (const chains of groupsOf(chainsOf(spill.sorted()), groupRows)) {
    const known = knownFilings(
      { ...past, finder: () => () => null, held: () => null },
      openLog,
      { add() {}, mayHave: () => false },
      chains.map(accessionOf),
    );
    for (const chain of chains) addChain(segment, chain, known.get(accessionOf(chain)) ?? null);
  }
}

/**
 * Reads the entries of batches, and checks each as far as it can be checked alone. `take` gets each one, and
 * returns it as it has to be written. Throws `CorruptSnapshot`.
 */
export function readChanges(
  { entries, log, batches, batchesPath }: Pick<SegmentEntries, 'entries' | 'log' | 'batches' | 'batchesPath'>,
  take: (change: Change) => string,
): void {
  for (const batch of batches) {
    for (let count = 0; count < batch.changes; count++) {
      const entry = entries.next().value as LogEntry;
      const fail = (what: string): never => {
        throw new CorruptSnapshot(`${log.nameOf(entry.sequence)} ${what}`);
      };
      const change = parseAs(Change, rowBytes(entry).toString(), fail, take);
      const { sequence, observedAt, revision, corrected, cause, filing } = change;
      if (sequence !== entry.sequence) fail(`follows sequence ${entry.sequence - 1} and says ${sequence}`);
      if (observedAt !== batch.createdAt)
        fail(
          `was not observed at ${batch.createdAt}, when batch ${batch.number} was recorded by ${batchesPath}`,
        );
      if ((revision === 1) === (corrected !== undefined))
        fail(`names corrected members in revision ${revision}, or none`);
      if ((revision === 1) === (cause !== undefined)) fail(`has a cause in revision ${revision}, or none`);
      if (revision === 1 && filing.ingestedAt !== observedAt)
        fail('has a filing that was recorded at another time');
    }
  }
}

function observationOf(change: Change, before: Filing | null): Observation {
  const { filing, sequence, revision, changeType, observedAt, corrected = [], cause } = change;
  return {
    filing,
    sequence,
    revision,
    changeType,
    observedAt: observedAt ?? '',
    before,
    corrected: corrected as (keyof Filing)[],
    ...(cause === undefined ? {} : { cause }),
  };
}

/** What the fold makes of an observation for the lines of one or more partitions. */
interface MadeRow {
  readonly sort: string;
  readonly isHiding: boolean;
  readonly rest: LineRest;
}

/** Takes a line that the fold makes of an observation, with its whole row. */
type TakeLine = (table: string, partition: string, row: MadeRow) => void;

/** Makes a function that gives `take` the lines of an observation, and returns its entry of the log. */
function createObserver(digests: LineDigests, take: TakeLine): (observation: Observation) => string {
  let kept: ((table: string) => MadeRow)[] = [];
  let change = '';
  const log = {
    add(_sequence: number, _filedAt: string, text: string) {
      change = text;
    },
  };
  const makeRow = (table: string, sort: string, held: string | null, note: string | undefined): MadeRow => {
    // The feeds of companies repeat the log. Of the rows that runs do not hold whole, only summaries are left.
    const row =
      table === 'company-changes'
        ? change
        : table === 'summaries' && held !== null
          ? expandRow(table, held).row
          : held;
    return { sort, isHiding: row === null, rest: digests.restOf(makeLineRest(sort, row, note)) };
  };
  const runs: RowsTaken = {
    add: (table, partition, sort, held, note) => take(table, partition, makeRow(table, sort, held, note)),
    keep(sort, held, note) {
      // What is kept belongs to one table: all its partitions share what is made of it.
      let made: MadeRow | null = null;
      return kept.push((table) => (made ??= makeRow(table, sort, held, note))) - 1;
    },
    addKept: (table, partition, number) =>
      take(table, partition, (kept[number] as (typeof kept)[number])(table)),
  };
  return (observation) => {
    kept = [];
    // What `acceptedAt` follows from is told in compact observations alone.
    addObservation(runs, log, observation, hasValuesByRule(observation.filing));
    return change;
  };
}

/** The entries of a filing in a segment, in the order of the log. */
type Chain = readonly [Change, ...Change[]];

/** Yields the entries of each filing together. */
function* chainsOf(changes: Iterable<Change>): Generator<Chain> {
  let chain: [Change, ...Change[]] | null = null;
  for (const change of changes) {
    if (chain !== null && accessionOf(chain) === change.filing.accessionNo) chain.push(change);
    else {
      if (chain !== null) yield chain;
      chain = [change];
    }
  }
  if (chain !== null) yield chain;
}

const accessionOf = ([{ filing }]: Chain) => filing.accessionNo;

/**
 * Adds the lines of the entries of a filing in a segment: those of the last one, and what hides the lines that
 * older segments show of the filing as it was `known` before. Throws `CorruptSnapshot` if a revision is missing.
 */
function addChain(
  { log, summaries, totals, sink }: SegmentEntries,
  chain: Chain,
  known: KnownFiling | null,
): void {
  const shown = new Set<string>();
  if (known)
    createObserver(sink.digests, (table, partition, { sort }) => shown.add(`${table} ${partition} ${sort}`))({
      ...observationOf(chain[0], null),
      filing: known.filing,
    });
  /** Lines of which the last one counts, by table and keys, each with a function that adds it. */
  const lines = new Map<string, { readonly isHiding: boolean; add(): void }>();
  let before = known;
  for (const change of chain) {
    const { sequence, revision, filing } = change;
    if (revision !== (before?.revision ?? 0) + 1)
      throw new CorruptSnapshot(
        `${log.nameOf(sequence)} is revision ${revision} of ${filing.accessionNo}, behind revision ${before?.revision ?? 0}; or ${summaries} does not tell its revision`,
      );
    if (before && before.filing.ingestedAt !== filing.ingestedAt)
      throw new CorruptSnapshot(
        `${log.nameOf(sequence)} says that ${filing.accessionNo} was recorded at ${filing.ingestedAt}, revision ${before.revision} at ${before.filing.ingestedAt}`,
      );
    const observation = observationOf(change, before?.filing ?? null);
    totals.add(observation);
    createObserver(sink.digests, (table, partition, { sort, isHiding, rest }) => {
      const add = () => sink.add(table, partition, rest, 1, sequence);
      if (replacedTables.has(table)) lines.set(`${table} ${partition} ${sort}`, { isHiding, add });
      else add();
    })(observation);
    before = { filing, revision };
  }
  for (const [key, { isHiding, add }] of lines) if (!isHiding || shown.has(key)) add();
}
