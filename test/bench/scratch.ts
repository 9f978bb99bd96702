import { join } from 'node:path';
import { readPointer } from '../../build/snapshot/pointer.ts';
import type { Manifest } from '../../src/contract/snapshot.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import { readManifest } from '../../src/snapshot/open.ts';
import { here, run, type Finished } from './child.ts';

/** A snapshot that was built for the benchmarks. */
export interface Built {
  /** The directory that holds the pointer. */
  readonly snapshots: string;
  /** The name of the snapshot. */
  readonly id: string;
  readonly manifest: Manifest;
  /** The build that made it. */
  readonly build: Finished;
}

/** What the rows are measured on. */
export interface Scratch {
  /** A directory that is removed at the end. */
  readonly directory: string;
  /** Filings of the large snapshot and of the small one that it is compared with. */
  readonly filings: { readonly large: number; readonly small: number };
  readonly say: (line: string) => void;
  /** The ledger of so many filings, made when it is first asked for. */
  ledger(filings: number): Promise<string>;
  /** The snapshot of that ledger, likewise. */
  snapshot(filings: number): Promise<Built>;
}

/** Makes the scratch of a run in an empty directory. */
export function createScratch(directory: string, large: number, say: (line: string) => void): Scratch {
  const ledgers = new Map<number, Promise<string>>();
  const snapshots = new Map<number, Promise<Built>>();

  async function makeLedger(filings: number): Promise<string> {
    const ledger = join(directory, `ledger-${filings}`);
    say(`making a ledger of ${filings} filings`);
    await run({ script: here('processes/make-ledger.ts'), arguments: [ledger, String(filings)] });
    return ledger;
  }

  async function makeSnapshot(filings: number): Promise<Built> {
    const path = join(directory, `snapshots-${filings}`);
    const source = await scratch.ledger(filings);
    say(`building the snapshot of ${filings} filings`);
    const build = await run({ script: 'build/main.ts', arguments: ['build', '--ledger', source, '--snapshots', path] });
    const pointer = await readPointer(path);
    if (!pointer) throw new Error(`${path} has no pointer`);
    const folder = openPartFolder(path);
    const { manifest } = await readManifest(folder, pointer.snapshotId);
    await folder.close();
    return { snapshots: path, id: pointer.snapshotId, build, manifest };
  }

  const scratch: Scratch = {
    directory,
    filings: { large, small: large > 10_000 ? 10_000 : Math.ceil(large / 10) },
    say,
    ledger: (filings) => once(ledgers, filings, makeLedger),
    snapshot: (filings) => once(snapshots, filings, makeSnapshot),
  };
  return scratch;
}

function once<Value>(known: Map<number, Promise<Value>>, filings: number, make: (filings: number) => Promise<Value>): Promise<Value> {
  const value = known.get(filings) ?? make(filings);
  known.set(filings, value);
  return value;
}
