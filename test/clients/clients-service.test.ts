import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { parsePosition } from '../../clients/typescript/src/cursor.ts';
import { fileCursor } from '../../clients/typescript/src/file-cursor.ts';
import { createClient, FilingEventsError, memoryCursor } from '../../clients/typescript/src/node.ts';
import type { Change, Filing } from '../../clients/typescript/src/node.ts';
import { endpoints, type Endpoint } from '../../src/contract/endpoints.ts';
import { errorStatus, type ErrorCode } from '../../src/contract/errors.ts';
import type { Change as ContractChange, Filing as ContractFiling } from '../../src/contract/records.ts';
import { clientService, type ClientService } from '../support/clients.ts';
import { useDirectories } from '../support/directories.ts';
import { startFaultyProxy, type Fault } from '../support/faulty-proxy.ts';
import { serviceKey, type ListeningService } from '../support/service.ts';

const directory = useDirectories('client');
let served: ClientService;
let service: ListeningService;

const clientOf = (baseUrl = `http://127.0.0.1:${service.port}`, apiKey = serviceKey) =>
  createClient({ baseUrl, apiKey });

/** What a promise rejects with. */
async function errorOf(promise: Promise<unknown>): Promise<FilingEventsError> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(FilingEventsError);
  return error as FilingEventsError;
}

async function take<Row>(rows: AsyncIterable<Row>, count = Infinity): Promise<Row[]> {
  const taken: Row[] = [];
  for await (const row of rows) if (taken.push(row) >= count) break;
  return taken;
}

beforeAll(async () => {
  served = await clientService(450);
  ({ service } = served);
});
afterAll(() => served.close());

describe('the TypeScript client', () => {
  it('the client has a method for each operation, and its types are those of the contract', async () => {
    const client = clientOf();
    expect(Object.keys(client)).toEqual(
      expect.arrayContaining([...endpoints.map(({ id }) => id), 'callTools', 'recordIntent', 'postIntent']),
    );
    expectTypeOf<ContractFiling>().toExtend<Filing>();
    expectTypeOf<Change['sequence']>().toEqualTypeOf<ContractChange['sequence']>();
  });

  it('each operation of the contract is answered as its example is', async () => {
    const client = clientOf();
    const bare = endpoints.filter(({ parameters }) => parameters.every((each) => !('required' in each)));
    expect(bare.length).toBeGreaterThan(10);
    for (const { id, path } of bare as readonly Endpoint[]) {
      if (id === 'listChanges') continue;
      const method = client[id as 'getStats'];
      const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, {
        headers: { 'x-api-key': serviceKey, accept: '*/*' },
      });
      expect(Object.keys(await method()), id).toEqual(Object.keys((await answer.json()) as object));
    }
    expect((await client.getCompanyProfile({ ticker: 'T1' })).data.name).toBe('Company 1');
    expect((await client.listWatchlistChanges({ tickers: ['T1', 'T2'], limit: 1 })).data.length).toBe(2);
    const file = (await client.listBulkFiles()).data[0];
    expect((await client.getBulkFile({ file: file?.name ?? '' })).length).toBe(file?.bytes);
    const listed = await client.callTools({ message: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
    expect(JSON.stringify(listed)).toContain('sec_company_search');
  });

  it('an error has the code of the service, and the id of its request', async () => {
    const client = clientOf();
    const unknown = await errorOf(client.getCompanyProfile({ ticker: 'ZZZZ' }));
    expect([unknown.code, unknown.status]).toEqual(['company_not_found', 404]);
    expect(unknown.requestId).toMatch(/^[\w-]{8,}$/);
    expect((await errorOf(client.listLatestFilings({ limit: 0 }))).code).toBe('invalid_parameter');
    expect((await errorOf(clientOf(undefined, 'a wrong key').getStats())).code).toBe('unauthorized');
    const nobody = createClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 });
    expect((await errorOf(nobody.getStats())).code).toBe('connection_failed');
    expectTypeOf(errorStatus.not_found).toBeNumber();
    expectTypeOf<ErrorCode>().toExtend<FilingEventsError['code']>();
  });

  it('a history is read page by page and row by row', async () => {
    const client = clientOf();
    const pages = await take(client.pages('listLatestFilings', { form: '8-K', limit: 100 }));
    expect(pages.map(({ data }) => data.length)).toEqual([100, 100, 25]);
    const rows = await take(client.rows('listCompanyFilings', { ticker: 'T1', limit: 200 }));
    expect(new Set(rows.map(({ accessionNo }) => accessionNo)).size).toBe(450);
  });

  it('a refused request is repeated as Retry-After says, and an answer that was cut is asked again', {
    tags: ['slow'],
  }, async () => {
    const faults: (Fault | null)[] = ['limited', 'cut', 'lost', null];
    const proxy = await startFaultyProxy(
      () => service.port,
      () => faults.shift() ?? null,
    );
    const { data } = await clientOf(proxy.address).getStats();
    expect(data.filingCount).toBe(450);
    expect(proxy.asked.map(({ fault }) => fault)).toEqual(['limited', 'cut', 'lost', null]);
    const [limited, again] = proxy.asked;
    expect((again?.atMs ?? 0) - (limited?.atMs ?? 0)).toBeGreaterThan(1_990);
    await proxy.close();
  });

  it('a request that is ended by its signal rejects with the reason of the signal', async () => {
    const over = new AbortController();
    const waiting = take(clientOf().changes({ form: '4' }).follow({ signal: over.signal }));
    setTimeout(() => over.abort(new Error('enough')), 50);
    await expect(waiting).rejects.toThrow('enough');
  });

  it('a program stays alive beside a request that never settles, and is told that it took too long', {
    tags: ['slow'],
  }, async () => {
    const client = JSON.stringify(new URL('../../clients/typescript/src/node.ts', import.meta.url).href);
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--import',
      'tsx',
      '--input-type=module',
      '--eval',
      `import { createClient } from ${client};
       const fetch = (url, { signal }) => new Promise((resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
       const client = createClient({ baseUrl: 'http://nowhere', fetch, retries: 0, timeoutSeconds: 0.2 });
       client.getStats().catch((error) => console.log(error.code, error.message));`,
    ]);
    expect(stdout).toBe('connection_failed no answer from http://nowhere: nothing within 0.2 seconds\n');
  });
});

describe('the changes of the TypeScript client', () => {
  it('the loop over changes gives each one that matches, once and in order, and ends', async () => {
    const all = await take(clientOf().changes({ since: '2026-01-01', form: '8-K' }));
    expect(all.map(({ sequence }) => sequence)).toEqual(
      all.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
    );
    expect(all.length).toBe(225);
  });

  it('a follower goes on where its loop was cut: the change that was being handled comes again, and no other one', async () => {
    const path = join(directory(), 'state');
    const seen: number[][] = [];
    // Within the first page, at its end, and within the third one.
    for (const count of [1, 120, 81, 100, 150]) {
      const changes = clientOf()
        .changes({ since: '2026-01-01' })
        .follow({ cursor: fileCursor(path) });
      seen.push((await take(changes, count)).map(({ sequence }) => sequence));
    }
    expect(seen.map((each) => each[0])).toEqual([1, 1, 120, 200, 299]);
    expect(seen.every((each) => each.every((sequence, at) => sequence === (each[0] ?? 0) + at))).toBe(true);
    expect(readFileSync(path, 'utf8')).toMatch(/^\S+\n$/);
  });

  it('a follower without a date begins now, has what is published then, and keeps that place', {
    tags: ['slow'],
  }, async () => {
    const store = memoryCursor();
    const following = take(clientOf().changes({ form: '8-K' }).follow({ cursor: store }), 2);
    while ((await store.load()) === null) await new Promise((resolve) => setTimeout(resolve, 10));
    await served.publish(4);
    const found = await following;
    expect(found.map(({ sequence }) => sequence)).toEqual([451, 453]);
    const { cursor } = parsePosition((await store.load()) ?? '');
    const { data } = await clientOf().listChanges({ cursor: cursor ?? '', form: '8-K' });
    expect(data.map(({ sequence }) => sequence)).toEqual([453]);
  });

  it('a store that holds a plain cursor is understood, and one that holds anything else is refused', async () => {
    const { meta } = await clientOf().listChanges({ since: '2026-01-01', limit: 3 });
    const path = join(directory(), 'state');
    writeFileSync(path, meta.nextCursor);
    const [first] = await take(
      clientOf()
        .changes()
        .follow({ cursor: fileCursor(path) }),
      1,
    );
    expect(first?.sequence).toBe(4);
    writeFileSync(path, 'no cursor at all');
    const refused = await errorOf(
      take(
        clientOf()
          .changes()
          .follow({ cursor: fileCursor(path) }),
        1,
      ),
    );
    expect(refused.code).toBe('invalid_cursor');
  });
});
