import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { LineLog } from '../../src/log/levels.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { replaceFile } from '../disk/files.ts';
import type { Pending } from './pending.ts';
import { emptyState, type FollowState } from './state.ts';

/**
 * Where a follower keeps what the feed may hold no more when it starts again: beside the batches of its
 * ledger.
 */
export const savedFile = '.follow.json';

/** The digest says that this program wrote the rest, whole. */
const Saved = z.object({ format: z.literal(1), sha256: z.string(), state: z.string() });

interface SavedState {
  readonly since: string | null;
  readonly readThroughMs: number | null;
  readonly pending: readonly Pending[];
}

/**
 * The text that a state is kept as. What was read of the feed is kept as the time up to which it was read.
 */
export function savedText({ since, feed, pending }: FollowState): string {
  const state = JSON.stringify({
    since,
    readThroughMs: feed.readThroughMs,
    pending: [...pending.values()],
  } satisfies SavedState);
  return `${JSON.stringify({ format: 1, sha256: sha256Of(state), state } satisfies z.infer<typeof Saved>)}\n`;
}

/**
 * The state that a text keeps, as of a start at an instant of the clock of `Pending`: everything may be asked
 * for at once. Null for a text that was not written so.
 */
export function parseSaved(text: string, atMs: number): FollowState | null {
  try {
    const { sha256, state } = Saved.parse(JSON.parse(text));
    if (sha256Of(state) !== sha256) return null;
    const { since, readThroughMs, pending } = JSON.parse(state) as SavedState;
    const asking = { asked: 0, nextAtMs: atMs };
    const again = pending.map(
      (each): Pending => ({ ...each, listedAtMs: atMs, file: asking, header: asking }),
    );
    return {
      ...emptyState,
      since,
      feed: { ...emptyState.feed, readThroughMs },
      pending: new Map(again.map((each) => [each.accessionNo, each])),
    };
  } catch {
    return null;
  }
}

/** Reads what a follower of a ledger has kept; what cannot be understood counts as nothing, and is said. */
export async function readSaved(ledgerDirectory: string, atMs: number, log: LineLog): Promise<FollowState> {
  const path = join(ledgerDirectory, savedFile);
  const text = await readFile(path, 'utf8').catch(() => null);
  const state = text === null ? emptyState : parseSaved(text, atMs);
  if (state === null) log(`${path} cannot be understood: what is pending is found again in the feed`, 'warn');
  return state ?? emptyState;
}

/** Keeps a state: the file is replaced in one step. */
export function writeSaved(ledgerDirectory: string, text: string): Promise<void> {
  return replaceFile(join(ledgerDirectory, savedFile), text);
}
