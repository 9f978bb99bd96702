import { hash } from 'node:crypto';
import { ApiError } from '../contract/errors.ts';
import { cursorCharactersMaximum } from '../contract/parameters.ts';
import { isCalendarDate, isCik } from '../domain/scalars.ts';
import { isHistorySortKey } from '../format/snapshot.ts';

/**
 * How far a client has read the change feed. It names the ledger, and the batch of the last row that was
 * read. If a ledger is reset and goes on differently, the same sequence numbers name other rows, and the
 * client has to be told.
 */
export interface FeedCursor extends FeedBounds {
  /** The client has seen everything up to this sequence. */
  readonly sequence: number;
  /**
   * Companies of a watchlist that were read further than `sequence`, by the newest CIK of their chain. The
   * companies that were asked for last come last.
   */
  readonly sequences: ReadonlyMap<string, number>;
  readonly furthest: Furthest;
}

/**
 * The greatest sequence that a walk reached, and the first digits of the SHA-256 of its batch; empty before
 * the first row.
 */
interface Furthest {
  readonly sequence: number;
  readonly batch: string;
}

/** The bounds of the filing date that a walk began with, both inclusive. */
export interface DateBounds {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** The bounds of a walk through the feed, which always begins at a date. */
export interface FeedBounds extends DateBounds {
  readonly since: string;
}

/** The facts about the change feed that cursors are checked against. */
export interface FeedLog {
  /** SHA-256 of the first batch of the ledger. */
  readonly ledgerId: string;
  /** SHA-256 of the batch that holds a sequence, counted from 1; null behind the end of the feed. */
  batchOf(sequence: number): string | null;
}

const none: ReadonlyMap<string, number> = new Map();
const digits = 12;
const cikDigits = 10;

/**
 * Encodes the parts of a cursor with a digest of the text at the end, so that a cursor that was cut or
 * mistyped is refused.
 */
function encode(parts: readonly string[]): string {
  const text = parts.join('~');
  return Buffer.from(`${text}~${hash('sha256', text).slice(0, digits)}`).toString('base64url');
}

function decode(text: string, kind: string, ledgerId: string): string[] {
  const parts = Buffer.from(text, 'base64url').toString('utf8').split('~').slice(0, -1);
  if (encode(parts) !== text || parts[0] !== kind)
    throw invalid('it is not one that this operation gave out');
  if (parts[1] !== ledgerId.slice(0, digits))
    throw invalid('it comes from another ledger; begin again with since');
  return parts;
}

function invalid(reason: string): ApiError {
  return new ApiError(
    'invalid_cursor',
    `cursor: must be the nextCursor of an earlier answer of this operation; ${reason}`,
  );
}

function batchAt(log: FeedLog, sequence: number): string | null {
  return sequence === 0 ? '' : (log.batchOf(sequence)?.slice(0, digits) ?? null);
}

/** The most bytes that a cursor's text may have before base64url. */
const bytesMaximum = Math.floor((cursorCharactersMaximum * 3) / 4);

/**
 * Encodes as many companies as there is room for, those that were asked for last first:
 * `<sequence>:<CIK>.<CIK>,…`, in base 36. Neighbours that were read up to the same sequence share one number,
 * as most do.
 */
function encodeSequences(
  sequences: ReadonlyMap<string, number>,
  sequence: number,
  roomBytes: number,
): string {
  let text = '';
  let shared = -1;
  for (const [key, each] of [...sequences].reverse()) {
    if (each === sequence) continue;
    const cik = Number(key).toString(36);
    const added = each === shared ? `.${cik}` : `${text && ','}${each.toString(36)}:${cik}`;
    if (text.length + added.length > roomBytes) break;
    text += added;
    shared = each;
  }
  return text;
}

function decodeSequences(text: string): Map<string, number> {
  const groups = text === '' ? [] : text.split(',').map((group) => group.split(':'));
  const latestFirst = groups.flatMap(([sequence = '', keys = '']) =>
    keys
      .split('.')
      .map((key) => [String(parseInt(key, 36)).padStart(cikDigits, '0'), parseInt(sequence, 36)] as const),
  );
  return new Map(latestFirst.reverse());
}

/**
 * Makes a cursor that goes on after a sequence. `sequences` names companies that were read further, those
 * that were asked for last at the end. If they do not all fit, the first ones are left out. At least 70 fit,
 * and 200 with CIKs of at most seven digits if all were read up to the same sequence. `seen` is the cursor of
 * the request.
 */
export function encodeFeedCursor(
  log: FeedLog,
  { since, until }: FeedBounds,
  sequence: number,
  sequences: ReadonlyMap<string, number> = none,
  seen?: FeedCursor,
): string {
  const greatest = Math.max(sequence, ...sequences.values());
  const batch = batchAt(log, greatest);
  // After a rollback, a client may have read sequences that this snapshot does not have. Then the batch of
  // its last row is unknown, and the new cursor keeps `furthest` of the old one.
  const furthest = batch === null && seen ? seen.furthest : { sequence: greatest, batch: batch ?? '' };
  const partsWith = (companies: string) => [
    'f',
    log.ledgerId.slice(0, digits),
    since,
    String(sequence),
    companies,
    String(furthest.sequence),
    furthest.batch,
    ...(until === undefined ? [] : [until]),
  ];
  const roomBytes = bytesMaximum - `${partsWith('').join('~')}~`.length - digits;
  return encode(partsWith(encodeSequences(sequences, sequence, roomBytes)));
}

/** Reads a cursor of the change feed of a ledger. Throws `invalid_cursor`. */
export function parseFeedCursor(text: string, { ledgerId }: Pick<FeedLog, 'ledgerId'>): FeedCursor {
  const [, , since = '', sequenceText = '', companies = '', furthestText = '', batch = '', until] = decode(
    text,
    'f',
    ledgerId,
  );
  const sequence = Number(sequenceText);
  const sequences = decodeSequences(companies);
  const furthest = { sequence: Number(furthestText), batch };
  const isReached = (each: number) => Number.isSafeInteger(each) && each >= 0 && each <= furthest.sequence;
  requireWhole([since, until ?? since].every(isCalendarDate));
  requireWhole([furthest.sequence, sequence, ...sequences.values()].every(isReached));
  return { since, until, sequence, sequences, furthest };
}

/** Refuses a cursor of which a part is not as this service writes it. */
function requireWhole(isWhole: boolean): void {
  if (!isWhole) throw invalid('it is damaged');
}

/** The bounds in a cursor, where an empty text is none. Throws `invalid_cursor`. */
function boundsIn(since: string, until: string): DateBounds {
  requireWhole([since, until].every((day) => day === '' || isCalendarDate(day)));
  return { since: since || undefined, until: until || undefined };
}

/** The greatest sequence that a cursor of the change feed has reached. Nothing of it is checked: 0 for any other text. */
export function reachedBy(text: string): number {
  const [kind, , , , , furthest] = Buffer.from(text, 'base64url').toString('utf8').split('~');
  return kind === 'f' ? Number(furthest) : 0;
}

/** Checks that the feed went on from where a cursor reached. Throws `invalid_cursor`. */
export function checkFeedCursor({ furthest }: FeedCursor, log: FeedLog): void {
  const expected = batchAt(log, furthest.sequence);
  if (expected !== null && expected !== furthest.batch)
    throw invalid('the ledger was rolled back and continued differently; begin again with since');
}

/** Makes a cursor that goes on after a row of a history, with the bounds of the walk. */
export function encodeHistoryCursor(ledgerId: string, order: string, { since, until }: DateBounds): string {
  return encode([
    'h',
    ledgerId.slice(0, digits),
    order,
    ...(since === undefined && until === undefined ? [] : [since ?? '', until ?? '']),
  ]);
}

/** The content of a history cursor: the sort key of the last row, and the bounds of the walk. */
export interface HistoryCursor extends DateBounds {
  readonly order: string;
}

/** Reads a cursor of a history. Throws `invalid_cursor`. */
export function decodeHistoryCursor(text: string, ledgerId: string): HistoryCursor {
  const [, , order = '', since = '', until = ''] = decode(text, 'h', ledgerId);
  requireWhole(isHistorySortKey(order));
  return { order, ...boundsIn(since, until) };
}

/** Where a list of insider transactions goes on: behind a transaction of a filing, or behind all of them. */
export interface TransactionCursor extends HistoryCursor {
  /** The number of the last transaction of that filing which was given; null if it has no more of them. */
  readonly number: number | null;
}

/** Makes a cursor of insider transactions. */
export function encodeTransactionCursor(
  ledgerId: string,
  { order, number, since, until }: TransactionCursor,
): string {
  return encode([
    't',
    ledgerId.slice(0, digits),
    order,
    number === null ? '' : String(number),
    since ?? '',
    until ?? '',
  ]);
}

/** Reads a cursor of insider transactions. Throws `invalid_cursor`. */
export function decodeTransactionCursor(text: string, ledgerId: string): TransactionCursor {
  const [, , order = '', number = '', since = '', until = ''] = decode(text, 't', ledgerId);
  requireWhole(isHistorySortKey(order) && /^\d{0,9}$/.test(number));
  return { order, number: number === '' ? null : Number(number), ...boundsIn(since, until) };
}

/** Makes a cursor that goes on after a company in the list of companies. */
export function encodeCompanyCursor(ledgerId: string, cik: string): string {
  return encode(['c', ledgerId.slice(0, digits), cik]);
}

/** The CIK in a cursor of the list of companies. Throws `invalid_cursor`. */
export function decodeCompanyCursor(text: string, ledgerId: string): string {
  const [, , cik = ''] = decode(text, 'c', ledgerId);
  requireWhole(isCik(cik));
  return cik;
}
