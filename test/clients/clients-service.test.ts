import { execFile } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { createClient, FilingEventsError } from '../../clients/typescript/src/node.ts';
import type { Change, Filing } from '../../clients/typescript/src/node.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import { errorStatus, type ErrorCode } from '../../src/contract/errors.ts';
import type { Change as ContractChange, Filing as ContractFiling } from '../../src/contract/records.ts';
import { clientService, type ClientService } from '../support/clients.ts';
import { useDirectories } from '../support/directories.ts';
import { drivenLanguages } from '../support/driven-clients.ts';
import { startFaultyProxy, type Fault } from '../support/faulty-proxy.ts';
import { serviceKey } from '../support/service.ts';

const directory = useDirectories('client');
let served: ClientService;
beforeAll(async () => void (served = await clientService(450)));
afterAll(() => served.close());

describe.each(drivenLanguages)('the client for $language', ({ open }) => {
  const client = () => open({ baseUrl: served.address });
  const since = { since: '2026-01-01' };
  /** What a deed is refused with. */
  const refusalOf = async (deed: Promise<unknown>) => {
    const error = await deed.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(FilingEventsError);
    return error as FilingEventsError;
  };

  it('each operation of the contract is answered as its example is', async () => {
    const bare = endpoints.filter(({ parameters }) => parameters.every((each) => !('required' in each)));
    expect(bare.length).toBeGreaterThan(10);
    for (const { id, path } of bare) {
      if (id === 'listChanges') continue;
      const answer = await fetch(`${served.address}${path}`, {
        headers: { 'x-api-key': serviceKey, accept: '*/*' },
      });
      const called = await client().call<object>(id);
      expect(Object.keys(called), id).toEqual(Object.keys((await answer.json()) as object));
    }
    const { call } = client();
    const profile = await call<{ data: { name: string } }>('getCompanyProfile', { ticker: 'T1' });
    expect(profile.data.name).toBe('Company 1');
    const tickers = { tickers: ['T1', 'T2'], limit: 1 };
    expect((await call<{ data: [] }>('listWatchlistChanges', tickers)).data.length).toBe(2);
    const listed = await call<{ meta: object }>('listCompanies', { listed: true });
    expect(listed.meta).toMatchObject({ filters: { listed: true } });
    const [file] = (await call<{ data: { name: string; bytes: number }[] }>('listBulkFiles')).data;
    expect(await call('getBulkFile', { file: file?.name })).toBe(file?.bytes);
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect(JSON.stringify(await call('callTools', { message }))).toContain('sec_company_search');
  });

  it('an error has the code of the service, and the id of its request', async () => {
    const unknown = await refusalOf(client().call('getCompanyProfile', { ticker: 'ZZZZ' }));
    expect([unknown.code, unknown.status]).toEqual(['company_not_found', 404]);
    expect(unknown.requestId).toMatch(/^[\w-]{8,}$/);
    expect((await refusalOf(client().call('listLatestFilings', { limit: 0 }))).code).toBe(
      'invalid_parameter',
    );
    const wrong = open({ baseUrl: served.address, keys: ['a wrong key'] });
    expect((await refusalOf(wrong.call('getStats'))).code).toBe('unauthorized');
    const nobody = open({ baseUrl: 'http://127.0.0.1:1', retries: 0 });
    expect((await refusalOf(nobody.call('getStats'))).code).toBe('connection_failed');
  });

  it('a history is read page by page and row by row', async () => {
    const pages = await client().history<{ data: [] }>('pages', 'listLatestFilings', {
      form: '8-K',
      limit: 100,
    });
    expect(pages.map(({ data }) => data.length)).toEqual([100, 100, 25]);
    const rows = await client().history('rows', 'listCompanyFilings', { ticker: 'T1', limit: 200 });
    expect(new Set(rows.map(({ accessionNo }) => accessionNo)).size).toBe(450);
  });

  it('a refused request is repeated as Retry-After says, and an answer that was cut is asked again', {
    tags: ['slow'],
  }, async () => {
    const faults: (Fault | null)[] = ['limited', 'cut', 'lost', null];
    const proxy = await startFaultyProxy(
      () => served.service.port,
      () => faults.shift() ?? null,
    );
    const through = open({ baseUrl: proxy.address });
    expect(await through.call('getStats')).toMatchObject({ data: { filingCount: 450 } });
    expect(proxy.asked.map(({ fault }) => fault)).toEqual(['limited', 'cut', 'lost', null]);
    const [limited, again] = proxy.asked;
    expect((again?.atMs ?? 0) - (limited?.atMs ?? 0)).toBeGreaterThan(1_990);
    const { retries } = await through.told();
    expect(retries.slice(1)).toEqual([
      expect.stringContaining('connection_failed'),
      expect.stringContaining('connection_failed'),
    ]);
    await proxy.close();
  });

  it('the loop over changes gives each one that matches, once and in order, and ends', async () => {
    const all = await client().changes({ ...since, form: '8-K' });
    expect(all.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 225 }, (_, at) => 2 * at + 1));
    expect(
      await client().changes({ ...since, listed: false, acceptedSince: '2026-01-01T00:00:00Z' }),
    ).toEqual([]);
  });

  it('a follower goes on where its loop was cut: the change that was being handled comes again, and no other one', async () => {
    const file = join(directory(), 'state');
    const seen: number[][] = [];
    // Within the first page, at its end, and within the third one.
    for (const most of [1, 120, 81, 100, 150]) {
      const { changes } = await client().follow({ filter: since, most, file });
      seen.push(changes.map(({ sequence }) => sequence));
    }
    expect(seen.map((each) => each[0])).toEqual([1, 1, 120, 200, 299]);
    expect(seen.every((each) => each.every((sequence, at) => sequence === (each[0] ?? 0) + at))).toBe(true);
    expect(readFileSync(file, 'utf8')).toMatch(/^\S+\n$/);
  });

  it('a store that holds a plain cursor is understood, and one that holds anything else is refused', async () => {
    const { meta } = await client().call<{ meta: { nextCursor: string } }>('listChanges', {
      ...since,
      limit: 3,
    });
    const file = join(directory(), 'state');
    writeFileSync(file, meta.nextCursor);
    const { changes } = await client().follow({ most: 1, file });
    expect(changes[0]?.sequence).toBe(4);
    writeFileSync(file, 'no cursor at all');
    expect((await refusalOf(client().follow({ most: 1, file }))).code).toBe('invalid_cursor');
  });

  it('a follower without a date begins now, has what is published then, and keeps that place', {
    tags: ['slow'],
  }, async () => {
    const growing = await clientService(450);
    const file = join(directory(), 'state');
    const following = open({ baseUrl: growing.address }).follow({ filter: { form: '8-K' }, most: 2, file });
    await expect.poll(() => existsSync(file)).toBe(true);
    await growing.publish(4);
    const { changes, cursor } = await following;
    expect(changes.map(({ sequence }) => sequence)).toEqual([451, 453]);
    // The second one was cut.
    const again = await open({ baseUrl: growing.address }).follow({ filter: { form: '8-K' }, most: 1, file });
    expect([again.changes[0]?.sequence, again.cursor]).toEqual([453, cursor]);
    await growing.close();
  });
});

describe('the client for TypeScript alone', () => {
  const client = () => createClient({ baseUrl: served.address, apiKey: serviceKey });

  it('the client has a method for each operation, and its types are those of the contract', async () => {
    expect(Object.keys(client())).toEqual(
      expect.arrayContaining([...endpoints.map(({ id }) => id), 'callTools', 'recordIntent', 'postIntent']),
    );
    expectTypeOf<ContractFiling>().toExtend<Filing>();
    expectTypeOf<Change['sequence']>().toEqualTypeOf<ContractChange['sequence']>();
    expectTypeOf(errorStatus.not_found).toBeNumber();
    expectTypeOf<ErrorCode>().toExtend<FilingEventsError['code']>();
  });

  it('a request that is ended by its signal rejects with the reason of the signal', async () => {
    const over = new AbortController();
    const waiting = (async () => {
      for await (const change of client().changes({ form: '4' }).follow({ signal: over.signal }))
        throw new Error(`nobody filed ${change.filing.accessionNo}`);
    })();
    setTimeout(() => over.abort(new Error('enough')), 50);
    await expect(waiting).rejects.toThrow('enough');
  });

  it('requests and streams leave nothing at the signal of their caller, which may live for years', async () => {
    const any = vi.spyOn(AbortSignal, 'any');
    const over = new AbortController();
    const ofCaller = { signal: over.signal };
    for (let request = 0; request < 3; request++) await client().getStats({}, ofCaller);
    for await (const { filing } of client().changes({ since: '2026-01-01' }).follow(ofCaller)) {
      expect(filing.accessionNo).toMatch(/^\d{10}-\d\d-\d{6}$/);
      break;
    }
    expect([any.mock.calls, getEventListeners(over.signal, 'abort')]).toEqual([[], []]);
    any.mockRestore();
  });

  it('a program stays alive beside a request that never settles, and is told that it took too long', {
    tags: ['slow'],
  }, async () => {
    const module = JSON.stringify(new URL('../../clients/typescript/src/node.ts', import.meta.url).href);
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--import',
      'tsx',
      '--input-type=module',
      '--eval',
      `import { createClient } from ${module};
       const fetch = (url, { signal }) => new Promise((resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
       const client = createClient({ baseUrl: 'http://nowhere', fetch, retries: 0, timeoutSeconds: 0.2 });
       client.getStats().catch((error) => console.log(error.code, error.message));`,
    ]);
    expect(stdout).toBe('connection_failed no answer from http://nowhere: nothing within 0.2 seconds\n');
  });
});
