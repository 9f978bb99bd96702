import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { here, startServer, withStarted, type Server } from '../child.ts';
import { startTimer, type Timer } from '../load.ts';
import { drawRequests, usualRequests } from '../requests.ts';
import { atMost, below, decimal, greatest, median, quantile, row, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { apiKey, ask, startService } from '../service.ts';
import type { Vocabulary } from '../vocabulary.ts';

/**
 * An answer of the host begins so many milliseconds later than that of a process on this machine: as storage
 * in the same region.
 */
const delayMs = 10;
const warmUps = 500;
const requestsMeasured = 860;
const one = { connections: 1 };
/**
 * How many round trips a request may take that nobody asked before: at the median, and at the 99th percentile
 * beside what it takes over the folder, and at worst.
 */
const [tripsMaximum, tripsAtP99Maximum, tripsAtWorstMaximum] = [8, 30, 40];
/** How often a host or a bucket may be read for an answer by a service that has nothing in memory, and for another one of the kind. */
const [coldReadsMaximum, warmReadsMaximum] = [20, 3];

/** A host of files in a process of its own. */
interface Host {
  readonly address: string;
  /** How many parts it was asked for. */
  reads(): Promise<number>;
  stop(): Promise<void>;
}

async function startHost(snapshots: string): Promise<Host> {
  const server = await startServer({
    script: here('processes/file-host.ts'),
    arguments: [snapshots, String(delayMs)],
  });
  return {
    address: /"address":"([^"]+)"/.exec(server.logged())?.[1] ?? '',
    reads: async () => Number(await text(connect(server.port, '127.0.0.1'))),
    stop: server.stop,
  };
}

const startRemote = ({ address }: Host) =>
  startServer({
    script: 'src/server.ts',
    environment: { SNAPSHOTS_URL: address, API_KEYS: apiKey, PORT: '0' },
  });

const trips = (count: number) => `${count / delayMs} round trips`;

/**
 * How long answers take over a host of files, beside those over its folder, and how often the host is asked
 * for one.
 */
export async function remoteRows(scratch: Scratch): Promise<Row[]> {
  const { snapshots } = await scratch.snapshot(scratch.filings.large);
  const { vocabulary, targets } = await drawRequests(snapshots, warmUps + requestsMeasured, 7);
  return withStarted(async (keep) => {
    const [host, timer] = [await keep(startHost(snapshots)), await keep(startTimer())];
    const far = await timesOf(timer, await startRemote(host), targets);
    const near = await timesOf(timer, await startService(snapshots), targets);
    const what = `${decimal(requestsMeasured)} requests of every kind, ${decimal(scratch.filings.large)} filings, over a host that takes ${delayMs} ms`;
    const described = (ms: readonly number[], beside: readonly number[]) =>
      `p50 ${median(ms).toFixed(1)} ms, p99 ${quantile(ms, 0.99).toFixed(1)} ms, worst ${greatest(ms).toFixed(1)} ms (over the folder ${median(beside).toFixed(1)}, ${quantile(beside, 0.99).toFixed(1)} and ${greatest(beside).toFixed(1)} ms)`;
    const beyond = quantile(far.cold, 0.99) - quantile(near.cold, 0.99);
    return [
      row(
        `${what}, never asked before`,
        described(far.cold, near.cold),
        below(median(far.cold), tripsMaximum * delayMs, (ms) => `${trips(ms)} at the median`),
        below(beyond, tripsAtP99Maximum * delayMs, (ms) => `${trips(ms)} beyond the folder at p99`),
      ),
      row(
        'the slowest of them',
        `${greatest(far.cold).toFixed(0)} ms`,
        below(greatest(far.cold), tripsAtWorstMaximum * delayMs, trips),
      ),
      row(
        'the same again',
        described(far.warm, near.warm),
        below(median(far.warm), tripsMaximum * delayMs, (ms) => `${trips(ms)} at the median`),
      ),
      ...readRows('the host', await readsOfHost(scratch, host, vocabulary)),
    ];
  });
}

async function timesOf(
  timer: Timer,
  server: Server,
  targets: readonly string[],
): Promise<{ readonly cold: readonly number[]; readonly warm: readonly number[] }> {
  const measured = targets.slice(warmUps);
  try {
    await timer.ask(server, targets.slice(0, warmUps), one);
    const { ms: cold } = await timer.ask(server, measured, one);
    return { cold, warm: (await timer.ask(server, measured, one)).ms };
  } finally {
    await server.stop();
  }
}

/** How often a host is asked for an answer by a service that has just started, and for another one of the kind behind that. */
export interface Reads {
  readonly cold: number[];
  readonly warm: number[];
}

async function readsOfHost({ detail }: Scratch, host: Host, vocabulary: Vocabulary): Promise<Reads> {
  const reads: Reads = { cold: [], warm: [] };
  for (const [first, second] of usualRequests(vocabulary)) {
    const server = await startRemote(host);
    try {
      const before = await host.reads();
      await ask(server, first);
      const between = await host.reads();
      await ask(server, second);
      reads.cold.push(between - before);
      reads.warm.push((await host.reads()) - between);
      detail(`${first}: ${reads.cold.at(-1)} reads of the host, then ${reads.warm.at(-1)}`);
    } finally {
      await server.stop();
    }
  }
  return reads;
}

/** Reads in words. */
export const describeReads = (reads: readonly number[]): string =>
  `at most ${greatest(reads)}, ${decimal(median(reads), 1)} at the median`;

/** How often a host may be read for what clients ask most. */
export function readRows(of: string, { cold, warm }: Reads): Row[] {
  return [
    row(
      `reads of ${of} for an answer, ${cold.length} usual requests, cold`,
      describeReads(cold),
      atMost(greatest(cold), coldReadsMaximum, ''),
    ),
    row(
      `reads of ${of} for another one of the kind then`,
      describeReads(warm),
      atMost(greatest(warm), warmReadsMaximum, ''),
    ),
  ];
}
