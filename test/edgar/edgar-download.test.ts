import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Downloaded } from '../../build/edgar/download.ts';
import { sources } from '../../build/sources/registry.ts';
import { accessDenied, raw, reset, status, throttle, type Behaviour } from './edgar-double.ts';
import { startHarness, type Harness } from './edgar-harness.ts';
import { archiveMade, archiveRoute, longFile, type Manners } from '../support/archive-server.ts';
import { useDirectories } from '../support/directories.ts';

const body = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 31 + (at >> 8)) & 255));
const newBody = Buffer.from(body.map((byte) => byte ^ 0x55)).subarray(0, 200_000);

/** Is told how far the client is. */
let breakWhen: (received: number) => void = () => {};
const file = (content: Buffer, manners: Manners = {}) =>
  longFile(content, { ...manners, onBreak: (told) => (breakWhen = told) });

/** Sends a part of the file, and no more. */
const partOfBody: Behaviour = (_, response) => {
  response.writeHead(200, { etag: '"one"', 'content-length': body.length });
  response.write(body.subarray(0, 100_000));
};

/** Says that it sends the rest of a file of a length. */
const restOf =
  (etag: string, bytes: number): Behaviour =>
  (request, response) => {
    const from = /\d+/.exec(request.headers.range ?? '')?.[0];
    response.writeHead(206, { etag, 'content-range': `bytes ${from}-${bytes - 1}/${bytes}` }).end('x');
  };

describe('a download', () => {
  let harness: Harness;
  let path: string;
  let seen: [received: number, total: number | null][] = [];
  const directories = useDirectories('download');
  beforeAll(async () => void (harness = await startHarness()));
  afterAll(() => harness.close());
  beforeEach(() => {
    path = join(directories(), 'submissions.zip');
    harness.edgar.requests.length = 0;
    seen = [];
    breakWhen = () => {};
  });

  const url = () => sources.submissionsArchive.url(harness.settings);
  const download = (
    options: Partial<Parameters<Harness['client']>[0]> = {},
    bytesMaximum = 1e6,
  ): Promise<Downloaded> =>
    harness.client(options).download(url(), path, {
      bytesMaximum,
      onProgress: (received, total) => {
        seen.push([received, total]);
        breakWhen(received);
      },
    });
  const asked = () =>
    harness.edgar.requests.map(
      ({ headers }) => headers.range ?? (headers['if-none-match'] === undefined ? 'all' : 'changes'),
    );
  const files = () => readdirSync(dirname(path)).sort();
  /** A killed program leaves a part of the file. */
  async function leavePart(manners: Manners = {}): Promise<number> {
    harness.edgar.route(archiveRoute, file(body, { breakAfter: 120_000, ...manners }), status(500));
    await expect(download({ maxAttempts: 2 })).rejects.toThrow('unavailable after 2 attempts');
    harness.edgar.requests.length = 0;
    breakWhen = () => {};
    return readFileSync(`${path}.part`).length;
  }

  it('a download is the file, with the time at which upstream made it', async () => {
    harness.edgar.route(archiveRoute, file(body));
    expect(await download()).toEqual({
      kind: 'ok',
      changed: true,
      asOfMs: Date.parse(archiveMade),
    });
    expect(readFileSync(path).equals(body)).toBe(true);
    expect(files()).toEqual([basename(path), `${basename(path)}.json`, `${basename(path)}.lock`]);
    expect(harness.edgar.requests[0]?.headers['accept-encoding']).toBe('identity');
  });
  it('a download goes on where the connection broke, as often as it breaks', async () => {
    harness.edgar.route(
      archiveRoute,
      ...Array.from({ length: 7 }, () => file(body, { breakAfter: 40_000 })),
      file(body),
    );
    // It breaks more often than a request may fail, but each attempt brought something.
    await download({ maxAttempts: 3 });
    expect(readFileSync(path).equals(body)).toBe(true);
    expect(asked()).toHaveLength(8);
    expect(
      asked()
        .slice(1)
        .every((range) => range.startsWith('bytes=')),
    ).toBe(true);
    expect(harness.edgar.requests.slice(1).every(({ headers }) => headers['if-range'] === '"one"')).toBe(
      true,
    );
    expect(seen).toEqual(seen.toSorted(([a], [b]) => a - b));
    expect(seen.at(-1)).toEqual([body.length, body.length]);
  });
  it('a download goes on in another run of the program', async () => {
    const partBytes = await leavePart();
    expect(partBytes).toBeGreaterThan(0);
    expect(existsSync(path)).toBe(false);
    harness.edgar.route(archiveRoute, file(body));
    expect(await download()).toMatchObject({ changed: true });
    expect(asked()).toEqual([`bytes=${partBytes}-`]);
    expect(readFileSync(path).equals(body)).toBe(true);
  });
  it('a download begins again where upstream has another file', async () => {
    await leavePart();
    harness.edgar.route(archiveRoute, file(newBody, { etag: '"two"' }));
    await download();
    expect(readFileSync(path).equals(newBody)).toBe(true);
    expect(JSON.parse(readFileSync(`${path}.json`, 'utf8'))).toMatchObject({ etag: '"two"' });
  });
  it.each<[string, Manners, string]>([
    ['a weak ETag', { etag: 'W/"one"' }, archiveMade],
    ['no ETag', { etag: null }, archiveMade],
  ])(
    'a download compares the date of the file with upstream where there is %s',
    async (_, manners, condition) => {
      await leavePart(manners);
      harness.edgar.route(archiveRoute, file(body, manners));
      await download();
      expect(harness.edgar.requests[0]?.headers['if-range']).toBe(condition);
      expect(readFileSync(path).equals(body)).toBe(true);
    },
  );
  it('a download begins again where nothing tells one version from another', async () => {
    const manners = { etag: null, lastModified: null };
    await leavePart(manners);
    harness.edgar.route(archiveRoute, file(newBody, manners));
    await download();
    expect(asked()).toEqual(['all']);
    expect(readFileSync(path).equals(newBody)).toBe(true);
  });
  it('a download begins again where the server ignores ranges, and gives up without progress', async () => {
    await leavePart();
    harness.edgar.route(archiveRoute, file(body, { ranges: false }));
    await download();
    expect(readFileSync(path).equals(body)).toBe(true);
    rmSync(path);
    harness.edgar.requests.length = 0;
    harness.edgar.route(archiveRoute, file(body, { ranges: false, breakAfter: 50_000 }));
    await expect(download({ maxAttempts: 3 })).rejects.toThrow('unavailable');
    expect(asked().length).toBeLessThan(8);
  });
  it('a download gives up where each attempt breaks off and nothing tells one version from another', async () => {
    const manners = { etag: null, lastModified: null, breakAfter: 50_000 };
    harness.edgar.route(archiveRoute, ...Array.from({ length: 8 }, () => file(body, manners)), file(body));
    await expect(download({ maxAttempts: 3 })).rejects.toThrow('unavailable');
    expect(asked().length).toBeLessThan(8);
  });
  it.each<[string, Behaviour]>([
    [
      'a part from another offset',
      raw(206, { etag: '"one"', 'content-range': 'bytes 0-99/300000' }, body.subarray(0, 100)),
    ],
    ['a part of another version', restOf('"two"', 300_000)],
    ['a part of a file of another length', restOf('"one"', 400_000)],
    ['a part of nothing', raw(206, { etag: '"one"' }, 'x')],
    ['that the range cannot be', raw(416, { 'content-range': 'bytes */5' }, 'x')],
  ])('a download begins again where upstream answers %s', async (_, behaviour) => {
    await leavePart();
    harness.edgar.route(archiveRoute, behaviour, file(body));
    await download();
    expect(asked().at(-1)).toBe('all');
    expect(readFileSync(path).equals(body)).toBe(true);
  });
  it('a download uses no part of an unknown version or another address', async () => {
    for (const version of [
      '',
      '{',
      '{"url":"https://elsewhere.example/","etag":"\\"one\\"","lastModified":null,"totalBytes":300000}',
    ]) {
      await leavePart();
      writeFileSync(`${path}.part.json`, version);
      harness.edgar.route(archiveRoute, file(body));
      await download();
      expect(asked()).toEqual(['all']);
      expect(readFileSync(path).equals(body)).toBe(true);
      rmSync(path);
    }
  });
  it('a download that was complete needs no request', async () => {
    await leavePart();
    writeFileSync(`${path}.part`, body);
    expect(await download()).toMatchObject({ changed: true });
    expect(readFileSync(path).equals(body)).toBe(true);
    expect(asked()).toEqual([]);
  });
  it('a download of a file that is there asks only whether it has changed', async () => {
    harness.edgar.route(archiveRoute, file(body));
    await download();
    harness.edgar.requests.length = 0;
    expect(await download()).toEqual({
      kind: 'ok',
      changed: false,
      asOfMs: Date.parse(archiveMade),
    });
    expect(asked()).toEqual(['changes']);
    harness.edgar.route(
      archiveRoute,
      file(newBody, { etag: '"two"', breakAfter: 1000 }),
      file(newBody, { etag: '"two"' }),
    );
    expect(await download()).toMatchObject({ changed: true });
    expect(readFileSync(path).equals(newBody)).toBe(true);
  });
  it('programs that download at once take turns: one fetches the file, the others ask whether it has changed', async () => {
    harness.edgar.route(archiveRoute, file(body, { breakAfter: 100_000 }), file(body));
    const said: string[] = [];
    const log = (line: string) => void said.push(line);
    const all = await Promise.all([1, 2, 3].map(() => download({ log })));
    expect(all.map((each) => each.kind === 'ok' && each.changed).sort()).toEqual([false, false, true]);
    expect(asked()).toEqual(['all', 'bytes=100000-', 'changes', 'changes']);
    expect(readFileSync(path).equals(body)).toBe(true);
    expect(said.filter((line) => line.includes('another program is downloading'))).toHaveLength(2);
  });
  it('a program that waits for the download of another one ends with its client', async () => {
    const stop = new AbortController();
    harness.edgar.route(archiveRoute, partOfBody);
    const first = harness.client({ signal: stop.signal });
    const second = harness.client({ signal: stop.signal, log: () => stop.abort() });
    let waiting: Promise<unknown> | undefined;
    const begun = first.download(url(), path, {
      bytesMaximum: 1e6,
      onProgress: () =>
        void (waiting ??= second
          .download(url(), path, { bytesMaximum: 1e6 })
          .catch((error: unknown) => error)),
    });
    await expect(begun).rejects.toThrow('abort');
    expect(String(await waiting)).toContain('abort');
    await Promise.all([first.close(), second.close()]);
  });
  it('a download keeps the old file until the new one is whole', async () => {
    harness.edgar.route(archiveRoute, file(body));
    await download();
    harness.edgar.route(archiveRoute, file(newBody, { etag: '"two"', breakAfter: 1000 }), reset());
    await expect(download({ maxAttempts: 2 })).rejects.toThrow('unavailable');
    expect(readFileSync(path).equals(body)).toBe(true);
    expect(JSON.parse(readFileSync(`${path}.json`, 'utf8'))).toMatchObject({ etag: '"one"' });
  });
  it('a download that is too long is refused at once, with and without a Content-Length', async () => {
    harness.edgar.route(archiveRoute, file(body));
    await expect(download({}, 1000)).rejects.toMatchObject({ kind: 'too_large' });
    harness.edgar.route(archiveRoute, (_, response) => void response.writeHead(200).end(body));
    await expect(download({}, 1000)).rejects.toMatchObject({ kind: 'too_large' });
    expect(asked()).toHaveLength(2);
    expect(existsSync(path)).toBe(false);
  });
  it('a download with a content encoding is refused', async () => {
    harness.edgar.route(archiveRoute, raw(200, { 'content-encoding': 'gzip' }, 'x'), file(body));
    await download();
    expect(readFileSync(path).equals(body)).toBe(true);
  });
  it('a download of an absent file says so, and a throttled one waits', async () => {
    harness.edgar.route(archiveRoute, accessDenied());
    expect(await download()).toMatchObject({ kind: 'absent', status: 403 });
    harness.edgar.route(archiveRoute, throttle(), file(body));
    harness.slept.length = 0;
    await download();
    expect(Math.max(...harness.slept)).toBeGreaterThan(600_000);
  });
  it('a download ends with its client, and leaves a part that goes on', async () => {
    const stop = new AbortController();
    harness.edgar.route(archiveRoute, partOfBody);
    const client = harness.client({ signal: stop.signal });
    await expect(
      client.download(url(), path, {
        bytesMaximum: 1e6,
        onProgress: (received) => void (received === 100_000 && stop.abort()),
      }),
    ).rejects.toThrow('abort');
    await client.close();
    harness.edgar.route(archiveRoute, file(body));
    await download();
    expect(asked().at(-1)).toBe('bytes=100000-');
    expect(readFileSync(path).equals(body)).toBe(true);
  });
  it('a download may take long as long as bytes come', { tags: ['slow'] }, async () => {
    harness.edgar.route(archiveRoute, async (_, response) => {
      response.writeHead(200, { etag: '"one"', 'content-length': 10 });
      for (let at = 0; at < 10; at++) {
        await new Promise((resolve) => void setTimeout(resolve, 250));
        response.write('x');
      }
      response.end();
    });
    await download({ timeoutMs: 2000, maxAttempts: 1 });
    expect(readFileSync(path, 'utf8')).toBe('x'.repeat(10));
  });
});
