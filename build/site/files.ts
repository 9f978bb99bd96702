import type { Ledger } from '../ledger/fold.ts';
import type { PublicFile, PublicInput } from '../public/file.ts';
import { createAssets } from './assets.ts';
import { companyPages, explorePage } from './explore.ts';
import { dataFiles } from './data.ts';
import { documentationPages } from './docs/pages.ts';
import { demoCompanies } from './companies.ts';
import { landingPage } from './landing.ts';
import { markFile, previewFile } from './pictures.ts';
import { marketPages } from './markets.ts';
import { nothingPage } from './nothing.ts';
import { pageFile, type Page, type Site } from './shell.ts';
import { statusPage } from './status.ts';
import { subscribePage } from './subscribe.ts';

/** The pages that people read, with everything that they load. */
export function siteFiles(input: PublicInput, earlier: readonly PublicFile[]): PublicFile[] {
  const demo = demoCompanies(input.catalogue);
  const assets = createAssets([markFile(), previewFile(input.catalogue)]);
  const site: Site = { settings: input.settings, assets, hasMarkets: earlier.some(({ path }) => path === '/markets.json'), sampleRecordedAt: sampleRecordedAt(input.catalogue.ledger) };
  const pages: Page[] = [landingPage(input, demo), explorePage(input.settings, demo, input.catalogue.companies.length), ...companyPages(input.settings, demo), ...documentationPages(input, earlier), ...marketPages(input, earlier), statusPage(input), subscribePage(input.settings), nothingPage(site.hasMarkets)];
  return [...assets.files, ...demo.flatMap(dataFiles), ...pages.map((page) => pageFile(site, page))];
}

function sampleRecordedAt({ isSample, latestRun }: Ledger): string | null {
  return isSample ? latestRun.createdAt : null;
}
