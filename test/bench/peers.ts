import { writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { here, startServer, type Server } from './child.ts';
import { apiKey, ask } from './service.ts';

/** What a bare server is to send for an address. */
export interface Prepared {
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly headersOf304: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the service sends, headers and all but those that node:http adds. */
export async function answersOf(service: Server, targets: readonly string[]): Promise<Prepared[]> {
  const added = new Set(['date', 'connection', 'keep-alive']);
  const headersOf = ({ headers }: Response) =>
    Object.fromEntries([...headers].filter(([name]) => !added.has(name)));
  const answers: Prepared[] = [];
  for (const target of targets) {
    const whole = await ask(service, target);
    const unchanged = await ask(service, target, { 'if-none-match': whole.headers.get('etag') ?? '' });
    answers.push({
      target,
      headers: headersOf(whole),
      headersOf304: headersOf(unchanged),
      body: await whole.text(),
    });
  }
  return answers;
}

/** The same bodies with the headers that no answer can do without. */
export function withLeastHeaders({ headers, headersOf304, ...answer }: Prepared): Prepared {
  const only = (all: Prepared['headers'], ...names: string[]) =>
    Object.fromEntries(names.map((name) => [name, all[name] ?? '']));
  return {
    ...answer,
    headers: only(headers, 'content-type', 'content-length'),
    headersOf304: only(headersOf304, 'etag'),
  };
}

/** A server of node:http alone that sends such answers, which it reads from a file that is written here. */
export async function startBare(path: string, answers: readonly Prepared[]): Promise<Server> {
  await writeFile(path, JSON.stringify(answers));
  return startServer({ script: here('peers/bare.mjs'), arguments: [path] });
}

/** Express over SQLite, with the filings of a file of JSON lines. */
export function startExpress(database: string, filings: string): Promise<Server> {
  return startServer({ script: here('peers/express.mjs'), arguments: [database, filings, apiKey] });
}

/** Throws unless a peer answers a list with the same rows as the service. */
export async function requireSameRows(service: Server, peer: Server, target: string): Promise<void> {
  const rowsOf = async (server: Server) =>
    ((await (await ask(server, target)).json()) as { data: object[] }).data;
  const sorted = (rows: readonly object[]) =>
    rows.map((row) => Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
  const [ours, theirs] = [sorted(await rowsOf(service)), sorted(await rowsOf(peer))];
  if (!isDeepStrictEqual(ours, theirs)) throw new Error('the peer answers other filings than the service');
}
