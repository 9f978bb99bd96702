import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { SegmentEntry } from '../../src/format/snapshot.ts';
import { replaceFile } from '../disk/directories.ts';

/** The file in a directory of snapshots that names the joins that were made before the layout wants them. */
export const preparedFile = 'prepared.json';

const PreparedJoin = z.object({
  inputs: z.tuple([z.string(), z.string()]).describe('Names of the two segments, the older one first.'),
  segment: SegmentEntry.describe('What they gave.'),
});
/** A join that was made and checked: of which segments, and the entry that a manifest gets. */
export type PreparedJoin = z.infer<typeof PreparedJoin>;

const Prepared = z.object({ format: z.literal(1), joins: z.array(PreparedJoin) });

/** Reads the prepared joins; none if the file is missing or cannot be understood: they can be made again. */
export async function readPrepared(directory: string): Promise<readonly PreparedJoin[]> {
  try {
    return Prepared.parse(JSON.parse(await readFile(join(directory, preparedFile), 'utf8'))).joins;
  } catch {
    return [];
  }
}

/** Replaces the list of prepared joins. */
export async function writePrepared(directory: string, joins: readonly PreparedJoin[]): Promise<void> {
  const prepared: z.infer<typeof Prepared> = { format: 1, joins: [...joins] };
  await replaceFile(join(directory, preparedFile), `${JSON.stringify(prepared)}\n`);
}

/** Whether a prepared join was made of these two segments. */
export function isJoinOf(
  { inputs }: PreparedJoin,
  older: Pick<SegmentEntry, 'name'>,
  newer: Pick<SegmentEntry, 'name'> | undefined,
): boolean {
  return inputs[0] === older.name && inputs[1] === newer?.name;
}

/** The names of segments that no snapshot names yet and that a later one will take. */
export async function preparedSegments(directory: string): Promise<string[]> {
  return (await readPrepared(directory)).map(({ segment }) => segment.name);
}
