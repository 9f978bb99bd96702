import { companyCard, companyView } from '../pages/parts/company-view.ts';
import { liveCompanyPage } from '../pages/parts/companies.ts';
import { html, type Html } from '../pages/parts/html.ts';
import { newsPanel } from '../pages/parts/news.ts';
import type { ViewedCiks } from '../pages/parts/rows.ts';
import { countText } from '../pages/parts/words.ts';
import { eventTypeOfForm } from '../../src/contract/event-types.ts';
import type { Company, CompanyProfile, CountByEventType, CountByForm } from '../../src/contract/records.ts';
import { foldWords } from '../../src/contract/words.ts';
import { exploreCompany, type Explorer } from './company.ts';
import { keyField } from './key.ts';
import { tellNews } from './news.ts';
import { byId, fill, say } from './page.ts';
import { ask, type Trouble } from './service.ts';
import { liveSource } from './source.ts';

/** Milliseconds without typing before the page asks the service. */
const pauseMs = 200;
/** The most companies that a search gives by default. A longer text finds the others. */
const searchRows = 50;

const search = byId('q') as HTMLInputElement;
const intro = byId('intro') as HTMLElement;
const overview = byId('overview') as HTMLElement;
const companyPart = byId('company') as HTMLElement;
const results = byId('results') as HTMLElement;
const shownToAll = byId('companies') as HTMLElement;
const noMatch = byId('no-match') as HTMLElement;
const cards = [...shownToAll.querySelectorAll<HTMLElement>('li')];
const { title } = document;

const hasKey = () => keyField.value.trim() !== '';
const wanted = () => new URLSearchParams(location.search);

/** The company that is shown, as the address names it, and its explorer. */
let shown: { readonly symbol: string; readonly explorer: Promise<Explorer> } | null = null;
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

/**
 * Shows the open companies whose words begin with the typed text. With a key, asks the service among all
 * companies.
 */
async function showFound(): Promise<void> {
  const text = search.value.trim();
  const mine = ++asked;
  say('search-request', `/v1/sec/companies/search?q=${encodeURIComponent(text.length < 2 ? 'apple' : text)}`);
  if (hasKey() && text.length >= 2) {
    const { body, trouble } = await ask<{ data: Company[] }>(
      `/v1/sec/companies/search?q=${encodeURIComponent(text)}`,
    );
    if (mine !== asked) return;
    tell(trouble);
    if (body) return showResults(body.data);
  } else tell(undefined);
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

function showResults(companies: readonly Company[]): void {
  fill(
    results,
    html`${companies.map((each) => html`<li>${companyCard({ ...each, page: liveCompanyPage(each.cik) })}</li>`)}`,
  );
  results.hidden = false;
  shownToAll.hidden = noMatch.hidden = true;
  const isCut = companies.length === searchRows;
  say(
    'found',
    companies.length === 0
      ? 'No company has this name, ticker symbol or CIK'
      : `${isCut ? 'the first ' : ''}${countText(companies.length, 'company')}`,
  );
}

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
  const { body, trouble } = await ask<{ data: CompanyProfile }>(
    `/v1/sec/company/${encodeURIComponent(symbol)}/profile`,
  );
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
    ${companyView({ symbol, company, filings: [], forms: company.forms, eventTypes: familiesOf(company.forms), origin: location.origin, source: null, news: newsPanel })}`;
}

function familiesOf(forms: readonly CountByForm[]): CountByEventType[] {
  const counts = new Map<string, number>();
  for (const { form, count } of forms)
    counts.set(eventTypeOfForm(form), (counts.get(eventTypeOfForm(form)) ?? 0) + count);
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
  if (hasKey() && text.length >= 2) pause = setTimeout(() => void showFound(), pauseMs);
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
  void tryKey();
});

async function tryKey(): Promise<void> {
  const { body, trouble } = await ask<{ data: { companyCount: number } }>('/v1/sec/stats');
  // The reader looks at the field of the key, so every problem is shown there.
  tell(trouble && { ...trouble, about: 'key' });
  if (!body) return keyField.focus();
  say(
    'key-note',
    `The key works for ${countText(body.data.companyCount, 'company')}. This page forgets it when you leave.`,
  );
  await showAddress();
}

// With a key, companies open in this page, because only its memory has the key. Without one, links lead to
// the pages of the open companies.
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

void showAddress();
