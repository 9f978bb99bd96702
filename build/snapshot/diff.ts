import { join } from 'node:path';
import { readManifest } from '../../src/snapshot/open.ts';
import { walkLines } from './walk.ts';

/** What changed from one snapshot to another. */
export interface SnapshotDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly { readonly accessionNo: string; readonly members: readonly string[] }[];
}

/** Compares the filings of two snapshots, which lie under their names in one directory. */
export async function diffSnapshots(snapshotsDirectory: string, before: string, after: string): Promise<SnapshotDiff> {
  const old = rowsOf(snapshotsDirectory, before);
  const young = rowsOf(snapshotsDirectory, after);
  const added: string[] = [];
  const removed: string[] = [];
  const changed: { accessionNo: string; members: string[] }[] = [];
  // Both come sorted by accession number, so that one pass over each is enough.
  let a = await old.next();
  let b = await young.next();
  while (!a.done || !b.done) {
    const left = a.done ? null : a.value;
    const right = b.done ? null : b.value;
    if (right === null || (left !== null && left.accessionNo < right.accessionNo)) {
      removed.push((left as SummaryLine).accessionNo);
      a = await old.next();
    } else if (left === null || right.accessionNo < left.accessionNo) {
      added.push(right.accessionNo);
      b = await young.next();
    } else {
      if (left.text !== right.text) changed.push({ accessionNo: left.accessionNo, members: differingMembers(left.text, right.text) });
      a = await old.next();
      b = await young.next();
    }
  }
  return { added, removed, changed };
}

interface SummaryLine {
  readonly accessionNo: string;
  readonly text: string;
}

async function* rowsOf(snapshotsDirectory: string, id: string): AsyncGenerator<SummaryLine, void> {
  const directory = join(snapshotsDirectory, id);
  const { manifest } = await readManifest(directory, id);
  const prefix = '{"accessionNo":"'.length;
  for await (const text of walkLines(directory, manifest, 'summaries')) yield { accessionNo: text.slice(prefix, prefix + 20), text };
}

function differingMembers(before: string, after: string): string[] {
  const [a, b] = [JSON.parse(before) as Record<string, unknown>, JSON.parse(after) as Record<string, unknown>];
  return Object.keys({ ...a, ...b }).filter((member) => JSON.stringify(a[member]) !== JSON.stringify(b[member]));
}
