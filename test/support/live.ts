import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { recordings } from './replay.ts';

/** A replay of a recorded day. */
export interface Live {
  readonly dataUrl: string;
  readonly wwwUrl: string;
  /** The time of that day in New York, `YYYY-MM-DDTHH:MM:SS`. */
  now(): Promise<string>;
  /** Ends it, and gives what it has counted. */
  stop(): Promise<Record<string, number>>;
}

/** Starts the server that replays the recorded day, with its options. */
export async function startLive(...options: readonly string[]): Promise<Live> {
  const child = spawn(process.execPath, ['live.mjs', ...options], {
    cwd: recordings,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => JSON.parse((await lines.next()).value as string) as Record<string, number>;
  const { port } = await nextLine();
  const url = `http://127.0.0.1:${port}`;
  return {
    dataUrl: `${url}/data.sec.gov`,
    wwwUrl: `${url}/www.sec.gov`,
    now: async () => ((await (await fetch(`${url}/clock`)).json()) as { now: string }).now,
    async stop() {
      child.kill('SIGTERM');
      const counts = await nextLine();
      await exited;
      return counts;
    },
  };
}

/** What the feed of the recorded day says of a filing. */
export interface RecordedFiling {
  readonly accessionNo: string;
  readonly form: string;
  /** Eastern wall clock, `YYYY-MM-DDTHH:MM:SS`. */
  readonly accepted: string;
  /** Role and name by CIK. */
  readonly parties: ReadonlyMap<string, { readonly role: string; readonly name: string }>;
}

const unescape = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

/** Every filing of the recorded day, read without the program's own parser. */
export function recordedFilings(): RecordedFiling[] {
  const folder = join(recordings, '2025-12-12/www.sec.gov/cgi-bin');
  const filings = new Map<
    string,
    RecordedFiling & { parties: Map<string, { role: string; name: string }> }
  >();
  for (const file of readdirSync(folder)) {
    for (const [, entry = ''] of readFileSync(join(folder, file), 'latin1').matchAll(
      /<entry>([\s\S]*?)<\/entry>/g,
    )) {
      const [, form = '', name = '', cik = '', role = ''] =
        /<title>(.*?) - (.*) \((\d{10})\) \(([^()]*)\)\s*<\/title>/s.exec(entry) ?? [];
      const accessionNo = /accession-number=([\d-]+)/.exec(entry)?.[1] ?? '';
      const accepted = /<updated>([^<]{19})/.exec(entry)?.[1] ?? '';
      const filing = filings.get(accessionNo) ?? { accessionNo, form, accepted, parties: new Map() };
      filing.parties.set(cik, { role, name: unescape(name) });
      filings.set(accessionNo, filing);
    }
  }
  return [...filings.values()];
}

/** The CIKs of companies that had a symbol on the recorded day. */
export function recordedListed(): Set<string> {
  const { data } = JSON.parse(
    readFileSync(join(recordings, '2025-12-12/www.sec.gov/files/company_tickers_exchange.json'), 'utf8'),
  ) as { data: [number, string, string, string][] };
  return new Set(data.map(([cik]) => String(cik).padStart(10, '0')));
}
