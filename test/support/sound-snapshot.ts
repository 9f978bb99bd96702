import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { verifyAgainstLedger, verifySnapshot, type DerivedFiles } from '../../build/verify/verify.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { paths, Routes } from '../../src/format/snapshot.ts';
import { makeSmallSnapshot, type SmallSnapshot } from './segments.ts';
import { writeSmallLedger } from './small-ledger.ts';

/** The small ledger and its snapshot, and what verification says of copies of it. */
export interface Sound {
  readonly ledger: string;
  readonly snapshot: SmallSnapshot;
  /** The snapshot once more, to be damaged. */
  copy(): SmallSnapshot;
  /** Verifies a snapshot against the ledger, or another one. `files` are those that the ledger gives. */
  againstLedger(snapshot: SmallSnapshot, files?: DerivedFiles, from?: string): Promise<void>;
}

/** Makes them in directories that `fresh` gives. */
export async function makeSound(fresh: () => string): Promise<Sound> {
  const ledger = fresh();
  await writeSmallLedger(ledger);
  const snapshot = await makeSmallSnapshot(fresh(), ledger);
  return {
    ledger,
    snapshot,
    copy() {
      const directory = fresh();
      cpSync(snapshot.directory, directory, { recursive: true });
      return { ...snapshot, directory };
    },
    againstLedger: (forged, files = derivedFiles(forged), from = ledger) =>
      verifyAgainstLedger(forged.directory, forged.manifest, forged.id, from, async () => files),
  };
}

/** The documents and routes that a snapshot names. */
export const derivedFiles = ({ directory, manifest }: SmallSnapshot): DerivedFiles => ({
  documents: manifest.documents,
  routes: Routes.parse(JSON.parse(readFileSync(join(directory, paths.file(manifest.routes.sha256)), 'utf8'))),
});

/** What is wrong with a snapshot by the error of its verification; null if there is none. */
export async function messageOf(verifying: Promise<unknown>): Promise<string | null> {
  try {
    await verifying;
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(CorruptSnapshot);
    return (error as Error).message;
  }
}

/** What verification says of a snapshot; null if it is sound. */
export const refusal = ({ directory, id }: SmallSnapshot): Promise<string | null> =>
  messageOf(verifySnapshot(directory, id));
