import { fetchAhead } from './ahead.ts';
import { byId } from './page.ts';

/**
 * The index of all operations. Older links name an operation after `#`: they lead to its page. Without
 * scripts they lead to its line here.
 */
function goToNamed(): void {
  const link = byId(location.hash.slice(1))?.querySelector<HTMLAnchorElement>('.operations > li > a');
  if (link) location.replace(link.href);
}
goToNamed();
addEventListener('hashchange', goToNamed);
fetchAhead();
