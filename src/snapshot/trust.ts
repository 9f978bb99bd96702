import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { Pointer, PointerSignature } from '../format/snapshot.ts';
import { ContentError } from '../files/watch.ts';
import type { AcceptedPointers, SignedPointer } from './accepted.ts';

/**
 * How long a service refuses pointers that are older than one it accepted: `lasting`, or only until this
 * process ends, because the accepted pointer could not be kept.
 */
export type RollbackProtection = 'lasting' | 'this_process';

/**
 * Decides which pointers a service accepts. `nowMs` is in milliseconds since 1970.
 *
 * Its functions throw a `ContentError` if a pointer is not signed by a trusted key. They throw another `Error`
 * if the same pointer may be accepted later. It has expired, but the clock may be wrong. It is older than an
 * accepted one: an old pointer with a good signature would bring back data that was corrected since. Or the
 * accepted one cannot be read. An operator can change the last two.
 */
export interface Trust {
  /** Accepts a pointer, and keeps it if it can. */
  accept(pointer: Pointer, nowMs: number): Promise<void>;
  /** Throws what `accept` throws, and changes nothing. */
  check(pointer: Pointer, nowMs: number): Promise<void>;
  /**
   * Checks a pointer that was accepted before, and changes nothing. Its number may be smaller than the
   * greatest: the snapshot of a newer pointer may be unreadable.
   */
  checkAgain(pointer: Pointer, nowMs: number): void;
  /** Tries again to keep the accepted pointer, if that failed. Never rejects. */
  keep(): Promise<void>;
  readonly protection: () => RollbackProtection;
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

/** How far the number of a pointer may be above the seconds of the instant at which it was made. */
const numberAheadMaximum = 1_000_000;

/**
 * The greatest number of a pointer that was made at an instant, in milliseconds since 1970. A pointer with a
 * greater one is refused, whoever signed it: a number near the greatest whole number leaves none for the
 * pointers after it.
 */
export function greatestNumber(madeMs: number): number {
  return Math.floor(madeMs / 1000) + numberAheadMaximum;
}

/** When a pointer with a number can have been made at the earliest, in milliseconds since 1970. */
export function earliestMade(number: number): number {
  return (number - numberAheadMaximum) * 1000;
}

/** Whether the number of a pointer is one that it may have by the instant at which it was made. */
export function isNumberPossible({ number, madeAt }: PointerSignature): boolean {
  return number <= greatestNumber(Date.parse(madeAt));
}

/** The reason why a pointer is refused whose number is not possible. */
export function impossibleNumber({ number, madeAt }: PointerSignature): string {
  return `its number is ${number}, and one that was made at ${madeAt} has at most ${greatestNumber(Date.parse(madeAt))}`;
}

/** Whether the signature of a pointer was made with a key. */
export function isSignedBy(
  pointer: Pointer,
  { signature, ...rest }: PointerSignature,
  key: KeyObject,
): boolean {
  return verify(null, signedText(pointer, rest), key, Buffer.from(signature, 'base64'));
}

/** Where a `Trust` keeps and logs; without `accepted`, protection ends with the process. */
export interface TrustOptions {
  readonly accepted?: AcceptedPointers | null;
  readonly log?: (event: string, details: Record<string, unknown>) => void;
}

interface Accepted {
  readonly key: KeyObject;
  readonly pointer: SignedPointer;
}

/** Makes a `Trust` that accepts pointers signed with any of the keys. */
export function createTrust(
  keys: readonly KeyObject[],
  { accepted = null, log = () => {} }: TrustOptions = {},
): Trust {
  /** The pointer that this process accepted last. */
  let newest: Accepted | null = null;
  /** Whether a later process will know what this one accepted. */
  let isKept = accepted !== null;
  let lastReason = '';

  function signedBy(pointer: Pointer): Accepted {
    const { signature } = pointer;
    if (signature === undefined) throw new ContentError('it is not signed, and TRUSTED_KEY is set');
    const key = keys.find((each) => isSignedBy(pointer, signature, each));
    if (key === undefined)
      throw new ContentError('its signature was not made by TRUSTED_KEY, or is of another pointer');
    if (!isNumberPossible(signature)) throw new ContentError(impossibleNumber(signature));
    return { key, pointer: { ...pointer, signature } };
  }

  /** The accepted pointer with the greatest number. Other processes may have accepted it. */
  async function greatest(): Promise<SignedPointer | null> {
    const kept = accepted === null ? [] : await Promise.all(keys.map((key) => accepted.greatest(key)));
    return [newest?.pointer ?? null, ...kept].reduce((best, each) =>
      each !== null && (best === null || each.signature.number > best.signature.number) ? each : best,
    );
  }

  function checkExpiry({ signature: { expiresAt } }: SignedPointer, nowMs: number): void {
    if (nowMs >= Date.parse(expiresAt)) throw new Error(`it expired at ${expiresAt}`);
  }

  async function checked(pointer: Pointer, nowMs: number): Promise<Accepted> {
    const signed = signedBy(pointer);
    const { number } = signed.pointer.signature;
    const before = await greatest();
    if (before !== null && number < before.signature.number)
      throw new Error(
        `it is older than one that was accepted before: its number is ${number}, that of the other ${before.signature.number}`,
      );
    if (
      before !== null &&
      number === before.signature.number &&
      !signedText(pointer, signed.pointer.signature).equals(signedText(before, before.signature))
    )
      throw new Error(`there is another pointer with its number, ${number}`);
    checkExpiry(signed.pointer, nowMs);
    return signed;
  }

  async function keep(): Promise<void> {
    if (newest === null || isKept) return;
    try {
      if (accepted === null) throw new Error('SNAPSHOTS_DIR is not set');
      await accepted.keep(newest.key, newest.pointer);
      [isKept, lastReason] = [true, ''];
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
      if (reason !== lastReason) log('accepted_pointer_unkept', { reason: (error as Error).message });
      lastReason = reason;
    }
  }

  return {
    async accept(pointer, nowMs) {
      [newest, isKept] = [await checked(pointer, nowMs), false];
      await keep();
    },
    async check(pointer, nowMs) {
      await checked(pointer, nowMs);
    },
    checkAgain: (pointer, nowMs) => checkExpiry(signedBy(pointer).pointer, nowMs),
    keep,
    protection: () => (isKept ? 'lasting' : 'this_process'),
  };
}
