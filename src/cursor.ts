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
  /** Companies (by list key) that stand elsewhere, in a watchlist. */
  readonly sequences: ReadonlyMap<string, number>;
  /** Beginning of the SHA-256 of the batch with the greatest of these sequences; empty before the first row. */
  readonly batch: string;
}

const none: ReadonlyMap<string, number> = new Map();
const digits = 12;

function encode(parts: readonly string[]): string {
  return Buffer.from(parts.join('~')).toString('base64url');
}

function decode(text: string, kind: string, manifest: Manifest): string[] {
  const parts = Buffer.from(text, 'base64url').toString('utf8').split('~');
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

/** A cursor that goes on after a sequence. `seen` is the cursor that the request came with. */
export function encodeFeedCursor(manifest: Manifest, since: string, sequence: number, sequences: ReadonlyMap<string, number> = none, seen?: FeedCursor): string {
  const greatest = Math.max(sequence, ...sequences.values());
  // Behind the end stands only who was already there before a rollback: their batch is not in this snapshot.
  const batch = batchOf(manifest, greatest) ?? seen?.batch ?? '';
  const others = [...sequences].filter(([, each]) => each !== sequence).map(([key, each]) => `${key}:${each}`);
  return encode(['f', manifest.ledger.id.slice(0, digits), since, String(sequence), batch, others.join(',')]);
}

/** Reads a cursor of the change feed. Throws `invalid_cursor`. */
export function decodeFeedCursor(text: string, manifest: Manifest): FeedCursor {
  const [, , since = '', sequenceText = '', batch = '', others = ''] = decode(text, 'f', manifest);
  const sequence = Number(sequenceText);
  const sequences = new Map(others === '' ? [] : others.split(',').map((each) => [each.slice(0, 10), Number(each.slice(11))] as const));
  const greatest = Math.max(sequence, ...sequences.values());
  if (!isCalendarDate(since) || !Number.isSafeInteger(greatest) || greatest < 0) throw invalid('it is damaged');
  const expected = batchOf(manifest, greatest);
  if (expected !== undefined && expected !== batch) throw invalid('the ledger was put back and went on otherwise; begin again with since');
  return { since, sequence, sequences, batch };
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
