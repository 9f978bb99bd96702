import type { PageInput } from '../../content/public-file.ts';
import type { Page } from '../parts/shell.ts';
import { assistantsPage, keysPage } from './access.ts';
import { bulkPage } from './bulk-guide.ts';
import { changelogPage } from './changelog.ts';
import { clientsPage } from './clients.ts';
import { docsPages } from './docs-page.ts';
import { filtersPage } from './filters-guide.ts';
import { freshnessPage } from './freshness-guide.ts';
import { eventsPage, timesPage } from './meaning.ts';
import { ownershipPage } from './ownership-guide.ts';
import { pollingPage, watchlistPage } from './polling.ts';
import { errorsPage, recordsPage } from './records-guide.ts';
import { referencePage } from './reference-guide.ts';
import { securityPage } from './security-guide.ts';
import { startPage } from './start.ts';
import { verifyPage } from './trust-guide.ts';
import { versionsPage } from './versions-guide.ts';
import { warehousePage } from './warehouse.ts';
import { webhooksPage } from './webhooks.ts';

/** The pages of the documentation, in reading order. */
export function documentationPages(input: PageInput): Page[] {
  return docsPages([
    {
      name: 'Use it',
      pages: [
        startPage(input),
        filtersPage(input),
        pollingPage(input),
        watchlistPage(input),
        webhooksPage(input),
        bulkPage(input),
        warehousePage(),
        clientsPage(input),
        assistantsPage(input),
        keysPage(input),
      ],
    },
    {
      name: 'Understand the data',
      pages: [
        eventsPage(),
        ownershipPage(),
        timesPage(input),
        recordsPage(),
        freshnessPage(input),
        verifyPage(input),
      ],
    },
    {
      name: 'Reference',
      pages: [referencePage(input), errorsPage(), versionsPage(), securityPage(input), changelogPage()],
    },
  ]);
}
