import { lackingContents, type WantedContents } from '../contents/contents-kinds.ts';
import type { ContentsName } from '../../src/settings/settings.ts';
import type { HeldContents } from '../ledger/contents.ts';
import type { LedgerFiling } from '../ledger/ledger-rows.ts';
import { readFilings, readHeads, rowsOfBatch } from '../ledger/read.ts';
import { createRuns } from '../segments/runs.ts';
import { groupsOf } from '../work/groups.ts';
import type { Progress } from '../work/progress.ts';
import type { KnownLedger } from './known.ts';

/** The filings of a ledger whose contents it lacks. They are on the disk, because there may be millions. */
export interface LackingContents {
  /** About how many files there are to ask for. */
  readonly count: number;
  /** The quarters in which those were filed that lack what a document says, such as `2026q1`, the newest first. */
  readonly quarters: readonly string[];
  /** What to ask for, the newest filings first. What the ledger has got meanwhile is left out. */
  wanted(): AsyncGenerator<WantedContents>;
}

/** What `findLacking` reads, and where it may write. */
export interface FindingLacking {
  readonly ledgerDirectory: string;
  readonly known: Pick<KnownLedger, 'filings' | 'contents'>;
  /** The kinds of contents that are asked for. */
  readonly kinds: readonly ContentsName[];
  /** The least filing date, `YYYY-MM-DD`; null for all. */
  readonly since: string | null;
  /** Files that are left out, and accession numbers. */
  readonly skipped: ReadonlySet<string>;
  /** A folder that need not exist. */
  readonly folder: string;
  readonly progress: Progress;
  readonly signal?: AbortSignal | undefined;
}

/** Filings that are looked up together. */
const filingsTogether = 500;
/** Bytes of rows in memory: more of them go to the disk. */
const heldMaximum = 32 * 1024 * 1024;

/** Finds the filings of a ledger that may have contents which the ledger lacks. */
export async function findLacking(options: FindingLacking): Promise<LackingContents> {
  const { ledgerDirectory, known, kinds, since, skipped, folder, progress, signal } = options;
  const runs = createRuns(folder, { filings: { direction: 'descending' } });
  const quarters = new Set<string>();
  const isWanted = ({ accessionNo, filedAt }: LedgerFiling) =>
    (since === null || filedAt >= since) && !skipped.has(accessionNo);
  const lackingOf = (row: LedgerFiling, held?: HeldContents) =>
    lackingContents(row, kinds, held).filter(({ file }) => !skipped.has(file));
  let count = 0;
  progress.begin('finding contents that the ledger lacks', 'rows');
  for await (const { head } of readHeads(ledgerDirectory)) {
    progress.expect(rowsOfBatch(head), false);
    for await (const { rows } of readFilings(ledgerDirectory, head)) {
      signal?.throwIfAborted();
      const candidates = rows.filter((row) => isWanted(row) && lackingOf(row).length > 0);
      const held = await known.contents(candidates.map(({ accessionNo }) => accessionNo));
      for (const row of candidates) {
        const { accessionNo, filedAt } = row;
        const lacking = lackingOf(row, held.get(accessionNo));
        if (lacking.length === 0) continue;
        runs.add('filings', '', `${filedAt} ${accessionNo}`, accessionNo);
        count += lacking.length;
        if (lacking.some(({ contents }) => contents === 'ownership')) quarters.add(quarterNameOf(filedAt));
      }
      if (runs.held() > heldMaximum) runs.flush();
      progress.step(rows.length);
    }
  }
  runs.flush();
  return {
    count,
    quarters: [...quarters].sort().reverse(),
    async *wanted() {
      for (const lines of groupsOf(runs.lines('filings'), filingsTogether)) {
        // A filing whose date was corrected has two lines.
        const accessionNos = [...new Set(lines.map(({ keys }) => keys.sort.slice(-accessionLength)))];
        const [rows, held] = [await known.filings(accessionNos), await known.contents(accessionNos)];
        for (const accessionNo of accessionNos) {
          const row = rows.get(accessionNo);
          if (row) yield* lackingOf(row, held.get(accessionNo));
        }
      }
    },
  };
}

const accessionLength = '0000000000-00-000000'.length;

/** The name of the quarter of a day, `YYYY-MM-DD`, as data sets have it. */
export function quarterNameOf(day: string): string {
  return `${day.slice(0, 4)}q${Math.ceil(Number(day.slice(5, 7)) / 3)}`;
}
