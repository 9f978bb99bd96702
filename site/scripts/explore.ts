import { filingRow, type ShownFiling } from '../../build/site/rows.ts';
import { nearest, timeline } from '../../build/site/timeline.ts';
import { countText, dayText, easternTime, eventText, numberText } from '../../build/site/words.ts';
import { foldWords } from '../../src/contract/words.ts';
import { showBubble } from './bubble.ts';

const rowsAtOnce = 40;
const nothingFound = '<tr><td colspan="4">No filing matches both filters.</td></tr>';
/** As far as a pointer may be from a dot, in pixels. */
const reach = 9;

const byId = (id: string) => document.getElementById(id);
const search = byId('q') as HTMLInputElement | null;
const explorer = byId('explorer');
if (search) searchCompanies(search);
if (explorer) void exploreCompany(explorer);

/** Hides the companies whose words do not begin with what is typed; the address keeps it. */
function searchCompanies(input: HTMLInputElement): void {
  const cards = [...document.querySelectorAll<HTMLElement>('#companies > li')];
  const show = () => {
    const wanted = foldWords(input.value);
    let found = 0;
    for (const card of cards) {
      const words = (card.dataset['words'] ?? '').split(' ');
      card.hidden = !wanted.every((each) => words.some((word) => word.startsWith(each)));
      if (!card.hidden) found++;
    }
    (byId('found') as HTMLElement).textContent = countText(found, 'company');
    (byId('nobody') as HTMLElement).hidden = found > 0;
    const text = input.value.trim();
    (byId('request') as HTMLElement).textContent = `/v1/sec/companies/search?q=${encodeURIComponent(text.length < 2 ? 'apple' : text)}`;
    history.replaceState(null, '', text === '' ? location.pathname : `?q=${encodeURIComponent(text)}`);
  };
  input.value = new URLSearchParams(location.search).get('q') ?? '';
  if (input.value !== '') show();
  input.addEventListener('input', show);
  input.form?.addEventListener('submit', (event) => {
    event.preventDefault();
    const first = cards.find((card) => !card.hidden)?.querySelector('a');
    if (first && input.value.trim() !== '') first.click();
  });
}

interface State {
  family: string;
  form: string;
}

/** Filters and the timeline of one company. The page has its newest rows already; the others come with its data. */
async function exploreCompany(place: HTMLElement): Promise<void> {
  const symbol = place.dataset['symbol'] ?? '';
  const answer = await fetch(place.dataset['source'] ?? '');
  if (!answer.ok) return;
  const { data } = (await answer.json()) as { data: { columns: string[]; rows: Cell[][] } };
  const filings = data.rows.map((row) => toFiling(data.columns, row));
  const select = byId('form') as HTMLSelectElement;
  const chips = [...place.querySelectorAll<HTMLButtonElement>('.chip')];
  const shown = byId('shown') as HTMLElement;
  const all = shown.textContent;
  let rows = rowsAtOnce;
  let state = readState();

  function readState(): State {
    const given = new URLSearchParams(location.search);
    return { family: given.get('family') ?? '', form: given.get('form') ?? '' };
  }

  const matches = ({ eventType, form }: ShownFiling) => (state.family === '' || eventType === state.family) && (state.form === '' || form === state.form);

  function show(): void {
    const found = filings.filter(matches);
    for (const chip of chips) chip.setAttribute('aria-pressed', String(chip.dataset['family'] === state.family));
    select.value = state.form;
    const body = place.querySelector('tbody') as HTMLElement;
    body.innerHTML = found.length === 0 ? nothingFound : found.slice(0, rows).map((filing) => filingRow(filing, false).text).join('');
    const filtered = state.family !== '' || state.form !== '';
    shown.textContent = filtered ? `${numberText(found.length)} of ${numberText(filings.length)}` : all;
    (byId('more') as HTMLElement).hidden = found.length <= rows;
    (byId('stage') as HTMLElement).querySelector('svg')?.replaceWith(drawing(timeline(filings, (filing) => !matches(filing as ShownFiling)).text));
    (byId('request') as HTMLElement).textContent = filtered ? feedPath(symbol, state, found.at(-1)?.filedAt ?? null) : `/v1/sec/company/${symbol}/filings?limit=50`;
  }

  function change(next: Partial<State>): void {
    state = { ...state, ...next };
    rows = rowsAtOnce;
    const query = new URLSearchParams(Object.entries(state).filter(([, value]) => value !== ''));
    history.pushState(null, '', query.size > 0 ? `?${query}` : location.pathname);
    show();
  }

  for (const chip of chips) chip.addEventListener('click', () => change({ family: chip.dataset['family'] ?? '' }));
  select.addEventListener('change', () => change({ form: select.value }));
  byId('filters')?.addEventListener('submit', (event) => event.preventDefault());
  byId('more')?.addEventListener('click', () => { rows += rowsAtOnce; show(); });
  addEventListener('popstate', () => { state = readState(); show(); });
  (byId('more') as HTMLElement).hidden = filings.length <= rows;
  if (state.family !== '' || state.form !== '') show();
  followPointer(byId('stage') as HTMLElement, () => filings.filter(matches), filings);
}

/** A member of a filing in the data of a company; lists are texts with spaces between. */
type Cell = string | number | boolean | null;

function toFiling(columns: readonly string[], row: readonly Cell[]): ShownFiling {
  const filing = Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null]));
  return { ...filing, items: filing['items'] ? String(filing['items']).split(' ') : [] } as unknown as ShownFiling;
}

function drawing(text: string): Element {
  const holder = document.createElement('div');
  holder.innerHTML = text;
  return holder.firstElementChild as Element;
}

/** The request to the change feed that gives what the filters leave. */
function feedPath(symbol: string, { family, form }: State, oldest: string | null): string {
  const query = new URLSearchParams({ since: oldest ?? '2020-01-01', ticker: symbol });
  if (family !== '') query.set('eventType', family);
  if (form !== '') query.set('form', form);
  query.set('limit', '200');
  return `/v1/sec/changes?${query}`;
}

function textOf(found: readonly ShownFiling[]): string {
  const [first] = found;
  if (!first) return '';
  const time = first.acceptanceDateTime && found.length === 1 ? `, ${easternTime(first.acceptanceDateTime)}` : '';
  const kinds = [...new Set(found.map((filing) => `${filing.form} ${eventText(filing)}`))].slice(0, 3).join('; ');
  return `${dayText(first.filedAt ?? '')}${time}: ${kinds}${found.length > 1 ? ` (${found.length} filings)` : ''}`;
}

/** Tells what lies under the pointer, and leads to it. */
function followPointer(stage: HTMLElement, shown: () => readonly ShownFiling[], all: readonly ShownFiling[]): void {
  const bubble = byId('bubble') as HTMLElement;
  const under = (event: PointerEvent | MouseEvent) => {
    const picture = stage.querySelector('svg') as SVGElement;
    const { left, top, width } = picture.getBoundingClientRect();
    const days = (reach / width) * 366;
    const found = nearest(all, (event.clientX - left) / width, event.clientY - top, days).filter((filing) => shown().includes(filing));
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
    if (first?.detailUrl) open(first.detailUrl, '_blank', 'noopener');
  });
}
