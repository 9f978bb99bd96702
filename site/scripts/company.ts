import { filingPage } from '../pages/parts/company-links.ts';
import type { Filters } from '../pages/parts/company-view.ts';
import type { ShownFiling, ViewedCiks } from '../pages/parts/filings-table.ts';
import { nearest, timeline } from '../pages/parts/timeline.ts';
import { aboutOwnShares, tradesOf, tradesSection } from '../pages/parts/trades.ts';
import { countText, dayText, easternTime, eventText } from '../pages/parts/family-words.ts';
import { showBubble } from './bubble.ts';
import { byId, elementOf, fill } from './page.ts';
import type { Trouble } from './ask-service.ts';
import { listFilings, type FilingList } from './filing-list.ts';
import { matchesFilters, type Source, type TradePage } from './filing-pages.ts';

/** The greatest distance of a pointer from a dot, in pixels. */
const reach = 9;

/**
 * Lets the reader filter the filings of a company, see more of them, and point at its timeline. `isShown`:
 * the page already has the newest filings.
 */
export function exploreCompany(
  view: HTMLElement,
  source: Source,
  isShown: boolean,
  onKeyTrouble: (trouble: Trouble) => void,
): FilingList {
  const viewed = (view.dataset['ciks'] ?? '').split(' ') as unknown as ViewedCiks;
  const stage = byId('stage') as HTMLElement;
  let drawn: readonly ShownFiling[] = source.known;
  let filters: Filters = {};

  function draw(found: readonly ShownFiling[], asked: Filters): void {
    drawn = source.known.length > 0 ? source.known : found;
    filters = asked;
    const isPale = (filing: ShownFiling) => source.known.length > 0 && !matchesFilters(filters, filing);
    stage
      .querySelector('svg')
      ?.replaceWith(elementOf(timeline(drawn, (filing) => isPale(filing as ShownFiling))));
  }

  function showTrades({ filings, newest, isAll }: TradePage): void {
    // One of the newest filings may be the only one about its own shares.
    const own = new Set(aboutOwnShares([...filings, ...newest], viewed ?? []));
    const { unread, newestOn } = tradesOf(newest.filter((filing) => own.has(filing)));
    const scope = isAll
      ? ''
      : `Read from the newest ${countText(filings.length, 'filing')} with purchases or sales.`;
    const section = byId('trades');
    if (view.isConnected && section)
      fill(
        section,
        tradesSection({ ...tradesOf(filings.filter((filing) => own.has(filing))), unread, newestOn }, scope),
      );
  }

  followPointer(
    stage,
    () => drawn,
    (filing) => source.known.length === 0 || matchesFilters(filters, filing),
  );
  if (source.trades) void source.trades().then(showTrades);
  return listFilings({
    view,
    source,
    viewed,
    fixed: { ticker: view.dataset['symbol'] ?? '' },
    isShown,
    onKeyTrouble,
    onShown: draw,
  });
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

/** Shows the filings under the pointer. A click leads to the page of the first one. */
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
    if (first) location.assign(filingPage(first.accessionNo));
  });
}
