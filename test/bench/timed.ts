import type { Server } from './child.ts';
import { startGenerator } from './load.ts';
import { requestText } from './service.ts';

/** How the targets of a list are asked for. */
export interface Asking {
  readonly connections: number;
  /** As soon as a connection is free if left out. */
  readonly perSecond?: number;
}

/** What was measured of a list of targets. */
export interface Timed {
  /** How long each took until its last byte was there, in the order of the list. */
  readonly ms: readonly number[];
  /** The length of the body of each. */
  readonly bytes: readonly number[];
  readonly seconds: number;
}

/** A process that asks a service from outside and times its answers. */
export interface Timer {
  /** Asks for each of the targets once. Rejects for any status but 200. */
  ask(server: Server, targets: readonly string[], asking: Asking): Promise<Timed>;
  stop(): void;
}

/** Starts such a process. */
export async function startTimer(): Promise<Timer> {
  const generator = await startGenerator('processes/timed.mjs');
  return {
    ask: async ({ port }, targets, asking) =>
      (await generator.tell({
        port,
        requests: targets.map((target) => requestText(target)),
        ...asking,
      })) as Timed,
    stop: generator.stop,
  };
}
