import type { PublicFile, PublicInput } from '../public/file.ts';
import { createAssets } from './assets.ts';
import { companyPages, explorePage } from './explore.ts';
import { dataFiles } from './data.ts';
import { documentationPages } from './docs/pages.ts';
import { landingPage } from './landing.ts';
import { markFile, previewFile } from './pictures.ts';
import { marketPages } from './markets.ts';
import { nothingPage } from './nothing.ts';
import { programFiles } from './programs.ts';
import { pageFile, type Page, type Site } from './shell.ts';
import { statusPage } from './status.ts';
import { subscribePage } from './subscribe.ts';

/** The pages that people read, with everything that they load. */
export function siteFiles(input: PublicInput, earlier: readonly PublicFile[]): PublicFile[] {
  const { settings, overview } = input;
  const { shownCompanies, companyCount, isSample, latestRun } = overview;
  const assets = createAssets([markFile()]);
  const preview = previewFile(overview);
  const site: Site = {
    settings,
    assets,
    previewPath: preview.path,
    hasMarkets: earlier.some(({ path }) => path === '/markets.json'),
    sampleRecordedAt: isSample ? latestRun.createdAt : null,
  };
  const pages: Page[] = [
    landingPage(input),
    explorePage(settings, shownCompanies, companyCount),
    ...companyPages(settings, shownCompanies),
    ...documentationPages(input, earlier),
    ...marketPages(input, earlier),
    statusPage(input),
    subscribePage(settings),
    nothingPage(site.hasMarkets),
  ];
  return [
    ...assets.files,
    preview,
    ...shownCompanies.flatMap(dataFiles),
    ...programFiles(),
    ...pages.map((page) => pageFile(site, page)),
  ];
}
