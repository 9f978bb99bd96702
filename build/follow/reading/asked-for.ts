import { backoff } from '../../../src/fetch/backoff.ts';
import type { ContentsName } from '../../../src/settings/settings.ts';
import { contentsInOrder, contentsKinds } from '../../contents/contents-kinds.ts';
import type { AskedContents } from '../../ingest/ask-contents.ts';
import type { LedgerContents } from '../../ledger/contents.ts';
import { mergeFiling, type Sighting } from '../../ledger/merge-filing.ts';

/** What came of asking for a fact, and when it may be asked for again. */
export interface Asking {
  /** How many answers lacked the fact. A request without an answer says nothing about the filing. */
  readonly asked: number;
  /** Requests in a row that got no answer. */
  readonly unanswered: number;
  readonly nextAtMs: number;
}

/** What came of asking for contents of a kind. */
export interface AskedFor extends Asking {
  /** Where they are, below `/Archives/edgar/`; null if the filing has none. */
  readonly file: string | null;
  /** What was read; null until then. */
  readonly contents: LedgerContents | null;
  /** Whether a refusal says that the file cannot be understood, so that it is said once. */
  readonly isRefused: boolean;
}

/** The contents of a filing that are asked for, by kind. */
export type AskedKinds = Readonly<Partial<Record<ContentsName, AskedFor>>>;

/** A filing whose contents are asked for. */
interface Asker {
  readonly askedFor: AskedKinds;
}

/** The pauses after a request without success: each is twice the one before, up to a bound. */
const pauses = { firstMs: 2500, longestMs: 900_000 };

/**
 * A filing of which all but its contents is known waits for them up to these times, or until so many answers lacked them,
 * which takes 8 seconds. Then it is published without, and they follow as a correction. What a document says about
 * ownership is what its filing is about, so one of the backlog waits for the first answer; a list of documents is waited
 * for no longer than its absence takes to show, also in a rush, when there are more filings than requests.
 */
const publishWithoutContentsAfterMs: Readonly<Record<ContentsName, number>> = {
  ownership: 20_000,
  documents: 8000,
};
const publishWithoutContentsAfterAnswers = 3;
/**
 * The longest time that a new filing waits for contents about which there was no answer yet: they are asked for within
 * seconds, unless there are more filings than the rate limit allows requests. In such a rush what is known is served in time.
 */
const publishWithoutAnswerAfterMs = 8000;
/** The longest time that one of the backlog waits for the answer about its document. */
const backlogMs = 900_000;

/** Of what nobody has asked yet, and which is due at a time. */
export const notAsked = (atMs: number): Asking => ({ asked: 0, unanswered: 0, nextAtMs: atMs });

/** Returns the state after a request without success: `isAnswer` says whether there was an answer. */
export function askedAgain({ asked, unanswered }: Asking, isAnswer: boolean, atMs: number): Asking {
  const pauseMs = backoff(asked + unanswered + 1, pauses);
  return {
    asked: isAnswer ? asked + 1 : asked,
    unanswered: isAnswer ? 0 : unanswered + 1,
    nextAtMs: atMs + pauseMs,
  };
}

/** Of contents that are not asked for. */
export const neverDue: Asking = { asked: 0, unanswered: 0, nextAtMs: Infinity };

/** Whether a filing has contents of a kind that are asked for and were not read yet. */
export function lacks(name: ContentsName, { askedFor }: Asker): boolean {
  const { file = null, contents = null } = askedFor[name] ?? {};
  return file !== null && contents === null;
}

/** The kinds of contents that a filing lacks. */
export const lackingKinds = (pending: Asker): ContentsName[] =>
  contentsInOrder.filter((name) => lacks(name, pending));

/** What was read of a filing and is not in the ledger yet. */
export const contentsRead = ({ askedFor }: Asker): LedgerContents[] =>
  Object.values(askedFor).flatMap(({ contents }) => contents ?? []);

/** Returns what is asked for without the contents that the ledger has got. */
export function withoutWritten(askedFor: AskedKinds, written: readonly LedgerContents[]): AskedKinds {
  const left = Object.entries(askedFor).filter(
    ([, { contents }]) => contents === null || !written.includes(contents),
  );
  return Object.fromEntries(left);
}

/** What is kept of what is asked for, also after the end of the program. */
export type KeptKinds = Readonly<Partial<Record<ContentsName, Pick<AskedFor, 'contents' | 'isRefused'>>>>;

/** Returns what is kept of what is asked for. */
export function keptKinds(askedFor: AskedKinds): KeptKinds {
  const kept = Object.entries(askedFor).map(([name, { contents, isRefused }]) => [
    name,
    { contents, isRefused },
  ]);
  return Object.fromEntries(kept);
}

/** What is asked for of some kinds, with what was read before. Every request is due at once. */
export function askedForAgain(kinds: readonly ContentsName[], before: KeptKinds, atMs: number): AskedKinds {
  const asked = kinds.map((name): [ContentsName, AskedFor] => {
    const { contents = null, isRefused = false } = before[name] ?? {};
    return [name, { ...notAsked(atMs), file: null, contents, isRefused }];
  });
  return Object.fromEntries(asked);
}

/** What is asked for, where sightings of the filing say that it is. Another form or name of a document moves it. */
export function whereAsked(askedFor: AskedKinds, sightings: readonly Sighting[]): AskedKinds {
  const asked = Object.entries(askedFor) as [ContentsName, AskedFor][];
  if (asked.length === 0 || !sightings.some(({ row }) => row.form !== undefined)) return askedFor;
  const row = mergeFiling(undefined, sightings, () => false);
  return Object.fromEntries(
    asked.map(([name, each]) => [name, { ...each, file: contentsKinds[name].fileOf(row) }]),
  );
}

/** Adds what came of asking for contents of a kind. A file that cannot be understood may be another one later. */
export function afterContents<Filing extends Asker>(
  filing: Filing,
  name: ContentsName,
  answer: AskedContents,
  atMs: number,
): Filing {
  const before = filing.askedFor[name];
  if (!before) return filing;
  const isAnswer = answer.kind !== 'lost' || answer.cause === 'absent';
  const after =
    answer.kind === 'read'
      ? { contents: answer.contents }
      : {
          ...askedAgain(before, isAnswer, atMs),
          isRefused: before.isRefused || answer.kind === 'refused',
        };
  return { ...filing, askedFor: { ...filing.askedFor, [name]: { ...before, ...after } } };
}

/** Returns when a filing of which all but its contents is known is published without those that it lacks. */
export const publishWithoutAtMs = (
  filing: Asker & { readonly listedAtMs: number; readonly isBacklog: boolean },
): number =>
  Math.max(
    ...lackingKinds(filing).map(
      (name) => filing.listedAtMs + waitMs(name, filing.askedFor[name], filing.isBacklog),
    ),
  );

/** How long a filing waits for contents of a kind from when it was listed, in milliseconds. */
function waitMs(name: ContentsName, { asked, unanswered }: Asking = neverDue, isBacklog: boolean): number {
  if (asked >= publishWithoutContentsAfterAnswers) return 0;
  if (!isBacklog && asked + unanswered === 0) return publishWithoutAnswerAfterMs;
  if (name !== 'ownership' || !isBacklog) return publishWithoutContentsAfterMs[name];
  // One of the backlog may wait long in the queue, but not for a document that is not there.
  return asked + unanswered > 0 ? 0 : backlogMs;
}
