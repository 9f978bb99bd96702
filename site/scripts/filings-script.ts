import { createOperations } from '../../clients/typescript/src/operations.ts';
import type { ChangeFilter, Start } from '../../clients/typescript/src/source.ts';
import { pagesByStream } from '../../clients/typescript/src/streaming.ts';
import { createTransport } from '../../clients/typescript/src/transport.ts';
import { sheetCell, sheetCellsOf, sheetMark } from '../content/sheet.ts';
import { isForPublicData, type Filters } from '../pages/parts/company-view.ts';
import { plainCommas } from '../pages/parts/code-block.ts';
import type { ShownFiling } from '../pages/parts/filings-table.ts';
import { countText } from '../pages/parts/family-words.ts';
import { keyField } from './key.ts';
import { companyMeant, offerCompanies } from './company-field.ts';
import { showKept, tryKey } from './kept-key.ts';
import { listFilings } from './filing-list.ts';
import { liveSource, sampleSource, type ListSource } from './filing-pages.ts';
import { byId, say } from './page.ts';

/**
 * The list of filings of all companies. With a key it asks the service, and follows the change feed as a program does,
 * with the same client. Without one it shows the public sample.
 */
const view = byId('list') as HTMLElement;
const liveButton = byId('live') as HTMLButtonElement;
const { title } = document;
/** Whether the service says on its pages that its data is a sample. */
const isSample = document.querySelector('.notice') !== null;

/** Every filing has this date or a later one. */
const firstDay = '0001-01-01';

/** Where the rows come from: the public sample, or requests once there is a key. */
let current: Promise<ListSource> = keyless();
let isLive = false;
/** Ends the stream; null while there is none. */
let stream: AbortController | null = null;

/** What a change says. The client's types have lists that nobody may change, those of rows do not say so. */
interface ShownChange {
  readonly filing: ShownFiling;
  readonly revision: number;
  readonly corrected?: readonly string[];
  readonly cause?: ShownFiling['cause'];
}

/** The filters that the feed takes: a reader who asks for days waits for nothing new. */
function filterOf(filters: Filters): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filters).filter(([name, value]) => value !== '' && name !== 'since' && name !== 'until'),
  );
}

/** The public sample; no filings if it cannot be read. */
async function keyless(): Promise<ListSource> {
  const none: ListSource = {
    known: [],
    page: async () => ({ body: { filings: [], next: null } }),
    corrections: async () => new Map(),
    companies: async () => [],
  };
  return (await sampleSource()) ?? none;
}

const companies = async (text: string) => (await current).companies(text);
offerCompanies(view.querySelector('[name="ticker"]') as HTMLInputElement, companies);

const list = listFilings({
  view,
  source: {
    known: [],
    page: async (filters, next) => (await current).page(filters, next),
    corrections: async (filters, filings) => (await current).corrections(filters, filings),
  },
  viewed: null,
  fixed: {},
  isShown: true,
  ifNone: () =>
    isLive
      ? 'No filing matches these filters.'
      : 'No filing of the public sample matches: without a key only the newest ones of all companies are searched, and those of an open company that you name.',
  onKeyTrouble: ({ text }) => {
    say('key-trouble', text);
    stop('');
  },
  onChange: showAddress,
  meant: async (name, text) => (name === 'ticker' ? companyMeant(text, companies) : text),
  onShown: (_, filters) => {
    const query = new URLSearchParams({ since: '2026-08-01', ...filterOf(filters) });
    say('stream-request', `/v1/sec/changes?${plainCommas(query)}`);
  },
});

/** Hides the filters that only the service can test while the page shows the public sample. */
function showFields(): void {
  for (const field of view.querySelectorAll<HTMLInputElement | HTMLSelectElement>('#filters [name]'))
    (field.closest('label') as HTMLElement).hidden = !isLive && !isForPublicData(field.name);
}

async function follow(signal: AbortSignal): Promise<void> {
  let count = 0;
  // An address says numbers and choices as texts, too, and the service checks them.
  const filter = filterOf(list.filters()) as ChangeFilter;
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
  await list.reread();
  const start: Start = { filter: { ...filter, since: firstDay }, cursor: meta.nextCursor };
  for await (const { changes } of pagesByStream({ feed, transport }, start, signal)) {
    list.add(
      (changes as readonly ShownChange[]).map(({ filing, revision, corrected = [], cause }) => ({
        ...filing,
        revision,
        corrected,
        cause,
      })),
    );
    count += changes.length;
    tellCount();
    if (count > 0) document.title = `(${count}) ${title}`;
  }
}

function stop(said = 'Stopped.'): void {
  stream?.abort();
  stream = null;
  liveButton.textContent = 'Live';
  liveButton.setAttribute('aria-pressed', 'false');
  say('state', said);
}

/** Shows what the address asks for. */
function showAddress(): void {
  if (isLive) void begin();
  else void list.reread();
}

/** Shows the list of the address, and what is published from now on. */
async function begin(): Promise<void> {
  if (!isLive) return;
  if (isSample) {
    say('state', 'This is a recorded sample: nothing new comes.');
    return list.reread();
  }
  const endsOn = new URLSearchParams(location.search).get('until') ?? '';
  if (endsOn !== '') {
    stop('The list ends on a day, so nothing new comes.');
    return list.reread();
  }
  stop('Connecting.');
  const mine = new AbortController();
  stream = mine;
  liveButton.textContent = 'Stop';
  liveButton.setAttribute('aria-pressed', 'true');
  document.title = title;
  try {
    await follow(mine.signal);
  } catch (error) {
    if (mine.signal.aborted) return;
    stop('');
    // The list says what is wrong with the filters, in place of rows of others.
    await list.reread();
    say('trouble', (error as Error).message);
  }
}

liveButton.addEventListener('click', () => {
  if (stream) stop();
  else void begin();
});
addEventListener('popstate', showAddress);
// A page that is left holds no connection; one to which the reader goes back has it again.
addEventListener('pagehide', () => stop(''));
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) void begin();
});

/** The members of a filing that the saved file has. */
const csvColumns = [
  'accessionNo',
  'companyName',
  'ticker',
  'cik',
  'form',
  'eventType',
  'items',
  'filedAt',
  'acceptedAt',
  'ownership',
  'detailUrl',
  'documentUrl',
];

/** The filings that were read as CSV, folded ones included. Every cell has quotes, so that none needs a rule. */
function csvText(): string {
  const rows = [
    csvColumns,
    ...list.read().filings.map((filing) => sheetCellsOf(filing, csvColumns).map(sheetCell)),
  ];
  const lines = rows.map((row) =>
    row.map((cell) => `"${String(cell ?? '').replaceAll('"', '""')}"`).join(','),
  );
  return sheetMark + lines.map((line) => `${line}\r\n`).join('');
}

byId('csv')?.addEventListener('click', () => {
  const { filings, isAll } = list.read();
  if (filings.length === 0) return say('state', 'There is nothing to save.');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([csvText()], { type: 'text/csv' }));
  link.download = 'filings.csv';
  link.click();
  URL.revokeObjectURL(link.href);
  say(
    'state',
    `${countText(filings.length, 'filing')} saved${isAll ? '' : ', the newest. “Show more” reads older ones'}.`,
  );
});

byId('key-form')?.addEventListener('submit', (event) => {
  event.preventDefault();
  void useKey();
});

/** Goes on with the key of the form. Returns whether the service accepts it. */
async function useKey(): Promise<boolean> {
  const { body } = await tryKey();
  if (!body) {
    stop('');
    return false;
  }
  liveButton.hidden = isSample;
  say(
    'lead',
    `All filings of ${countText(body.data.companyCount, 'company')}, newest first, and new ones as they are published.`,
  );
  isLive = true;
  current = Promise.resolve(liveSource(null));
  showFields();
  void begin();
  return true;
}

// A link may have filters that stand behind the click.
const asked = new URLSearchParams(location.search);
const folded = byId('more-filters') as HTMLDetailsElement;
folded.open = [...folded.querySelectorAll<HTMLInputElement>('[name]')].some(({ name }) => asked.has(name));
showFields();
showKept();
if (keyField.value.trim() === '') void list.reread();
else void useKey().then((isGood) => (isGood ? undefined : list.reread()));
