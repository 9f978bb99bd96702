import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { here, startServer, type Server } from '../child.ts';
import { apiKey, startService } from '../service.ts';
import { compare, rates } from '../load.ts';
import type { Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';

const path = '/v1/sec/latest?limit=50';

/** The hot path against a bare server that sends the same bytes, and against Express over SQLite. */
export async function latestRows(scratch: Scratch): Promise<Row[]> {
  const { snapshots, directory } = await scratch.snapshot(scratch.filings.large);
  const service = await startService(snapshots);
  const bare = await startBare(scratch, service);
  scratch.say('filling SQLite with the same filings');
  const database = join(scratch.directory, 'filings.db');
  const express = await startServer({ script: here('peers/express.mjs'), arguments: [database, join(directory, 'tables/latest.jsonl'), apiKey] });
  try {
    await requireSameRows(service, express);
    scratch.say('measuring');
    const [ours, fastest, usual] = await rates([service, bare, express].map((server) => ({ server, path, headers: { 'x-api-key': apiKey }, status: 200 })));
    return [compare(path, 'bare node:http, same bytes', ours, fastest, 0.6), compare(path, 'Express over SQLite', ours, usual, 10)];
  } finally {
    await Promise.all([service, bare, express].map((server) => server.stop()));
  }
}

/** Revalidation against a bare server that sends 304. */
export async function revalidationRows(scratch: Scratch): Promise<Row[]> {
  const service = await startService((await scratch.snapshot(scratch.filings.large)).snapshots);
  const bare = await startBare(scratch, service);
  try {
    const etag = (await ask(service)).headers.get('etag') ?? '';
    const [ours, fastest] = await rates([service, bare].map((server) => ({ server, path, headers: { 'x-api-key': apiKey, 'if-none-match': etag }, status: 304 })));
    return [compare(`304 for ${path}`, 'bare node:http sending 304', ours, fastest, 0.7)];
  } finally {
    await Promise.all([service, bare].map((server) => server.stop()));
  }
}

async function ask(server: Server, headers: Record<string, string> = {}): Promise<Response> {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { 'x-api-key': apiKey, 'accept-encoding': 'identity', ...headers } });
  if (response.status !== 200 && response.status !== 304) throw new Error(`${path}: status ${response.status}`);
  return response;
}

/** A bare server that sends what the service sends, headers and all. */
async function startBare(scratch: Scratch, service: Server): Promise<Server> {
  const whole = await ask(service);
  const revalidated = await ask(service, { 'if-none-match': whole.headers.get('etag') ?? '' });
  const own = new Set(['date', 'connection', 'keep-alive']);
  const headersOf = ({ headers }: Response) => Object.fromEntries([...headers].filter(([name]) => !own.has(name)));
  const answer = join(scratch.directory, 'answer.json');
  await writeFile(answer, JSON.stringify({ headers: headersOf(whole), headersOf304: headersOf(revalidated), body: await whole.text() }));
  return startServer({ script: here('peers/bare.mjs'), arguments: [answer] });
}

async function requireSameRows(service: Server, peer: Server): Promise<void> {
  const rowsOf = async (server: Server) => ((await (await ask(server)).json()) as { data: unknown }).data;
  if (!isDeepStrictEqual(sorted(await rowsOf(service)), sorted(await rowsOf(peer)))) throw new Error('the peer answers other filings than the service');
}

const sorted = (rows: unknown) => (rows as object[]).map((row) => Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
