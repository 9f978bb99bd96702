import { mayHaveOwnership, ownershipFile } from '../contents/ownership-file.ts';
import type { LedgerFiling } from '../ledger/ledger-rows.ts';
import { readFilings, readHeads, rowsOfBatch } from '../ledger/read.ts';
import { createRuns } from '../segments/runs.ts';
import { groupsOf } from '../work/groups.ts';
import type { Progress } from '../work/progress.ts';
import type { KnownLedger } from './known.ts';
import type { WantedContents } from './ask-contents.ts';

/** The filings of a ledger whose contents it lacks. They are on the disk, because there may be millions. */
export interface LackingContents {
  readonly count: number;
  /** The quarters in which they were filed, such as `2026q1`, the newest first. */
  readonly quarters: readonly string[];
  /** What to ask for, the newest filings first. What the ledger has got meanwhile is left out. */
  wanted(): AsyncGenerator<WantedContents>;
}

/** What `findLacking` reads, and where it may write. */
export interface FindingLacking {
  readonly ledgerDirectory: string;
  readonly known: Pick<KnownLedger, 'filings' | 'contents'>;
  /** The least filing date, `YYYY-MM-DD`; null for all. */
  readonly since: string | null;
  /** Accession numbers that are left out. */
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

/** Finds the filings of a ledger that may have a document about ownership and whose contents the ledger lacks. */
export async function findLacking(options: FindingLacking): Promise<LackingContents> {
  const { ledgerDirectory, known, since, skipped, folder, progress, signal } = options;
  const runs = createRuns(folder, { filings: { direction: 'descending' } });
  const quarters = new Set<string>();
  const isWanted = ({ accessionNo, form, filedAt }: LedgerFiling) =>
    mayHaveOwnership(form) && (since === null || filedAt >= since) && !skipped.has(accessionNo);
  progress.begin('finding contents that the ledger lacks', 'rows');
  for await (const { head } of readHeads(ledgerDirectory)) {
    progress.expect(rowsOfBatch(head), false);
    for await (const { rows } of readFilings(ledgerDirectory, head)) {
      signal?.throwIfAborted();
      const candidates = rows.filter((row) => isWanted(row) && ownershipFile(row) !== null);
      const has = await known.contents(candidates.map(({ accessionNo }) => accessionNo));
      for (const { accessionNo, filedAt } of candidates) {
        if (has.has(accessionNo)) continue;
        runs.add('filings', '', `${filedAt} ${accessionNo}`, accessionNo);
        quarters.add(quarterNameOf(filedAt));
      }
      if (runs.held() > heldMaximum) runs.flush();
      progress.step(rows.length);
    }
  }
  runs.flush();
  let count = 0;
  for (const _ of runs.lines('filings')) count++;
  return {
    count,
    quarters: [...quarters].sort().reverse(),
    async *wanted() {
      for (const lines of groupsOf(runs.lines('filings'), filingsTogether)) {
        // A filing whose date was corrected has two lines.
        const accessionNos = [...new Set(lines.map(({ keys }) => keys.sort.slice(-accessionLength)))];
        const [rows, has] = [await known.filings(accessionNos), await known.contents(accessionNos)];
        for (const accessionNo of accessionNos) {
          const row = rows.get(accessionNo);
          const file = row && !has.has(accessionNo) ? ownershipFile(row) : null;
          if (file !== null) yield { accessionNo, file };
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
