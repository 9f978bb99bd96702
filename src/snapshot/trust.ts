import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { Pointer, PointerSignature } from '../contract/snapshot.ts';
import { ContentError } from '../files/watch.ts';

/** Decides which pointers a service takes. */
export interface Trust {
  /**
   * Takes a pointer at a time. Throws a `ContentError` for one that is not signed by a trusted key, has
   * expired, or is older than one that was taken before: a pointer that is true and old would bring back what
   * was corrected since.
   */
  accept(pointer: Pointer, nowMs: number): void;
  /**
   * Takes the number of a pointer that was good once, whether or not it has expired since. What is no such
   * pointer changes nothing.
   */
  remember(pointer: Pointer): void;
}

/** The text that is signed: lines that name everything a pointer says. */
export function signedText(
  { snapshotId, manifestSha256, previous }: Pointer,
  { number, madeAt, expiresAt }: Omit<PointerSignature, 'signature'>,
): Buffer {
  return Buffer.from(
    `${['filing-event-intelligence pointer', snapshotId, manifestSha256, previous.join(','), number, madeAt, expiresAt].join('\n')}\n`,
  );
}

/** How a public key is named: the beginning of the SHA-256 of its DER form. */
export function keyName(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ format: 'der', type: 'spki' }))
    .digest('hex')
    .slice(0, 16);
}

/**
 * Public keys of a text: PEM blocks one after the other, or the base64 lines of such keys with commas
 * between. Throws an `Error` that says what is wrong.
 */
export function parsePublicKeys(text: string): KeyObject[] {
  const blocks = text.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? [];
  const keys =
    blocks.length > 0
      ? blocks.map((block) => publicKey(block))
      : text
          .split(',')
          .map((line) => publicKey({ key: Buffer.from(line.trim(), 'base64'), format: 'der', type: 'spki' }));
  for (const { asymmetricKeyType } of keys)
    if (asymmetricKeyType !== 'ed25519') throw new Error(`must be an Ed25519 key, not ${asymmetricKeyType}`);
  return keys;
}

function publicKey(from: Parameters<typeof createPublicKey>[0]): KeyObject {
  try {
    return createPublicKey(from);
  } catch {
    throw new Error('must be a public key: its PEM, or the base64 line of it');
  }
}

/** Whether a key made the signature of a pointer. */
export function isSignedBy(
  pointer: Pointer,
  { signature, ...rest }: PointerSignature,
  key: KeyObject,
): boolean {
  return verify(null, signedText(pointer, rest), key, Buffer.from(signature, 'base64'));
}

/** Trusts pointers that one of some keys has signed. */
export function createTrust(keys: readonly KeyObject[]): Trust {
  let newest: { readonly number: number; readonly text: string } | null = null;

  function proven(pointer: Pointer): PointerSignature {
    const { signature } = pointer;
    if (signature === undefined) throw new ContentError('it is not signed, and TRUSTED_KEY is set');
    if (!keys.some((key) => isSignedBy(pointer, signature, key)))
      throw new ContentError('its signature was not made by TRUSTED_KEY, or is of another pointer');
    return signature;
  }

  return {
    accept(pointer, nowMs) {
      const signature = proven(pointer);
      const text = signedText(pointer, signature).toString();
      if (newest && signature.number < newest.number)
        throw new ContentError(
          `it is older than the one before: its number is ${signature.number}, that of the one before ${newest.number}`,
        );
      if (newest && signature.number === newest.number && text !== newest.text)
        throw new ContentError(`there is another pointer with its number, ${signature.number}`);
      if (nowMs >= Date.parse(signature.expiresAt))
        throw new ContentError(`it expired at ${signature.expiresAt}`);
      newest = { number: signature.number, text };
    },
    remember(pointer) {
      try {
        const signature = proven(pointer);
        if (!newest || signature.number > newest.number)
          newest = { number: signature.number, text: signedText(pointer, signature).toString() };
      } catch (error) {
        if (!(error instanceof ContentError)) throw error;
      }
    },
  };
}
