import { join } from 'node:path';
import { createRandom } from '../../support/generate.ts';
import { latest, newPages, polledAddresses, toolCalls, type Call } from '../addresses.ts';
import { withStarted, type Server } from '../child.ts';
import { compare, type Comparison } from '../compare.ts';
import { measure, type Load } from '../load.ts';
import { answersOf, requireSameRows, startBare, startExpress, withLeastHeaders } from '../peers.ts';
import type { Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { ask, requestHead, requestText, startService } from '../service.ts';
import { walk, type Known } from '../walk.ts';

const schedule = { warmUps: 2, warmUpSeconds: 1.5, rounds: 7, roundSeconds: 0.4 };
/** Requests of a load that asks nothing twice, in one round. */
const newInRound = 3000;
/**
 * Addresses that are polled, pages whose bytes the bare server sends for new ones, and tool calls that are
 * repeated.
 */
const [addressesPolled, pagesSampled, callsRepeated] = [32, 64, 16];

/** The comparisons, by the names that `--only` takes. */
export const servingNames = ['latest', 'revalidation', 'new-pages', 'tools', 'new-tools'] as const;
export type ServingName = (typeof servingNames)[number];

/** The service as an outside generator sees it, beside bare node:http and Express over SQLite. */
export async function servingRows(scratch: Scratch, names: readonly ServingName[]): Promise<Row[]> {
  const { snapshots } = await scratch.snapshot(scratch.filings.large);
  return withStarted(async (keep) => {
    const service = await keep(startService(snapshots));
    scratch.say('reading the filings of the service');
    const filings = join(scratch.directory, 'filings.jsonl');
    const requests = await makeRequests(service, await walk(service, filings));
    const answers = await answersOf(service, [...requests.polled, ...requests.sampled]);
    const bare = await keep(startBare(join(scratch.directory, 'bare.json'), answers.map(withLeastHeaders)));
    const alike = await keep(startBare(join(scratch.directory, 'alike.json'), answers));
    scratch.say('filling SQLite with them');
    const express = await keep(startExpress(join(scratch.directory, 'filings.db'), filings));
    await requireSameRows(service, express, latest);
    const all = comparisonsOf(requests, { service, bare, alike, express });
    const comparisons = names.flatMap((name) => all[name]);
    const loads = [...new Set(comparisons.flatMap(({ peer, ours }) => [peer, ours]))];
    scratch.say(`measuring ${loads.length} loads, ${schedule.warmUps + schedule.rounds} rounds of each`);
    const measured = await measure(loads, schedule);
    const roundsOf = (load: Load) => measured[loads.indexOf(load)] ?? [];
    return comparisons.map((each) => compare(each, roundsOf(each.ours), roundsOf(each.peer)));
  });
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
  const wanted = newInRound * (schedule.warmUps + schedule.rounds);
  const polled = polledAddresses(known, addressesPolled, random);
  const etags: string[] = [];
  for (const target of polled) etags.push((await ask(service, target)).headers.get('etag') ?? '');
  const pages = newPages(known, pagesSampled + wanted, random);
  // Half of the calls go to the REST operations.
  const calls = toolCalls(known, callsRepeated + 2 * wanted, random);
  const fresh = calls.slice(callsRepeated);
  return {
    polled,
    etags,
    pages: pages.slice(pagesSampled),
    sampled: pages.slice(0, pagesSampled),
    repeated: calls.slice(0, callsRepeated),
    // The tools come in turn: two for one side, two for the other, so that both sides have as many of each.
    calls: fresh.filter((_, at) => at % 4 < 2),
    callsByRest: fresh.filter((_, at) => at % 4 >= 2),
  };
}

type Servers = Readonly<Record<'service' | 'bare' | 'alike' | 'express', Server>>;

function comparisonsOf(
  requests: Requests,
  { service, bare, alike, express }: Servers,
): Record<ServingName, Comparison[]> {
  const load = (name: string, texts: readonly string[], once = false): Load => ({
    name,
    server: service,
    requests: texts,
    status: 200,
    once,
  });
  const gets = (targets: readonly string[]) => targets.map((target) => requestText(target));
  const operations = (calls: readonly Call[]) => gets(calls.map(({ target }) => target));
  const whole = load('latest', [requestText(latest)]);
  const unchanged: Load = {
    ...load(
      '304',
      requests.polled.map((target, at) => requestText(target, requests.etags[at])),
    ),
    status: 304,
  };
  const beside = (ours: Load, name: string, server: Server): { ours: Load; peer: Load } => ({
    ours,
    peer: { ...ours, name: `${ours.name} of ${name}`, server },
  });
  const what = `304, ${requests.polled.length} addresses`;
  return {
    latest: [
      { what: latest, ...beside(whole, 'bare', bare), peerName: 'bare node:http, same body', least: 0.75 },
      { what: latest, ...beside(whole, 'alike', alike), peerName: 'the same with all headers', least: 0.75 },
      { what: latest, ...beside(whole, 'Express', express), peerName: 'Express over SQLite', least: 15 },
    ],
    revalidation: [
      { what, ...beside(unchanged, 'bare', bare), peerName: 'bare node:http sending 304', least: 0.7 },
      { what, ...beside(unchanged, 'alike', alike), peerName: 'the same with all headers', least: 0.7 },
    ],
    'new-pages': [
      {
        what: 'pages that nobody asked for before',
        peerName: 'bare node:http, such bodies',
        least: 0.05,
        ours: load('new pages', gets(requests.pages), true),
        peer: { ...load('new pages of bare', gets(requests.sampled)), server: bare },
      },
    ],
    tools: [
      {
        what: 'repeated tool calls',
        peerName: 'the REST operations',
        least: 0.33,
        ours: load('tool calls', callsWithIds(requests.repeated, 1000)),
        peer: load('operations of tool calls', operations(requests.repeated)),
      },
    ],
    'new-tools': [
      {
        what: 'new tool calls',
        peerName: 'new REST requests',
        least: 0.25,
        ours: load('new tool calls', callsWithIds(requests.calls, requests.calls.length), true),
        peer: load('operations of new tool calls', operations(requests.callsByRest), true),
      },
    ],
  };
}

/** The number of calls, each with an id of its own, as clients make them. */
function callsWithIds(calls: readonly Call[], count: number): string[] {
  const head = `${requestHead('POST /mcp')}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n`;
  return Array.from({ length: count }, (_, id) => {
    const { tool, given } = calls[id % calls.length] as Call;
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: tool, arguments: given },
    });
    return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  });
}
