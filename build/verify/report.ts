import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { paths, type Manifest } from '../../src/format/snapshot.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import type { Progress } from '../work/progress.ts';
import { counted } from '../../src/render/words.ts';
import type { TablesWork } from './table-sums.ts';
import { verifySnapshots, type Verified } from './verify.ts';

/**
 * Verifies a snapshot and those before it, to which a rollback leads, and prints a line for each. One that
 * was removed is no fault. Returns the manifest of the first one. Throws `CorruptSnapshot` after the last
 * line if any is faulty; the message names each file. `tablesWork`: see `verifySnapshots`.
 */
export async function verifyAndReport(
  directory: string,
  id: string,
  previous: readonly string[],
  print: (line: string) => void,
  progress: Progress,
  tablesWork?: TablesWork,
): Promise<Manifest> {
  const isKept = (each: string) => existsSync(join(directory, paths.manifest(each)));
  const faults: string[] = [];
  let current: Manifest | null = null;
  for (const each of previous.filter((before) => !isKept(before))) print(removedLine(each));
  const ids = [id, ...previous.filter(isKept)];
  for await (const verified of verifySnapshots(directory, ids, progress, tablesWork)) {
    progress.stop();
    if (verified.state === 'sound') {
      current ??= verified.manifest;
      print(soundLine(verified));
    } else if (verified.id === id) faults.push(verified.fault.message);
    // `prune` may remove a snapshot meanwhile; it removes the manifest first.
    else if (!isKept(verified.id)) print(removedLine(verified.id));
    else faults.push(`snapshot ${verified.id} cannot be served again: ${verified.fault.message}`);
  }
  if (faults.length > 0 || current === null) throw new CorruptSnapshot(faults.join('; '));
  return current;
}

const removedLine = (id: string) => `${id}: was removed, so no rollback leads there`;

function soundLine({ id, manifest, beside }: Extract<Verified, { state: 'sound' }>): string {
  const { segments, filingCount, companyCount } = manifest;
  const shared = beside === null ? '' : ` (${beside.segments} shared with ${beside.id})`;
  return `${id}: ${counted(segments.length, 'segment', 'segments')}${shared}, ${counted(filingCount, 'filing', 'filings')} of ${counted(companyCount, 'company', 'companies')} match the manifest`;
}
