import { mkdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserPath, listen, openPage, startBrowser } from './support/browser.ts';
import { sampleService, type SampleService } from './support/sample.ts';

const required = process.env['REQUIRE_BROWSER'] === '1';
if (browserPath === null && !required) console.log('The tests in a browser are skipped: no Chromium was found (apt-get install chromium).');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const pictures = fileURLToPath(new URL('../.screenshots/', import.meta.url));
const pages = ['/', '/explore', '/explore/AAPL', '/docs', '/docs/reference', '/docs/polling', '/docs/watchlists', '/docs/assistants', '/docs/keys', '/docs/events', '/docs/times', '/docs/verify', '/docs/records', '/docs/errors', '/docs/changelog', '/status', '/subscribe', '/404.html'];
const themes = ['light', 'dark'] as const;
const widths = [360, 1600] as const;

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

describe.skipIf(browserPath === null && !required)('the site in a browser', () => {
  let service: SampleService;
  let browser: Browser;
  let served: Awaited<ReturnType<typeof listen>>;
  beforeAll(async () => {
    service = await sampleService();
    served = await listen(service);
    browser = await startBrowser();
    mkdirSync(pictures, { recursive: true });
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
    await service?.close();
    if (service) await rm(service.directory, { recursive: true, force: true });
  });

  describe.each(pages)('%s', (path) => {
    it.each(themes.flatMap((theme) => widths.map((width) => ({ theme, width }))))('looks right: $theme, $width px', async ({ theme, width }) => {
      const { page, complaints, close } = await openPage(browser, served.address, { viewport: { width, height: 900 }, colorScheme: theme });
      await page.goto(path);
      await page.waitForLoadState('networkidle');
      await page.screenshot({ path: `${pictures}${path === '/' ? 'landing' : path.slice(1).replaceAll('/', '-')}-${width}-${theme}.png`, fullPage: true });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(complaints).toEqual([]);
      // Page scripts may not be put in by hand under the policy of the page: the tool runs beside it.
      const findings = await page.evaluate(`${axe}; axe.run(document, { resultTypes: ['violations'] })`) as { violations: Finding[] };
      const serious = findings.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      expect(serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
      await close();
    });
  });
});
