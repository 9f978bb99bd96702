import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { ContentsName } from '../../../src/settings/settings.ts';
import type { LineLog } from '../../../src/log/levels.ts';
import { sha256Of } from '../../../src/files/bytes.ts';
import { minuteMs } from '../../../src/time/units.ts';
import { replaceFile } from '../../disk/directories.ts';
import { keptKinds } from './asked-for.ts';
import { pendingAgain, type Pending, type SavedPending } from './pending.ts';
import { createState, type FollowState } from './follow-state.ts';

/**
 * The file in which a follower keeps its state, because the feed may no longer list what is pending when it
 * starts again. It is in the folder of the ledger.
 */
export const savedFile = '.follow.json';

/** `sha256` is the digest of `state`. It shows that the file is complete and was written by this program. */
const Saved = z.object({ format: z.literal(1), sha256: z.string(), state: z.string() });

interface SavedState {
  readonly since: string | null;
  readonly readThroughMs: number | null;
  readonly pending: readonly SavedPending[];
  /** Left out by older releases. */
  readonly complete?: readonly string[];
}

/** The texts of pending filings: each object is written as text once. */
const pendingTexts = new WeakMap<Pending, string>();

function pendingText(pending: Pending): string {
  const { accessionNo, told, cik, ciks, isBacklog, askedFor, isPublished } = pending;
  const text =
    pendingTexts.get(pending) ??
    JSON.stringify({
      accessionNo,
      told,
      cik,
      ciks,
      isBacklog,
      askedFor: keptKinds(askedFor),
      isPublished,
    } satisfies SavedPending);
  pendingTexts.set(pending, text);
  return text;
}

/**
 * Returns the text of a state that is kept. Of what was read of the feed it has only the time up to which it was read,
 * and of pending filings not how often they were asked for: after an outage there may be ten thousand, and what is kept
 * of them must not change with each request.
 */
export function stateText({ since, feed, pending, complete }: FollowState): string {
  const members = JSON.stringify({ since, readThroughMs: feed.readThroughMs, complete: [...complete] });
  return `${members.slice(0, -1)},"pending":[${[...pending.values()].map(pendingText).join()}]}`;
}

/** Returns the text of the file that keeps a state. */
export const savedText = (state: FollowState): string => fileText(stateText(state));

const fileText = (state: string) =>
  `${JSON.stringify({ format: 1, sha256: sha256Of(state), state } satisfies z.infer<typeof Saved>)}\n`;

/**
 * Reads the text of `savedText`. `atMs` is the start of the program on the clock of `Pending`: every request
 * is due at once. `kinds` are the contents that are asked for. Null if the text was not written by `savedText`.
 */
export function parseSaved(
  text: string,
  atMs: number,
  kinds: readonly ContentsName[] = [],
): FollowState | null {
  try {
    const { sha256, state } = Saved.parse(JSON.parse(text));
    if (sha256Of(state) !== sha256) return null;
    const { since, readThroughMs, pending, complete = [] } = JSON.parse(state) as SavedState;
    const again = pending.map((each) => pendingAgain(each, atMs, kinds));
    return {
      ...createState(),
      since,
      feed: { ...createState().feed, readThroughMs },
      pending: new Map(again.map((each) => [each.accessionNo, each])),
      complete: new Set(complete),
    };
  } catch {
    return null;
  }
}

/**
 * Reads the state that a follower of a ledger has kept. A file that cannot be understood is logged and counts
 * as empty.
 */
export async function readSaved(
  ledgerDirectory: string,
  atMs: number,
  log: LineLog,
  kinds: readonly ContentsName[] = [],
): Promise<FollowState> {
  const path = join(ledgerDirectory, savedFile);
  const text = await readFile(path, 'utf8').catch(() => null);
  const state = text === null ? createState() : parseSaved(text, atMs, kinds);
  if (state === null) log(`${path} cannot be understood: what is pending is found again in the feed`, 'warn');
  return state ?? createState();
}

/** Writes the text of a state. The file is replaced in one step. */
export function writeSaved(ledgerDirectory: string, state: string): Promise<void> {
  return replaceFile(join(ledgerDirectory, savedFile), fileText(state));
}

/** What programs that were killed leave while they write the state, or the day since which is reconciled. */
const leftover = /^\.(follow|reconcile)\.json\..+\.tmp$/;

/**
 * Removes what killed programs left beside the state. A file of the last minute stays: another program may be
 * about to rename it.
 */
export async function removeLeftovers(ledgerDirectory: string, nowMs: number): Promise<void> {
  for (const name of (await readdir(ledgerDirectory)).filter((each) => leftover.test(each))) {
    const path = join(ledgerDirectory, name);
    const writtenMs = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Infinity,
    );
    if (nowMs - writtenMs > minuteMs) await rm(path, { force: true });
  }
}
