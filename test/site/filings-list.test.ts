// @module-tag slow
import { readFileSync } from 'node:fs';
import Papa from 'papaparse';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { LedgerCompany, LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { expectGoodLooks, openPage, startBrowser } from '../support/browser.ts';
import { company, filing } from '../support/made-up.ts';
import { needs } from '../support/needs.ts';
import { listeningService, serviceKey, type ListeningService } from '../support/service.ts';
import { makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';

/** Each on a day of its own, so that none is folded. */
const filingsAtFirst = 15;

describe('the list of filings', needs('browser'), () => {
  let made: MadeSnapshot;
  let service: ListeningService;
  let browser: Browser;

  async function publish(
    filings: readonly LedgerFiling[],
    companies: readonly LedgerCompany[] = [],
  ): Promise<void> {
    await made.publish(filings, companies);
    await service?.services.served.check();
  }

  beforeAll(async () => {
    made = await makeSnapshot();
    await publish(
      Array.from({ length: filingsAtFirst }, (_, at) =>
        filing(at + 1, { filedAt: `2026-07-${String(at + 1).padStart(2, '0')}` }),
      ),
      [company(1), company(2, 'T2', { name: 'Northern Motor Works' })],
    );
    service = await listeningService(made.directory);
    browser = await startBrowser();
  }, 120_000);

  /** Opens the page, gives it a key, does something with it, and expects that nobody complained. */
  async function visit(path: string, act: (page: Page) => Promise<void>, key = serviceKey): Promise<void> {
    const { page, complaints, close } = await openPage(
      browser,
      `http://127.0.0.1:${service.port}`,
      { viewport: { width: 1280, height: 900 } },
      [400, 401],
    );
    await page.goto(path);
    await page.getByLabel('Your key').fill(key);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await act(page);
    await close();
    expect(complaints.filter((each) => !each.includes('ERR_'))).toEqual([]);
  }
  const rows = (page: Page) => page.locator('table.filings tbody tr');
  const state = (page: Page) => page.locator('#state').textContent();
  const streams = () => service.services.held.size();
  const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });

  it('the list shows the newest filings, and each change when it is published, once', async () => {
    await visit('/filings', async (page) => {
      await expect.poll(() => state(page)).toBe('Waiting for the next filing.');
      await expect.poll(() => rows(page).count()).toBe(filingsAtFirst);
      await expect.poll(streams).toBe(1);
      await publish([filing(101, { form: '8-K', items: ['2.02'] })]);
      await expect.poll(() => state(page)).toBe('1 change since you began.');
      await expect.poll(() => rows(page).count()).toBe(filingsAtFirst + 1);
      await expect.poll(() => rows(page).first().textContent()).toContain('000101');
      // A correction takes the place of its filing.
      await publish([filing(101, { form: '8-K', items: ['2.02', '9.01'] })]);
      await expect.poll(() => state(page)).toBe('2 changes since you began.');
      await expect.poll(() => rows(page).first().locator('.mark').allTextContents()).toEqual(['corrected']);
      expect(await rows(page).count()).toBe(filingsAtFirst + 1);
      await expect.poll(() => page.title()).toMatch(/^\(2\) Newest filings/);
      await expectGoodLooks(page, 'filings-live');
    });
    // A page that is closed gives back its place.
    await expect.poll(streams).toBe(0);
  });

  it('a page without rows that is not the last one is not called the end', async () => {
    await visit('/filings', async (page) => {
      await expect.poll(() => rows(page).count()).toBeGreaterThan(1);
      await page.route('**/v1/sec/latest?*', (route) =>
        route.request().url().includes('cursor=')
          ? route.fulfill({ json: { data: [], meta: { nextCursor: null } } })
          : route.fulfill({ json: { data: [], meta: { nextCursor: 'x' } } }),
      );
      await page.reload();
      await expect
        .poll(() => rows(page).allTextContents())
        .toEqual([expect.stringContaining('looked at so far')]);
      await page.getByRole('button', { name: 'Show more' }).click();
      await expect.poll(() => rows(page).allTextContents()).toEqual(['No filing matches these filters.']);
    });
  });

  it('the list shows what its filters want, keeps them in its address, and stops and begins again', async () => {
    await visit('/filings', async (page) => {
      await expect.poll(() => state(page)).toBe('Waiting for the next filing.');
      await field(page, 'Form').fill('8-K');
      await field(page, 'Company').fill('T2');
      await field(page, 'Company').press('Enter');
      await expect.poll(() => page.url()).toMatch(/\/filings\?ticker=T2&form=8-K$/);
      await expect.poll(() => state(page)).toBe('Waiting for the next filing.');
      await expect.poll(() => rows(page).allTextContents()).toEqual(['No filing matches these filters.']);
      await expect
        .poll(() => page.locator('#request').textContent())
        .toBe('/v1/sec/company/T2/filings?form=8-K&limit=200');
      await expect
        .poll(() => page.locator('#stream-request').textContent())
        .toBe('/v1/sec/changes?since=2026-08-01&ticker=T2&form=8-K');
      await publish([
        filing(201, { form: '8-K' }),
        filing(202, { form: '8-K', filerCiks: [company(2).cik] }),
      ]);
      await expect.poll(() => rows(page).first().textContent()).toContain('000202');
      expect(await rows(page).count()).toBe(1);

      await page.getByRole('button', { name: 'Stop' }).click();
      await expect.poll(() => state(page)).toBe('Stopped.');
      await expect.poll(streams).toBe(0);
      await page.getByRole('button', { name: 'Live' }).click();
      await expect.poll(() => state(page)).toBe('Waiting for the next filing.');
      await expect.poll(streams).toBe(1);

      // A list that ends on a day has nothing new, and the address alone gives the same.
      await page.getByText('More filters').click();
      await field(page, 'Filed to').fill('2020-01-01');
      await expect.poll(() => state(page)).toMatch(/^The list ends on a day/);
      await expect.poll(streams).toBe(0);
      await page.reload();
      await expect.poll(() => field(page, 'Filed to').inputValue()).toBe('2020-01-01');
      await expect.poll(() => rows(page).allTextContents()).toEqual(['No filing matches these filters.']);
      await page.goBack();
      await expect.poll(() => rows(page).first().textContent()).toContain('000202');

      // An instant is chosen in the reader's own time, and comes back from the address.
      await field(page, 'Accepted from, your time').fill('2026-01-01T00:00');
      await expect.poll(() => page.url()).toMatch(/acceptedSince=\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A00\.000Z/);
      await expect.poll(() => page.locator('#trouble').textContent()).toBe('');
      await page.reload();
      await expect.poll(() => field(page, 'Accepted from, your time').inputValue()).toBe('2026-01-01T00:00');
      await page.goBack();

      await field(page, 'Form').fill('8-Q');
      await field(page, 'Form').press('Enter');
      await expect.poll(() => page.locator('#trouble').textContent()).toMatch(/8-Q/);
      await expect.poll(streams).toBe(0);
    });
  });

  it('a company is named by its name, with a key and without one', async () => {
    const name = async (page: Page) => {
      await field(page, 'Company').pressSequentially('moto', { delay: 20 });
      await expect
        .poll(() =>
          page.locator('#companies option').evaluateAll((all) => all.map((each) => each.textContent)),
        )
        .toContain('Northern Motor Works');
      await field(page, 'Company').fill('northern motor');
      await field(page, 'Company').press('Enter');
      await expect.poll(() => page.url()).toMatch(/\/filings\?ticker=T2$/);
      await expect.poll(() => field(page, 'Company').inputValue()).toBe('T2');
    };
    await visit('/filings', async (page) => {
      await expect.poll(() => state(page)).toBe('Waiting for the next filing.');
      await name(page);
    });
    const { page, complaints, close } = await openPage(browser, `http://127.0.0.1:${service.port}`, {});
    await page.goto('/filings');
    await name(page);
    await close();
    expect(complaints).toEqual([]);
  });

  it('the list gives what it shows as CSV, folded rows included', async () => {
    const alike = Array.from({ length: 5 }, (_, at) =>
      filing(250 + at, { form: '424B2', filedAt: '2026-08-28' }),
    );
    await publish([...alike, filing(260, { form: '8-K', filedAt: '2026-08-28' })]);
    await visit('/filings?form=424B2', async (page) => {
      await expect.poll(() => rows(page).count()).toBe(1);
      await expect.poll(() => rows(page).first().textContent()).toContain('and 4 more like it on this day');
      await rows(page).first().getByText('and 4 more').click();
      expect(await rows(page).first().locator('details a').count()).toBe(4);
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save as CSV' }).click(),
      ]);
      const { data } = Papa.parse<Record<string, string>>(readFileSync(await file.path(), 'utf8'), {
        header: true,
        skipEmptyLines: true,
      });
      expect(data.map((each) => each['accessionNo']).toSorted()).toEqual(
        alike.map(({ accessionNo }) => accessionNo),
      );
      expect(data[0]?.['cik']).toBe(`="${company(1).cik}"`);
      await expect.poll(() => state(page)).toBe('5 filings saved.');
    });
  });

  it('without a key the list has the public sample, and a filing that is not in it says so', async () => {
    const { page, complaints, close } = await openPage(browser, `http://127.0.0.1:${service.port}`, {});
    await page.goto('/filings?form=8-K');
    await expect.poll(() => rows(page).first().textContent()).toContain('8-K');
    expect(await page.getByRole('button', { name: 'Live' }).isVisible()).toBe(false);
    // A filter that only the service can test is not left out in silence.
    await page.goto('/filings?form=8-K&transactionCode=P');
    await expect
      .poll(() => page.locator('#trouble').textContent())
      .toBe('Without a key these filters of the address cannot be tested: Transaction code.');
    expect(await rows(page).allTextContents()).toEqual(['No filings are shown.']);
    expect(await page.locator('#unread').isVisible()).toBe(true);
    await page.goto('/filings');
    expect(await page.locator('#unread').isVisible()).toBe(false);
    await rows(page).first().locator('.what a').first().click();
    await page.waitForURL('**/filing/*');
    await expect.poll(() => page.locator('#revisions').isVisible()).toBe(true);
    await close();
    expect(complaints).toEqual([]);
  });

  it('the page of a filing tells what its revisions changed, with and without a key', async () => {
    const accessionNo = filing(101).accessionNo;
    for (const key of [null, serviceKey]) {
      const { page, complaints, close } = await openPage(browser, `http://127.0.0.1:${service.port}`, {});
      if (key !== null) await page.addInitScript(`sessionStorage.setItem('api key', ${JSON.stringify(key)})`);
      await page.goto(`/filing/${accessionNo}`);
      await expect.poll(() => page.locator('h1').textContent()).toBe('Form 8-K of Company 1');
      await expect
        .poll(() => page.locator('.revisions > li').allTextContents())
        .toEqual([
          expect.stringContaining('seen for the first time'),
          expect.stringMatching(/Items was 2\.02, is 2\.02, 9\.01/),
        ]);
      if (key === null) await expectGoodLooks(page, 'filing-open');
      await close();
      expect(complaints).toEqual([]);
    }
  });

  it('the list goes on after a restart of the service with what was published meanwhile, and says whose key is refused', async () => {
    await visit('/filings', async (page) => {
      await expect.poll(() => state(page)).toBe('Waiting for the next filing.');
      await expect.poll(streams).toBe(1);
      service.services.held.close();
      // The service ended its stream. The page begins again behind the last change, and misses none.
      await publish([filing(301)]);
      await expect.poll(() => state(page)).toBe('1 change since you began.');
    });
    await service.close();
    service = await listeningService(made.directory);
    await visit(
      '/filings',
      async (page) => {
        await expect
          .poll(() => page.locator('#key-trouble').textContent())
          .toMatch(/does not accept this key/);
        expect(await page.getByRole('button', { name: 'Live' }).isVisible()).toBe(false);
      },
      'a wrong key',
    );
  });
});
