// @module-tag slow
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { LedgerCompany, LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { expectGoodLooks, keptKey, listen, looks, startBrowser, visitPage } from '../support/browser.ts';
import { cikOf, company, filing } from '../support/made-up.ts';
import { sampleKey, serviceOver, type SampleService } from '../support/sample.ts';
import { needs } from '../support/needs.ts';
import { makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';

const hostileName = '<img src=x onerror=alert(1)>';
const [quiet, owner, hostile, listed] = [cikOf(20), cikOf(21), cikOf(22), cikOf(1)];
const quietPage = `/explore/${quiet}`;

/** Companies without a symbol are not among the open ones where others have one. */
const companies: readonly LedgerCompany[] = [
  company(1),
  company(2),
  company(20, null, { name: 'Quiet Holdings Inc.', formerNames: ['Loud & Sons'] }),
  company(21, null, { name: 'Poe Edgar Allan' }),
  company(22, null, { name: hostileName }),
];
const quarters = Array.from(
  { length: 240 },
  (_, at) => `${2007 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}-15`,
);
const ofQuiet = (number: number, members: Partial<LedgerFiling> = {}) =>
  filing(number, { filerCiks: [quiet], ...members });
const corrected = ofQuiet(902, { form: '8-K', items: ['2.02', '9.01'], filedAt: '2026-08-02' });
const first: readonly LedgerFiling[] = [
  filing(1),
  filing(2, { filerCiks: [cikOf(2)] }),
  ...quarters.map((filedAt, at) => ofQuiet(100 + at, { filedAt })),
  ofQuiet(901, { form: '4', subjectCik: quiet, filerCiks: [owner, hostile], filedAt: '2026-08-01' }),
  corrected,
  ofQuiet(903, {
    form: 'SC 13D',
    subjectCik: quiet,
    filerCiks: [1, 2, 30, 31, 32].map(cikOf),
    filedAt: '2026-08-03',
  }),
  ofQuiet(904, { form: '8-K', items: ['5.02'], filedAt: '2026-08-04' }),
];

describe('the explorer with a key', needs('browser'), () => {
  let made: MadeSnapshot;
  let service: SampleService;
  let browser: Browser;
  let served: Awaited<ReturnType<typeof listen>>;

  /** Publishes a further batch, as an ingest and a build beside a running service do. */
  async function publish(
    filings: readonly LedgerFiling[],
    added: readonly LedgerCompany[] = [],
  ): Promise<void> {
    await made.publish(filings, added);
    await service?.look();
  }

  beforeAll(async () => {
    made = await makeSnapshot();
    await publish(first, companies);
    await publish([{ ...corrected, acceptedEastern: '20260802173000', sizeBytes: 120 }]);
    service = await serviceOver(made.directory);
    served = await listen(service);
    browser = await startBrowser();
  }, 120_000);

  /** Opens a page, does something with it, and expects that nobody complained. */
  async function visit(
    path: string,
    act: (page: Page) => Promise<void>,
    options: BrowserContextOptions = {},
    expected: readonly number[] = [],
  ): Promise<void> {
    const complaints = await visitPage(browser, served.address, path, act, {
      options,
      expected,
      isBusy: true,
    });
    expect(complaints.filter((each) => !each.includes('ERR_FAILED'))).toEqual([]);
  }

  const otherKey = (page: Page) => page.getByRole('button', { name: 'Use another key' });

  async function useKey(page: Page, key = sampleKey): Promise<void> {
    // The form of a key that works is folded, at any moment: the page may still be asking whether its key works.
    const tryOnce = async () => {
      if (await otherKey(page).isVisible()) await otherKey(page).click({ timeout: 2000 });
      await page.getByLabel('Your key').fill(key, { timeout: 2000 });
      await page.getByRole('button', { name: 'Use this key' }).click({ timeout: 2000 });
      return true;
    };
    await expect.poll(() => tryOnce().catch(() => false)).toBe(true);
  }

  const rows = (page: Page) => page.locator('#explorer table.filings tbody tr');
  const row = (page: Page, accession: string) => rows(page).filter({ hasText: accession });
  const text = async (page: Page, id: string) => (await page.locator(`#${id}`).textContent()) ?? '';

  const news = async (page: Page) => (await page.locator('#news p').textContent()) ?? '';

  it('the explorer says what a key opens, and shows the open companies without one', async () => {
    await visit('/explore', async (page) => {
      await expect
        .poll(() => page.locator('.key').textContent())
        .toMatch(/lets you search all \d+ companies.*Get a key/s);
      await expect.poll(() => page.locator('#companies > li:visible').count()).toBe(2);
      await page.getByLabel('Find a company').fill('quiet');
      await expect.poll(() => page.locator('#no-match').isVisible()).toBe(true);
      await page.goto(quietPage);
      await expect.poll(() => text(page, 'company')).toContain('You need a key');
      await page.getByRole('link', { name: 'companies that need no key' }).click();
      await page.locator('#companies > li a').first().click();
      await page.waitForURL('**/explore/T1');
      await expect.poll(() => rows(page).count()).toBe(2);
    });
  });

  it('the explorer with a key finds and shows any company like the open ones', async () => {
    await visit('/explore', async (page) => {
      await useKey(page);
      await expect.poll(() => text(page, 'key-note')).toMatch(/^The key works for \d+ companies/);
      await page.getByLabel('Find a company').pressSequentially('loud');
      await expect
        .poll(() => page.locator('#results tbody tr').allTextContents())
        .toEqual([expect.stringContaining('Quiet Holdings Inc.')]);
      await expect.poll(() => page.url()).toMatch(/\?q=loud$/);
      await page.getByLabel('Find a company').press('Enter');
      await expect.poll(() => page.locator('h1:visible').textContent()).toBe('Quiet Holdings Inc.');
      await expect.poll(() => page.url()).toBe(`${served.address}${quietPage}`);
      await expect.poll(() => page.title()).toMatch(/^Quiet Holdings Inc\. · /);
      await expect.poll(() => rows(page).count()).toBe(40);
      await expect.poll(() => text(page, 'shown')).toBe('newest 200 of 244');
      await expect.poll(() => page.locator('svg.timeline circle').count()).toBe(200);

      const insider = row(page, '000901');
      await expect
        .poll(() => insider.locator('.parties').textContent())
        .toBe(`Poe Edgar Allan reporting owner${hostileName} reporting owner`);
      const many = row(page, '000903');
      await expect.poll(() => many.locator('.parties > li').count()).toBe(3);
      await many.getByText('and 2 more').click();
      await expect
        .poll(() => many.locator('.parties li:visible').allTextContents())
        .toEqual([
          'Company 1 filed it',
          'Company 2 filed it',
          'CIK 0000000030 filed it',
          'CIK 0000000031 filed it',
          'CIK 0000000032 filed it',
        ]);
      const event = row(page, '000902');
      await expect.poll(() => event.locator('.what').textContent()).toContain('Results');
      await expect
        .poll(() => event.locator('button.item').first().getAttribute('aria-label'))
        .toBe('Item 2.02: Results of Operations and Financial Condition');
      await expect.poll(() => event.locator('.mark').allTextContents()).toEqual(['corrected']);
      await expect
        .poll(() => event.locator('.what').textContent())
        .toMatch(/revision 2: .*acceptanceDateTime.*size/);
      await expect.poll(() => page.locator('.mark').count()).toBe(1);
      await expect
        .poll(() => event.locator('.form a').getAttribute('href'))
        .toBe(`/filing/${corrected.accessionNo}`);

      const request = await text(page, 'request');
      await expect
        .poll(() => page.locator('pre', { hasText: request }).last().textContent())
        .toBe(`curl "${served.address}${request}" \\\n  -H "x-api-key: $KEY"`);
      const answer = await service.json<{ data: { accessionNo: string }[] }>(request);
      expect(answer.data.length).toBeGreaterThan(0);
      const shown = await rows(page).locator('.source').allTextContents();
      expect(answer.data.slice(0, 40).every(({ accessionNo }, at) => shown[at]?.includes(accessionNo))).toBe(
        true,
      );

      // Rows of the page that is there, then those of the next one.
      const more = page.getByRole('button', { name: 'Show more' });
      for (const count of [80, 120, 160, 200, 240, 244]) {
        await more.click();
        await expect.poll(() => rows(page).count()).toBe(count);
      }
      await expect.poll(() => more.isVisible()).toBe(false);
      await expect.poll(() => text(page, 'shown')).toBe('244');
      const names = await rows(page).locator('.source').allTextContents();
      expect(new Set(names).size).toBe(244);

      // The link of a party leads to its company, and "back" leads back.
      await insider.getByRole('link', { name: 'Poe Edgar Allan' }).click();
      await page.waitForURL(`**/explore/${owner}`);
      await expect.poll(() => page.locator('h1:visible').textContent()).toBe('Poe Edgar Allan');
      await expect.poll(() => rows(page).count()).toBe(1);
      await expect
        .poll(() => rows(page).locator('.parties').textContent())
        .toBe(`Quiet Holdings Inc. issuer${hostileName} reporting owner`);
      await page.goBack();
      await expect.poll(() => page.locator('h1:visible').textContent()).toBe('Quiet Holdings Inc.');
      await page.goBack();
      await expect.poll(() => page.locator('#results tbody tr').count()).toBe(1);
      // An open company, too, is shown as a whole, and its CIK leads to its page.
      await page.goto('/explore/T1');
      await expect.poll(() => page.locator('h1:visible').textContent()).toBe('Company 1');
      await expect.poll(() => page.locator('#news').isVisible()).toBe(true);
      await page.goto(`/explore?company=${quiet}`);
      await page.waitForURL(`**${quietPage}`);
      expect(
        await page.evaluate('JSON.stringify([localStorage, document.cookie, location.href])'),
      ).not.toContain(sampleKey);
    });
  });

  it('the explorer with a key lists all companies as a table, newest first, sorted as the reader wants', async () => {
    await publish(
      [],
      [
        ...Array.from({ length: 70 }, (_, at) => company(100 + at, null)),
        company(99, 'F', { name: 'Johnson Motor Co' }),
      ],
    );
    await visit('/explore', async (page) => {
      await expect.poll(() => text(page, 'lead')).toContain('without a key');
      await useKey(page);
      const shown = page.locator('#results tbody tr');
      await expect.poll(() => shown.count()).toBe(76);
      await expect.poll(() => text(page, 'lead')).toMatch(/^You see all 76 companies: each registrant/);
      await expect.poll(() => text(page, 'search-request')).toBe('/v1/sec/companies?limit=200');
      await expect.poll(() => text(page, 'found')).toBe('all 76 companies');
      expect(new Set(await shown.locator('a').evaluateAll((links) => links.map(String))).size).toBe(76);
      // Newest first; then by name, forwards and backwards.
      const names = () => shown.locator('td:first-child').allTextContents();
      const newest = await page
        .locator('#results time')
        .evaluateAll((all) => all.map((each) => each.getAttribute('datetime') ?? ''));
      expect(newest.length).toBeGreaterThan(2);
      expect(newest).toEqual(newest.toSorted().reverse());
      await page.getByRole('button', { name: 'Name' }).click();
      const byName = await names();
      expect(byName).toEqual(byName.toSorted((a, b) => a.localeCompare(b, 'en')));
      await page.getByRole('button', { name: 'Name' }).click();
      expect(await names()).toEqual(byName.toReversed());
      await expect.poll(() => page.locator('[aria-sort]').getAttribute('aria-sort')).toBe('descending');
      await expect.poll(() => page.evaluate('document.activeElement.dataset.sort')).toBe('name');
      await page.goto('/explore?exchange=NYSE');
      await expect.poll(() => text(page, 'search-request')).toBe('/v1/sec/companies?exchange=NYSE&limit=200');
      await expectGoodLooks(page, 'explorer-all', looks.slice(1));
    });
  });

  it('the explorer with a key finds a ticker symbol of one letter, and forgives a typo', async () => {
    await visit(
      '/explore',
      async (page) => {
        await useKey(page);
        const found = () => page.locator('#results tbody tr').allTextContents();
        await page.getByLabel('Find a company').fill('f');
        await expect.poll(found).toEqual([expect.stringContaining('Johnson Motor Co')]);
        await expect.poll(() => text(page, 'search-request')).toBe('/v1/sec/company/f/profile');
        await page.getByLabel('Find a company').fill('x');
        await expect.poll(() => text(page, 'found')).toMatch(/^No company has this name/);
        await expect.poll(() => text(page, 'search-trouble')).toBe('');
        await page.getByLabel('Find a company').fill('jonson');
        await expect.poll(found).toEqual([expect.stringContaining('Johnson Motor Co')]);
        await expect.poll(() => text(page, 'found')).toBe('No company has this name. These are near');
        // Where the service did not look everywhere, the page does not say that there is nothing.
        await page.getByLabel('Find a company').fill('zq');
        await expect
          .poll(() => text(page, 'found'))
          .toBe('No company found; three letters of a word may find others');
        await page.getByLabel('Find a company').fill('johnson unheard');
        await expect.poll(() => text(page, 'found')).toBe('1 company with a part of these words');
      },
      {},
      [404],
    );
  });

  it('the explorer looks right in both themes, narrow and wide, and can be used by keyboard', async () => {
    await visit('/explore', async (page) => {
      await page.getByLabel('Your key').focus();
      await page.keyboard.type(sampleKey);
      await page.keyboard.press('Enter');
      await expect.poll(() => text(page, 'key-note')).toMatch(/^The key works/);
      await page.getByLabel('Find a company').focus();
      await page.keyboard.type('quiet');
      await page.keyboard.press('Enter');
      await expect.poll(() => rows(page).count()).toBe(40);
      await expect.poll(() => page.locator('.mark').count()).toBe(1);
      await expectGoodLooks(page, 'explorer-live');
    });
  });

  it('the explorer gives filters an address that can be shared, and goes back and forward', async () => {
    await visit(
      '/explore',
      async (page) => {
        await page.goto(quietPage);
        await useKey(page);
        await expect.poll(() => rows(page).count()).toBe(40);
        await page.getByRole('button', { name: /^Current report 2/ }).click();
        await expect.poll(() => rows(page).count()).toBe(2);
        await page.getByRole('combobox', { name: 'Item' }).selectOption('5.02');
        await expect.poll(() => rows(page).count()).toBe(1);
        await expect
          .poll(() => page.url())
          .toBe(`${served.address}${quietPage}?eventType=current_report&items=5.02`);
        await expect
          .poll(() => text(page, 'request'))
          .toBe(`/v1/sec/company/${quiet}/filings?eventType=current_report&items=5.02&limit=200`);
        await expect.poll(() => text(page, 'shown')).toBe('1');
        await page.goBack();
        await expect.poll(() => rows(page).count()).toBe(2);
        await page.goForward();
        await expect.poll(() => rows(page).count()).toBe(1);

        // Several values, as a request may have them, and dates.
        await page.goto(`${quietPage}?form=8-K,4&since=2026-08-01&until=2026-08-02`);
        await expect.poll(() => rows(page).count()).toBe(2);
        await expect.poll(() => page.getByRole('combobox', { name: 'Form' }).inputValue()).toBe('8-K,4');
        await expect.poll(() => row(page, '000902').locator('.mark').count()).toBe(1);
        await page.reload();
        await expect.poll(() => rows(page).count()).toBe(2);
        await page.locator('input[name=until]').fill('2026-08-01');
        await expect.poll(() => rows(page).count()).toBe(1);
        await page.locator('input[name=since]').fill('2026-08-02');
        await expect.poll(() => text(page, 'trouble')).toContain('must not be before since');
        await page.locator('input[name=since]').fill('2007-01-01');
        await expect.poll(() => text(page, 'trouble')).toBe('');
        await page.goto(`${quietPage}?form=10K`);
        await expect.poll(() => text(page, 'trouble')).toContain('the nearest is 10-K');
      },
      {},
      [400],
    );
  });

  it('the explorer tells once what is new since the last visit', async () => {
    await visit(
      '/explore',
      async (page) => {
        await page.goto(quietPage);
        await useKey(page);
        await expect.poll(() => news(page)).toContain('first visit');
        await page.getByRole('button', { name: 'Look again' }).click();
        await expect.poll(() => news(page)).toMatch(/^Nothing is new since you were here on \d/);

        await publish([
          ofQuiet(910, { form: '8-K', items: ['1.01'], filedAt: '2026-08-20' }),
          { ...corrected, filerCiks: [listed] },
          filing(911),
        ]);
        await page.getByRole('button', { name: 'Look again' }).click();
        await expect
          .poll(() => news(page))
          .toMatch(/^2 changes since you were here on .*: 1 new filing, 1 correction\.$/);
        const told = page.locator('#news tbody tr');
        await expect
          .poll(() => told.locator('.mark').allTextContents())
          .toEqual(['corrected', 'no longer names this company']);
        await expectGoodLooks(page, 'explorer-news', looks.slice(0, 1));
        // The list below has them, too.
        await expect.poll(() => row(page, '000910').count()).toBe(1);
        await expect.poll(() => row(page, '000902').count()).toBe(0);

        await publish([
          ofQuiet(912, { form: '4', subjectCik: quiet, filerCiks: [hostile], filedAt: '2026-07-01' }),
        ]);
        await page.reload();
        await expect.poll(() => news(page)).toMatch(/^1 change since you were here on .*: 1 new filing\.$/);
        await expect
          .poll(() => told.locator('.parties').allTextContents())
          .toEqual([`${hostileName} reporting owner`]);
        // With the next visit it is over.
        await page.reload();
        await expect.poll(() => news(page)).toMatch(/^Nothing is new since/);

        // A cursor of another ledger leads nowhere.
        await page.evaluate(
          `localStorage.setItem('explorer ${quiet}', JSON.stringify({ cursor: 'bm9uZQ', at: '2026-01-01T00:00:00.000Z' }))`,
        );
        await page.reload();
        await expect.poll(() => news(page)).toContain('was begun anew');
      },
      {},
      [400],
    );
  });

  it('the explorer says in words why it cannot show something', async () => {
    await visit(
      '/explore',
      async (page) => {
        for (const key of ['', 'wrong', 'ключ']) {
          await useKey(page, key);
          await expect
            .poll(() => text(page, 'key-trouble'))
            .toMatch(key === '' ? /^Put your key in here/ : /does not accept this key/);
          await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('key');
        }
        // A key that was kept, and that the service no longer accepts, is forgotten.
        await page.evaluate('sessionStorage.setItem("api key", "revoked")');
        await page.reload();
        await expect.poll(() => text(page, 'key-trouble')).toMatch(/does not accept this key/);
        await expect.poll(() => keptKey(page)).toEqual([null, null]);
        await useKey(page);
        await expect.poll(() => text(page, 'key-trouble')).toBe('');
        await page.goto('/explore/NOPE');
        await expect.poll(() => text(page, 'company')).toMatch(/^Company NOPE.*There is no such company\./s);
        await expectGoodLooks(page, 'explorer-trouble', looks.slice(0, 1));
        await page.goto('/explore');
        for (const [status, code, said] of [
          [429, 'rate_limited', 'too many requests at once. Try again in 7 seconds.'],
          [503, 'snapshot_unavailable', 'no data to show at the moment. Try again in 7 seconds.'],
        ] as const) {
          await page.route('**/companies/search*', (route) =>
            route.fulfill({
              status,
              headers: { 'retry-after': '7' },
              json: { error: { code, message: '<b>no</b>' } },
            }),
          );
          await page.getByLabel('Find a company').fill(`quiet ${status}`);
          await expect.poll(() => text(page, 'search-trouble')).toContain(said);
          await page.unroute('**/companies/search*');
        }
        await page.route('**/companies/search*', (route) => route.abort());
        await page.getByLabel('Find a company').fill('quiet');
        await expect
          .poll(() => text(page, 'search-trouble'))
          .toBe('The service did not answer. Check the connection, then try again.');
        await page.unroute('**/companies/search*');
        await page.getByLabel('Find a company').fill('quiet h');
        await expect.poll(() => page.locator('#results tbody tr').count()).toBe(1);
        await expect.poll(() => text(page, 'search-trouble')).toBe('');
        await page.getByLabel('Find a company').fill('zzzyyy');
        await expect.poll(() => text(page, 'found')).toMatch(/^No company has this name/);
      },
      {},
      [401, 404, 429, 503],
    );
  });

  it('the explorer drops answers for filters that were left', async () => {
    await visit(quietPage, async (page) => {
      await useKey(page);
      await expect.poll(() => rows(page).count()).toBe(40);
      const held: (() => void)[] = [];
      const hold = (pattern: RegExp) =>
        page.route(pattern, async (route) => {
          await new Promise<void>((resolve) => held.push(resolve));
          await route.continue().catch(() => {});
        });
      await hold(/eventType=current_report/);
      await page.getByRole('button', { name: /^Current report/ }).click();
      await expect.poll(() => held.length).toBe(1);
      await page.getByRole('button', { name: /^Insider transaction/ }).click();
      await expect
        .poll(async () => [...new Set(await rows(page).locator('.form').allTextContents())])
        .toEqual(['4']);
      for (const each of held) each();
      await page.waitForTimeout(300);
      expect([...new Set(await rows(page).locator('.form').allTextContents())]).toEqual(['4']);
    });
  });

  it('the explorer shows hostile names as text', async () => {
    await visit(
      '/explore',
      async (page) => {
        const dialogs: string[] = [];
        page.on('dialog', (dialog) => {
          dialogs.push(dialog.message());
          void dialog.dismiss();
        });
        await useKey(page);
        await page.getByLabel('Find a company').fill('img src');
        await expect
          .poll(() => page.locator('#results td:first-child').allTextContents())
          .toEqual([hostileName]);
        await page.getByLabel('Find a company').press('Enter');
        await expect.poll(() => page.locator('h1:visible').textContent()).toBe(hostileName);
        await expect.poll(() => rows(page).count()).toBeGreaterThan(0);
        await page.goto(`/explore/${encodeURIComponent('<b>x')}?form=${encodeURIComponent(hostileName)}`);
        await useKey(page);
        await expect.poll(() => text(page, 'company')).not.toBe('');
        await page.goto(`${quietPage}?form=${encodeURIComponent(hostileName)}`, { waitUntil: 'networkidle' });
        await useKey(page);
        await expect.poll(() => text(page, 'trouble')).not.toBe('');
        await expect.poll(() => page.locator('img, main b').count()).toBe(0);
        expect(dialogs).toEqual([]);
      },
      {},
      [400],
    );
  });
});
