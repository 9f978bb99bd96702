import { companyView } from '../pages/parts/company-view.ts';
import { html, isolated, type Html } from '../pages/parts/html.ts';
import { newsPanel } from '../pages/parts/news-panel.ts';
import { filingsTable, foldAlike, type ViewedCiks } from '../pages/parts/filings-table.ts';
import { companyPage, filingsPage, newestDataPath } from '../pages/parts/company-links.ts';
import { familyOfForm } from '../../src/domain/form-family.ts';
import type { CompanyProfile, CountByEventType, CountByForm } from '../../src/contract/records.ts';
import { exploreCompany } from './company.ts';
import type { FilingList } from './filing-list.ts';
import { isOfCompany, liveSource, publicSource, symbolOf } from './filing-pages.ts';
import { keyField } from './key.ts';
import { showKept, tryKey } from './kept-key.ts';
import { tellNews } from './seen-news.ts';
import { byId, fill, say } from './page.ts';
import { ask } from './ask-service.ts';

/**
 * The page of a company, which the address names. With a key it is made from answers of the service. Without one the
 * page of an open company has its newest filings already; any other shows what the public sample has of it.
 */
const part = byId('company') as HTMLElement;
const symbol = decodeURIComponent(location.pathname.split('/').at(-1) ?? '');
const { title } = document;

/** The list that the page shows; null while it shows none. */
let list: FilingList | null = null;

/** Shows the company without a key. */
async function showOpen(): Promise<void> {
  const view = byId('explorer');
  if (!view) return showSample();
  const source = await publicSource(view.dataset['source'] ?? '');
  // The reader may have given a key meanwhile.
  if (source && view.isConnected) list = exploreCompany(view, source, true, () => {});
}

/** Shows the filings of the public sample that name a company, or says that a key is needed. */
async function showSample(): Promise<void> {
  const newest = await publicSource(newestDataPath);
  const open = newest && symbolOf(symbol, newest);
  if (open) return location.replace(companyPage(open));
  const filings = (newest?.known ?? []).filter((filing) => isOfCompany(symbol, filing));
  const [first] = filings;
  const isOwn = first && (first.ticker === symbol.toUpperCase() || first.cik === symbol.padStart(10, '0'));
  const name = isOwn ? first.companyName : undefined;
  const edgar = `https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK=${encodeURIComponent(symbol)}`;
  if (part.dataset['live'] !== undefined) return;
  if (name !== undefined) document.title = `${name} · ${title}`;
  fill(
    part,
    html`<div class="title"><h1>${name === undefined ? `Company ${symbol}` : isolated(name)}</h1></div>
      <p class="note gap">${first ? 'This is what the public sample has of this company.' : 'None of the newest filings, which need no key, names this company or person.'} You need a key to see all of it: put in your key, or look at the <a href="/explore">companies that need no key</a>. <a href="${edgar}" rel="noopener">The company at the SEC</a></p>
      ${first && filingsTable('Filings of the public sample that name the company', foldAlike(filings), null)}`,
  );
}

/** Shows the company from answers of the service. */
async function showLive(): Promise<void> {
  part.dataset['live'] = '';
  part.setAttribute('aria-busy', 'true');
  const { body, trouble } = await ask<{ data: CompanyProfile }>(
    `/v1/sec/company/${encodeURIComponent(symbol)}/profile`,
  );
  part.removeAttribute('aria-busy');
  if (!body) {
    if (trouble.about === 'key') return say('key-trouble', trouble.text);
    return fill(
      part,
      html`<div class="title"><h1>Company ${symbol}</h1></div><p class="note gap">${trouble.about === 'company' ? 'There is no such company.' : `The company could not be read. ${trouble.text}`} <a href="/explore">All companies</a></p>`,
    );
  }
  const { data: company } = body;
  fill(part, liveView(company));
  // The page of an open company has its name in the title already.
  if (!title.startsWith(company.name)) document.title = `${company.name} · ${title}`;
  const viewed = [company.cik, ...company.relatedCiks] as const satisfies ViewedCiks;
  const shown = exploreCompany(byId('explorer') as HTMLElement, liveSource(symbol), false, ({ text }) =>
    say('key-trouble', text),
  );
  list = shown;
  const panel = byId('news') as HTMLElement;
  let looking = Promise.resolve(false);
  const look = () => (looking = looking.then(() => tellNews(panel, viewed)));
  byId('look')?.addEventListener(
    'click',
    () =>
      void look().then(async (isNew) => {
        // New filings belong in the list below, too.
        if (isNew && panel.isConnected) await shown.reread();
      }),
  );
  void look();
}

function liveView(company: CompanyProfile): Html {
  return companyView({
    symbol,
    company,
    filings: [],
    forms: company.forms,
    eventTypes: familiesOf(company.forms),
    origin: location.origin,
    source: null,
    news: newsPanel,
    filterNames: (part.dataset['filters'] ?? '').split(' '),
    aside: html`<section aria-labelledby="like"><h2 id="like">Like it</h2><p><a href="${filingsPage({ ticker: symbol })}">Its filings with every filter</a></p>${company.sic && html`<p><a href="/explore?sic=${company.sic}">Companies of its industry</a></p>`}</section>`,
  });
}

function familiesOf(forms: readonly CountByForm[]): CountByEventType[] {
  const counts = new Map<string, number>();
  for (const { form, count } of forms)
    counts.set(familyOfForm(form), (counts.get(familyOfForm(form)) ?? 0) + count);
  return [...counts].map(([eventType, count]) => ({ eventType, count })).sort((a, b) => b.count - a.count);
}

/** Shows with the key what it opens. Returns whether the service accepts it. */
async function useKey(): Promise<boolean> {
  const { body } = await tryKey();
  if (!body) return false;
  await showLive();
  return true;
}

byId('key-form')?.addEventListener('submit', (event) => {
  event.preventDefault();
  void useKey();
});
addEventListener('popstate', () => void list?.reread());

showKept();
if (keyField.value.trim() === '') void showOpen();
else void useKey().then((isGood) => (isGood ? undefined : showOpen()));
