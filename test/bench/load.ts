import { once } from 'node:events';
import { here, start, type Server } from './child.ts';
import { requestText } from './service.ts';

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

/** What the generator measured of requests. */
export interface Timed {
  /** How long each took until its last byte was there, in their order. */
  readonly ms: readonly number[];
  /** The length of the body of each. */
  readonly bytes: readonly number[];
  /** For how long of it the service or the generator waited for a processor; 0 where the system does not tell. */
  readonly waitedMs: readonly number[];
  readonly seconds: number;
  /** Processor time of the generator. */
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

/** Connections over which a load is sent. */
const connectionsOfLoad = 32;

/**
 * Sends each load in turn, round after round, so that what else the machine does meets all of them. One
 * generator in a process of its own asks all servers. Gives the rounds of each load, in its order.
 */
export async function measure(
  loads: readonly Load[],
  { warmUps, warmUpSeconds, rounds, roundSeconds }: Schedule,
): Promise<Round[][]> {
  const generator = await startGenerator();
  const measured = loads.map(() => [] as Round[]);
  try {
    const shares = loads.map(({ requests, once }) => (once ? split(requests, warmUps + rounds) : [requests]));
    for (let round = 0; round < warmUps + rounds; round++) {
      for (const [at, load] of loads.entries()) {
        const requests = shares[at]?.[load.once ? round : 0] ?? [];
        const { name, status, once } = load;
        if (once || round === 0)
          await generator.tell({ keep: { name, requests, status, isRepeated: !once } });
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
  await generator.tell({ open: { name, port: server.port, connections: connectionsOfLoad, isWarm: true } });
  const before = await server.usage();
  const timed = (await generator.tell({ go: { seconds } })) as Timed;
  const cpuSeconds = (await server.usage()).cpuSeconds - before.cpuSeconds;
  const count = timed.ms.length;
  return {
    requestsPerSecond: count / timed.seconds,
    cpuMicroseconds: (cpuSeconds / count) * 1e6,
    serverBusy: cpuSeconds / timed.seconds,
    generatorBusy: timed.cpuSeconds / timed.seconds,
    bodyBytes: timed.bytes.reduce((sum, bytes) => sum + bytes, 0) / count,
  };
}

/** How the targets of a list are asked for. */
export interface Asking {
  readonly connections: number;
  /** As soon as a connection is free if left out. */
  readonly perSecond?: number;
}

/** A process that asks a service from outside and times its answers. */
export interface Timer {
  /** Asks for each of the targets once. Rejects for any status but 200. */
  ask(server: Pick<Server, 'port' | 'pid'>, targets: readonly string[], asking: Asking): Promise<Timed>;
  stop(): void;
}

/** Starts such a process. */
export async function startTimer(): Promise<Timer> {
  const generator = await startGenerator();
  const name = 'targets';
  return {
    async ask({ port, pid }, targets, { connections, perSecond }) {
      const requests = targets.map((target) => requestText(target));
      await generator.tell({ keep: { name, requests, status: 200, isRepeated: false } });
      await generator.tell({ open: { name, port, pid, connections } });
      return (await generator.tell({ go: { perSecond } })) as Timed;
    },
    stop: generator.stop,
  };
}

/** How often `/livez` is asked beside other work. */
export const livePerSecond = 100;

/** Over so many connections, so that an answer that comes late is one late answer, and no queue of them. */
const liveConnections = 32;

/** How long `/livez` takes while something else goes on: the milliseconds of each answer, a hundred a second. */
export async function liveBeside(
  server: Pick<Server, 'port'>,
  begin: () => Promise<unknown>,
): Promise<number[]> {
  const probe = await startTimer();
  const askFor = (seconds: number) =>
    probe.ask(server, Array<string>(seconds * livePerSecond).fill('/livez'), {
      connections: liveConnections,
      perSecond: livePerSecond,
    });
  try {
    // What compiles the probe is not the time of the service.
    await askFor(1);
    const state = { isBusy: true };
    const work = begin().finally(() => (state.isBusy = false));
    work.catch(() => {});
    const ms: number[] = [];
    while (state.isBusy) ms.push(...(await askFor(1)).ms);
    await work;
    return ms;
  } finally {
    probe.stop();
  }
}

/** A process that sends requests. */
interface Generator {
  /** Sends a message and waits for what it says when that is done. Rejects if the generator ends. */
  tell(message: object): Promise<unknown>;
  stop(): void;
}

/** Starts such a process, and waits until it is ready. */
async function startGenerator(): Promise<Generator> {
  const child = start({ script: here('processes/load.mjs') }, 'inherit');
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
