import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Answer } from '../answers/body.ts';

const compress = promisify(gzip);

/** Answers shorter than this are sent as they are. */
const compressFromBytes = 1024;

/**
 * Answers that were given lately. They follow from the snapshot and the target of the request
 * (path and query as the client wrote them) alone, so many pollers share one.
 */
export interface Memo {
  get(snapshotId: string | null, target: string): Answer | undefined;
  /** Keeps an answer, its bytes made once, and returns it as it will be found. */
  keep(snapshotId: string, target: string, answer: Answer): Answer;
}

/** Makes a memo of at most `maximumBytes` of bodies, for one snapshot at a time. */
export function createMemo(maximumBytes: number): Memo {
  const kept = new Map<string, { answer: Answer; bytes: number }>();
  let servedId = '';
  let held = 0;

  function turnTo(snapshotId: string): void {
    if (snapshotId === servedId) return;
    kept.clear();
    held = 0;
    servedId = snapshotId;
  }

  return {
    get(snapshotId, target) {
      return snapshotId === servedId ? kept.get(target)?.answer : undefined;
    },
    keep(snapshotId, target, answer) {
      turnTo(snapshotId);
      const body = answer.body();
      let zipped: Promise<Buffer> | undefined;
      const whole: Answer = { ...answer, body: () => body, ...(body.length < compressFromBytes ? {} : { gzip: () => (zipped ??= compress(body, { level: 1 })) }) };
      const bytes = body.length + target.length;
      if (bytes > maximumBytes / 8 || kept.has(target)) return whole;
      kept.set(target, { answer: whole, bytes });
      held += bytes;
      for (const [oldest, entry] of kept) {
        if (held <= maximumBytes) break;
        kept.delete(oldest);
        held -= entry.bytes;
      }
      return whole;
    },
  };
}
