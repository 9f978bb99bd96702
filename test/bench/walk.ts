import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import type { Server } from './child.ts';
import { ask } from './service.ts';

/** What a snapshot can be asked, as a client finds out. */
export interface Known {
  readonly ciks: readonly string[];
  readonly forms: readonly string[];
  /** Days on which something was filed. */
  readonly days: readonly string[];
  readonly accessionNos: readonly string[];
  /** Where pages of the newest filings go on. */
  readonly latestCursors: readonly string[];
}

interface Page<Data> {
  readonly data: readonly Data[];
  readonly meta: { readonly nextCursor: string | null };
}
interface Filing {
  readonly accessionNo: string;
  readonly cik: string;
  readonly form: string;
  readonly filedAt: string;
}

const pagesOfLatest = 500;

/** Reads everything that a service has from its change feed, and writes each filing to a file of JSON lines. */
export async function walk(server: Server, path: string): Promise<Known> {
  const [ciks, forms, days, accessionNos] = [new Set<string>(), new Set<string>(), new Set<string>(), [] as string[]];
  const file = createWriteStream(path);
  const feed = await walkPages<{ filing: Filing }>(server, '/v1/sec/changes?limit=200', '&since=1993-01-01', Infinity, async (changes) => {
    for (const { filing } of changes) {
      ciks.add(filing.cik);
      forms.add(filing.form);
      days.add(filing.filedAt);
      accessionNos.push(filing.accessionNo);
    }
    if (!file.write(changes.map(({ filing }) => `${JSON.stringify(filing)}\n`).join(''))) await once(file, 'drain');
  });
  if (feed.length === 0) throw new Error('the change feed is empty');
  file.end();
  await once(file, 'close');
  const latestCursors = await walkPages<Filing>(server, '/v1/sec/latest?limit=40', '', pagesOfLatest, async () => {});
  return { ciks: [...ciks], forms: [...forms], days: [...days], accessionNos, latestCursors };
}

/** Follows `nextCursor` until a page is empty, or there are enough; gives the cursors of all pages that held something. */
async function walkPages<Data>(server: Server, target: string, first: string, pagesMaximum: number, take: (data: readonly Data[]) => Promise<void>): Promise<string[]> {
  const cursors: string[] = [];
  for (let tail = first; cursors.length < pagesMaximum; ) {
    const { data, meta } = (await (await ask(server, `${target}${tail}`)).json()) as Page<Data>;
    if (data.length === 0) break;
    await take(data);
    if (meta.nextCursor === null) break;
    cursors.push(meta.nextCursor);
    tail = `&cursor=${encodeURIComponent(meta.nextCursor)}`;
  }
  return cursors;
}
