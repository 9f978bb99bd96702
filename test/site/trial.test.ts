// @module-tag slow
/**
 * The first hour of five kinds of users. They have the texts, a copy of the project, and real clients: what they
 * type and paste comes out of the README and the documentation of the running service.
 */
import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { charactersPerToken } from '../../src/contract/tool-parameters.ts';
import { useDirectories } from '../support/directories.ts';
import { textOfHtml } from '../support/html.ts';
import { needs } from '../support/needs.ts';
import { copyProject, startCopy, type RunningCopy } from '../support/project-copy.ts';

const fresh = useDirectories('trial');
const run = promisify(execFile);
const project = join(fresh(), 'project');

/** What a user's shell has, with the two things that `npm start` prints. */
let environment: Record<string, string>;
let address: string;
let key: string;
/** The tokens of a value as JSON, as a rule of thumb. */
const tokensOf = (value: unknown) => JSON.stringify(value).length / charactersPerToken;

let copy: RunningCopy | undefined;
beforeAll(async () => {
  copyProject(project);
  copy = await startCopy(project);
  ({ address, key } = copy);
  environment = { ...copy.environment, KEY: key };
}, 300_000);

const readText = (name: string) => readFileSync(join(project, name), 'utf8');

const pageText = async (path: string) => (await fetch(`${address}${path}`)).text();

/** The addresses of the documentation, as the site map lists them. */
async function documentationPaths(): Promise<string[]> {
  const map = await pageText('/sitemap.xml');
  return [...map.matchAll(/<loc>https?:\/\/[^/]+(\/docs[^<]*)<\/loc>/g)].map(([, path = '']) => path);
}

/** What a page shows to be copied: its blocks of code as text. */
const codeOf = async (path: string) =>
  [...(await pageText(path)).matchAll(/<pre[^>]*>(.*?)<\/pre>/gs)].map(([, html = '']) => textOfHtml(html));

/**
 * Runs what a user pastes, with `more` in the environment. A request that is refused ends it. Gives what it
 * printed; throws what it complained of.
 */
async function paste(
  script: string,
  cwd: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const strict = 'set -euo pipefail\ncurl() { command curl --silent --show-error --fail-with-body "$@"; }\n';
  const { stdout } = await run('bash', ['-c', strict + script], {
    cwd,
    env: { ...environment, ...more },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

describe('whoever pastes what the documentation shows', () => {
  it('every request of every page is answered as it stands', {
    timeout: 120_000,
    ...needs('jq'),
  }, async () => {
    const started = await paste(
      `curl "${address}/v1/sec/changes?since=2026-08-01" -H "x-api-key: $KEY"`,
      project,
    );
    const { meta } = JSON.parse(started) as { meta: { nextCursor: string } };
    const paths = await documentationPaths();
    expect(paths.length).toBeGreaterThan(10);
    const shown = new Map<string, string>();
    // The page about webhooks starts programs that do not end: its own test runs it.
    for (const path of paths)
      for (const code of await codeOf(path))
        if (code.startsWith('curl ') && code.includes(address) && !code.includes('npm run '))
          shown.set(code, path);
    expect(shown.size).toBeGreaterThan(20);
    await Promise.all(
      [...shown].map(async ([code, path]) => {
        // A reader puts the cursor of the answer before into `$CURSOR`, does not wait a minute for news, and ends a
        // stream when it has shown something.
        const isStream = code.startsWith('curl -N ');
        const script = isStream
          ? `${code.replace('-N', '-N --max-time 3')} || test $? = 28`
          : code.replace('wait=60', 'wait=1');
        const printed = await paste(script, fresh(), { CURSOR: meta.nextCursor }).catch((error: unknown) => {
          throw new Error(`${path} shows what fails: ${code}`, { cause: error });
        });
        if (isStream) expect(printed).toMatch(/^event: change\nid: \S+\ndata: \{"sequence":/m);
      }),
    );
  });

  it('JavaScript of the pages runs in Node', async () => {
    const codes = [...(await codeOf('/docs/polling')), ...(await codeOf('/docs/filters'))].filter((code) =>
      code.startsWith('const response'),
    );
    expect(codes.length).toBeGreaterThan(2);
    await Promise.all(
      codes.map(async (code) => {
        const script = `${code.replaceAll('YOUR_KEY', key).replace('wait=60', 'wait=1')}\nconsole.log(JSON.stringify(answer))`;
        const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
        expect(JSON.parse(stdout)).toHaveProperty('data');
      }),
    );
  });
});

describe('a compliance engineer', () => {
  it('sees in the README how the feed is followed, and reads of waiting before any program that polls', async () => {
    expect(readText('README.md')).toMatch(/sees each matching change exactly\s+once/);
    const polling = await pageText('/docs/polling');
    expect(polling.indexOf('id="wait"')).toBeLessThan(polling.indexOf('poller.py'));
    expect(polling.indexOf('id="wait"')).toBeGreaterThan(0);
  });

  it('keeps a copy with the poller as the page says', needs('python'), async () => {
    const code = (await codeOf('/docs/polling')).find((each) => each.includes('curl -O')) ?? '';
    const folder = fresh();
    // Nothing is installed on this machine: the package of the project stands in.
    const install = /^pip install \S+\.whl\n/m;
    expect(code).toMatch(install);
    const commands = code.slice(0, code.indexOf('sqlite3 ')).replace(install, '');
    await paste(`export PYTHONPATH=${join(project, 'clients/python/src')}\n${commands}`, folder);
    const count = await run(
      'python3',
      [
        '-c',
        'import sqlite3; print(sqlite3.connect("filings.db").execute("SELECT count(*) FROM filings").fetchone()[0])',
      ],
      { cwd: folder },
    );
    expect(Number(count.stdout)).toBeGreaterThan(50);
  });

  it('follows more than 250 companies: the refusal says how many one list has, and a page that longer ones are divided', async () => {
    const tickers = Array.from({ length: 251 }, (_, at) => String(at + 1)).join(',');
    const response = await fetch(`${address}/v1/sec/changes?tickers=${tickers}&since=2026-08-01`, {
      headers: { 'x-api-key': key },
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/1 to 250/);
    expect(await pageText('/docs/watchlists')).toMatch(/longer lists/i);
  });

  it('answers "how do I know that nothing is missing?" with one page, to which the documentation leads', async () => {
    expect(await pageText('/docs/verify')).toContain('href="/completeness"');
    const page = await pageText('/completeness');
    expect(page).toContain('/reconciliation.json');
    expect(page).toContain('npm run verify');
  });

  it('learns with each answer and in /health when EDGAR was last read', async () => {
    const { headers } = await fetch(`${address}/v1/sec/latest?limit=1`, { headers: { 'x-api-key': key } });
    expect(headers.get('data-fetched-at')).toMatch(/^20\d\d-/);
    expect(headers.get('data-stale')).toBe('false');
    const health = (await (await fetch(`${address}/health`)).json()) as Record<string, unknown>;
    expect(health).toMatchObject({ status: 'ok', stale: false, sample: true });
    expect(health['program']).toMatchObject({ release: health['version'] });
  });
});

describe('a data scientist', () => {
  it(
    'mirrors the bulk files as the page says, and has as many filings as the service',
    needs('python'),
    async () => {
      const code = (await codeOf('/docs/bulk')).find(
        (each) => each.startsWith('curl -O') && each.includes('mirror.py'),
      );
      const folder = fresh();
      await paste(code ?? 'false', folder);
      const count = 'zcat bulk/*.gz | grep -o \'"accessionNo":"[^"]*"\' | sort -u | wc -l';
      const { filingCount } = (await (await fetch(`${address}/health`)).json()) as { filingCount: number };
      expect(Number(await paste(count, folder))).toBe(filingCount);
      // The recipes are files of the service, too.
      const page = await pageText('/docs/bulk');
      for (const recipe of ['newest.sql', 'newest.py', 'newest.sh']) {
        expect(page).toContain(`/examples/${recipe}`);
        expect((await fetch(`${address}/examples/${recipe}`)).status, recipe).toBe(200);
      }
    },
  );
});

describe('a builder of an assistant', () => {
  /** Connects with the configuration that the README shows, to the address that was printed. */
  async function connect(): Promise<Client> {
    const [shown = ''] = /^\{ "mcpServers": .*$/m.exec(readText('README.md')) ?? [];
    const { filings } = (
      JSON.parse(shown.replace('http://127.0.0.1:8787', address).replace('<API_KEY>', key)) as {
        mcpServers: { filings: { type: string; url: string; headers: Record<string, string> } };
      }
    ).mcpServers;
    expect(filings.type).toBe('http');
    const client = new Client({ name: 'trial', version: '1.0.0' });
    const transport = new StreamableHTTPClientTransport(new URL(filings.url), {
      requestInit: { headers: filings.headers },
    });
    // The package's own types do not agree with exact optional members.
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    return client;
  }

  it('connects as the README says; the tool list has fewer than 9,000 tokens, and a watchlist of 25 fits into 8,000', async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tokensOf(tools)).toBeLessThan(9000);
    const page = await fetch(`${address}/v1/sec/companies?limit=25`, { headers: { 'x-api-key': key } });
    const { data } = (await page.json()) as { data: { cik: string }[] };
    const answer = await client.callTool({
      name: 'sec_watchlist_changes',
      arguments: { tickers: data.map(({ cik }) => cik).join(','), since: '2026-06-01' },
    });
    expect(answer.isError).not.toBe(true);
    expect(tokensOf(answer)).toBeLessThan(8000);
    await client.close();
  });
});

// At once: one of them waits for a network.
describe.concurrent('an operator', () => {
  const command = (name: string, ...words: readonly string[]) =>
    paste(`npm run --silent ${name} -- ${words.join(' ')}`, project);

  it('checks what is served, lists what a rollback can serve, and makes a key', async () => {
    expect(await command('verify')).toMatch(/\S/);
    expect(await command('rollback', '--list')).toMatch(/current/);
    expect(await command('keys', 'add', '--label', 'trial')).toMatch(/\S{20,}/);
    expect(await command('keys', 'list')).toContain('trial');
  }, 300_000);

  it('a network that is down is the message', async () => {
    await expect(
      paste('npm run --silent ingest -- --universe AAPL --ledger data/trial', project, {
        EDGAR_USER_AGENT: 'Trial trial@example.com',
        EDGAR_DATA_URL: 'http://127.0.0.1:9',
        EDGAR_WWW_URL: 'http://127.0.0.1:9',
      }),
    ).rejects.toMatchObject({ stderr: expect.stringContaining('ECONNREFUSED') });
  }, 300_000);

  it('every page names the address at which the service was asked', async () => {
    for (const path of ['/llms.txt', '/.well-known/agent-card.json', '/docs', '/docs/polling'])
      expect(await pageText(path), path).toContain(address);
  });

  it('the archive of each client is served byte for byte, also at an address for which it was not made', async () => {
    const { data } = JSON.parse(await pageText('/clients/index.json')) as {
      data: { url: string; bytes: number; sha256: string }[];
    };
    expect(data.length).toBe(2);
    for (const { url, bytes, sha256 } of data) {
      expect(url).toContain(address);
      const archive = Buffer.from(await (await fetch(url)).arrayBuffer());
      expect(archive.length).toBe(bytes);
      expect(createHash('sha256').update(archive).digest('hex')).toBe(sha256);
    }
  });
});

describe('a newcomer', () => {
  it('learns how to get a key where nobody sells plans', async () => {
    const page = await pageText('/subscribe');
    expect(page).toMatch(/key/);
    expect(page).not.toMatch(/choose a plan|our plans/i);
  });
});
