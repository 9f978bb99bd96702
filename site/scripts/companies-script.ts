import { companiesTable, type ShownEntry } from '../pages/parts/companies-table.ts';
import { companyPage, filingPage } from '../pages/parts/company-links.ts';
import { plainCommas } from '../pages/parts/code-block.ts';
import { html } from '../pages/parts/html.ts';
import { countText, numberText } from '../pages/parts/family-words.ts';
import type { PartialReason } from '../../src/contract/envelopes.ts';
import type { Company, CompanyEntry, CompanyProfile } from '../../src/contract/records.ts';
import { foldWords } from '../../src/domain/folded-words.ts';
import { keyField } from './key.ts';
import { showKept, tryKey } from './kept-key.ts';
import { byId, fill, say } from './page.ts';
import { ask, type Outcome, type Trouble } from './ask-service.ts';

/** Finds companies: without a key among those that are open, with one among all, which it shows as one table. */

/** Milliseconds without typing before the page asks the service. */
const pauseMs = 200;
/** The most companies that a search gives. */
const searchRows = 50;
/** Rows of a page of companies, and the most pages that are read for the table. */
const pageRows = 200;
const pagesMaximum = 5;
/** Rows of the table at first. */
const rowsAtOnce = 100;
/** The filters of the list of companies that an address of this page may have. */
const filterNames = ['sic', 'state', 'exchange', 'listed'];

interface ListBody {
  readonly data: readonly CompanyEntry[];
  readonly meta: { readonly nextCursor: string | null };
}
interface SearchBody {
  readonly data: readonly Company[];
  readonly meta: { readonly didYouMean: string | null; readonly partialBecause: readonly PartialReason[] };
}

/** What is said behind a count of companies that may not be all that fit. */
const partialTexts: Readonly<Record<PartialReason, string>> = {
  missing_words: ' with a part of these words',
  few_letters: '; three letters of a word may find others',
  many_names: '; a longer name may find others',
};

const search = byId('q') as HTMLInputElement;
const overview = byId('overview') as HTMLElement;
const results = byId('results') as HTMLElement;
const shownToAll = byId('companies') as HTMLElement;
const noMatch = byId('no-match') as HTMLElement;
const onlyListed = byId('only-listed') as HTMLElement;
const listed = byId('listed') as HTMLInputElement;
const cards = [...shownToAll.querySelectorAll<HTMLElement>('li')];

const hasKey = () => keyField.value.trim() !== '';

/** The companies of the table, and how it is sorted. */
let shown: readonly ShownEntry[] = [];
let rows = 0;
let [sortedBy, isDescending]: [keyof ShownEntry, boolean] = ['latestFilingAt', true];
/** Number of the newest question. Answers to older ones are dropped. */
let asked = 0;

/** The accession number that a text is, with or without its dashes; null for any other text. */
const accessionNoOf = (text: string): string | null =>
  /^(\d{10})-?(\d{2})-?(\d{6})$/.exec(text)?.slice(1).join('-') ?? null;

function tell(trouble: Trouble | undefined): void {
  say('key-trouble', trouble?.about === 'key' ? trouble.text : '');
  say('search-trouble', trouble === undefined || trouble.about === 'key' ? '' : trouble.text);
}

/** Shows the companies that the address means: with a key among all companies, else among the open ones. */
async function showFound(): Promise<void> {
  const text = search.value.trim();
  const mine = ++asked;
  onlyListed.hidden = true;
  if (accessionNoOf(text) !== null) {
    tell(undefined);
    noMatch.hidden = true;
    return say('found', 'Press Enter to open this filing');
  }
  if (hasKey()) return text === '' ? listAll(mine) : showSearched(mine, text);
  tell(undefined);
  say('search-request', searchPath(text.length < 2 ? 'apple' : text));
  const words = foldWords(text);
  for (const card of cards)
    card.hidden = !words.every((word) =>
      (card.dataset['words'] ?? '').split(' ').some((each) => each.startsWith(word)),
    );
  const found = cards.filter((card) => !card.hidden).length;
  results.hidden = true;
  shownToAll.hidden = false;
  noMatch.hidden = found > 0;
  say('found', countText(found, 'company'));
}

const searchPath = (text: string) => `/v1/sec/companies/search?q=${encodeURIComponent(text)}`;

/** The list of companies that the address filters. */
function listPath(): string {
  const given = new URLSearchParams(location.search);
  const query = new URLSearchParams();
  for (const name of filterNames) if (given.has(name)) query.set(name, given.get(name) ?? '');
  query.set('limit', String(pageRows));
  return `/v1/sec/companies?${plainCommas(query)}`;
}

/** Shows all companies that match the filters of the address, up to a bound. */
async function listAll(mine: number): Promise<void> {
  onlyListed.hidden = false;
  listed.checked = new URLSearchParams(location.search).get('listed') === 'true';
  const path = listPath();
  say('search-request', path);
  const found: CompanyEntry[] = [];
  let next: string | null = null;
  for (let read = 0; read < pagesMaximum; read++) {
    const { body, trouble }: Outcome<ListBody> = await ask<ListBody>(
      next === null ? path : `${path}&cursor=${encodeURIComponent(next)}`,
    );
    if (mine !== asked) return;
    tell(trouble);
    if (!body) return;
    found.push(...body.data);
    next = body.meta.nextCursor;
    if (next === null) break;
  }
  showTable(found);
  say(
    'found',
    next === null
      ? `all ${countText(found.length, 'company')}`
      : `the first ${numberText(found.length)} by CIK; search finds the others`,
  );
}

/** Shows what the service finds. A single letter is a ticker symbol. Where nothing fits, near names are shown. */
async function showSearched(mine: number, text: string): Promise<void> {
  const path = text.length < 2 ? `/v1/sec/company/${encodeURIComponent(text)}/profile` : searchPath(text);
  say('search-request', path);
  const { body, trouble } = await ask<SearchBody | { data: CompanyProfile; meta?: undefined }>(path);
  if (mine !== asked) return;
  const isUnknown = trouble?.about === 'company' || (text.length < 2 && trouble?.about === 'request');
  tell(isUnknown ? undefined : trouble);
  if (trouble && !isUnknown) return;
  const found = body === undefined ? [] : Array.isArray(body.data) ? body.data : [body.data];
  const meant = body?.meta?.didYouMean ?? null;
  const near = meant === null ? [] : ((await ask<SearchBody>(searchPath(meant))).body?.data ?? []);
  if (mine !== asked) return;
  const guesses = near.length > 0;
  showTable(guesses ? near : found);
  const isCut = found.length === searchRows;
  const partial = (body?.meta?.partialBecause ?? []).map((reason) => partialTexts[reason]).join('');
  say(
    'found',
    guesses
      ? 'No company has this name. These are near'
      : found.length > 0
        ? `${isCut ? 'the first ' : ''}${countText(found.length, 'company')}${partial}`
        : partial === ''
          ? 'No company has this name, ticker symbol or CIK'
          : `No company found${partial}`,
  );
}

function showTable(companies: readonly ShownEntry[]): void {
  shown = companies;
  rows = rowsAtOnce;
  results.hidden = false;
  shownToAll.hidden = noMatch.hidden = true;
  drawTable();
}

function drawTable(): void {
  const order = (a: ShownEntry, b: ShownEntry) => {
    const [left, right] = [a[sortedBy] ?? null, b[sortedBy] ?? null];
    // What is not known comes last, whichever way the table is sorted.
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    const compared =
      typeof left === 'number' && typeof right === 'number'
        ? left - right
        : String(left).localeCompare(String(right), 'en');
    return isDescending ? -compared : compared;
  };
  const hidden = shown.length - rows;
  fill(
    results,
    html`${companiesTable([...shown].sort(order).slice(0, rows), sortedBy, isDescending)}
      ${hidden > 0 && html`<p class="more"><button type="button" class="button quiet" data-more>Show ${numberText(hidden)} more</button></p>`}`,
  );
}

results.addEventListener('click', ({ target }) => {
  if ((target as Element).closest('[data-more]')) {
    rows = shown.length;
    return drawTable();
  }
  const by = (target as Element).closest<HTMLElement>('button[data-sort]')?.dataset['sort'];
  if (by === undefined) return;
  const column = by as keyof ShownEntry;
  isDescending =
    column === sortedBy ? !isDescending : column === 'filingCount' || column === 'latestFilingAt';
  sortedBy = column;
  drawTable();
  results.querySelector<HTMLElement>(`button[data-sort="${column}"]`)?.focus();
});

listed.addEventListener('change', () => {
  const query = new URLSearchParams(location.search);
  if (listed.checked) query.set('listed', 'true');
  else query.delete('listed');
  history.pushState(null, '', query.size > 0 ? `?${plainCommas(query)}` : location.pathname);
  void showFound();
});

let pause: ReturnType<typeof setTimeout> | undefined;
search.addEventListener('input', () => {
  const text = search.value.trim();
  clearTimeout(pause);
  history.replaceState(null, '', text === '' ? location.pathname : `?q=${encodeURIComponent(text)}`);
  if (hasKey()) pause = setTimeout(() => void showFound(), pauseMs);
  else void showFound();
});
search.form?.addEventListener('submit', (event) => {
  event.preventDefault();
  clearTimeout(pause);
  const text = search.value.trim();
  if (text === '') return;
  const accessionNo = accessionNoOf(text);
  if (accessionNo !== null) return location.assign(filingPage(accessionNo));
  void showFound().then(() =>
    overview
      .querySelector<HTMLAnchorElement>(':is(.cards, #results):not([hidden]) :is(li:not([hidden]), td) a')
      ?.click(),
  );
});

byId('key-form')?.addEventListener('submit', (event) => {
  event.preventDefault();
  void useKey();
});

/** Shows with the key what it opens. Returns whether the service accepts it. */
async function useKey(): Promise<boolean> {
  say('search-trouble', '');
  const { body } = await tryKey();
  if (!body) return false;
  const all = countText(body.data.companyCount, 'company');
  say(
    'lead',
    `You see ${body.data.companyCount === 1 ? all : `all ${all}`}: each registrant that a filing names, and each person who reports to the SEC.`,
  );
  await showFound();
  return true;
}

function showAddress(): void {
  search.value = new URLSearchParams(location.search).get('q') ?? '';
  void showFound();
}
addEventListener('popstate', showAddress);

// A company had an address of this page before it had one of its own.
const former = new URLSearchParams(location.search).get('company');
if (former !== null) location.replace(companyPage(former));
showKept();
search.value = new URLSearchParams(location.search).get('q') ?? '';
if (hasKey()) void useKey().then((isGood) => (isGood ? undefined : showFound()));
else void showFound();
