import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { paths } from '../../src/format/snapshot.ts';
import { appendFilings, type LedgerShape } from '../support/generate.ts';
import { command, run } from './child.ts';
import { currentManifest } from './current.ts';
import { decimal, megabytes } from './row.ts';

/** New filings of a publication. */
export const filingsPublished = 50;

/** Where publications go: a ledger of a shape, and the snapshot that was made of it. */
export interface Target {
  readonly ledger: string;
  readonly snapshots: string;
  readonly shape: LedgerShape;
}

/** One run of `npm run build` on top of a snapshot. */
export interface Publication {
  /**
   * From the start of the process to its end, and the share of it that Node and the program need to start.
   */
  readonly seconds: number;
  readonly startSeconds: number;
  readonly cpuSeconds: number;
  /** Bytes of files that are new or changed below the directory of snapshots. */
  readonly keptBytes: number;
  /**
   * Bytes that the process gave to calls that write: files that it removed again, too. 0 where the system
   * does not tell.
   */
  readonly writtenBytes: number;
  /** How many segments of the snapshot before were joined with what is new. */
  readonly joined: number;
}

/** Publications that followed each other. */
export interface Published {
  readonly snapshots: string;
  readonly publications: readonly Publication[];
  /** The bytes of the pointer before the first publication, and after each. */
  readonly pointers: readonly Buffer[];
}

/**
 * Publishes so many batches, one after the other and onto all targets in turn, so that what else the machine
 * does meets all of them.
 */
export async function publishOnto(
  targets: readonly Target[],
  count: number,
  detail: (line: string) => void,
): Promise<Published[]> {
  const made = targets.map((target) => ({
    target,
    publications: [] as Publication[],
    pointers: [pointerOf(target)],
  }));
  for (let number = 0; number < count; number++) {
    // The same program with next to nothing to do.
    const start = await run(command(['keys', 'list'], { SNAPSHOTS_DIR: targets[0]?.snapshots ?? '' }));
    for (const { target, publications, pointers } of made) {
      const publication = await publish(target, number, start.seconds);
      publications.push(publication);
      pointers.push(pointerOf(target));
      const { seconds, startSeconds, cpuSeconds, keptBytes, writtenBytes, joined } = publication;
      detail(
        `publication ${number + 1} onto ${decimal(target.shape.filings)}: ${seconds.toFixed(2)} s (start ${startSeconds.toFixed(2)} s, CPU ${cpuSeconds.toFixed(2)} s), ${megabytes(keptBytes, 2)} kept, ${megabytes(writtenBytes, 2)} written, ${joined} segments joined`,
      );
    }
  }
  return made.map(({ target, publications, pointers }) => ({
    snapshots: target.snapshots,
    publications,
    pointers,
  }));
}

const pointerOf = ({ snapshots }: Target) => readFileSync(join(snapshots, paths.pointer));

async function publish(
  { ledger, snapshots, shape }: Target,
  number: number,
  startSeconds: number,
): Promise<Publication> {
  const namesOf = async () => (await currentManifest(snapshots)).segments.map(({ name }) => name);
  await appendFilings(ledger, shape, filingsPublished, number);
  const [namesBefore, filesBefore] = [await namesOf(), filesBelow(snapshots)];
  const build = await run(command(['build', '--ledger', ledger, '--snapshots', snapshots]));
  const names = new Set(await namesOf());
  const isNew = ([path, { stamp }]: [string, FileStamp]) => filesBefore.get(path)?.stamp !== stamp;
  return {
    seconds: build.seconds,
    startSeconds,
    cpuSeconds: build.usage.cpuSeconds,
    keptBytes: [...filesBelow(snapshots)].filter(isNew).reduce((sum, [, { bytes }]) => sum + bytes, 0),
    writtenBytes: build.usage.writtenBytes,
    joined: namesBefore.filter((name) => !names.has(name)).length,
  };
}

/** What tells that a file was written again, and its length. */
interface FileStamp {
  readonly stamp: string;
  readonly bytes: number;
}

function filesBelow(directory: string): Map<string, FileStamp> {
  const files = new Map<string, FileStamp>();
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const { ino, mtimeMs, size } = lstatSync(path);
    files.set(path, { stamp: `${ino} ${mtimeMs} ${size}`, bytes: size });
  }
  return files;
}
