import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { paths } from '../../src/format/snapshot.ts';
import { smallFilesIn } from '../../src/files/small-files.ts';
import { acceptedFolder, createAcceptedPointers } from '../../src/snapshot/accepted.ts';
import { createTrust, impossibleNumber, isNumberPossible } from '../../src/snapshot/trust.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { readPointer } from '../snapshot/pointer.ts';

/**
 * Checks the signature of the pointer, and its number against those that services over this folder accepted,
 * as a service with these keys does at `nowMs`. Returns the result in
 * one line; null if there is neither a signature nor a key. Throws `CorruptSnapshot` if there is no pointer
 * or such a service does not accept it.
 */
export async function verifyPointer(
  snapshotsDirectory: string,
  keys: readonly KeyObject[] | null,
  nowMs: number,
): Promise<string | null> {
  const path = join(snapshotsDirectory, paths.pointer);
  const pointer = await readPointer(snapshotsDirectory);
  if (!pointer) throw new CorruptSnapshot(`${snapshotsDirectory} has no pointer`);
  const { signature } = pointer;
  if (signature && !isNumberPossible(signature))
    throw new CorruptSnapshot(`${path}: ${impossibleNumber(signature)}`);
  if (keys === null)
    return signature === undefined
      ? null
      : `the pointer says that it is number ${signature.number}, signed by ${signature.key}; TRUSTED_KEY is not set, so that was not checked`;
  try {
    const files = smallFilesIn(join(snapshotsDirectory, acceptedFolder));
    await createTrust(keys, { accepted: createAcceptedPointers(files) }).check(pointer, nowMs);
  } catch (error) {
    throw new CorruptSnapshot(`${path}: ${(error as Error).message}`, { cause: error });
  }
  return `the pointer is number ${signature?.number}, signed by ${signature?.key}, and good until ${signature?.expiresAt}`;
}
