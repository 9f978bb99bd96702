import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createRandom } from '../../support/generate.ts';
import { latest, newPages, polledAddresses, toolCalls, type Call } from '../addresses.ts';
import { here, startServer, type Server } from '../child.ts';
import { compare, type Comparison } from '../compare.ts';
import { measure, type Load } from '../load.ts';
import type { Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { apiKey, ask, startService } from '../service.ts';
import { walk, type Known } from '../walk.ts';

const schedule = { warmUps: 2, rounds: 7, roundSeconds: 0.4 };
/** Requests of a load that asks nothing twice, in one round. */
const newInRound = 3000;
/** Addresses that are polled, pages whose bytes the bare server sends for new ones, and tool calls that are repeated. */
const [addressesPolled, pagesSampled, callsRepeated] = [32, 64, 16];

/** The comparisons, by the names that `--only` takes. */
export const servingNames = ['latest', 'revalidation', 'new-pages', 'tools', 'new-tools'] as const;
export type ServingName = (typeof servingNames)[number];

/** The service as an outside generator sees it, beside bare node:http and Express over SQLite. */
export async function servingRows(scratch: Scratch, names: readonly ServingName[]): Promise<Row[]> {
  const { snapshots } = await scratch.snapshot(scratch.filings.large);
  const servers: Server[] = [];
  const start = async (server: Promise<Server>) => (servers.push(await server), server);
  try {
    const service = await start(startService(snapshots));
    scratch.say('reading all filings from the service');
    const filings = join(scratch.directory, 'filings.jsonl');
    const requests = await makeRequests(service, await walk(service, filings));
    const answers = await answersOf(service, [...requests.polled, ...requests.sampled]);
    const bare = await start(startBare(scratch, 'bare', answers.map(withLeastHeaders)));
    const alike = await start(startBare(scratch, 'alike', answers));
    const express = names.includes('latest') ? await start(startExpress(scratch, filings)) : bare;
    if (names.includes('latest')) await requireSameRows(service, express);
    const comparisons = names.flatMap((name) => comparisonsOf(requests, { service, bare, alike, express })[name]);
    const loads = [...new Set(comparisons.flatMap(({ peer, ours }) => [peer, ours]))];
    scratch.say(`measuring ${loads.length} loads, ${schedule.warmUps + schedule.rounds} rounds of each`);
    const measured = await measure(loads, schedule);
    const roundsOf = (load: Load) => measured[loads.indexOf(load)] ?? [];
    return comparisons.map((each) => compare(each, roundsOf(each.ours), roundsOf(each.peer)));
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

interface Requests {
  /** Addresses, and the ETag of each. */
  readonly polled: readonly string[];
  readonly etags: readonly string[];
  readonly pages: readonly string[];
  /** Pages that stand for the new ones at the bare server. */
  readonly sampled: readonly string[];
  readonly repeated: readonly Call[];
  /** Calls that nobody made before: those of tools, and others for the REST operations. */
  readonly calls: readonly Call[];
  readonly callsByRest: readonly Call[];
}

async function makeRequests(service: Server, known: Known): Promise<Requests> {
  const random = createRandom(7);
  // Twice as many calls: half of them go to the REST operations.
  const wanted = newInRound * (schedule.warmUps + schedule.rounds);
  const polled = polledAddresses(known, addressesPolled, random);
  const etags: string[] = [];
  for (const target of polled) etags.push((await ask(service, target)).headers.get('etag') ?? '');
  const pages = newPages(known, pagesSampled + wanted, random);
  const calls = toolCalls(known, callsRepeated + 2 * wanted, random);
  const fresh = calls.slice(callsRepeated);
  return {
    polled, etags, pages: pages.slice(pagesSampled), sampled: pages.slice(0, pagesSampled), repeated: calls.slice(0, callsRepeated),
    // The tools come in turn: two for one side, two for the other, so that both sides have as many of each.
    calls: fresh.filter((_, at) => at % 4 < 2), callsByRest: fresh.filter((_, at) => at % 4 >= 2),
  };
}

function comparisonsOf(requests: Requests, { service, bare, alike, express }: Record<'service' | 'bare' | 'alike' | 'express', Server>): Record<ServingName, Comparison[]> {
  const load = (name: string, server: Server, texts: readonly string[], changes: Partial<Load> = {}): Load => ({ name, server, requests: texts, status: 200, once: false, ...changes });
  const gets = (targets: readonly string[]) => targets.map((target) => get(target));
  const polls = requests.polled.map((target, at) => get(target, requests.etags[at]));
  const ours = load('latest', service, [get(latest)]);
  const unchanged = load('304', service, polls, { status: 304 });
  const what = `304, ${polls.length} addresses`;
  return {
    latest: [
      { what: latest, ours, peer: { ...ours, name: 'latest of bare', server: bare }, peerName: 'bare node:http, same body', least: 0.75 },
      { what: latest, ours, peer: { ...ours, name: 'latest of alike', server: alike }, peerName: 'the same with all headers', least: 0.75 },
      { what: latest, ours, peer: { ...ours, name: 'latest of Express', server: express }, peerName: 'Express over SQLite', least: 15 },
    ],
    revalidation: [
      { what, ours: unchanged, peer: { ...unchanged, name: '304 of bare', server: bare }, peerName: 'bare node:http sending 304', least: 0.75 },
      { what, ours: unchanged, peer: { ...unchanged, name: '304 of alike', server: alike }, peerName: 'the same with all headers', least: 0.75 },
    ],
    'new-pages': [{
      what: 'pages that nobody asked for before', peerName: 'bare node:http, such bodies', least: 0.15,
      ours: load('new pages', service, gets(requests.pages), { once: true }), peer: load('new pages of bare', bare, gets(requests.sampled)),
    }],
    tools: [{
      what: 'repeated tool calls', peerName: 'the REST operations', least: 0.33,
      ours: load('tool calls', service, callsWithIds(requests.repeated, 1000)), peer: load('their operations', service, gets(requests.repeated.map(({ target }) => target))),
    }],
    'new-tools': [{
      what: 'new tool calls', peerName: 'new REST requests', least: 0.25,
      ours: load('new tool calls', service, callsWithIds(requests.calls, requests.calls.length), { once: true }),
      peer: load('new requests of their operations', service, gets(requests.callsByRest.map(({ target }) => target)), { once: true }),
    }],
  };
}

function get(target: string, etag?: string): string {
  return `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nx-api-key: ${apiKey}\r\n${etag === undefined ? '' : `If-None-Match: ${etag}\r\n`}\r\n`;
}

/** So many calls, each with an id of its own, as clients make them. */
function callsWithIds(calls: readonly Call[], count: number): string[] {
  return Array.from({ length: count }, (_, id) => {
    const { tool, given } = calls[id % calls.length] as Call;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool, arguments: given } });
    const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nx-api-key: ${apiKey}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream`;
    return `${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  });
}

/** What a bare server is to send for an address. */
interface Prepared {
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly headersOf304: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the service sends, headers and all but those that node:http adds. */
async function answersOf(service: Server, targets: readonly string[]): Promise<Prepared[]> {
  const added = new Set(['date', 'connection', 'keep-alive']);
  const headersOf = ({ headers }: Response) => Object.fromEntries([...headers].filter(([name]) => !added.has(name)));
  const answers: Prepared[] = [];
  for (const target of targets) {
    const whole = await ask(service, target);
    const unchanged = await ask(service, target, { 'if-none-match': whole.headers.get('etag') ?? '' });
    answers.push({ target, headers: headersOf(whole), headersOf304: headersOf(unchanged), body: await whole.text() });
  }
  return answers;
}

/** The same bodies with the headers that no answer can do without. */
function withLeastHeaders({ headers, headersOf304, ...answer }: Prepared): Prepared {
  const only = (all: Readonly<Record<string, string>>, names: readonly string[]) => Object.fromEntries(names.map((name) => [name, all[name] ?? '']));
  return { ...answer, headers: only(headers, ['content-type', 'content-length']), headersOf304: only(headersOf304, ['etag']) };
}

async function startBare(scratch: Scratch, name: string, answers: readonly Prepared[]): Promise<Server> {
  const path = join(scratch.directory, `${name}.json`);
  await writeFile(path, JSON.stringify(answers));
  return startServer({ script: here('peers/bare.mjs'), arguments: [path] });
}

function startExpress(scratch: Scratch, filings: string): Promise<Server> {
  scratch.say('filling SQLite with them');
  return startServer({ script: here('peers/express.mjs'), arguments: [join(scratch.directory, 'filings.db'), filings, apiKey] });
}

async function requireSameRows(service: Server, peer: Server): Promise<void> {
  const rowsOf = async (server: Server) => ((await (await ask(server, latest)).json()) as { data: object[] }).data;
  const sorted = (rows: readonly object[]) => rows.map((row) => Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
  if (!isDeepStrictEqual(sorted(await rowsOf(service)), sorted(await rowsOf(peer)))) throw new Error('the peer answers other filings than the service');
}
