import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { listen, startBrowser, visitPage } from './browser.ts';
import { sampleService, type SampleService } from './sample.ts';

/** The site of the sample in a browser. */
export interface SampleSite {
  readonly service: () => SampleService;
  readonly browser: () => Browser;
  readonly address: () => string;
  /** Opens a page, does something with it, and expects that nobody complained. A status in `expected` is no complaint. */
  visit(
    path: string,
    act: (page: Page) => Promise<void>,
    options?: BrowserContextOptions,
    expected?: readonly number[],
  ): Promise<void>;
}

/**
 * Serves the sample to a browser before the tests of a group, and ends both after them. `isBusy` tells which pages
 * ask for more once they are there.
 */
export function useSampleSite(isBusy: (path: string) => boolean = () => false): SampleSite {
  let service: SampleService;
  let browser: Browser;
  let served: Awaited<ReturnType<typeof listen>>;
  beforeAll(async () => {
    service = await sampleService();
    served = await listen(service);
    browser = await startBrowser();
  });
  return {
    service: () => service,
    browser: () => browser,
    address: () => served.address,
    async visit(path, act, options = {}, expected = []) {
      expect(
        await visitPage(browser, served.address, path, act, { options, expected, isBusy: isBusy(path) }),
      ).toEqual([]);
    },
  };
}
