import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../../src/format/snapshot.ts';
import { command, here, run, type Finished } from './child.ts';
import { filesOfLog } from '../../src/format/log-files.ts';
import { currentManifest, withCurrent } from './current.ts';
import { publishOnto, type Published } from './publications.ts';
import { appendFilings, generateLedger, type LedgerShape } from '../support/generate.ts';
import { buildQuietly } from '../support/snapshots.ts';
import { shapeOf, shapeWithoutContents } from './shape.ts';

/** A snapshot that was built for the benchmarks. */
export interface Built {
  /** The directory that holds the pointer. */
  readonly snapshots: string;
  readonly manifest: Manifest;
  /** Bytes of the files of its log together, and of their indexes. */
  readonly logBytes: number;
  /** The build that made it. */
  readonly build: Finished;
}

/** What the rows are measured on. */
export interface Scratch {
  /** A directory that is removed at the end, unless the run was given one. */
  readonly directory: string;
  /** Filings of the large snapshot and of the small one that it is compared with. */
  readonly filings: { readonly large: number; readonly small: number };
  /** How many publications follow each other. */
  readonly publications: number;
  /** Prints a line, which the log file keeps, too. */
  readonly say: (line: string) => void;
  /** Keeps a line in the log file; prints it if the run was asked for details. */
  readonly detail: (line: string) => void;
  /** The ledger of so many filings, made when it is first asked for. */
  ledger(filings: number): Promise<string>;
  /** The snapshot of that ledger, likewise. */
  snapshot(filings: number): Promise<Built>;
  /** The snapshot of a ledger of so many filings without contents, as older releases had them, likewise. */
  snapshotWithoutContents(filings: number): Promise<Built>;
  /** The publications on top of the small and the large snapshot, in copies of theirs, likewise. */
  published(): Promise<{ readonly small: Published; readonly large: Published }>;
  /** A ledger of two thousand filings that a row has for itself, and the snapshot of it. */
  own(name: string): Promise<Own>;
}

/** A small ledger, and its snapshots. */
export interface Own {
  readonly snapshots: string;
  /** Publishes so many more filings. */
  publish(filings: number): Promise<void>;
}

/** Filings of such a ledger. */
const ownFilings = 2000;

/** What a scratch is made with. */
export type ScratchOptions = Pick<Scratch, 'directory' | 'publications' | 'say' | 'detail'> & {
  readonly large: number;
};

/** The small snapshot has as many filings, if the large one has more. */
const smallFilings = 100_000;

/** Makes the scratch of a run in a directory, which is empty or has what an earlier run made. */
export function createScratch({ directory, publications, say, detail, large }: ScratchOptions): Scratch {
  const known = new Map<string, Promise<unknown>>();
  /** What is made when it is first asked for. */
  function once<Value>(name: string, make: () => Promise<Value>): Promise<Value> {
    const value = (known.get(name) as Promise<Value> | undefined) ?? make();
    known.set(name, value);
    return value;
  }

  async function ledgerOf(name: string, ledgerShape: LedgerShape): Promise<string> {
    const ledger = join(directory, `ledger-${name}`);
    const shape = JSON.stringify(ledgerShape);
    // Written last: an earlier run may have been stopped.
    const made = `${ledger}.json`;
    if (existsSync(made) && readFileSync(made, 'utf8') === shape) return ledger;
    rmSync(ledger, { recursive: true, force: true });
    say(`making a ledger of ${name} filings`);
    await run({ script: here('processes/make-ledger.ts'), arguments: [ledger, shape] });
    writeFileSync(made, shape);
    return ledger;
  }

  async function snapshotOf(name: string, source: string): Promise<Built> {
    const path = join(directory, `snapshots-${name}`);
    const made = `${path}.json`;
    const build = existsSync(made)
      ? (JSON.parse(readFileSync(made, 'utf8')) as Finished)
      : await buildInto(path, source, name);
    writeFileSync(made, JSON.stringify(build));
    const logBytes = await withCurrent(path, ({ log }) =>
      filesOfLog(log.list).reduce((sum, { bytes }) => sum + bytes, 0),
    );
    return { snapshots: path, build, manifest: await currentManifest(path), logBytes };
  }

  function buildInto(path: string, ledger: string, name: string): Promise<Finished> {
    rmSync(path, { recursive: true, force: true });
    say(`building the snapshot of ${name} filings`);
    return run(command(['build', '--ledger', ledger, '--snapshots', path]));
  }

  async function publish(): ReturnType<Scratch['published']> {
    const targets = [];
    for (const filings of [scratch.filings.small, large]) {
      const [ledger, built] = [await scratch.ledger(filings), (await scratch.snapshot(filings)).snapshots];
      const copies = { ledger: `${ledger}-published`, snapshots: `${built}-published` };
      for (const copy of Object.values(copies)) rmSync(copy, { recursive: true, force: true });
      linkTree(ledger, copies.ledger);
      linkTree(built, copies.snapshots);
      targets.push({ ...copies, shape: shapeOf(filings) });
    }
    say(`publishing 50 filings ${publications} times onto each of both`);
    const [small, top] = (await publishOnto(targets, publications, detail)) as [Published, Published];
    return { small, large: top };
  }

  async function own(name: string): Promise<Own> {
    const [ledger, of] = [join(directory, `ledger-of-${name}`), join(directory, `snapshots-of-${name}`)];
    for (const each of [ledger, of]) rmSync(each, { recursive: true, force: true });
    const shape = shapeOf(ownFilings);
    await generateLedger(ledger, shape);
    await buildQuietly(ledger, of);
    let number = 0;
    return {
      snapshots: of,
      async publish(filings) {
        await appendFilings(ledger, shape, filings, number++);
        await buildQuietly(ledger, of);
      },
    };
  }

  const scratch: Scratch = {
    directory,
    publications,
    say,
    detail,
    filings: { large, small: large > smallFilings ? smallFilings : Math.ceil(large / 10) },
    ledger: (filings) => once(`ledger ${filings}`, () => ledgerOf(String(filings), shapeOf(filings))),
    snapshot: (filings) =>
      once(`snapshot ${filings}`, async () => snapshotOf(String(filings), await scratch.ledger(filings))),
    snapshotWithoutContents(filings) {
      const name = `${filings}-without-contents`;
      return once(name, async () => snapshotOf(name, await ledgerOf(name, shapeWithoutContents(filings))));
    },
    published: () => once('published', publish),
    own,
  };
  return scratch;
}

/**
 * A copy of a directory whose files are the same ones: nothing in a ledger or among snapshots is ever written
 * again in its old file.
 */
function linkTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else linkSync(source, target);
  }
}
