import { companyPages, explorePage } from '../../site/pages/explore.ts';
import { documentationPages } from '../../site/pages/docs/pages.ts';
import { searchFile } from '../../site/pages/docs/search.ts';
import { landingPage } from '../../site/pages/landing.ts';
import { livePage } from '../../site/pages/live.ts';
import { markFile, previewFile } from '../../site/pages/pictures.ts';
import { marketPages } from '../../site/pages/markets.ts';
import { notFoundPage } from '../../site/pages/not-found.ts';
import { programFiles } from '../../site/pages/parts/programs.ts';
import { pageFile, type Page, type Site } from '../../site/pages/parts/shell.ts';
import { completenessPage } from '../../site/pages/completeness.ts';
import { statusPage } from '../../site/pages/status.ts';
import { subscribePage } from '../../site/pages/subscribe.ts';
import type { PageInput, PublicFile } from '../content/public-file.ts';
import { createAssets } from './assets.ts';
import { dataFiles } from './company-data.ts';

/** Returns the pages that people read, with everything that they load. */
export function siteFiles(input: PageInput): PublicFile[] {
  const { settings, overview, markets } = input;
  const { shownCompanies, companyCount, isSample, latestRun } = overview;
  const assets = createAssets([markFile()]);
  const preview = previewFile(overview);
  const site: Site = {
    settings,
    assets,
    previewPath: preview.path,
    hasMarkets: markets.length > 0,
    sampleRecordedAt: isSample ? latestRun.createdAt : null,
  };
  const documentation = documentationPages(input);
  const pages: Page[] = [
    landingPage(input),
    explorePage(settings, shownCompanies, companyCount),
    ...companyPages(settings, shownCompanies),
    livePage(settings),
    ...documentation,
    ...marketPages(input),
    statusPage(input),
    completenessPage(input),
    subscribePage(settings),
    notFoundPage(site.hasMarkets),
  ];
  return [
    ...assets.files,
    preview,
    ...shownCompanies.flatMap(dataFiles),
    ...programFiles(),
    searchFile(documentation),
    ...pages.map((page) => pageFile(site, page)),
  ];
}
