import { companyCard, companyView } from '../pages/parts/company-view.ts';
import { liveCompanyPage } from '../pages/parts/company-links.ts';
import { html, type Html } from '../pages/parts/html.ts';
import { newsPanel } from '../pages/parts/news-panel.ts';
import type { ViewedCiks } from '../pages/parts/filings-table.ts';
import { countText, numberText } from '../pages/parts/family-words.ts';
import { familyOfForm } from '../../src/domain/form-family.ts';
import type {
  Company,
  CompanyEntry,
  CompanyProfile,
  CountByEventType,
  CountByForm,
} from '../../src/contract/records.ts';
import { foldWords } from '../../src/domain/folded-words.ts';
import { exploreCompany, type Explorer } from './company.ts';
import { keyField } from './key.ts';
import { showKept, tryKey } from './kept-key.ts';
import { tellNews } from './seen-news.ts';
import { byId, elementOf, fill, say } from './page.ts';
import { ask, type Trouble } from './ask-service.ts';
import { liveSource } from './filing-pages.ts';

/** Milliseconds without typing before the page asks the service. */
const pauseMs = 200;
/** The most companies that a search gives by default, and those of a page of all. */
const searchRows = 50;

interface SearchBody {
  readonly data: readonly Company[];
  readonly meta: { readonly didYouMean: string | null };
}

const search = byId('q') as HTMLInputElement;
const intro = byId('intro') as HTMLElement;
const overview = byId('overview') as HTMLElement;
const companyPart = byId('company') as HTMLElement;
const results = byId('results') as HTMLElement;
const shownToAll = byId('companies') as HTMLElement;
const noMatch = byId('no-match') as HTMLElement;
const moreButton = byId('more-companies') as HTMLButtonElement;
const cards = [...shownToAll.querySelectorAll<HTMLElement>('li')];
const { title } = document;

const hasKey = () => keyField.value.trim() !== '';
const wanted = () => new URLSearchParams(location.search);

/** The company that is shown, as the address names it, and its explorer. */
let shown: { readonly symbol: string; readonly explorer: Promise<Explorer> } | null = null;
/** The cursor of the next page of all companies; null if there is none. */
let next: string | null = null;
/** Number of the newest question. Answers to older ones are dropped. */
let asked = 0;

function tell(trouble: Trouble | undefined): void {
  say('key-trouble', trouble?.about === 'key' ? trouble.text : '');
  say('search-trouble', trouble === undefined || trouble.about === 'key' ? '' : trouble.text);
}

/** Shows what the address asks for: one company, or the companies that a search finds. */
async function showAddress(): Promise<void> {
  const symbol = wanted().get('company');
  companyPart.hidden = symbol === null;
  intro.hidden = overview.hidden = symbol !== null;
  if (symbol !== null) return showCompany(symbol);
  shown = null;
  document.title = title;
  search.value = wanted().get('q') ?? '';
  return showFound();
}

/** Shows the companies that the text means: with a key among all companies, else among the open ones. */
async function showFound(): Promise<void> {
  const text = search.value.trim();
  const mine = ++asked;
  moreButton.hidden = true;
  if (hasKey()) return text === '' ? listAll(mine, null) : showSearched(mine, text);
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

/** Shows the open companies and, below them, a page of all companies. `cursor` is null for the first page. */
async function listAll(mine: number, cursor: string | null): Promise<void> {
  const path = `/v1/sec/companies?limit=${searchRows}`;
  say('search-request', path);
  const { body, trouble } = await ask<{ data: CompanyEntry[]; meta: { nextCursor: string | null } }>(
    cursor === null ? path : `${path}&cursor=${encodeURIComponent(cursor)}`,
  );
  if (mine !== asked) return;
  tell(trouble);
  for (const card of cards) card.hidden = false;
  shownToAll.hidden = false;
  noMatch.hidden = true;
  if (!body) return;
  const { data, meta } = body;
  if (cursor === null) fill(results, cardsOf(data));
  else results.append(...data.map((each) => elementOf(cardsOf([each]))));
  results.hidden = false;
  next = meta.nextCursor;
  moreButton.hidden = next === null;
  const shownCount = results.children.length;
  say(
    'found',
    next === null ? `all ${countText(shownCount, 'company')}` : `the first ${numberText(shownCount)} by CIK`,
  );
}

moreButton.addEventListener('click', () => {
  if (next !== null) void listAll(++asked, next);
});

/** Shows what the service finds. A single letter is a ticker symbol. Where nothing fits, near names are shown. */
async function showSearched(mine: number, text: string): Promise<void> {
  const path = text.length < 2 ? profilePathOf(text) : searchPath(text);
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
  fill(results, cardsOf(guesses ? near : found));
  results.hidden = false;
  shownToAll.hidden = noMatch.hidden = true;
  const isCut = found.length === searchRows;
  say(
    'found',
    guesses
      ? 'No company has this name. These are near'
      : found.length === 0
        ? 'No company has this name, ticker symbol or CIK'
        : `${isCut ? 'the first ' : ''}${countText(found.length, 'company')}`,
  );
}

function cardsOf(companies: readonly Company[]): Html {
  return html`${companies.map((each) => html`<li>${companyCard({ ...each, page: liveCompanyPage(each.cik) })}</li>`)}`;
}

const profilePathOf = (symbol: string) => `/v1/sec/company/${encodeURIComponent(symbol)}/profile`;

/** Shows a company like the open ones, from answers of the service. */
async function showCompany(symbol: string): Promise<void> {
  const mine = ++asked;
  shown = null;
  if (!hasKey()) {
    return sayInstead(
      symbol,
      html`You need a key to see this company. Put in your key above, or look at the <a href="/explore">companies that need no key</a>.`,
    );
  }
  companyPart.setAttribute('aria-busy', 'true');
  const { body, trouble } = await ask<{ data: CompanyProfile }>(profilePathOf(symbol));
  if (mine !== asked) return;
  companyPart.removeAttribute('aria-busy');
  tell(trouble);
  if (!body)
    return sayInstead(
      symbol,
      html`${trouble.about === 'company' ? 'There is no such company.' : 'The company could not be read.'} <a href="/explore">All companies</a>`,
    );
  const { data: company } = body;
  fill(companyPart, liveView(symbol, company));
  document.title = `${company.name} · ${title}`;
  // Screen readers begin at the heading of the company.
  const head = companyPart.querySelector('h1') as HTMLElement;
  head.tabIndex = -1;
  head.focus({ preventScroll: true });
  const viewed = [company.cik, ...company.relatedCiks] as const satisfies ViewedCiks;
  const explorer = exploreCompany(byId('explorer') as HTMLElement, liveSource(symbol), false, tell);
  shown = { symbol, explorer };
  const panel = byId('news') as HTMLElement;
  let looking = Promise.resolve(false);
  const look = () => (looking = looking.then(() => tellNews(panel, viewed)));
  byId('look')?.addEventListener(
    'click',
    () =>
      void look().then(async (isNew) => {
        // New filings belong in the list below, too.
        if (isNew && panel.isConnected) await (await explorer).reread();
      }),
  );
  void look();
}

/** Says why the company is not shown. */
function sayInstead(symbol: string, text: Html): void {
  fill(companyPart, html`<div class="title"><h1>Company ${symbol}</h1></div><p class="note gap">${text}</p>`);
}

function liveView(symbol: string, company: CompanyProfile): Html {
  return html`<nav class="crumbs switch" aria-label="Companies"><a href="/explore">All companies</a></nav>
    ${companyView({ symbol, company, filings: [], forms: company.forms, eventTypes: familiesOf(company.forms), origin: location.origin, source: null, news: newsPanel, filterNames: (companyPart.dataset['filters'] ?? '').split(' ') })}`;
}

function familiesOf(forms: readonly CountByForm[]): CountByEventType[] {
  const counts = new Map<string, number>();
  for (const { form, count } of forms)
    counts.set(familyOfForm(form), (counts.get(familyOfForm(form)) ?? 0) + count);
  return [...counts].map(([eventType, count]) => ({ eventType, count })).sort((a, b) => b.count - a.count);
}

function goTo(address: string): void {
  history.pushState(null, '', address);
  scrollTo({ top: 0, behavior: 'instant' });
  void showAddress();
}

let pause: ReturnType<typeof setTimeout> | undefined;
search.addEventListener('input', () => {
  const text = search.value.trim();
  clearTimeout(pause);
  const address = text === '' ? location.pathname : `?q=${encodeURIComponent(text)}`;
  // A reader who types while a company is shown leaves it; one step back returns to it.
  if (companyPart.hidden) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  companyPart.hidden = true;
  intro.hidden = overview.hidden = false;
  if (hasKey()) pause = setTimeout(() => void showFound(), pauseMs);
  else void showFound();
});
search.form?.addEventListener('submit', (event) => {
  event.preventDefault();
  clearTimeout(pause);
  if (search.value.trim() === '') return;
  void showFound().then(() =>
    overview.querySelector<HTMLAnchorElement>('.cards:not([hidden]) > li:not([hidden]) a')?.click(),
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
    `You see ${body.data.companyCount === 1 ? all : `all ${all}`}. Each bar is a week of the past year.`,
  );
  await showAddress();
  return true;
}

// With a key, companies open in this page, which shows whole histories. Without one, links lead to the pages
// of the open companies.
document.addEventListener('click', (event) => {
  const link = (event.target as Element).closest('a');
  if (
    !link ||
    !hasKey() ||
    event.ctrlKey ||
    event.metaKey ||
    event.shiftKey ||
    event.altKey ||
    event.button !== 0
  )
    return;
  const symbol = link.closest<HTMLElement>('li[data-symbol]')?.dataset['symbol'];
  if (link.pathname !== location.pathname && symbol === undefined) return;
  if (link.origin !== location.origin || link.hash !== '') return;
  event.preventDefault();
  goTo(symbol === undefined ? `${link.pathname}${link.search}` : liveCompanyPage(symbol));
});

addEventListener('popstate', () => {
  const symbol = wanted().get('company');
  if (symbol === null || shown?.symbol !== symbol || companyPart.hidden) return void showAddress();
  void shown.explorer.then((explorer) => explorer.reread());
});

showKept();
if (hasKey()) void useKey().then((isGood) => (isGood ? undefined : showAddress()));
else void showAddress();
