import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Pointer } from '../../src/format/snapshot.ts';
import { isSignedBy, keyName, signedText } from '../../src/snapshot/trust.ts';
import { dayMs } from '../../src/time/units.ts';

/**
 * Signs a pointer. `before` is the pointer that it replaces; null if there was none. `usedNumber` is the
 * greatest number that is known to be used; 0 if left out.
 */
export type SignPointer = (pointer: Pointer, before: Pointer | null, usedNumber?: number) => Pointer;

/**
 * How long a signature is valid, in days: longer than EDGAR is ever closed, so that a schedule that runs on
 * business days renews it in time.
 */
const goodForDays = 7;

/** Reads the private key with which pointers are signed. Throws an `Error` that names the file. */
export function readSigningKey(path: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(readFileSync(path));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).syscall !== undefined;
    throw new Error(
      `SIGNING_KEY_FILE: ${path} ${isMissing ? `cannot be read: ${(error as Error).message}` : 'is no private key in PEM, as "openssl genpkey -algorithm ed25519" makes it'}`,
    );
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(`SIGNING_KEY_FILE: ${path} must be an Ed25519 key, not ${key.asymmetricKeyType}`);
  return key;
}

/**
 * Returns the function that signs pointers. The number of a pointer is greater than that of the pointer
 * before, whichever key signed it, greater than `usedNumber`, and at least the seconds since 1970: a folder
 * that was lost and made again does not begin with small numbers. `now` is in milliseconds.
 */
export function createPointerSigner(key: KeyObject, now: () => number): SignPointer {
  const publicKey = createPublicKey(key);
  const name = keyName(publicKey);
  return (pointer, before, usedNumber = 0) => {
    const madeMs = now();
    const claims = {
      key: name,
      number: Math.max(numberOf(before) + 1, usedNumber + 1, Math.floor(madeMs / 1000)),
      madeAt: new Date(madeMs).toISOString(),
      expiresAt: new Date(madeMs + goodForDays * dayMs).toISOString(),
    };
    return {
      ...pointer,
      signature: { ...claims, signature: sign(null, signedText(pointer, claims), key).toString('base64') },
    };
  };

  /** A signature in the name of this key that this key did not make tells no number. */
  function numberOf(before: Pointer | null): number {
    const signature = before?.signature;
    if (!signature) return 0;
    return signature.key !== name || isSignedBy(before, signature, publicKey) ? signature.number : 0;
  }
}
