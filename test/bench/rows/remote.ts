import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createRandom } from '../../support/generate.ts';
import { here, startServer, type Server } from '../child.ts';
import { mixedRequests } from '../requests.ts';
import { decimal, median, quantile, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { apiKey, ask, startService } from '../service.ts';
import { startTimer, type Timer } from '../timed.ts';
import { readVocabulary, type Vocabulary } from '../vocabulary.ts';

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

/**
 * How long answers take over a host of files, beside those over its folder, and how often the host is asked
 * for one.
 */
export async function remoteRows(scratch: Scratch): Promise<Row[]> {
  const { snapshots } = await scratch.snapshot(scratch.filings.large);
  const random = createRandom(7);
  const vocabulary = await readVocabulary(snapshots, random);
  const targets = mixedRequests(vocabulary, warmUps + requestsMeasured, random).map(({ target }) => target);
  const [host, timer] = [await startHost(snapshots), await startTimer()];
  try {
    const far = await timesOf(timer, await startRemote(host), targets);
    const near = await timesOf(timer, await startService(snapshots), targets);
    const what = `${decimal(requestsMeasured)} requests of every kind, ${decimal(scratch.filings.large)} filings, over a host that takes ${delayMs} ms`;
    const described = (ms: readonly number[], beside: readonly number[]) =>
      `p50 ${median(ms).toFixed(1)} ms, p99 ${quantile(ms, 0.99).toFixed(1)} ms, worst ${Math.max(...ms).toFixed(1)} ms (over the folder ${median(beside).toFixed(1)}, ${quantile(beside, 0.99).toFixed(1)} and ${Math.max(...beside).toFixed(1)} ms)`;
    const holds =
      median(far.cold) < tripsMaximum * delayMs &&
      quantile(far.cold, 0.99) < quantile(near.cold, 0.99) + tripsAtP99Maximum * delayMs;
    return [
      {
        what: `${what}, never asked before`,
        measured: described(far.cold, near.cold),
        bound: `p50 < ${tripsMaximum} round trips, p99 < ${tripsAtP99Maximum} and the folder's`,
        holds,
      },
      {
        what: 'the slowest of them',
        measured: `${Math.max(...far.cold).toFixed(0)} ms`,
        bound: `< ${tripsAtWorstMaximum} round trips`,
        holds: Math.max(...far.cold) < tripsAtWorstMaximum * delayMs,
      },
      {
        what: 'the same again',
        measured: described(far.warm, near.warm),
        bound: `p50 < ${tripsMaximum} round trips`,
        holds: median(far.warm) < tripsMaximum * delayMs,
      },
      ...(await readRows(scratch, host, vocabulary)),
    ];
  } finally {
    timer.stop();
    await host.stop();
  }
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

/** What clients ask most, each with another one of its kind. */
export function usualRequests({
  companies,
  busy,
  filings,
  newestFiledAt,
  feedCursors,
}: Vocabulary): [string, string][] {
  const [first, second] = [companies[0]?.cik, companies[1]?.cik];
  const both = busy
    .slice(0, 2)
    .map(({ cik }) => cik)
    .join(',');
  return [
    ['/v1/sec/latest?limit=50', '/v1/sec/latest?limit=40'],
    ['/v1/sec/latest?limit=50&form=8-K', '/v1/sec/latest?limit=40&form=8-K'],
    [`/v1/sec/changes?since=${newestFiledAt}&limit=50`, `/v1/sec/changes?since=${newestFiledAt}&limit=40`],
    [
      `/v1/sec/changes?cursor=${feedCursors[0]}&limit=50`,
      `/v1/sec/changes?cursor=${feedCursors[0]}&limit=40`,
    ],
    [`/v1/sec/company/${first}/filings?limit=50`, `/v1/sec/company/${first}/filings?limit=40`],
    [`/v1/sec/company/${first}/events?limit=50`, `/v1/sec/company/${first}/events?limit=40`],
    [`/v1/sec/company/${first}/profile`, `/v1/sec/company/${second}/profile`],
    [`/v1/sec/forms/${filings[0]?.accessionNo}/summary`, `/v1/sec/forms/${filings[0]?.accessionNo}/summary?`],
    ['/v1/sec/insider-trades?limit=50', '/v1/sec/insider-trades?limit=40'],
    [
      `/v1/sec/companies/search?q=${encodeURIComponent(companies[0]?.name ?? '')}`,
      `/v1/sec/companies/search?q=${encodeURIComponent(companies[0]?.name ?? '')}&limit=5`,
    ],
    [
      `/v1/sec/watchlist/changes?tickers=${both}&since=${newestFiledAt}&limit=50`,
      `/v1/sec/watchlist/changes?tickers=${both}&since=${newestFiledAt}&limit=40`,
    ],
    ['/v1/sec/stats', '/v1/sec/bulk'],
  ];
}

/**
 * How often the host is asked for an answer by a service that has just started, and for another one of the
 * kind behind that.
 */
async function readRows({ detail }: Scratch, host: Host, vocabulary: Vocabulary): Promise<Row[]> {
  const [cold, warm]: [number[], number[]] = [[], []];
  for (const [first, second] of usualRequests(vocabulary)) {
    const server = await startRemote(host);
    try {
      const before = await host.reads();
      await ask(server, first);
      const between = await host.reads();
      await ask(server, second);
      cold.push(between - before);
      warm.push((await host.reads()) - between);
      detail(`${first}: ${cold.at(-1)} reads of the host, then ${warm.at(-1)}`);
    } finally {
      await server.stop();
    }
  }
  const described = (reads: readonly number[]) =>
    `at most ${Math.max(...reads)}, ${decimal(median(reads), 1)} at the median`;
  return [
    {
      what: `reads of the host for an answer, ${cold.length} usual requests, cold`,
      measured: described(cold),
      bound: `at most ${coldReadsMaximum}`,
      holds: Math.max(...cold) <= coldReadsMaximum,
    },
    {
      what: 'reads for another one of the kind then',
      measured: described(warm),
      bound: `at most ${warmReadsMaximum}`,
      holds: Math.max(...warm) <= warmReadsMaximum,
    },
  ];
}
