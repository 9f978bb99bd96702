import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { closing } from './closing.ts';
import type { SampleService } from './sample.ts';
import { browserPath } from './needs.ts';
import { closeAll, listen as listenAll, portOf } from './servers.ts';

/** Starts the browser. */
export async function startBrowser(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: browserPath ?? '',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  closing(() => browser.close());
  return browser;
}

/** Serves a service on a port of its own. */
export async function listen(service: SampleService): Promise<{ address: string }> {
  const server = createServer(getRequestListener(service.fetch));
  await listenAll([server]);
  closing(() => closeAll([server]));
  return { address: `http://127.0.0.1:${portOf(server)}` };
}

/** A page whose complaints, and requests to other hosts, are written down. */
export interface WatchedPage {
  readonly page: Page;
  /** What the console said, what broke, and which requests went elsewhere or failed. */
  readonly complaints: string[];
  close(): Promise<void>;
}

/** A visit to a page: how it is opened, and what is no complaint. */
export interface Visit {
  readonly options?: BrowserContextOptions;
  readonly expected?: readonly number[];
  /** Whether the page asks for more once it is there, which is waited for. */
  readonly isBusy: boolean;
}

/** Opens a path at the usual width and does something with the page. Gives its complaints. */
export async function visitPage(
  browser: Browser,
  address: string,
  path: string,
  act: (page: Page) => Promise<void>,
  { options = {}, expected = [], isBusy }: Visit,
): Promise<string[]> {
  const { page, complaints, close } = await openPage(
    browser,
    address,
    { viewport: { width: 1280, height: 900 }, ...options },
    expected,
  );
  await page.goto(path, { waitUntil: isBusy ? 'networkidle' : 'load' });
  await act(page);
  // What ends when the page is closed is no complaint.
  const said = [...complaints];
  await close();
  return said;
}

/** What the tab and the device keep of the reader's key; null where they keep none. */
export const keptKey = (page: Page): Promise<unknown> =>
  page.evaluate('[sessionStorage.getItem("api key"), localStorage.getItem("api key")]');

/** Sums what moves while a page loads, in `shifted`. */
export const watchShifts = (page: Page): Promise<unknown> =>
  page.addInitScript(
    'globalThis.shifted = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) globalThis.shifted += entry.value; }).observe({ type: "layout-shift", buffered: true });',
  );

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Where pictures of pages are left. */
const pictures = fileURLToPath(new URL('../../.screenshots/', import.meta.url));

/** A rule of axe that a page breaks. */
export interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

/** A width of the window in pixels, and a theme. */
export interface Look {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
}

/** A telephone and a wide window, of which each has one of the themes: a theme changes no width, and a width no colour. */
export const looks: readonly Look[] = [
  { width: 320, colorScheme: 'light' },
  { width: 1600, colorScheme: 'dark' },
];

/**
 * Expects that a page fits into each width, and that axe finds nothing that counts in the looks that are wanted. Leaves
 * pictures in `.screenshots` where `PICTURES` is set; their names begin with `name`.
 */
export async function expectGoodLooks(
  page: Page,
  name: string,
  wanted: readonly Look[] = looks,
  counts: (finding: Finding) => boolean = () => true,
): Promise<void> {
  for (const look of looks) {
    const { width, colorScheme } = look;
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate('document.documentElement.scrollWidth'), `${width} px`).toBeLessThanOrEqual(
      width,
    );
    if (!wanted.includes(look)) continue;
    await page.emulateMedia({ colorScheme });
    if ((process.env['PICTURES'] ?? '') !== '') {
      mkdirSync(pictures, { recursive: true });
      await page.screenshot({ path: `${pictures}${name}-${width}-${colorScheme}.png`, fullPage: true });
    }
    // Evaluated beside the page: its policy would not let a script be put into it.
    const { violations } = (await page.evaluate(
      `${axe}; axe.run(document, { resultTypes: ['violations'] })`,
    )) as { violations: Finding[] };
    expect(
      violations.filter(counts).map(({ id, nodes }) => `${colorScheme} ${width}: ${id}: ${nodes[0]?.html}`),
    ).toEqual([]);
  }
}

/** Opens a page in a context of its own. A status in `expected` is no complaint. */
export async function openPage(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
  expected: readonly number[] = [],
): Promise<WatchedPage> {
  const context = await browser.newContext({ baseURL: address, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  const isExpected = (text: string) => expected.some((status) => text.includes(`status of ${status}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !isExpected(message.text()))
      complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(address) && !request.url().startsWith('data:'))
      complaints.push(`foreign: ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400 && !expected.includes(response.status()))
      complaints.push(`${response.status()}: ${response.url()}`);
  });
  return { page, complaints, close: closing(() => context.close()) };
}
