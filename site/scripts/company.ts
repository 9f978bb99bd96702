import { filingsPath, rowsAtOnce, type Filters } from '../pages/parts/company-view.ts';
import { html } from '../pages/parts/html.ts';
import { plainCommas } from '../pages/parts/code-block.ts';
import { filingRow, type ShownFiling, type ViewedCiks } from '../pages/parts/filings-table.ts';
import { nearest, timeline } from '../pages/parts/timeline.ts';
import { tradesOf, tradesSection } from '../pages/parts/trades.ts';
import { countText, dayText, easternTime, eventText, numberText } from '../pages/parts/family-words.ts';
import { showBubble } from './bubble.ts';
import { byId, elementOf, fill, say } from './page.ts';
import type { Trouble } from './ask-service.ts';
import { matchesFilters, type Source, type TradePage } from './filing-pages.ts';

/** The greatest distance of a pointer from a dot, in pixels. */
const reach = 9;

/** The explorer of the company that the page shows. */
export interface Explorer {
  /** Shows the filings that match the filters of the address. */
  reread(): Promise<void>;
}

/** The filters of the address. */
function filtersOfAddress(names: readonly string[]): Filters {
  const given = new URLSearchParams(location.search);
  return Object.fromEntries(names.map((name) => [name, given.get(name)?.trim() ?? '']));
}

/** The address of this page with other filters. */
function addressOf(filters: Filters): string {
  const company = new URLSearchParams(location.search).get('company');
  const query = new URLSearchParams(company === null ? {} : { company });
  for (const [name, value] of Object.entries(filters)) if (value !== '') query.set(name, value);
  return query.size > 0 ? `?${plainCommas(query)}` : location.pathname;
}

/**
 * Lets the reader filter the filings of a company, see more of them, and point at its timeline. `isShown`:
 * the page already has the newest filings.
 */
export async function exploreCompany(
  view: HTMLElement,
  source: Source,
  isShown: boolean,
  onKeyTrouble: (trouble: Trouble) => void,
): Promise<Explorer> {
  const symbol = view.dataset['symbol'] ?? '';
  const viewed = (view.dataset['ciks'] ?? '').split(' ') as unknown as ViewedCiks;
  const form = byId('filters') as HTMLFormElement;
  const fields = [...form.querySelectorAll<HTMLSelectElement | HTMLInputElement>('select, input')];
  const chips = [...form.querySelectorAll<HTMLButtonElement>('.chip')];
  const body = view.querySelector('.filings tbody') as HTMLElement;
  const stage = byId('stage') as HTMLElement;
  const more = byId('more') as HTMLButtonElement;
  const all = byId('shown')?.textContent ?? '';
  const names = (view.dataset['filters'] ?? '').split(' ');
  let filters = filtersOfAddress(names);
  let found: readonly ShownFiling[] = source.known;
  let next: string | null = null;
  let rows = rowsAtOnce;
  let asked = 0;
  /** Whether an answer is outdated: the filters have changed since, or the company is no longer shown. */
  const isPast = (mine: number) => mine !== asked || !view.isConnected;

  const isFiltered = () => Object.values(filters).some((value) => value !== '');

  function showFilters(): void {
    for (const chip of chips)
      chip.setAttribute('aria-pressed', String(chip.dataset['family'] === filters['eventType']));
    for (const field of fields) {
      const value = filters[field.name] ?? '';
      // An address may name several forms, or forms that the filter does not offer.
      if (field instanceof HTMLSelectElement && ![...field.options].some((option) => option.value === value))
        field.add(new Option(value, value));
      field.value = value;
    }
    say('request', filingsPath(symbol, filters));
  }

  function shownText(): string {
    const count = `${next === null ? '' : 'newest '}${numberText(found.length)}`;
    if (!isFiltered()) return next === null ? all : `${count} of ${all}`;
    return source.known.length > 0 ? `${count} of ${numberText(source.known.length)}` : count;
  }

  function tell(trouble: Trouble | undefined): void {
    if (trouble?.about === 'key') onKeyTrouble(trouble);
    say('trouble', trouble === undefined || trouble.about === 'key' ? '' : trouble.text);
  }

  function showRows(ifNone: string): void {
    if (found.length === 0) fill(body, html`<tr><td colspan="4">${ifNone}</td></tr>`);
    else fill(body, html`${found.slice(0, rows).map((filing) => filingRow(filing, viewed))}`);
    showMore();
  }

  function showMore(): void {
    say('shown', shownText());
    more.hidden = found.length <= rows && next === null;
    const drawn = source.known.length > 0 ? source.known : found;
    stage
      .querySelector('svg')
      ?.replaceWith(elementOf(timeline(drawn, (filing) => !matchesFilters(filters, filing as ShownFiling))));
  }

  async function show(): Promise<void> {
    showFilters();
    const mine = ++asked;
    view.setAttribute('aria-busy', 'true');
    const { body: page, trouble } = await source.page(filters, null);
    if (isPast(mine)) return;
    view.removeAttribute('aria-busy');
    tell(trouble);
    ({ filings: found, next } = page ?? { filings: [], next: null });
    rows = rowsAtOnce;
    showRows(page ? 'No filing matches these filters.' : 'The filings could not be read.');
    void markCorrections(found, mine);
  }

  /** Shows the next rows. If none are left, reads the next older page of the list. */
  async function showNext(): Promise<void> {
    const from = rows;
    rows += rowsAtOnce;
    if (found.length < rows && next !== null) {
      const mine = ++asked;
      const { body: page, trouble } = await source.page(filters, next);
      if (isPast(mine)) return;
      tell(trouble);
      if (trouble) {
        rows = from;
        return;
      }
      found = [...found, ...page.filings];
      next = page.next;
      void markCorrections(page.filings, mine);
    }
    for (const filing of found.slice(from, rows)) body.append(rowOf(filing));
    showMore();
  }

  /** A row of a table. It is parsed inside a table, because other elements cannot contain it. */
  function rowOf(filing: ShownFiling): Element {
    return elementOf(html`<table><tbody>${filingRow(filing, viewed)}</tbody></table>`).querySelector(
      'tr',
    ) as Element;
  }

  /** Asks the change feed which filings of a page were corrected, and marks their rows. */
  async function markCorrections(page: readonly ShownFiling[], mine: number): Promise<void> {
    const corrections = await source.corrections(filters, page);
    if (isPast(mine) || corrections.size === 0) return;
    found = found.map((filing, at) => {
      const change = corrections.get(filing.accessionNo);
      if (!change) return filing;
      const marked = { ...filing, revision: change.revision, corrected: change.corrected ?? [] };
      body.children[at]?.replaceWith(rowOf(marked));
      return marked;
    });
  }

  function showTrades({ filings, isAll }: TradePage): void {
    const scope = isAll
      ? ''
      : `Read from the newest ${countText(filings.length, 'filing')} with purchases or sales.`;
    const section = byId('trades');
    if (view.isConnected && section) fill(section, tradesSection(tradesOf(filings), scope));
  }

  function change(changed: Filters): void {
    filters = { ...filters, ...changed };
    history.pushState(null, '', addressOf(filters));
    void show();
  }

  for (const chip of chips)
    chip.addEventListener('click', () => change({ eventType: chip.dataset['family'] ?? '' }));
  form.addEventListener('change', ({ target }) => {
    const { name, value, validity } = target as HTMLInputElement;
    // While somebody types a year, the date is invalid or of another year.
    if (validity.valid) change({ [name]: value });
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  more.addEventListener('click', () => void showNext());
  followPointer(
    stage,
    () => (source.known.length > 0 ? source.known : found),
    (filing) => matchesFilters(filters, filing),
  );
  more.hidden = found.length <= rows;
  if (source.trades) void source.trades().then(showTrades);
  if (!isShown || isFiltered()) await show();
  return {
    reread() {
      filters = filtersOfAddress(names);
      return show();
    },
  };
}

function textOf(found: readonly ShownFiling[]): string {
  const [first] = found;
  if (!first) return '';
  const time =
    first.acceptanceDateTime && found.length === 1 ? `, ${easternTime(first.acceptanceDateTime)}` : '';
  const kinds = [...new Set(found.map((filing) => `${filing.form} ${eventText(filing)}`))]
    .slice(0, 3)
    .join('; ');
  return `${dayText(first.filedAt ?? '')}${time}: ${kinds}${found.length > 1 ? ` (${found.length} filings)` : ''}`;
}

/** Shows the filings under the pointer, and opens the first one with a click. */
function followPointer(
  stage: HTMLElement,
  all: () => readonly ShownFiling[],
  isShown: (filing: ShownFiling) => boolean,
): void {
  const bubble = byId('bubble') as HTMLElement;
  const under = (event: PointerEvent | MouseEvent) => {
    const picture = stage.querySelector('svg') as SVGElement;
    const { left, top, width } = picture.getBoundingClientRect();
    const found = nearest(all(), (event.clientX - left) / width, event.clientY - top, reach / width).filter(
      isShown,
    );
    return { found, left: event.clientX - left, top: event.clientY - top, width };
  };
  stage.addEventListener('pointermove', (event) => {
    const { found, left, top, width } = under(event);
    stage.classList.toggle('over', found.length > 0);
    showBubble(bubble, textOf(found), left, top, width);
  });
  stage.addEventListener('pointerleave', () => showBubble(bubble, '', 0, 0, 0));
  stage.addEventListener('click', (event) => {
    const [first] = under(event).found;
    if (first?.detailUrl?.startsWith('https://')) open(first.detailUrl, '_blank', 'noopener');
  });
}
