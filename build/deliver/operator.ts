import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { FilingEventsError } from '../../clients/typescript/src/index.ts';
import { whereMissing } from '../../src/files/local.ts';
import { ContentError } from '../../src/files/watch.ts';
import { changeFile } from '../disk/change-file.ts';
import type { EndpointState, State } from './delivery-state.ts';
import { type Feed, type FeedPage, isRefusal, leftOf, nothingHandled, unknownText } from './feed.ts';
import { counted } from '../../src/render/words.ts';
import { reachedBy } from '../../src/query/cursor.ts';
import type { Endpoint } from './webhook-endpoints.ts';

const action = z.object({
  /** Ascending. The state of an endpoint has the number of the last one that was done. */
  number: z.int(),
  endpoint: z.string(),
  does: z.enum(['enable', 'disable', 'replay']),
  /** Where a replay begins. */
  cursor: z.string().optional(),
  sequence: z.int().optional(),
  change: z.string().optional(),
});

/** What an operator wants to happen to an endpoint. */
export type Action = z.infer<typeof action>;

const actionsFile = z.object({ actions: z.array(action) });

/**
 * The file through which commands talk to the program that delivers, whether it runs or not: commands write
 * it, the program only reads it, and writes into its state what it has done.
 */
export const actionsPath = (directory: string) => join(directory, 'actions.json');

/** Reads the text of the file; none if there is no file. Throws a `ContentError`. */
export function parseActions(text: string | null): readonly Action[] {
  if (text === null) return [];
  try {
    return actionsFile.parse(JSON.parse(text)).actions;
  } catch {
    throw new ContentError('the file of actions is damaged: remove it, and give the commands again');
  }
}

/** Reads the actions in a folder. Throws a `ContentError`. */
export const readActions = async (directory: string) =>
  parseActions(await readFile(actionsPath(directory), 'utf8').catch(whereMissing(null)));

/** Whether an action is still to be done. */
export const isPending = ({ number }: Action, entry: EndpointState | undefined) =>
  number > (entry?.action ?? 0);

/** Adds an action to the file, and leaves out those that were done. */
export async function addAction(
  directory: string,
  readNow: () => Promise<State>,
  added: Omit<Action, 'number'>,
): Promise<void> {
  await changeFile(actionsPath(directory), async (text) => {
    const { endpoints, removed } = await readNow();
    const known = new Map([...removed, ...endpoints]);
    const all = parseActions(text);
    const left = all.filter((each) => isPending(each, known.get(each.endpoint)));
    const numbers = [
      ...all.map(({ number }) => number),
      ...Array.from(known.values(), (each) => each.action),
    ];
    const number = 1 + numbers.reduce((most, each) => Math.max(most, each), 0);
    return { text: `${JSON.stringify({ actions: [...left, { number, ...added }] })}\n`, result: undefined };
  });
}

/** Does an action. */
export function perform(entry: EndpointState, { number, does, cursor, sequence = 0, change }: Action): void {
  entry.action = number;
  // Whatever is done, the next attempt comes at once.
  entry.failing = null;
  entry.refused = null;
  delete entry.lost;
  if (does === 'disable') entry.disabled = 'operator';
  if (does === 'enable') entry.disabled = null;
  if (does === 'replay' && cursor !== undefined)
    Object.assign(entry, { cursor, ...nothingHandled, sequence, change });
}

/** An endpoint of the file, and how far it is; undefined if nothing was delivered to it yet. */
export interface Standing {
  readonly endpoint: Endpoint;
  readonly entry: EndpointState | undefined;
}

/** What is wrong with the position of an endpoint. */
export interface PositionProblem {
  /** Whether the feed takes neither the cursor nor the filter, so that nothing can be delivered. */
  readonly isRefused: boolean;
  /** One line. */
  readonly reason: string;
}

/**
 * Asks the feed for the positions of endpoints, and returns what is wrong with them, by name. Rejects if the
 * feed cannot be asked. Most endpoints stand at the end of the feed: equal positions are asked for once.
 */
export async function checkPositions(
  feed: Feed,
  standings: readonly Standing[],
): Promise<ReadonlyMap<string, PositionProblem>> {
  const asked = new Map<string, Promise<FeedPage | FilingEventsError>>();
  const found = new Map<string, PositionProblem>();
  const endsAt = reachedBy(await feed.end());

  function ask(filter: Endpoint['filter'], cursor: string): Promise<FeedPage | FilingEventsError> {
    const key = JSON.stringify([filter, cursor]);
    const known = asked.get(key) ?? feed.page(filter, cursor).catch(refusalOf);
    asked.set(key, known);
    return known;
  }

  await Promise.all(
    standings.map(async ({ endpoint: { name, filter }, entry }) => {
      if (entry === undefined || entry.cursor === null) return;
      // Where nothing of a page was delivered, the cursor is all there is.
      const page = await ask(entry.change === undefined ? {} : filter, entry.cursor);
      if (page instanceof FilingEventsError)
        return void found.set(name, { isRefused: true, reason: page.message });
      if (reachedBy(entry.cursor) > endsAt)
        return void found.set(name, {
          isRefused: false,
          reason: 'the feed ends before its place: nothing is delivered until it is as long again',
        });
      const left = leftOf(page, entry, filter);
      if (left === 'lost' || left === 'ahead')
        found.set(name, {
          isRefused: false,
          reason:
            left === 'lost'
              ? `the feed no longer has ${entry.change}, which was delivered last: all changes behind the cursor will be delivered again`
              : `the feed ends before ${entry.change}, which was delivered last`,
        });
    }),
  );
  return found;
}

function refusalOf(error: unknown): FilingEventsError {
  if (isRefusal(error)) return error;
  throw error;
}

/** The states of endpoints, for metrics and people. */
export const statuses = ['ok', 'failing', 'refused', 'gone', 'disabled'] as const;

/** Returns the state of an endpoint in one word. */
export function statusOf({ disabled, refused, failing }: EndpointState): (typeof statuses)[number] {
  if (disabled !== null) return disabled === 'gone' ? 'gone' : 'disabled';
  return refused !== null ? 'refused' : failing !== null ? 'failing' : 'ok';
}

/**
 * Describes an endpoint in one line. `known` is undefined if nothing was delivered to it yet; `problem` is what
 * the feed says of its position at the moment.
 */
export function lineOf(
  name: string,
  known: EndpointState | undefined,
  actions: readonly Action[],
  problem?: PositionProblem,
): string {
  const entry = known && problem?.isRefused ? { ...known, refused: problem.reason } : known;
  const pending = actions
    .filter((action) => action.endpoint === name && isPending(action, entry))
    .map(({ does }) => `${does} is still to be done`);
  if (entry === undefined) return [name, 'new', ...pending].join('  ');
  const { delivered, deadLetters, last, failing, refused, lost, unknown = '' } = entry;
  const status = statusOf(entry);
  const because =
    status === 'failing' && failing
      ? `${counted(failing.attempts, 'attempt', 'attempts')} of ${failing.id} in ${duration(failing.forMs)}: ${failing.reason}`
      : status === 'refused'
        ? `by the feed: ${refused}`
        : status === 'gone'
          ? 'it answered 410'
          : null;
  return [
    name,
    status,
    `${delivered} delivered`,
    ...(last ? [`last ${last.id} at ${last.at}`] : []),
    ...(deadLetters > 0 ? [`${deadLetters} given up`] : []),
    ...(because === null ? [] : [because]),
    ...(unknown === '' ? [] : [unknownText(unknown)]),
    ...(problem && !problem.isRefused ? [problem.reason] : []),
    ...(lost ? [`began again at ${lost.at}, because the feed no longer had ${lost.change}`] : []),
    ...pending,
  ].join('  ');
}

function duration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
