import { exploreCompany } from './company.ts';
import { byId } from './page.ts';
import { publicSource } from './filing-pages.ts';

/** The page of an open company already has the newest rows. The others come with its public data. */
const view = byId('explorer');
if (view) void begin(view);

async function begin(page: HTMLElement): Promise<void> {
  const source = await publicSource(page.dataset['source'] ?? '');
  if (!source) return;
  const explorer = await exploreCompany(page, source, true, () => {});
  addEventListener('popstate', () => void explorer.reread());
}
