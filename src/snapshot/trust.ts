import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { Pointer, PointerSignature } from '../contract/snapshot.ts';
import { ContentError } from '../files/watch.ts';

/** Decides which pointers a service accepts. */
export interface Trust {
  /**
   * Accepts a pointer at `nowMs`, in milliseconds since 1970. Throws a `ContentError` if the pointer is not
   * signed by a trusted key, has expired, or is older than an accepted one: an old pointer with a good
   * signature would bring back data that was corrected since.
   */
  accept(pointer: Pointer, nowMs: number): void;
  /**
   * Notes the number of a pointer that was accepted earlier, even if it has expired since. Ignores other
   * pointers.
   */
  remember(pointer: Pointer): void;
}

/** The text that is signed: lines with every member of the pointer. */
export function signedText(
  { snapshotId, manifestSha256, previous }: Pointer,
  { number, madeAt, expiresAt }: Omit<PointerSignature, 'signature'>,
): Buffer {
  return Buffer.from(
    `${['filing-event-intelligence pointer', snapshotId, manifestSha256, previous.join(','), number, madeAt, expiresAt].join('\n')}\n`,
  );
}

/** The name of a public key: the first 16 digits of the SHA-256 of its DER form. */
export function keyName(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ format: 'der', type: 'spki' }))
    .digest('hex')
    .slice(0, 16);
}

/**
 * Parses public keys: PEM blocks one after the other, or the base64 lines of such keys with commas between.
 * Throws an `Error` that says what is wrong.
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

/** Whether the signature of a pointer was made with a key. */
export function isSignedBy(
  pointer: Pointer,
  { signature, ...rest }: PointerSignature,
  key: KeyObject,
): boolean {
  return verify(null, signedText(pointer, rest), key, Buffer.from(signature, 'base64'));
}

/** Makes a `Trust` that accepts pointers signed with any of the keys. */
export function createTrust(keys: readonly KeyObject[]): Trust {
  let newest: { readonly number: number; readonly text: string } | null = null;

  function checkedSignature(pointer: Pointer): PointerSignature {
    const { signature } = pointer;
    if (signature === undefined) throw new ContentError('it is not signed, and TRUSTED_KEY is set');
    if (!keys.some((key) => isSignedBy(pointer, signature, key)))
      throw new ContentError('its signature was not made by TRUSTED_KEY, or is of another pointer');
    return signature;
  }

  return {
    accept(pointer, nowMs) {
      const signature = checkedSignature(pointer);
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
        const signature = checkedSignature(pointer);
        if (!newest || signature.number > newest.number)
          newest = { number: signature.number, text: signedText(pointer, signature).toString() };
      } catch (error) {
        if (!(error instanceof ContentError)) throw error;
      }
    },
  };
}
