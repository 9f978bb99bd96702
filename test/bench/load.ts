import { once } from 'node:events';
import { here, start, type Server } from './child.ts';

/** Requests that are sent to a server again and again, or once each. */
export interface Load {
  readonly name: string;
  readonly server: Server;
  /** Whole requests, as they go over the wire. */
  readonly requests: readonly string[];
  /** The status that every answer must have. */
  readonly status: number;
  /** Whether no request may be sent twice; a round then ends with its share of them. */
  readonly once: boolean;
}

/** What a server did in one round. */
export interface Round {
  readonly requestsPerSecond: number;
  /** Processor time of the server for a request. */
  readonly cpuMicroseconds: number;
  /** Share of the round in which the server, and the generator, had a processor. */
  readonly serverBusy: number;
  readonly generatorBusy: number;
  /** Length of a body, on average. */
  readonly bodyBytes: number;
}

interface Counted {
  readonly requests: number;
  readonly seconds: number;
  readonly bytes: number;
  readonly cpuSeconds: number;
}

/**
 * How the measurement goes. The first rounds warm the servers up and do not count. They last longer: a program
 * compiles what it runs until it has answered some thousands of different requests.
 */
export interface Schedule {
  readonly warmUps: number;
  readonly warmUpSeconds: number;
  readonly rounds: number;
  readonly roundSeconds: number;
}

/**
 * Sends each load in turn, round after round, so that what else the machine does meets all of them. One
 * generator in a process of its own asks all servers. Gives the rounds of each load, in its order.
 */
export async function measure(
  loads: readonly Load[],
  { warmUps, warmUpSeconds, rounds, roundSeconds }: Schedule,
): Promise<Round[][]> {
  const generator = await startGenerator('processes/load.mjs');
  const measured = loads.map(() => [] as Round[]);
  try {
    const shares = loads.map(({ requests, once }) => (once ? split(requests, warmUps + rounds) : [requests]));
    for (let round = 0; round < warmUps + rounds; round++) {
      for (const [at, load] of loads.entries()) {
        const share = shares[at]?.[load.once ? round : 0] ?? [];
        const { name, status, once } = load;
        if (once || round === 0) await generator.tell({ list: { name, requests: share, status, once } });
        const result = await measureRound(generator, load, round < warmUps ? warmUpSeconds : roundSeconds);
        if (round >= warmUps) measured[at]?.push(result);
      }
    }
  } finally {
    generator.stop();
  }
  return measured;
}

function split<Value>(values: readonly Value[], parts: number): Value[][] {
  const size = Math.floor(values.length / parts);
  return Array.from({ length: parts }, (_, part) => values.slice(part * size, (part + 1) * size));
}

async function measureRound(generator: Generator, { name, server }: Load, seconds: number): Promise<Round> {
  await generator.tell({ open: { name, port: server.port } });
  const before = await server.usage();
  const counted = (await generator.tell({ go: { seconds } })) as Counted;
  const cpuSeconds = (await server.usage()).cpuSeconds - before.cpuSeconds;
  return {
    requestsPerSecond: counted.requests / counted.seconds,
    cpuMicroseconds: (cpuSeconds / counted.requests) * 1e6,
    serverBusy: cpuSeconds / counted.seconds,
    generatorBusy: counted.cpuSeconds / counted.seconds,
    bodyBytes: counted.bytes / counted.requests,
  };
}

/** A process that sends requests. */
export interface Generator {
  /** Sends a message and waits for what it says when that is done. Rejects if the generator ends. */
  tell(message: object): Promise<unknown>;
  stop(): void;
}

/** Starts such a process, whose script lies beside this file, and waits until it is ready. */
export async function startGenerator(script: string): Promise<Generator> {
  const child = start({ script: here(script) }, 'inherit');
  const ended = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`the load generator ended with ${code}`)),
  );
  ended.catch(() => {});
  const answered = async () => {
    const [{ done }] = await Promise.race([once(child, 'message') as Promise<[{ done: unknown }]>, ended]);
    return done;
  };
  await answered();
  return {
    tell(message) {
      // That it cannot be sent is told by the end of the process.
      child.send(message, () => {});
      return answered();
    },
    stop: () => void child.kill('SIGKILL'),
  };
}
