import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendBatch } from '../../build/ledger/batch.ts';
import type { LedgerCompany, LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { buildSnapshot } from '../../build/snapshot/build.ts';
import { rollback } from '../../build/snapshot/pointer.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import { closing } from './closing.ts';
import { generateLedger, type LedgerShape } from './generate.ts';
import { readModel, type LedgerModel } from './ledger-model.ts';
import { batchAt } from './made-up.ts';

/** A ledger and its snapshot in a directory of their own. */
export interface MadeSnapshot {
  /** Holds both; it is the snapshots directory, too. */
  readonly directory: string;
  readonly ledgerDirectory: string;
  /**
   * Builds again, from whatever the ledger holds now. Returns the snapshot's name. With `replace`, it also
   * publishes what a rollback left.
   */
  build(replace?: boolean): Promise<string>;
  /**
   * Appends a batch to the ledger and builds. The batches of one ledger have the numbers 1, 2, … unless they are given,
   * which tell when each was recorded.
   */
  publish(
    filings: readonly LedgerFiling[],
    companies?: readonly LedgerCompany[],
    number?: number,
  ): Promise<string>;
  /** The ledger, folded in memory. */
  model(): Promise<LedgerModel>;
  /** Goes back to the snapshot before. Rejects if there is none. */
  rollBack(): Promise<void>;
  remove(): Promise<void>;
}

/** Makes up a ledger and builds its snapshot; without a description of the ledger, an empty directory. */
export async function makeSnapshot(shape?: LedgerShape): Promise<MadeSnapshot> {
  const made = madeIn(await mkdtemp(join(tmpdir(), 'filing-made-')));
  if (shape) {
    await generateLedger(made.ledgerDirectory, shape);
    await made.build();
  }
  return made;
}

/** A ledger and its snapshot once more, to be changed: much faster than to build them again. */
export async function copyOf(made: MadeSnapshot): Promise<MadeSnapshot> {
  const directory = await mkdtemp(join(tmpdir(), 'filing-made-'));
  // Many times as fast as `cp`, which waits for each file.
  cpSync(made.directory, directory, { recursive: true });
  return madeIn(directory);
}

function madeIn(directory: string): MadeSnapshot {
  const ledgerDirectory = join(directory, 'ledger');
  const build = (replace = false) =>
    buildSnapshot({
      ledgerDirectory,
      snapshotsDirectory: directory,
      settings: { baseUrl: null, marketplaceUrl: null },
      replace,
      log: () => {},
    });
  let batches = 0;
  return {
    directory,
    ledgerDirectory,
    build,
    async publish(filings, companies = [], number = batches + 1) {
      batches = number;
      await appendBatch(ledgerDirectory, {
        run: { target: 'made up', status: 'success', message: null, createdAt: batchAt(number) },
        filings,
        companies,
        refusals: [],
      });
      return build();
    },
    model: () => readModel(ledgerDirectory),
    async rollBack() {
      const parts = openPartFolder(directory);
      await rollback(parts).finally(() => parts.close());
    },
    remove: closing(() => rm(directory, { recursive: true, force: true })),
  };
}
