import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { mayHaveOwnership } from '../../build/contents/ownership-file.ts';
import { documentsOf, indexPage } from './index-pages.ts';
import { recordedFilings, type Live, type RecordedFiling } from './live.ts';
import { fullSubmission, ownershipXml, type OwnershipTold } from './ownership-documents.ts';
import { closeAll, listen, portOf } from './servers.ts';

/** A replay of the recorded day that also has documents. */
export interface LiveWithDocuments extends Pick<Live, 'dataUrl' | 'wwwUrl'> {
  /** How many documents about ownership and lists of documents it gave, and the most requests in a second. */
  counts(): { readonly documents: number; readonly lists: number; readonly highestPerSecond: number };
  close(): Promise<void>;
}

/**
 * Stands before a replay of the recorded day, which has no documents of filings: makes up what filings about ownership say,
 * and which documents each filing has. All other requests go on to the replay.
 */
export async function startLiveWithDocuments(live: Live): Promise<LiveWithDocuments> {
  const filings = new Map(
    recordedFilings().map((filing) => [filing.accessionNo.replaceAll('-', ''), filing]),
  );
  const given = { documents: 0, lists: 0 };
  const requestsOfSeconds = new Map<number, number>();

  function madeUp(path: string): string | null {
    const [, cik = '', folder = '', name = ''] =
      /\/Archives\/edgar\/data\/(\d+)\/(?:(\d{18})\/)?([^/]+)$/.exec(
        path.replace(/\/xsl[^/]*(?=\/)/, ''),
      ) ?? ['', '', '', ''];
    const filing = filings.get(folder || name.replace(/\.txt$/, '').replaceAll('-', ''));
    if (!filing) return null;
    if (name.endsWith('-index.htm')) {
      given.lists++;
      return indexPage(cik, filing.accessionNo, documentsOf(filing));
    }
    const isSubmission = folder === '' && name.endsWith('.txt');
    if (!mayHaveOwnership(filing.form) || !(isSubmission || name.endsWith('.xml'))) return null;
    given.documents++;
    return isSubmission ? fullSubmission(toldOf(filing)) : ownershipXml(toldOf(filing));
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const second = Math.floor(performance.now() / 1000);
    requestsOfSeconds.set(second, (requestsOfSeconds.get(second) ?? 0) + 1);
    const { url = '' } = request;
    const text = madeUp(url);
    if (text !== null) return void response.end(text);
    const headers = Object.fromEntries(
      ['user-agent', 'if-none-match', 'if-modified-since'].flatMap((name) => {
        const value = request.headers[name];
        return typeof value === 'string' ? [[name, value]] : [];
      }),
    );
    const origin = new URL(live.wwwUrl).origin;
    const replied = await fetch(origin + url, { headers, redirect: 'manual' });
    const kept = [...replied.headers].filter(
      ([name]) => !['content-encoding', 'content-length', 'transfer-encoding', 'connection'].includes(name),
    );
    response.writeHead(replied.status, Object.fromEntries(kept));
    response.end(Buffer.from(await replied.arrayBuffer()));
  }

  const server = createServer(
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  );
  await listen([server]);
  const url = `http://127.0.0.1:${portOf(server)}`;
  return {
    dataUrl: `${url}/data.sec.gov`,
    wwwUrl: `${url}/www.sec.gov`,
    counts: () => ({ ...given, highestPerSecond: Math.max(0, ...requestsOfSeconds.values()) }),
    close: () => closeAll([server]),
  };
}

/** What the document of a recorded filing says: its parties as the feed has them. */
function toldOf({ accessionNo, form, accepted, parties }: RecordedFiling): OwnershipTold {
  const all = [...parties].map(([cik, { role, name }]) => ({ cik, role, name }));
  const issuer = all.find(({ role }) => role === 'Issuer' || role === 'Subject') ?? all[0];
  return {
    accessionNo,
    form,
    issuer: { cik: issuer?.cik ?? '', name: issuer?.name ?? '' },
    others: all.filter((each) => each !== issuer),
    on: accepted.slice(0, 10),
    number: Number(accessionNo.slice(-6)),
  };
}
