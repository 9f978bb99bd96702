import { hash } from 'node:crypto';
import { ApiError } from './contract/errors.ts';
import type { Manifest } from './contract/snapshot.ts';
import { isCalendarDate } from './contract/shapes.ts';
import { bisect } from './table/chunk.ts';

/**
 * A place in the change feed. It names the ledger, and the batch that holds its last row: a ledger that was put back and
 * went on otherwise would give other rows under the same numbers, and a client must not miss them silently.
 */
export interface FeedCursor {
  /** The `since` that the walk began with. */
  readonly since: string;
  /** Everything up to this sequence was seen. */
  readonly sequence: number;
  /** Companies (by the newest CIK of their chain) that stand elsewhere, in a watchlist. */
  readonly sequences: ReadonlyMap<string, number>;
  readonly witness: Witness;
}

/** The greatest sequence that a walk reached, and the beginning of the SHA-256 of its batch; empty before the first row. */
interface Witness {
  readonly sequence: number;
  readonly batch: string;
}

const none: ReadonlyMap<string, number> = new Map();
const digits = 12;
const cikDigits = 10;

/** The text ends with a part of its own digest: a cursor that was cut or mistyped must not lead to another place. */
function encode(parts: readonly string[]): string {
  const text = parts.join('~');
  return Buffer.from(`${text}~${hash('sha256', text).slice(0, digits)}`).toString('base64url');
}

function decode(text: string, kind: string, manifest: Manifest): string[] {
  const parts = Buffer.from(text, 'base64url').toString('utf8').split('~').slice(0, -1);
  if (encode(parts) !== text || parts[0] !== kind) throw invalid('it is not one that this operation gave out');
  if (parts[1] !== manifest.ledger.id.slice(0, digits)) throw invalid('it comes from another ledger; begin again with since');
  return parts;
}

function invalid(reason: string): ApiError {
  return new ApiError('invalid_cursor', `cursor: must be the nextCursor of an earlier answer of this operation; ${reason}`);
}

function batchOf(manifest: Manifest, sequence: number): string | undefined {
  const { batches } = manifest.ledger;
  if (sequence === 0) return '';
  return batches[bisect(batches.length, (at) => (batches[at]?.lastSequence ?? 0) >= sequence)]?.sha256.slice(0, digits);
}

/** Companies by the place where they stand, which most of them share: `<sequence>:<CIK>.<CIK>,…`, numbers to the base 36. */
function encodePlaces(sequences: ReadonlyMap<string, number>, sequence: number): string {
  const groups = new Map<number, string[]>();
  for (const [key, each] of sequences) if (each !== sequence) groups.set(each, [...(groups.get(each) ?? []), Number(key).toString(36)]);
  return [...groups].map(([each, keys]) => `${each.toString(36)}:${keys.join('.')}`).join(',');
}

function decodePlaces(text: string): Map<string, number> {
  const groups = text === '' ? [] : text.split(',').map((group) => group.split(':'));
  return new Map(groups.flatMap(([sequence = '', keys = '']) => keys.split('.').map((key) => [String(parseInt(key, 36)).padStart(cikDigits, '0'), parseInt(sequence, 36)] as const)));
}

/** A cursor that goes on after a sequence. `seen` is the cursor that the request came with. */
export function encodeFeedCursor(manifest: Manifest, since: string, sequence: number, sequences: ReadonlyMap<string, number> = none, seen?: FeedCursor): string {
  const greatest = Math.max(sequence, ...sequences.values());
  const batch = batchOf(manifest, greatest);
  // Behind the end stands only who was already there before a rollback: the batches there are not in this snapshot.
  const witness = batch === undefined && seen ? seen.witness : { sequence: greatest, batch: batch ?? '' };
  return encode(['f', manifest.ledger.id.slice(0, digits), since, String(sequence), encodePlaces(sequences, sequence), String(witness.sequence), witness.batch]);
}

/** Reads a cursor of the change feed. Throws `invalid_cursor`. */
export function decodeFeedCursor(text: string, manifest: Manifest): FeedCursor {
  const [, , since = '', sequenceText = '', places = '', witnessText = '', batch = ''] = decode(text, 'f', manifest);
  const sequence = Number(sequenceText);
  const sequences = decodePlaces(places);
  const witness = { sequence: Number(witnessText), batch };
  const isPlace = (each: number) => Number.isSafeInteger(each) && each >= 0 && each <= witness.sequence;
  if (!isCalendarDate(since) || ![witness.sequence, sequence, ...sequences.values()].every(isPlace)) throw invalid('it is damaged');
  const expected = batchOf(manifest, witness.sequence);
  if (expected !== undefined && expected !== batch) throw invalid('the ledger was put back and went on otherwise; begin again with since');
  return { since, sequence, sequences, witness };
}

/** A cursor that goes on after a row of a history. */
export function encodeHistoryCursor(manifest: Manifest, order: string): string {
  return encode(['h', manifest.ledger.id.slice(0, digits), order]);
}

/** Reads a cursor of a history: the order value of its last row. Throws `invalid_cursor`. */
export function decodeHistoryCursor(text: string, manifest: Manifest): string {
  const [, , order = ''] = decode(text, 'h', manifest);
  if (!/^(\d{4}-\d{2}-\d{2})? (\d{14})? \d{10}-\d{2}-\d{6}$/.test(order)) throw invalid('it is damaged');
  return order;
}
