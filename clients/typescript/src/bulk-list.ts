import { usualBytesMaximum } from './answers.ts';
import { FilingEventsError } from './errors.ts';
import type { BulkFile } from './generated.ts';

/**
 * Checks the list of the files of the log: it comes from another party, its names become paths, and what it says of a
 * file bounds how much is read of it. Throws `unexpected_answer`. Example: `requireFiles(list.data)`.
 */
export function requireFiles(files: unknown): asserts files is readonly BulkFile[] {
  if (!Array.isArray(files)) throw unexpected('it has no files');
  let last = 0;
  for (const [at, file] of files.entries()) {
    const problem = problemOf(file, last + 1, at === files.length - 1);
    if (problem !== null) throw unexpected(`its file ${at + 1} ${problem}`);
    last = (file as BulkFile).lastSequence;
  }
}

/**
 * Checks what a list says of one file, wherever in the list that is. Throws `unexpected_answer`.
 * Example: `requireFile(list.data[3])`.
 */
export function requireFile(file: BulkFile): void {
  const problem = problemOf(file, Number(file.firstSequence), true);
  if (problem !== null) throw unexpected(`its file ${problem}`);
}

/** Whether a text is written as a SHA-256. Example: `isSha256('abc')` is false. */
export function isSha256(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** What is wrong with a file that has to begin with a sequence; null if nothing is. */
function problemOf(file: unknown, firstSequence: number, isLast: boolean): string | null {
  if (typeof file !== 'object' || file === null) return 'is no object';
  const { name, bytes, rows, sha256, ...rest } = file as Partial<Record<keyof BulkFile, unknown>>;
  if (name !== nameOf(firstSequence)) return `has another name than ${nameOf(firstSequence)}`;
  if (typeof sha256 !== 'string' || !isSha256(sha256)) return 'has no SHA-256';
  if (!isCount(bytes) || bytes > usualBytesMaximum) return `does not have 1 to ${usualBytesMaximum} bytes`;
  const hasItsRows =
    isCount(rows) &&
    rest.firstSequence === firstSequence &&
    rest.lastSequence === firstSequence + rows - 1 &&
    Number.isSafeInteger(rest.lastSequence);
  if (!hasItsRows) return 'does not go on behind the file before it';
  if (typeof rest.closed !== 'boolean' || (!isLast && !rest.closed)) return 'is not closed';
  return null;
}

const nameOf = (firstSequence: number) => `changes-${String(firstSequence).padStart(12, '0')}.jsonl.gz`;

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;

const unexpected = (problem: string) =>
  new FilingEventsError(`the list of the files of the log is not one that the service makes: ${problem}`, {
    code: 'unexpected_answer',
  });
