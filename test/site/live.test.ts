// @module-tag slow
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendBatch } from '../../build/ledger/batch.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { expectGoodLooks, openPage, startBrowser } from '../support/browser.ts';
import { useDirectories } from '../support/directories.ts';
import { batchAt, company, filing } from '../support/made-up.ts';
import { needs } from '../support/needs.ts';
import { listeningService, serviceKey, type ListeningService } from '../support/service.ts';
import { buildQuietly } from '../support/snapshots.ts';

const fresh = useDirectories('live');

describe('the live view', needs('browser'), () => {
  const directory = fresh();
  let batches = 0;
  let service: ListeningService;
  let browser: Browser;

  async function publish(filings: readonly LedgerFiling[]): Promise<void> {
    batches++;
    const ledger = join(directory, 'ledger');
    await appendBatch(ledger, {
      run: { target: 't', status: 'success', message: null, createdAt: batchAt(batches) },
      filings,
      companies: batches === 1 ? [company(1), company(2)] : [],
      refusals: [],
    });
    await buildQuietly(ledger, directory);
    await service?.services.served.check();
  }

  beforeAll(async () => {
    await publish(Array.from({ length: 15 }, (_, at) => filing(at + 1)));
    service = await listeningService(directory);
    browser = await startBrowser();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

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

  it('the live view shows the newest filings, and each change when it is published, once', async () => {
    await visit('/live', async (page) => {
      await expect.poll(() => state(page)).toBe('Waiting for the next filing.');
      await expect.poll(() => rows(page).count()).toBe(10);
      await expect.poll(streams).toBe(1);
      await publish([filing(101, { form: '8-K', items: ['2.02'] })]);
      await expect.poll(() => state(page)).toBe('1 change since you began.');
      await expect.poll(() => rows(page).count()).toBe(11);
      await expect.poll(() => rows(page).first().textContent()).toContain('000101');
      // A correction takes the place of its filing.
      await publish([filing(101, { form: '8-K', items: ['2.02', '9.01'] })]);
      await expect.poll(() => state(page)).toBe('2 changes since you began.');
      await expect.poll(() => rows(page).first().locator('.mark').allTextContents()).toEqual(['corrected']);
      expect(await rows(page).count()).toBe(11);
      await expect.poll(() => page.title()).toMatch(/^\(2\) Live filings/);
      await expectGoodLooks(page, 'live-rows', [360, 1600]);
    });
    // A page that is closed gives back its place.
    await expect.poll(streams).toBe(0);
  });

  it('the live view shows what its filters want, keeps them in its address, and stops and begins again', async () => {
    await visit('/live', async (page) => {
      await field(page, 'Form').fill('8-K');
      await field(page, 'Company').fill('T2');
      await field(page, 'Company').press('Enter');
      await expect.poll(() => page.url()).toMatch(/\/live\?form=8-K&ticker=T2$/);
      await expect.poll(() => state(page)).toBe('Waiting for the next filing.');
      await expect.poll(() => rows(page).count()).toBe(0);
      await expect
        .poll(() => page.locator('#request').textContent())
        .toBe('/v1/sec/changes?since=2026-08-01&form=8-K&ticker=T2');
      await publish([
        filing(201, { form: '8-K' }),
        filing(202, { form: '8-K', filerCiks: [company(2).cik] }),
      ]);
      await expect.poll(() => rows(page).count()).toBe(1);
      await expect.poll(() => rows(page).first().textContent()).toContain('000202');

      await page.getByRole('button', { name: 'Stop' }).click();
      await expect.poll(() => state(page)).toBe('Stopped.');
      await expect.poll(streams).toBe(0);
      await page.getByRole('button', { name: 'Start' }).click();
      await expect.poll(() => state(page)).toBe('Waiting for the next filing.');
      await expect.poll(streams).toBe(1);

      await field(page, 'Form').fill('8-Q');
      await field(page, 'Form').press('Enter');
      await expect.poll(() => page.locator('#trouble').textContent()).toMatch(/8-Q/);
      await expect.poll(streams).toBe(0);
    });
  });

  it('the live view goes on after a restart of the service with what was published meanwhile, and says whose key is refused', async () => {
    await visit('/live', async (page) => {
      await expect.poll(() => state(page)).toBe('Waiting for the next filing.');
      await expect.poll(streams).toBe(1);
      service.services.held.close();
      // The service ended its stream. The page begins again behind the last change, and misses none.
      await publish([filing(301)]);
      await expect.poll(() => state(page)).toBe('1 change since you began.');
    });
    await service.close();
    service = await listeningService(directory);
    await visit(
      '/live',
      async (page) => {
        await expect
          .poll(() => page.locator('#key-trouble').textContent())
          .toMatch(/does not accept this key/);
        await expect.poll(() => state(page)).toBe('Stopped.');
      },
      'a wrong key',
    );
  });
});
