import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import type { FileReference } from '../../src/format/snapshot.ts';

/** A file that is written once, from start to end, and hashed meanwhile. */
export interface HashedFile {
  write(bytes: Buffer): void;
  /** Syncs and closes the file. Returns its digest and its length. */
  finish(): FileReference;
}

/** Bytes of one call that writes. */
const pieceBytes = 1024 * 1024;

/** Creates a file. Throws if the path exists. */
export function createHashedFile(path: string): HashedFile {
  const descriptor = openSync(path, 'wx');
  const hash = createHash('sha256');
  let size = 0;
  let pieces: Buffer[] = [];
  let held = 0;

  function writeHeld(): void {
    const bytes = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
    [pieces, held] = [[], 0];
    for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
  }

  return {
    write(bytes) {
      hash.update(bytes);
      size += bytes.length;
      pieces.push(bytes);
      held += bytes.length;
      if (held >= pieceBytes) writeHeld();
    },
    finish() {
      if (held > 0) writeHeld();
      fsyncSync(descriptor);
      closeSync(descriptor);
      return { bytes: size, sha256: hash.digest('hex') };
    },
  };
}
