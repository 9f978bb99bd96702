import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defaultAddress } from '../../src/contract/product.ts';
import { Filing } from '../../src/contract/records.ts';
import { expectGoodLooks, looks, openPage, watchShifts, type Look } from '../support/browser.ts';
import { sampleKey } from '../support/sample.ts';
import { useSampleSite } from '../support/sample-site.ts';
import { needs } from '../support/needs.ts';

const pathsIn = (text: string) => text.trim().split(/\s+/);
/** Pages of every template. Each is looked at in one of the looks, and at night in both. */
const templates = pathsIn(`
  / /explore /explore?q=micro /explore/0000019617 /explore/AAPL /explore/GOOGL?eventType=current_report
  /filings /filings?ticker=AAPL&form=8-K /filing/0001018724-26-000020 /filing/0001104659-26-078801
  /docs /docs/reference /docs/reference/getHealth /docs/reference/listChanges /docs/polling /docs/webhooks
  /status /completeness /subscribe /404.html /markets /markets/consumer-product-safety`);
/** Further pages of the documentation, which are looked at at night. */
const texts = pathsIn(`
  /docs/reference/getBulkFile /docs/filters /docs/watchlists /docs/clients /docs/assistants /docs/keys /docs/events /docs/times
  /docs/verify /docs/records /docs/errors /docs/changelog`);

describe('the site in a browser', { ...needs('browser'), tags: ['slow'] }, () => {
  const isBusy = (path: string) => /^\/(explore|filing|status)/.test(path);
  const { service, browser, address, visit } = useSampleSite(isBusy);

  /** Loads a page at a third width, on which nothing may shift, and looks at it. */
  async function lookAt(path: string, wanted: readonly Look[]): Promise<void> {
    const { page, complaints, close } = await openPage(browser(), address(), {
      viewport: { width: 800, height: 900 },
    });
    await watchShifts(page);
    await page.goto(path, { waitUntil: isBusy(path) ? 'networkidle' : 'load' });
    await expect.poll(() => page.evaluate('globalThis.shifted')).toBeLessThan(0.02);
    await expectGoodLooks(
      page,
      path === '/' ? 'landing' : path.slice(1).replaceAll(/\W/g, '-'),
      wanted,
      ({ impact }) => impact === 'serious' || impact === 'critical',
    );
    expect(complaints).toEqual([]);
    await close();
  }

  it.each([
    ...templates.map((path, at) => [path, looks.slice(at % 2, (at % 2) + 1)] as const),
    ...texts.map((path) => [path, []] as const),
  ])('the page %s does not shift while it loads, fits narrow and wide windows, and looks right', lookAt);
  it.each([...templates, ...texts])(
    'the page %s looks right in both themes',
    { tags: ['slow', 'nightly'] },
    (path) => lookAt(path, looks),
  );

  it('the explorer finds companies as one types, and each view has an address', async () => {
    await visit('/explore', async (page) => {
      await page.getByLabel('Find a company').pressSequentially('micro');
      await expect
        .poll(() => page.locator('#companies > li:visible').allTextContents())
        .toEqual([expect.stringContaining('MICROSOFT')]);
      await expect.poll(() => page.locator('#found').textContent()).toBe('1 company');
      await expect.poll(() => page.url()).toMatch(/\/explore\?q=micro$/);
      await expect
        .poll(() => page.locator('#search-request').textContent())
        .toBe('/v1/sec/companies/search?q=micro');
      await page.getByLabel('Find a company').press('Enter');
      await page.waitForURL('**/explore/MSFT');
      await page.goBack();
      await expect.poll(() => page.locator('#companies > li:visible').count()).toBe(1);
      await page.getByLabel('Find a company').fill('zzzz');
      await expect.poll(() => page.locator('#no-match').isVisible()).toBe(true);
    });
  });

  it('each symbol of an open company leads to its page without a key', async () => {
    await visit('/explore/GOOG', async (page) => {
      await page.waitForURL('**/explore/GOOGL');
      await expect.poll(() => page.locator('h1').textContent()).toBe('Alphabet Inc.');
    });
  });

  it('the explorer filters a company, shows the request that gives the same, and goes back', async () => {
    await visit('/explore/MSFT', async (page) => {
      const rows = page.locator('table.filings tbody tr');
      const before = await rows.count();
      await page.getByRole('button', { name: /^Current report \d/ }).click();
      await expect.poll(() => page.url()).toMatch(/\?eventType=current_report$/);
      const shownForms = () => page.locator('td.form').allTextContents();
      await expect.poll(async () => (await shownForms()).every((form) => form.startsWith('8-K'))).toBe(true);
      const forms = await shownForms();
      expect(forms.length).toBeGreaterThan(3);
      const request = (await page.locator('#request').textContent()) ?? '';
      const { data } = (await (await service().get(request)).json()) as { data: { detailUrl: string }[] };
      const links = await page
        .locator('td.source a')
        .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
      expect(data.map(({ detailUrl }) => detailUrl)).toEqual(links);
      await page.reload({ waitUntil: 'networkidle' });
      await expect.poll(() => rows.count()).toBe(forms.length);
      await page.getByRole('combobox', { name: 'Form' }).selectOption('8-K');
      await expect.poll(() => page.url()).toMatch(/\?form=8-K&eventType=current_report$/);
      await page.goBack();
      await page.goBack();
      await expect.poll(() => rows.count()).toBe(before);
      await page.getByRole('button', { name: 'Show more' }).click();
      await expect.poll(() => rows.count()).toBeGreaterThan(before);
    });
  });

  it('the page of a company tells what lies under the pointer, and gives files', async () => {
    await visit('/explore/AAPL', async (page) => {
      const dot = page.locator('svg.timeline g.events circle').first();
      await dot.hover({ force: true });
      await expect.poll(() => page.locator('#bubble').textContent()).toMatch(/\d{4}.*: 8-K /);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'CSV' }).click(),
      ]);
      const text = readFileSync(await download.path(), 'utf8');
      expect(text.split('\r\n')[0]).toBe(`\ufeff${Object.keys(Filing.shape).join(',')}`);
      expect(download.suggestedFilename()).toBe('AAPL.csv');
    });
  });

  it('the landing page tells what a day brought, explains items to pointers and keyboards, copies requests that name this service, and keeps telling ages', async () => {
    await visit(
      '/',
      async (page) => {
        await page.locator('svg.daily').scrollIntoViewIfNeeded();
        const box = await page.locator('svg.daily').boundingBox();
        if (!box) throw new Error('there is no chart');
        await page.mouse.move(box.x + box.width - 1, box.y + 100);
        await expect
          .poll(() => page.locator('#bubble').textContent())
          .toMatch(/^17 Aug 2026: 4 filings\nPlanned insider sales 2\n/);
        await page.mouse.move(0, 0);
        await expect.poll(() => page.locator('#bubble').isVisible()).toBe(false);

        const item = page.locator('button.item').first();
        await expect.poll(() => item.getAttribute('aria-label')).toMatch(/^Item \d\.\d\d: \w/);
        await item.hover();
        await expect.poll(() => item.locator('.tip').isVisible()).toBe(true);
        await page.mouse.move(0, 0);
        await expect.poll(() => item.locator('.tip').isVisible()).toBe(false);
        await item.focus();
        await expect.poll(() => item.locator('.tip').isVisible()).toBe(true);

        const button = page.getByRole('button', { name: 'Copy: Request' });
        await button.click();
        await expect.poll(() => button.textContent()).toBe('Copied');
        await expect
          .poll(() => page.evaluate('navigator.clipboard.readText()'))
          .toMatch(new RegExp(`^curl "${address()}/v1/sec/changes\\?since=`));

        const ages = page.locator('[data-since]');
        await expect
          .poll(() => ages.allTextContents())
          .toEqual([expect.stringMatching(/^\d+ days ago$/), expect.stringMatching(/^\d+ days ago$/)]);
        for (const [ms, said] of [
          [89_000, '1 minute ago'],
          [2_000, '([3-9]|[1-5]\\d) seconds ago'],
        ] as const) {
          await page.evaluate(
            `document.querySelector('[data-since]').dataset.since = new Date(Date.now() - ${ms}).toISOString()`,
          );
          await page.locator(`text=/^${said}$/`).waitFor();
        }
      },
      { permissions: ['clipboard-read', 'clipboard-write'] },
    );
  });

  it('every request that a page shows names the address that the page came from', async () => {
    const configured = `https://${'a-long-name-'.repeat(4)}of-the-service.example.com`;
    const { page, complaints, close } = await openPage(browser(), address(), {
      viewport: { width: 800, height: 900 },
    });
    // The page names another address, and its script comes late.
    await page.route('**/*', async (route) => {
      if (route.request().resourceType() !== 'document') return route.continue();
      const response = await route.fetch();
      return route.fulfill({
        response,
        body: (await response.text()).replaceAll(defaultAddress, configured),
      });
    });
    await page.route('**/assets/site.*.js', async (route) => {
      await page.waitForTimeout(300);
      await route.continue();
    });
    await watchShifts(page);
    for (const path of ['/', '/docs', '/docs/reference/listChanges', '/subscribe', '/explore/AAPL']) {
      await page.goto(path, { waitUntil: isBusy(path) ? 'networkidle' : 'load' });
      const shown = await page.locator('main').evaluate((main) => main.textContent ?? '');
      expect(shown, path).toContain(address());
      expect(shown, path).not.toContain(configured);
      await expect.poll(() => page.evaluate('globalThis.shifted'), { message: path }).toBe(0);
    }
    expect(complaints).toEqual([]);
    await close();
  });

  it('a page copies what it shows', async () => {
    await visit(
      '/docs',
      async (page) => {
        await page.locator('label', { hasText: 'Python' }).first().click();
        await page.getByRole('button', { name: 'Copy: Request, Python' }).first().click();
        const shown = await page
          .locator('pre:visible')
          .first()
          .evaluate((block) => block.textContent);
        expect(shown).toContain(`"${address()}/demo"`);
        await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(shown);
      },
      { permissions: ['clipboard-read', 'clipboard-write'] },
    );
  });

  it('the documentation is searched, by words and from the keyboard', async () => {
    await visit('/docs', async (page) => {
      const field = page.getByLabel('Search the documentation');
      await field.fill('wait new filings');
      const found = page.locator('#docs-found a');
      await found.first().waitFor();
      await expect.poll(() => found.first().getAttribute('href')).toBe('/docs/polling#wait');
      await expect.poll(() => page.locator('#docs-said').textContent()).toMatch(/^\d+ sections?$/);
      await field.press('Enter');
      await page.waitForURL('**/docs/polling#wait');
      await field.fill('zzzz');
      await page.getByText('0 sections').waitFor();
      await field.press('Escape');
      await expect.poll(() => field.inputValue()).toBe('');
      await expect.poll(() => found.count()).toBe(0);
    });
  });

  it('no dot and no label of a chart lies beyond its edge', async () => {
    for (const [path, ...widths] of [
      ['/explore/AAPL', 360, 1200],
      ['/explore/KO', 700, 1200],
      ['/', 360],
    ] as const)
      await visit(path, async (page) => {
        for (const width of widths) {
          await page.setViewportSize({ width, height: 900 });
          const beyond = await page.locator('svg.timeline, svg.daily').evaluateAll((charts) =>
            charts.flatMap((chart) => {
              const edges = chart.getBoundingClientRect();
              return [...chart.querySelectorAll('circle, text')]
                .map((mark) => mark.getBoundingClientRect())
                .filter(
                  ({ left, right, width: size }) =>
                    size > 0 && (left < edges.left - 1 || right > edges.right + 1),
                );
            }),
          );
          expect([path, width, beyond.length]).toEqual([path, width, 0]);
        }
      });
  });

  it('the landing page leads to a request that works', async () => {
    await visit('/', async (page) => {
      await page.getByRole('link', { name: 'Make a request' }).click();
      await page.getByRole('link', { name: 'All operations' }).first().click();
      await page.getByRole('link', { name: 'Change feed', exact: true }).first().click();
      await page.getByLabel('Your key').fill(sampleKey);
      // A click before the script has begun shows nothing.
      const python = page.getByText('Python', { exact: true });
      await expect
        .poll(() => python.click().then(() => page.locator('pre:visible').first().textContent()))
        .toContain('requests.get(');
      await page.getByRole('button', { name: 'Send' }).click();
      await expect.poll(() => page.locator('#outcome').textContent()).toMatch(/^200 OK/);
    });
  });

  it('the status page says which snapshot is served, and that none is', async () => {
    await visit(
      '/status',
      async (page) => {
        await expect.poll(() => page.locator('#snapshot').textContent()).toMatch(/^\d{8}-[0-9a-f]{16}$/);
        await expect.poll(() => page.locator('#service').textContent()).toMatch(/^works.*serves a sample/);
        await page.route('**/health', (route) =>
          route.fulfill({ status: 503, json: { error: { code: 'snapshot_unavailable', message: 'none' } } }),
        );
        await page.reload();
        await expect.poll(() => page.locator('#service').textContent()).toBe('answers with status 503');
        expect(await page.locator('#snapshot').textContent()).not.toBe('undefined');
      },
      {},
      [503],
    );
  });

  it('a market page previews a sample, sorts it, gives it as a file, and counts intents', async () => {
    await visit('/markets', async (page) => {
      await page.getByRole('link', { name: /^Consumer product safety/ }).click();
      await expect.poll(() => page.locator('h1').textContent()).toContain('Not built yet');
      const units = page.locator('table.sortable').first().locator('td.number');
      await page.getByRole('button', { name: 'units' }).click();
      const sorted = await units.evaluateAll((all) =>
        all.map((cell) => Number(cell.getAttribute('data-value'))),
      );
      expect(sorted).toEqual(sorted.toSorted((a, b) => a - b));
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page
          .getByRole('link', { name: /^Download CSV/ })
          .first()
          .click(),
      ]);
      expect(readFileSync(await download.path(), 'utf8').split('\n')[0]).toContain('recallId');
      await page.getByRole('link', { name: /^I would use this ?: Consumer product safety$/ }).click();
      await page.waitForURL(/\/markets\/consumer-product-safety#requested$/);
      await expect.poll(() => page.locator('#requested').isVisible()).toBe(true);
    });
  });

  it('the site can be read without scripts', async () => {
    await visit(
      '/',
      async (page) => {
        await expect.poll(() => page.locator('table.filings tbody tr').count()).toBeGreaterThan(10);
        await page.goto('/docs');
        await page.locator('label', { hasText: 'Python' }).first().click();
        await expect
          .poll(() => page.locator('pre:visible').first().textContent())
          .toContain(`import os, requests\n\nresponse = requests.get(\n    "${defaultAddress}/demo"`);
        await page.goto('/explore/AAPL');
        await expect.poll(() => page.locator('svg.timeline circle').count()).toBeGreaterThan(50);
      },
      { javaScriptEnabled: false },
    );
  });

  it('the site can be used by keyboard, and printed', async () => {
    await visit('/docs/polling', async (page) => {
      await page.keyboard.press('Tab');
      await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
      await page.keyboard.press('Enter');
      await expect.poll(() => page.url()).toMatch(/#main$/);
      await page.emulateMedia({ media: 'print' });
      await expect.poll(() => page.locator('.banner nav').isVisible()).toBe(false);
      // The request in three languages and the poller in two.
      await expect.poll(() => page.locator('.tabs .panel:visible').count()).toBe(3 + 2);
    });
  });
});
