// @module-tag slow
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../src/contract/endpoints.ts';
import { keptKey } from '../support/browser.ts';
import { sampleKey } from '../support/sample.ts';
import { useSampleSite } from '../support/sample-site.ts';
import { needs } from '../support/needs.ts';

const pageOf = (id: string) => `/docs/reference/${id}`;

describe('the pages of operations in a browser', needs('browser'), () => {
  const { address, visit } = useSampleSite();

  const key = (page: Page) => page.getByLabel('Your key');
  const outcome = (page: Page) => page.locator('#outcome').textContent();
  const send = (page: Page) => page.getByRole('button', { name: 'Send' }).click();
  /** Goes to the page of another operation by the navigation. */
  async function goTo(page: Page, id: string): Promise<void> {
    await page.locator(`#docs-nav a[href="${pageOf(id)}"]`).click();
    await page.waitForURL(`**${pageOf(id)}`);
  }
  it('an operation is tried with a good key, a bad one and none', async () => {
    await visit(
      pageOf('listLatestFilings'),
      async (page) => {
        await send(page);
        await expect.poll(() => outcome(page)).toContain('needs a key');
        await key(page).fill('wrong');
        await send(page);
        await expect.poll(() => outcome(page)).toMatch(/^401 refused/);
        await expect.poll(() => page.locator('.answer').textContent()).toContain('"unauthorized"');
        await key(page).fill(sampleKey);
        await page.getByLabel('limit').fill('1e2');
        await send(page);
        await expect.poll(() => outcome(page)).toMatch(/^400 refused/);
        await expect.poll(() => keptKey(page)).toEqual([null, null]);
        await page.getByLabel('limit').fill('3');
        await send(page);
        await expect.poll(() => outcome(page)).toMatch(/^200 OK/);
        const answer = JSON.parse((await page.locator('.answer').textContent()) ?? '') as { data: unknown[] };
        expect(answer.data.length).toBe(3);
        await expect.poll(() => keptKey(page)).toEqual([sampleKey, null]);
        // A key that the service no longer accepts is forgotten.
        await page.getByRole('button', { name: 'Use another key' }).click();
        await key(page).fill('wrong');
        await send(page);
        await expect.poll(() => outcome(page)).toMatch(/^401 refused/);
        await expect.poll(() => keptKey(page)).toEqual([null, null]);
        await expect.poll(() => page.locator('#key-note').textContent()).toContain('your browser keeps none');
        await expect.poll(() => page.evaluate('document.cookie + location.href')).not.toContain(sampleKey);
      },
      {},
      [400, 401],
    );
  });

  it('a key that the service accepted, and the language of requests, go along to other operations, back, and into the explorer', async () => {
    await visit(pageOf('getStats'), async (page) => {
      await page.getByText('Python', { exact: true }).click();
      await goTo(page, 'listLatestFilings');
      await expect
        .poll(() => page.locator('.samples pre:visible').first().textContent())
        .toContain('requests.get(');
      await key(page).fill(sampleKey);
      await send(page);
      await expect.poll(() => outcome(page)).toMatch(/^200 OK/);
      await expect
        .poll(() => page.locator('#key-note').textContent())
        .toBe('The key works. This tab forgets it when you close it.');
      await goTo(page, 'getCompanyProfile');
      await expect.poll(() => key(page).inputValue()).toBe(sampleKey);
      await send(page);
      await expect.poll(() => outcome(page)).toMatch(/^200 OK.*GET \/v1\/sec\/company\/AAPL\/profile$/);
      // An operation without a key has no field for it.
      await goTo(page, 'getDemo');
      await expect.poll(() => key(page).count()).toBe(0);
      await send(page);
      await expect.poll(() => outcome(page)).toMatch(/^200 OK.*GET \/demo$/);
      // The last page was left before there was a key.
      for (const id of ['getCompanyProfile', 'listLatestFilings', 'getStats']) {
        await page.goBack();
        await page.waitForURL(`**${pageOf(id)}`);
        await expect.poll(() => key(page).inputValue()).toBe(sampleKey);
      }
      await send(page);
      await expect.poll(() => outcome(page)).toMatch(/^200 OK/);
      await page.goto('/explore');
      await expect
        .poll(() => page.locator('#key-note').textContent())
        .toMatch(/^The key works for \d+ companies/);
    });
  });

  it('the device keeps the key only if the reader wants that', async () => {
    await visit(
      pageOf('getStats'),
      async (page) => {
        await key(page).fill('wrong');
        await key(page).press('Enter');
        await expect
          .poll(() => page.locator('#key-trouble').textContent())
          .toContain('does not accept this key');
        await key(page).fill(sampleKey);
        await page.getByLabel('Remember it on this device').check();
        await key(page).press('Enter');
        await expect.poll(() => keptKey(page)).toEqual([sampleKey, sampleKey]);
        await expect.poll(() => page.locator('#key-trouble').textContent()).toBe('');
        // Another tab of this device has it, too.
        const other = await page.context().newPage();
        await other.goto(pageOf('listChanges'));
        await expect.poll(() => key(other).inputValue()).toBe(sampleKey);
        await expect.poll(() => other.getByLabel('Remember it on this device').isChecked()).toBe(true);
        await other.getByLabel('Remember it on this device').uncheck();
        await send(other);
        await expect.poll(() => keptKey(other)).toEqual([sampleKey, null]);
      },
      {},
      [401],
    );
  });

  it('an older link to an operation leads to its page, and the index to all of them', async () => {
    await visit('/docs/reference#getStats', async (page) => {
      await page.waitForURL(`**${pageOf('getStats')}`);
      await expect.poll(() => page.locator('h1').textContent()).toBe('Counts and freshness');
      await page.goto('/docs/reference');
      for (const { id } of endpoints)
        await expect
          .poll(() => page.locator(`.operations a[href="${pageOf(id)}"]`).count(), { message: id })
          .toBe(1);
      // A link that somebody follows while the index is open.
      await page.evaluate("location.hash = 'listChanges'");
      await page.waitForURL(`**${pageOf('listChanges')}`);
      // One step back leads to the index itself, not to the old address.
      await page.goBack();
      await expect.poll(() => page.url()).toBe(`${address()}/docs/reference`);
    });
  });

  it('an older link shows the line of its operation where there are no scripts', async () => {
    await visit(
      '/docs/reference#getStats',
      async (page) => {
        await page.locator('#getStats a').click();
        await page.waitForURL(`**${pageOf('getStats')}`);
        // Without scripts an operation without a key still can be tried.
        await page.goto(pageOf('getHealth'));
        await send(page);
        await page.waitForURL('**/health?');
        await expect.poll(() => page.locator('body').textContent()).toContain('"snapshotId"');
      },
      { javaScriptEnabled: false },
      // The browser asks for an icon of a JSON document, and there is none.
      [404],
    );
  });

  it('the page of an operation is fetched when the reader points at a link to it', async () => {
    await visit(pageOf('listLatestFilings'), async (page) => {
      const asked: string[] = [];
      page.on('request', (request) => {
        if (request.url().includes('/docs/')) asked.push(new URL(request.url()).pathname);
      });
      const link = page.locator(`#docs-nav a[href="${pageOf('getStats')}"]`);
      const fetched = page.waitForResponse(`**${pageOf('getStats')}`);
      await link.hover();
      expect((await fetched).status()).toBe(200);
      await page.mouse.move(0, 0);
      await link.hover();
      await link.focus();
      expect(asked).toEqual([pageOf('getStats')]);
      await link.click();
      await page.waitForURL(`**${pageOf('getStats')}`);
      // Nothing but the page's own copy was needed.
      await expect
        .poll(() => page.evaluate("performance.getEntriesByType('navigation')[0].transferSize"))
        .toBe(0);
    });
  });

  it('every operation has a page, which fits a phone', async () => {
    await visit(
      '/docs/reference',
      async (page) => {
        for (const { id, path } of endpoints) {
          expect((await page.goto(pageOf(id)))?.status(), id).toBe(200);
          await expect.poll(() => page.locator('.route code').textContent()).toBe(path);
          await expect
            .poll(() => page.evaluate('document.documentElement.scrollWidth'), { message: id })
            .toBeLessThanOrEqual(360);
        }
      },
      { viewport: { width: 360, height: 740 } },
    );
  });

  it('a reader with a phone gets from one operation to another', async () => {
    await visit(
      '/docs/reference',
      async (page) => {
        await page.getByRole('link', { name: 'Change feed', exact: true }).first().click();
        await key(page).fill(sampleKey);
        await send(page);
        await expect.poll(() => outcome(page)).toMatch(/^200 OK/);
        await expect
          .poll(() => page.evaluate('document.documentElement.scrollWidth'))
          .toBeLessThanOrEqual(360);
        await page.locator('.crumbs a', { hasText: 'All operations' }).click();
        await page.getByRole('link', { name: 'Find companies', exact: true }).first().click();
        await send(page);
        await expect.poll(() => outcome(page)).toMatch(/^200 OK/);
      },
      { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
    );
  });
});
