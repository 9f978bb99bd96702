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

/** Filings that are read at most: those of a larger snapshot would take hours. */
const filingsMaximum = 1_000_000;
const rowsOfPage = 200;

/**
 * Reads the newest filings that a service has, a million at most, and writes each to a file of JSON lines.
 */
export async function walk(server: Server, path: string): Promise<Known> {
  const [ciks, forms, days, accessionNos] = [
    new Set<string>(),
    new Set<string>(),
    new Set<string>(),
    [] as string[],
  ];
  const file = createWriteStream(path);
  const latestCursors = await walkPages<Filing>(
    server,
    `/v1/sec/latest?limit=${rowsOfPage}`,
    filingsMaximum / rowsOfPage,
    async (filings) => {
      for (const { cik, form, filedAt, accessionNo } of filings) {
        ciks.add(cik);
        forms.add(form);
        days.add(filedAt);
        accessionNos.push(accessionNo);
      }
      if (!file.write(filings.map((filing) => `${JSON.stringify(filing)}\n`).join('')))
        await once(file, 'drain');
    },
  );
  if (accessionNos.length === 0) throw new Error('the service has no filings');
  file.end();
  await once(file, 'close');
  return { ciks: [...ciks], forms: [...forms], days: [...days], accessionNos, latestCursors };
}

/**
 * Follows `nextCursor` until a page is empty, or there are enough; gives the cursors of all pages that held
 * something.
 */
async function walkPages<Data>(
  server: Server,
  target: string,
  pagesMaximum: number,
  take: (data: readonly Data[]) => Promise<void>,
): Promise<string[]> {
  const cursors: string[] = [];
  for (let tail = ''; cursors.length < pagesMaximum; ) {
    const { data, meta } = (await (await ask(server, `${target}${tail}`)).json()) as Page<Data>;
    if (data.length === 0) break;
    await take(data);
    if (meta.nextCursor === null) break;
    cursors.push(meta.nextCursor);
    tail = `&cursor=${encodeURIComponent(meta.nextCursor)}`;
  }
  return cursors;
}
