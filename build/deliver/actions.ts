import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { whereMissing } from '../../src/files/local.ts';
import { ContentError } from '../../src/files/watch.ts';
import { changeFile } from '../disk/change-file.ts';
import type { EndpointState, State } from './delivery-state.ts';
import { nothingHandled } from './handled.ts';

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
    const all = parseActions(text);
    const left = all.filter((each) => isPending(each, endpoints.get(each.endpoint)));
    const numbers = [
      ...all.map(({ number }) => number),
      ...Array.from(endpoints.values(), (each) => each.action),
      ...removed.map(([, each]) => each.action),
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
