import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireFiles } from '../../clients/typescript/src/bulk-list.ts';
import { linesOf } from '../../clients/typescript/src/mirror/files.ts';
import { useDirectories } from '../support/directories.ts';
import { drivenLanguages } from '../support/driven-clients.ts';
import { reopenable } from '../support/servers.ts';

const directory = useDirectories('lists');
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const row = (sequence: number) => ({
  sequence,
  revision: 1,
  changeType: 'new',
  observedAt: '2026-08-01T00:00:00.000Z',
  filing: {
    accessionNo: `0000000001-26-${String(sequence).padStart(6, '0')}`,
    cik: '0000000001',
    ticker: null,
    companyName: null,
    form: '8-K',
    eventType: 'current_report',
    items: [],
    filedAt: '2026-08-01',
    detailUrl: null,
    acceptanceDateTime: null,
    sic: null,
    exchange: null,
    acceptedAt: null,
    reportDate: null,
    primaryDocument: null,
    primaryDocDescription: null,
    documentUrl: null,
    size: null,
    isXbrl: false,
    isInlineXbrl: false,
    ingestedAt: null,
    parties: [],
    exhibits: null,
    ownership: null,
  },
});
const content = gzipSync(`${JSON.stringify(row(1))}\n`);

interface Listed {
  readonly members: Readonly<Record<string, unknown>>;
  readonly bytes: Uint8Array;
}
const good = {
  name: 'changes-000000000001.jsonl.gz',
  url: '/v1/sec/bulk/changes-000000000001.jsonl.gz',
  bytes: content.length,
  rows: 1,
  sha256: sha256(content),
  firstSequence: 1,
  lastSequence: 1,
  closed: false,
};
const listed = (
  members: Partial<Record<keyof typeof good, unknown>>,
  bytes: Uint8Array = content,
): Listed => ({
  members: { ...good, ...members },
  bytes,
});
const ofContent = (bytes: Uint8Array, rows: number) =>
  listed({ bytes: bytes.length, sha256: sha256(bytes), rows, lastSequence: rows }, bytes);

/** Many bytes as few: gzip members one behind the other. */
const repeated = (text: string, times: number) => Buffer.concat(Array<Buffer>(times).fill(gzipSync(text)));

/** An absolute path that no other run has. */
const outside = join(tmpdir(), `outside-${process.pid}-${Date.now()}.gz`);

/** What a service that is no good says of its files, and what they are. */
const cases: Readonly<Record<string, Listed>> = {
  'a folder above': listed({ name: '../outside.gz' }),
  'a name below a folder above': listed({ name: '../changes-000000000001.jsonl.gz' }),
  'an absolute name': listed({ name: outside }),
  'a folder below': listed({ name: 'a/changes-000000000001.jsonl.gz' }),
  'a folder of Windows': listed({ name: 'a\\changes-000000000001.jsonl.gz' }),
  'the folder above': listed({ name: '..' }),
  'a name with an end of line': listed({ name: 'changes-000000000001.jsonl.gz\n' }),
  'digits of another script': listed({ name: 'changes-00000000000１.jsonl.gz' }),
  'no name': listed({ name: undefined }),
  'the name of another sequence': listed({ name: 'changes-000000000002.jsonl.gz' }),
  'a file that begins later': listed({
    name: 'changes-000000000002.jsonl.gz',
    firstSequence: 2,
    lastSequence: 2,
  }),
  'a digest that is a path': listed({ sha256: '../../outside' }),
  'more bytes than a file has': listed({ bytes: 2 ** 40 }),
  'bytes that are no number': listed({ bytes: 'many' }),
  'rows that are no number': listed({ rows: null, lastSequence: null }),
  'rows that do not fit its sequences': listed({ rows: 2 }),
  'no word on whether it is closed': listed({ closed: 'no' }),
  'a line without an end': ofContent(repeated('x'.repeat(1024 * 1024), 600), 1),
  'lines that are no changes': ofContent(repeated('{}\n'.repeat(300_000), 600), 180_000_000),
  'more rows than it says': ofContent(gzipSync(`${JSON.stringify(row(1))}\n${JSON.stringify(row(2))}\n`), 1),
  'fewer rows than it says': ofContent(content, 2),
  'rows of other sequences': ofContent(gzipSync(`${JSON.stringify(row(5))}\n`), 1),
  'no gzip': ofContent(Buffer.from('no gzip'), 1),
  'half a gzip': ofContent(content.subarray(0, 30), 1),
};

let address: string;
let close: () => Promise<void>;
beforeAll(async () => {
  // The name of the case is the key.
  const host = createServer((request, response) => {
    const found = cases[decodeURIComponent(String(request.headers['x-api-key']))] ?? listed({});
    const meta = { nextCursor: 'abc', newestFiledAt: null };
    if (request.url?.startsWith('/v1/sec/bulk/')) return response.end(found.bytes);
    const data = request.url === '/v1/sec/bulk' ? [found.members] : [];
    response.end(JSON.stringify({ data, meta }));
  });
  ({ address, down: close } = await reopenable(host));
});
afterAll(() => close());

describe.each(drivenLanguages)('the mirror of the client for $language', ({ open }) => {
  it('a list of files that the service would not make is refused, and nothing is written beside the folder of the mirror', async () => {
    const names = ['good', ...Object.keys(cases)];
    const codes: Record<string, string> = {};
    const reader = open({ baseUrl: address });
    await reader.peakMegabytes();
    for (const name of names) {
      // Mirrors are folders called `inner` in folders of their own.
      const outer = directory();
      const folder = join(outer, 'inner');
      mkdirSync(folder);
      const client = open({ baseUrl: address, keys: [encodeURIComponent(name)], retries: 0 });
      codes[name] = await client.mirror(join(folder, 'filings.db'), { folder }).then(
        () => 'mirrored',
        ({ code }: { code: string }) => code,
      );
      expect(readdirSync(outer)).toEqual(['inner']);
      for (const found of readdirSync(folder))
        expect(found).toMatch(/^(filings\.db(-wal|-shm)?|changes-000000000001\.jsonl\.gz)$/);
    }
    expect(codes).toEqual({
      ...Object.fromEntries(Object.keys(cases).map((name) => [name, 'unexpected_answer'])),
      good: 'mirrored',
    });
    expect(existsSync(outside)).toBe(false);
    expect(await reader.peakMegabytes()).toBeLessThan(250);
  });
});

it('a file that inflates to gigabytes takes no more memory than a line', async () => {
  const before = process.memoryUsage().rss;
  let lines = 0;
  for await (const line of linesOf(repeated('{}\n'.repeat(100_000), 2000))) {
    if (line.length === 2) lines++;
    if (lines === 500_000) break;
  }
  expect(lines).toBe(500_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
});

it('the files of a list follow one another, and the last one alone is open', () => {
  const file = (first: number, rows: number, closed: boolean) => ({
    ...good,
    name: `changes-${String(first).padStart(12, '0')}.jsonl.gz`,
    firstSequence: first,
    rows,
    lastSequence: first + rows - 1,
    closed,
  });
  for (const list of [[], [file(1, 40, true)], [file(1, 40, true), file(41, 3, false)]])
    expect(() => requireFiles(list)).not.toThrow();
  for (const list of [
    null,
    {},
    [null],
    [file(1, 40, false), file(41, 3, false)],
    [file(1, 40, true), file(42, 3, false)],
    [file(41, 3, false)],
    [file(1, 40, true), file(1, 40, true)],
  ])
    expect(() => requireFiles(list)).toThrow('not one that the service makes');
});
