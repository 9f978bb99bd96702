import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { callersMaximum } from '../../src/requests/operation-counts.ts';
import { readKeyUsage, usagePathOf } from '../../src/keys/usage-files.ts';
import { serviceFigures } from '../../src/metrics/service-figures.ts';
import { toolsPath } from '../../src/contract/tools.ts';
import { command } from '../support/command.ts';
import { useDirectories } from '../support/directories.ts';
import { startMarketplace, type Marketplace } from '../support/marketplace.ts';
import { metricsOf } from '../support/metrics.ts';
import { listeningService, serviceKey, type ListeningService } from '../support/service.ts';
import { processKey, startService } from '../support/service-process.ts';
import { makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';

const directory = useDirectories('gateway');
const secret = 'secret-of-the-proxy';
const buyers = new Map([
  ['key-of-alice', { user: 'alice', plan: 'PRO' }],
  ['key-of-bob', { user: 'bob', plan: 'BASIC' }],
]);
const sentBy = (key: string, host = 'filings.p.rapidapi.com') => ({
  'x-rapidapi-key': key,
  'x-rapidapi-host': host,
});

describe('behind a gateway with a name of its own', () => {
  let made: MadeSnapshot;
  let service: ListeningService;
  let marketplace: Marketplace;
  beforeAll(async () => {
    made = await makeSnapshot({ filings: 60, companies: 3, batches: 1 });
    service = await listeningService(
      made.directory,
      {},
      {
        name: 'rapidapi',
        host: 'filings.p.rapidapi.com',
        secrets: [secret],
        perMinute: new Map([['BASIC', 3]]),
      },
      join(made.directory, 'keys.json'),
    );
    marketplace = await startMarketplace(`http://127.0.0.1:${service.port}`, secret, buyers);
  });
  const ask = (path: string, headers: Record<string, string>, port = marketplace.port) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers });
  const list = '/v1/sec/latest?limit=3';
  const limitOf = ({ headers }: Response) => [headers.get('ratelimit-policy'), headers.get('ratelimit')];

  it('buyers get answers through the gateway, and nobody gets them beside it', async () => {
    const through = await ask(list, sentBy('key-of-alice'));
    expect([through.status, ((await through.json()) as { data: unknown[] }).data.length]).toEqual([200, 3]);
    expect(through.headers.get('vary')).toContain('x-rapidapi-key');
    expect(through.headers.get('vary')).not.toContain('marketplace');
    for (const headers of [
      sentBy('key-of-alice'),
      { ...sentBy('key-of-alice'), 'x-rapidapi-proxy-secret': 'guessed-secret' },
      { ...sentBy('key-of-alice', 'other.p.rapidapi.com'), 'x-rapidapi-proxy-secret': secret },
      {
        'x-marketplace-key': 'key-of-alice',
        'x-marketplace-host': 'filings.p.rapidapi.com',
        'x-marketplace-proxy-secret': secret,
      },
    ])
      expect((await ask(list, headers as Record<string, string>, service.port)).status).toBe(401);
    expect((await ask(list, sentBy('unknown'))).status).toBe(403);
    const preflight = await fetch(`http://127.0.0.1:${service.port}/demo`, { method: 'OPTIONS' });
    expect(preflight.headers.get('access-control-allow-headers')).toContain('x-rapidapi-key');
  });

  it('the tools take no key of a buyer', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'sec_company_search', arguments: { q: 'a' } },
    });
    const headers = { ...sentBy('key-of-alice'), 'content-type': 'application/json' };
    const answer = await fetch(`http://127.0.0.1:${marketplace.port}${toolsPath}`, {
      method: 'POST',
      body,
      headers,
    });
    expect(answer.status).toBe(401);
  });

  it('each buyer has the limit of its plan, and sees what is left of it', async () => {
    const statuses: number[] = [];
    const left: (string | null)[] = [];
    for (let time = 0; time < 4; time++) {
      const answer = await ask(list, sentBy('key-of-bob'));
      statuses.push(answer.status);
      left.push(/r=\d+/.exec(answer.headers.get('ratelimit') ?? '')?.[0] ?? null);
      expect(answer.headers.get('ratelimit-policy')).toBe('"per-minute";q=3;w=60');
    }
    expect([statuses, left]).toEqual([
      [200, 200, 200, 429],
      ['r=2', 'r=1', 'r=0', 'r=0'],
    ]);
    const alice = await ask(list, sentBy('key-of-alice'));
    expect([alice.status, limitOf(alice)]).toEqual([200, [null, null]]);
  });

  it('log, metrics and usage name the buyer', async () => {
    await ask('/v1/sec/latest?limit=0', sentBy('key-of-alice'));
    await ask(list, { 'x-api-key': serviceKey }, service.port);
    const callers = () =>
      new Set(service.logged().flatMap(({ event, caller }) => (event === 'request' ? [caller] : [])));
    await expect.poll(() => callers().has('gateway:alice') && callers().has('gateway:bob')).toBe(true);
    const metrics = await metricsOf(serviceFigures(service.measured));
    const read = await metrics.read();
    expect(read.get('fei_caller_client_errors_total{caller="gateway:bob"}')).toBe(1);
    expect(read.get('fei_caller_requests_total{caller="gateway:bob"}')).toBe(4);
    await service.services.usage.save(0, true);
    const used = await readKeyUsage(usagePathOf(join(made.directory, 'keys.json')));
    expect(used.find(({ caller }) => caller === 'gateway:bob')).toMatchObject({
      requests: 4,
      clientErrors: 1,
    });
    expect(used.map(({ caller }) => caller)).toContain('gateway:alice');
    expect(JSON.stringify(service.logged())).not.toMatch(/key-of-|secret-of/);
  });

  it('more callers than metrics can have are counted together', () => {
    const { counts } = service.services;
    for (let at = 0; at < 2 * callersMaximum; at++) counts.caller(`gateway:buyer${at}`, 200, 1, 1);
    expect(counts.callers.size).toBe(callersMaximum + 1);
    expect(counts.callers.get('other')?.requests).toBeGreaterThanOrEqual(callersMaximum);
  });
});

describe('a service that is set up for a gateway', { tags: ['slow'] }, () => {
  it('with MARKETPLACE_NAME, build and service use and show the headers of that gateway', async () => {
    const environment = {
      SNAPSHOTS_DIR: join(directory(), 'snapshots'),
      MARKETPLACE_NAME: 'RapidAPI',
    };
    expect((await command(['build'], environment)).code).toBe(0);
    const service = await startService({
      ...environment,
      MARKETPLACE_HOST: 'filings.p.rapidapi.com',
      MARKETPLACE_PROXY_SECRETS: `former-secret,${secret}`,
      MARKETPLACE_LIMITS: 'PRO=2',
    });
    const marketplace = await startMarketplace(service.address, secret, buyers);
    const ask = () =>
      fetch(`http://127.0.0.1:${marketplace.port}/v1/sec/stats`, { headers: sentBy('key-of-alice') });
    expect([(await ask()).status, (await ask()).status, (await ask()).status]).toEqual([200, 200, 429]);
    expect(await service.status('/v1/sec/stats')).toBe(200);
    for (const path of ['/openapi.json', '/docs/keys', '/subscribe', '/postman.json', '/llms.txt']) {
      const text = await (await fetch(`${service.address}${path}`)).text();
      expect([path, text.includes('x-rapidapi-key'), /x-marketplace-(host|key)/.test(text)]).toEqual([
        path,
        true,
        false,
      ]);
    }
    await service.stop();
    const usage = await command(['keys', 'usage', '--csv'], environment);
    expect(usage.stdout).toMatch(/,gateway:alice,,3,\d+,1\n/);
    expect(usage.stdout).not.toContain(processKey);
  });
});
