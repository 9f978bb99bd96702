import type { KeyObject } from 'node:crypto';
import { Pointer, type PointerSignature } from '../format/snapshot.ts';
import type { SmallFiles } from '../files/small-files.ts';
import { isNumberPossible, isSignedBy, keyName } from './trust.ts';

/** A pointer with a signature. */
export type SignedPointer = Pointer & { readonly signature: PointerSignature };

/**
 * Keeps the pointer with the greatest number that services have accepted from each key, across restarts. It
 * is kept whole: its own signature proves that nobody made it up to shut the service.
 */
export interface AcceptedPointers {
  /**
   * The accepted pointer of a key with the greatest number; null if none is kept. Throws an `Error` that says
   * what to do if the file does not hold a pointer that the key has signed.
   */
  greatest(key: KeyObject): Promise<SignedPointer | null>;
  /** Keeps a pointer that a key has signed, unless one with its number or a greater one is kept. */
  keep(key: KeyObject, pointer: SignedPointer): Promise<void>;
}

/** The folder of accepted pointers, in a folder of snapshots or a bucket. */
export const acceptedFolder = '.trust';

/** The digits of the greatest number that a pointer can have. */
const numberDigits = 16;
/** How often the names are read if the file with the greatest number is removed before it is read. */
const readsMaximum = 10;

/**
 * Keeps accepted pointers in files, one for each key. Its name ends with the number, so two processes that
 * keep different pointers at the same moment write different files, and the greatest one counts: no lock is
 * needed, and nobody ever lowers the number. A file is removed only after one with a greater number was
 * written. A pointer whose number is not possible, which older versions accepted, does not count.
 */
export function createAcceptedPointers(files: SmallFiles): AcceptedPointers {
  const nameOf = (key: KeyObject, number: number) =>
    `${keyName(key)}-${String(number).padStart(numberDigits, '0')}.json`;

  /** The names of the files of a key, smallest number first. With `isAny`, also of unfinished ones. */
  async function namesOf(key: KeyObject, isAny = false): Promise<string[]> {
    const pattern = new RegExp(`^${keyName(key)}-\\d{${numberDigits}}\\.json${isAny ? '' : '$'}`);
    return (await files.names()).filter((name) => pattern.test(name)).sort();
  }

  /**
   * The file of a key with the greatest number; null if there is none. Its pointer is null if it does not hold
   * the one that its name says, signed by the key.
   */
  async function newestOf(
    key: KeyObject,
  ): Promise<{ readonly name: string; readonly pointer: SignedPointer | null } | null> {
    for (let read = 0; read < readsMaximum; read++) {
      let isGone = false;
      for (const name of (await namesOf(key)).reverse()) {
        const text = await files.read(name);
        // Another process removes it once it has written one with a greater number.
        if (text === null) {
          isGone = true;
          break;
        }
        const pointer = signedPointer(text);
        const isRight =
          pointer !== null &&
          nameOf(key, pointer.signature.number) === name &&
          isSignedBy(pointer, pointer.signature, key);
        if (!isRight) return { name, pointer: null };
        if (isNumberPossible(pointer.signature)) return { name, pointer };
      }
      if (!isGone) return null;
    }
    throw new Error(`${files.nameOf('')} lists a file that cannot be read`);
  }

  return {
    async greatest(key) {
      const newest = await newestOf(key);
      if (newest?.pointer === null)
        throw new Error(
          `${files.nameOf(newest.name)} does not hold the pointer that was accepted last, so an older one cannot be told from a newer one: make sure that the pointer is right, then remove this file`,
        );
      return newest?.pointer ?? null;
    },
    async keep(key, pointer) {
      const name = nameOf(key, pointer.signature.number);
      const isDone = async () => ((await newestOf(key))?.name ?? '') >= name;
      if (await isDone()) return;
      try {
        await files.write(name, `${JSON.stringify(pointer)}\n`);
      } catch (error) {
        // A process with a greater number may have removed the unfinished file.
        if (await isDone()) return;
        throw error;
      }
      const greatest = (await newestOf(key))?.name ?? name;
      for (const each of await namesOf(key, true)) {
        // What cannot be removed does no harm: the greatest number counts.
        if (each < greatest) await files.remove(each).catch(() => {});
      }
    },
  };
}

function signedPointer(text: string): SignedPointer | null {
  try {
    const pointer = Pointer.parse(JSON.parse(text));
    return pointer.signature === undefined ? null : { ...pointer, signature: pointer.signature };
  } catch {
    return null;
  }
}
