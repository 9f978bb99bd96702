import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { isSha256 } from './bulk-list.ts';
import { FilingEventsError } from './errors.ts';

/** The pointer of a folder of snapshots, `current.json`. Example: `const pointer: Pointer = JSON.parse(text)`. */
export interface Pointer {
  readonly snapshotId: string;
  readonly manifestSha256: string;
  /** Names of the snapshots before it. */
  readonly previous: readonly string[];
  readonly signature?: {
    /** Greater than that of every pointer before it. */
    readonly number: number;
    readonly madeAt: string;
    readonly expiresAt: string;
    /** Ed25519, in base64. */
    readonly signature: string;
  };
}

/** What is checked of a pointer. Example: `{ trustedKey: readFileSync('key.pem', 'utf8') }`. */
export interface TrustSettings {
  /** Public Ed25519 keys: PEM blocks, or the base64 lines of them with commas between. */
  readonly trustedKey: string;
  /** The greatest number that was accepted before: an older pointer would bring back data that was corrected since. */
  readonly atLeast?: number | undefined;
  /** Milliseconds since 1970. */
  readonly now?: number | undefined;
}

/** How far a number may be beyond the seconds of `madeAt`: a greater one is refused, so that nobody can use up all numbers. */
const numbersAhead = 1_000_000;

/**
 * Checks that a trusted key signed a pointer, that it has not expired, that its number is not far beyond its time, and
 * that it is not older than one that was accepted before. Throws `untrusted_pointer`.
 * Example: `verifyPointer(pointer, { trustedKey })`.
 */
export function verifyPointer(
  pointer: Pointer,
  { trustedKey, atLeast = 0, now = Date.now() }: TrustSettings,
): void {
  const problem = problemOf(pointer);
  if (problem !== null) throw untrusted(problem);
  const { snapshotId, manifestSha256, previous, signature: signed } = pointer;
  if (!signed) throw untrusted('it is not signed');
  const { number, madeAt, expiresAt, signature } = signed;
  const members = [snapshotId, manifestSha256, previous.join(','), number, madeAt, expiresAt];
  const text = Buffer.from(`${['filing-event-intelligence pointer', ...members].join('\n')}\n`);
  const isSigned = keysIn(trustedKey).some((key) =>
    verify(null, text, key, Buffer.from(signature, 'base64')),
  );
  if (!isSigned) throw untrusted('its signature was not made by the trusted key, or is of another pointer');
  if (now >= Date.parse(expiresAt)) throw untrusted(`it expired at ${expiresAt}`);
  if (number > Date.parse(madeAt) / 1000 + numbersAhead)
    throw untrusted(`its number is ${number}, far beyond the time at which it was made, ${madeAt}`);
  if (number < atLeast)
    throw untrusted(`its number is ${number}, and one with ${atLeast} was accepted before`);
}

const snapshotIdPattern = /^[0-9]{8}-[0-9a-f]{16}$/;
const timestampPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/;
const isText = (value: unknown, pattern: RegExp) => typeof value === 'string' && pattern.test(value);
const isTime = (value: unknown) =>
  isText(value, timestampPattern) && Number.isFinite(Date.parse(value as string));

/** Why something is no pointer; null if it is one. It comes from another party, and its names become paths. */
function problemOf(pointer: unknown): string | null {
  if (typeof pointer !== 'object' || pointer === null) return 'it is no pointer';
  const { snapshotId, manifestSha256, previous, signature } = pointer as Partial<Record<string, unknown>>;
  const isPointer =
    isText(snapshotId, snapshotIdPattern) &&
    typeof manifestSha256 === 'string' &&
    isSha256(manifestSha256) &&
    Array.isArray(previous) &&
    previous.every((each) => isText(each, snapshotIdPattern));
  if (!isPointer) return 'it is no pointer';
  if (signature === undefined) return null;
  if (typeof signature !== 'object' || signature === null) return 'it has no signature that can be read';
  const { number, madeAt, expiresAt, signature: text } = signature as Partial<Record<string, unknown>>;
  const isSignature =
    Number.isSafeInteger(number) &&
    (number as number) > 0 &&
    isTime(madeAt) &&
    isTime(expiresAt) &&
    typeof text === 'string';
  return isSignature ? null : 'it has no signature that can be read';
}

const untrusted = (reason: string) =>
  new FilingEventsError(`the pointer is not to be trusted: ${reason}`, { code: 'untrusted_pointer' });

function keysIn(text: string): KeyObject[] {
  const blocks = text.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g);
  try {
    const keys =
      blocks?.map((block) => createPublicKey(block)) ??
      text
        .split(',')
        .map((line) =>
          createPublicKey({ key: Buffer.from(line.trim(), 'base64'), format: 'der', type: 'spki' }),
        );
    if (keys.every(({ asymmetricKeyType }) => asymmetricKeyType === 'ed25519')) return keys;
  } catch {
    // The message of the decoder says nothing.
  }
  throw untrusted('the key to check it by is no Ed25519 public key, its PEM or the base64 line of it');
}
