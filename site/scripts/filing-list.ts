import { filingsPath, rowsAtOnce, type Filters } from '../pages/parts/company-view.ts';
import { html } from '../pages/parts/html.ts';
import { plainCommas } from '../pages/parts/code-block.ts';
import { filingRow, foldAlike, type ShownFiling, type ViewedCiks } from '../pages/parts/filings-table.ts';
import { numberText } from '../pages/parts/family-words.ts';
import type { Trouble } from './ask-service.ts';
import type { Source } from './filing-pages.ts';
import { byId, fill, say } from './page.ts';

/** The filters of the address. */
export function filtersOfAddress(names: readonly string[]): Filters {
  const given = new URLSearchParams(location.search);
  return Object.fromEntries(names.map((name) => [name, given.get(name)?.trim() ?? '']));
}

/** The address of this page with other filters. */
function addressOf(filters: Filters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value !== '') query.set(name, value);
  return query.size > 0 ? `?${plainCommas(query)}` : location.pathname;
}

/** An instant as requests have it, of what a field of the reader's own time says; and back. */
const instantOf = (local: string): string => (local === '' ? '' : new Date(local).toISOString());
function localOf(instant: string): string {
  const at = new Date(instant);
  if (!Number.isFinite(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** What a list shows, and where. */
export interface ListInput {
  /** The part of the page with the form of the filters, the table and the button for more rows. */
  readonly view: HTMLElement;
  readonly source: Source;
  readonly viewed: ViewedCiks;
  /** Filters that requests have beside those of the form. */
  readonly fixed: Filters;
  /** Whether the page has the newest rows already. */
  readonly isShown: boolean;
  /** What stands in place of rows where nothing matches. */
  readonly ifNone?: () => string;
  readonly onKeyTrouble: (trouble: Trouble) => void;
  /** Called when the reader has changed the filters, in place of showing the list. */
  readonly onChange?: () => void;
  /** What a text of a field means, such as the ticker symbol of a company that the reader names; else the text. */
  readonly meant?: (name: string, text: string) => Promise<string>;
  /** Called when rows were shown: those of the filters, and how to tell whether others match. */
  readonly onShown?: (found: readonly ShownFiling[], filters: Filters) => void;
}

/** A table of filings with filters. */
export interface FilingList {
  readonly filters: () => Filters;
  /** The filings that were read so far, also those that are behind "Show more", and whether there are others. */
  readonly read: () => { readonly filings: readonly ShownFiling[]; readonly isAll: boolean };
  /** Reads the filters of the address, and shows the filings that match them. */
  reread(): Promise<void>;
  /** Puts filings on top, the newest last. One that the table has already moves there. */
  add(filings: readonly ShownFiling[]): void;
}

/** Filters that ask for what documents say. */
const documentFilters: readonly string[] = ['transactionCode', 'minValue', 'exhibit'];

/** Rows that a list keeps, however long it runs. */
const rowsMaximum = 2000;

/** Lets the reader filter the filings of a source, and see more of them. The address has the filters. */
export function listFilings({
  view,
  source,
  viewed,
  fixed,
  isShown,
  ifNone = () => 'No filing matches these filters.',
  onKeyTrouble,
  onChange,
  meant = async (_, text) => text,
  onShown,
}: ListInput): FilingList {
  const form = byId('filters') as HTMLFormElement;
  const fields = [...form.querySelectorAll<HTMLSelectElement | HTMLInputElement>('select, input')];
  const chips = [...form.querySelectorAll<HTMLButtonElement>('.chip')];
  const body = view.querySelector('.filings tbody') as HTMLElement;
  const more = byId('more') as HTMLButtonElement;
  const all = byId('shown')?.textContent ?? '';
  const names = (view.dataset['filters'] ?? '').split(' ');
  let filters = filtersOfAddress(names);
  let found: readonly ShownFiling[] = source.known;
  let next: string | null = null;
  let rows = rowsAtOnce;
  let asked = 0;
  /** Whether an answer is outdated: the filters have changed since, or the list is no longer shown. */
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
      // What the reader is typing is not replaced by what the address said before.
      if (field !== document.activeElement)
        field.value = field.type === 'datetime-local' ? localOf(value) : value;
    }
    say('request', filingsPath({ ...fixed, ...filters }));
  }

  function shownText(): string {
    const count = `${next === null ? '' : 'newest '}${numberText(found.length)}`;
    if (all !== '' && !isFiltered()) return next === null ? all : `${count} of ${all}`;
    return source.known.length > 0 ? `${count} of ${numberText(source.known.length)}` : count;
  }

  /** Whether only filings whose documents were read can match. */
  const asksDocuments = () => documentFilters.some((name) => (filters[name] ?? '') !== '');

  const insteadOf = (trouble: Trouble | undefined) =>
    trouble?.about === 'service' ? 'The filings could not be read.' : 'No filings are shown.';

  function tell(trouble: Trouble | undefined): void {
    if (trouble?.about === 'key') onKeyTrouble(trouble);
    say('trouble', trouble === undefined || trouble.about === 'key' ? '' : trouble.text);
  }

  const noRows = () =>
    next === null
      ? ifNone()
      : 'No filing matches among those looked at so far. “Show more” looks at older ones.';

  function showRows(instead = noRows()): void {
    byId('unread')?.toggleAttribute('hidden', !asksDocuments());
    if (found.length === 0) fill(body, html`<tr><td colspan="5">${instead}</td></tr>`);
    else {
      const codes = filters['transactionCode'] || undefined;
      const codesFirst = codes?.split(',').map((each) => each.trim().toUpperCase());
      fill(
        body,
        html`${foldAlike(found.slice(0, rows)).map((filing) => filingRow(filing, viewed, codesFirst))}`,
      );
    }
    say('shown', shownText());
    more.hidden = found.length <= rows && next === null;
    onShown?.(found, filters);
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
    showRows(page ? undefined : insteadOf(trouble));
    void markCorrections(found, mine);
  }

  /** Shows the next rows. If none are left, reads the next older page of the list. */
  async function showNext(): Promise<void> {
    if (found.length < rows + rowsAtOnce && next !== null) {
      const mine = ++asked;
      const { body: page, trouble } = await source.page(filters, next);
      if (isPast(mine)) return;
      tell(trouble);
      if (trouble) return;
      found = [...found, ...page.filings];
      next = page.next;
      void markCorrections(page.filings, mine);
    }
    rows += rowsAtOnce;
    showRows();
  }

  /** Asks the change feed which filings of a page were corrected, and marks their rows. */
  async function markCorrections(page: readonly ShownFiling[], mine: number): Promise<void> {
    const corrections = await source.corrections(filters, page);
    if (isPast(mine) || corrections.size === 0) return;
    found = found.map((filing) => {
      const change = corrections.get(filing.accessionNo);
      if (!change) return filing;
      const { revision, corrected = [], cause } = change;
      return { ...filing, revision, corrected, cause };
    });
    showRows();
  }

  function change(changed: Filters): void {
    filters = { ...filters, ...changed };
    history.pushState(null, '', addressOf(filters));
    if (onChange) onChange();
    else void show();
  }

  for (const chip of chips)
    chip.addEventListener('click', () => change({ eventType: chip.dataset['family'] ?? '' }));
  form.addEventListener('change', ({ target }) => {
    const field = target as HTMLInputElement;
    const { name, value, validity, type } = field;
    // While somebody types a year, the date is invalid or of another year.
    if (name === '' || !validity.valid) return;
    if (type === 'datetime-local') return change({ [name]: instantOf(value) });
    void meant(name, value.trim()).then((text) => {
      if (field.value !== value) return;
      field.value = text;
      change({ [name]: text });
    });
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  more.addEventListener('click', () => void showNext());
  more.hidden = found.length <= rows;
  if (!isShown || isFiltered()) void show();
  return {
    filters: () => filters,
    read: () => ({ filings: found, isAll: next === null }),
    reread() {
      filters = filtersOfAddress(names);
      return show();
    },
    add(filings) {
      const added = new Set(filings.map(({ accessionNo }) => accessionNo));
      const others = found.filter(({ accessionNo }) => !added.has(accessionNo));
      found = [...filings.toReversed(), ...others].slice(0, rowsMaximum);
      rows += found.length - others.length;
      showRows();
    },
  };
}
