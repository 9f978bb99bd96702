import { anyCompanyPage, companyPages, explorePage } from './pages/explore.ts';
import { anyFilingPage } from './pages/filing.ts';
import { filingsListPage } from './pages/filings.ts';
import { documentationPages } from './pages/docs/pages.ts';
import { markdownFiles } from './pages/docs/markdown-pages.ts';
import { operationsPath } from './pages/parts/operation-paths.ts';
import { searchFile } from './pages/docs/search-guide.ts';
import { landingPage } from './pages/landing.ts';
import { markFile, previewFile } from './pages/pictures.ts';
import { marketPages } from './pages/market-pages.ts';
import { notFoundPage } from './pages/not-found.ts';
import { programFiles } from './pages/parts/programs.ts';
import { pageFile, type Page, type Site } from './pages/parts/shell.ts';
import { completenessPage } from './pages/completeness.ts';
import { statusPage } from './pages/status.ts';
import { subscribePage } from './pages/subscribe.ts';
import type { PageInput, PublicFile } from './content/public-file.ts';
import { createAssets } from './assets.ts';
import { dataFiles, newestFile } from './company-data.ts';

/** Whether a page of the documentation is a guide: what pages of operations say is in `/openapi.json`. */
const isGuide = ({ path }: Page): boolean => !path.startsWith(`${operationsPath}/`);

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
    anyCompanyPage,
    filingsListPage(settings, overview),
    anyFilingPage,
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
    newestFile(overview),
    ...programFiles(),
    searchFile(documentation),
    ...markdownFiles(documentation.filter(isGuide), settings),
    ...pages.map((page) => pageFile(site, page)),
  ];
}
