import { createOperations } from '../../clients/typescript/src/operations.ts';
import type { ChangeFilter, Start } from '../../clients/typescript/src/source.ts';
import { pagesByStream } from '../../clients/typescript/src/streaming.ts';
import { createTransport } from '../../clients/typescript/src/transport.ts';
import { liveCompanyPage } from '../pages/parts/company-links.ts';
import { html } from '../pages/parts/html.ts';
import { plainCommas } from '../pages/parts/code-block.ts';
import { filingRow } from '../pages/parts/filings-table.ts';
import { countText } from '../pages/parts/family-words.ts';
import { keyField } from './key.ts';
import { showKept, tryKey } from './kept-key.ts';
import { byId, elementOf, say } from './page.ts';

/** The live view: it follows the change feed as a program does, with the same client. */
const wanted = byId('wanted') as HTMLFormElement;
const button = byId('switch') as HTMLButtonElement;
const body = document.querySelector('tbody') as HTMLElement;
const fields = [...wanted.querySelectorAll('input')];
const { title } = document;

/** Filings that the page shows before anything is published, and the most that it keeps. */
const firstRows = 10;
const rowsMaximum = 500;
/** Every filing has this date or a later one. */
const firstDay = '0001-01-01';

/** What a row is made from. The client's types have lists that nobody may change, those of rows do not say so. */
type ShownChange = { readonly filing: Parameters<typeof filingRow>[0] & { readonly cik: string } } & {
  readonly revision: number;
  readonly corrected?: readonly string[];
};

/** Ends the stream that is shown; null while none is. */
let shown: AbortController | null = null;

/** The filters of the address. */
function filterOfAddress(): ChangeFilter {
  const query = new URLSearchParams(location.search);
  return Object.fromEntries(
    fields.flatMap(({ name }) => {
      const value = query.get(name)?.trim();
      return value ? [[name, value]] : [];
    }),
  );
}

function showFilter(filter: ChangeFilter): void {
  for (const field of fields) field.value = String(filter[field.name as keyof ChangeFilter] ?? '');
  const query = new URLSearchParams({ since: '2026-08-01', ...(filter as Record<string, string>) });
  say('request', `/v1/sec/changes?${plainCommas(query)}`);
}

/** Puts changes on top, the newest first. A filing has one row. */
function add(changes: readonly ShownChange[]): void {
  for (const { filing, revision, corrected = [] } of changes) {
    body.querySelector(`[data-filing="${CSS.escape(filing.accessionNo)}"]`)?.remove();
    const row = { ...filing, revision, corrected, page: liveCompanyPage(filing.cik) };
    const added = elementOf(html`<table><tbody>${filingRow(row, null)}</tbody></table>`).querySelector(
      'tr',
    ) as HTMLElement;
    added.dataset['filing'] = filing.accessionNo;
    body.prepend(added);
  }
  while (body.children.length > rowsMaximum) body.lastElementChild?.remove();
}

async function follow(filter: ChangeFilter, signal: AbortSignal): Promise<void> {
  let count = 0;
  const tellCount = () =>
    say(
      'state',
      count === 0 ? 'Waiting for the next filing.' : `${countText(count, 'change')} since you began.`,
    );
  const settings = {
    baseUrl: location.origin,
    apiKey: keyField.value.trim(),
    timeoutSeconds: 60,
    onRetry: () => say('state', 'The connection is lost. The page tries again.'),
    fetch: async (...asked: Parameters<typeof fetch>) => {
      const response = await fetch(...asked);
      if (response.ok) tellCount();
      return response;
    },
  };
  const transport = createTransport(settings);
  const feed = createOperations(transport, settings);
  // The place in the feed comes first, so that nothing between the newest filings and the stream is missed.
  const { meta } = await feed.listChanges({ ...filter, since: '9999-12-31' }, { signal });
  const { ticker, ...others } = filter;
  const newest = { ...others, limit: firstRows };
  const { data } =
    ticker === undefined
      ? await feed.listLatestFilings(newest, { signal })
      : await feed.listCompanyFilings({ ...newest, ticker }, { signal });
  add(data.toReversed().map((filing) => ({ filing: filing as ShownChange['filing'], revision: 1 })));
  const start: Start = { filter: { ...filter, since: firstDay }, cursor: meta.nextCursor };
  for await (const { changes } of pagesByStream({ feed, transport }, start, signal)) {
    add(changes as readonly ShownChange[]);
    count += changes.length;
    tellCount();
    if (count > 0) document.title = `(${count}) ${title}`;
  }
}

function stop(): void {
  shown?.abort();
  shown = null;
  button.textContent = 'Start';
  say('state', 'Stopped.');
}

async function begin(): Promise<void> {
  shown?.abort();
  const mine = new AbortController();
  shown = mine;
  button.textContent = 'Stop';
  body.replaceChildren();
  document.title = title;
  say('trouble', '');
  say('state', 'Connecting.');
  const filter = filterOfAddress();
  showFilter(filter);
  try {
    const { trouble } = await tryKey();
    if (mine.signal.aborted) return;
    if (trouble) stop();
    else await follow(filter, mine.signal);
  } catch (error) {
    if (mine.signal.aborted) return;
    stop();
    say('trouble', (error as Error).message);
  }
}

button.addEventListener('click', () => {
  if (shown) stop();
  else void begin();
});
wanted.addEventListener('change', () => {
  const query = new URLSearchParams();
  for (const { name, value } of fields) if (value.trim() !== '') query.set(name, value.trim());
  history.pushState(null, '', query.size > 0 ? `?${plainCommas(query)}` : location.pathname);
  beginAsWanted();
});
wanted.addEventListener('submit', (event) => event.preventDefault());
byId('key-form')?.addEventListener('submit', (event) => {
  event.preventDefault();
  void begin();
});
/** Shows what the address wants, if there is a key. */
function beginAsWanted(): void {
  showFilter(filterOfAddress());
  if (keyField.value.trim() !== '') void begin();
}
addEventListener('popstate', beginAsWanted);
// A page that is left holds no connection; one to which the reader goes back has it again.
addEventListener('pagehide', stop);
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) beginAsWanted();
});
showKept();
beginAsWanted();
