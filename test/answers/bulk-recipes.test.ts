// @module-tag slow
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import Papa from 'papaparse';
import { beforeAll, describe, expect, it } from 'vitest';
import { BulkListResponse, bulkName, bulkPath } from '../../src/contract/bulk.ts';
import type { Change, Filing } from '../../src/contract/records.ts';
import { closing } from '../support/closing.ts';
import { useDirectories } from '../support/directories.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { closeAll, listen } from '../support/servers.ts';
import { listeningService, serviceKey, type ListeningService } from '../support/service.ts';
import { buildQuietly } from '../support/snapshots.ts';
import { writeSmallLedger } from '../support/small-ledger.ts';
import { needs } from '../support/needs.ts';
import { batchDirectory, newBatchDirectory } from '../../build/ledger/folders.ts';

const fresh = useDirectories('recipes');
const run = promisify(execFile);
const examples = fileURLToPath(new URL('../../site/examples/bulk/', import.meta.url));

const rowsPerFile = 40;
const [ledger, part, snapshots, work] = [fresh(), fresh(), fresh(), fresh()];
const mirror = join(work, 'bulk');
let service: ListeningService;
/** A proxy before the service: it notes each request, and cuts some answers. */
let proxy: Server;
const asked: string[] = [];
/** Bytes of a file after which its connection is cut, for the requests that come next. */
const cuts: number[] = [];

async function publishUpTo(number: number): Promise<void> {
  for (let at = 1; at <= number; at++)
    cpSync(batchDirectory(ledger, at), newBatchDirectory(part, at), { recursive: true });
  await buildQuietly(part, snapshots, { logCut: { rowsPerFile, rowsPerMember: 8 } });
  await service?.services.served.check();
}

beforeAll(async () => {
  await writeSmallLedger(ledger);
  await publishUpTo(2);
  service = await listeningService(snapshots);
  proxy = createServer((incoming, outgoing) => {
    const { range } = incoming.headers;
    asked.push(`${incoming.url}${range === undefined ? '' : ` ${range}`}`);
    const cut = incoming.url === bulkPath ? undefined : cuts.shift();
    request({ port: service.port, path: incoming.url, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      if (cut === undefined) return void answer.pipe(outgoing);
      answer.once('data', (bytes: Buffer) =>
        outgoing.write(bytes.subarray(0, cut), () => outgoing.destroy()),
      );
    }).end();
  });
  await listen([proxy]);
  closing(() => closeAll([proxy]));
});

const list = async () =>
  BulkListResponse.parse(
    await (
      await fetch(`http://127.0.0.1:${service.port}${bulkPath}`, { headers: { 'x-api-key': serviceKey } })
    ).json(),
  );
/** The newest observation of each filing, as the service lists them. */
async function newest(): Promise<Map<string, Filing>> {
  const page = await fetch(`http://127.0.0.1:${service.port}/v1/sec/latest?limit=200`, {
    headers: { 'x-api-key': serviceKey },
  });
  const { data, meta } = (await page.json()) as { data: Filing[]; meta: { nextCursor: string | null } };
  expect(meta.nextCursor).toBeNull();
  return new Map(data.map((filing) => [filing.accessionNo, filing]));
}

const names = () =>
  readdirSync(mirror)
    .filter((name) => name.endsWith('.jsonl.gz'))
    .sort();
async function runMirror(): Promise<string[]> {
  asked.length = 0;
  await run(
    'python3',
    [join(examples, 'mirror.py'), `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, mirror],
    { env: { ...process.env, KEY: serviceKey } },
  );
  return asked.filter((each) => each !== bulkPath).map((each) => each.slice(bulkPath.length + 1));
}

describe('the mirror', needs('python'), () => {
  it('the mirror takes all files, and goes on where a download broke off', { timeout: 180_000 }, async () => {
    const { data } = await list();
    cuts.push(1000, 500);
    const requests = await runMirror();
    expect(requests).toEqual([
      bulkName(1),
      `${bulkName(1)} bytes=1000-`,
      `${bulkName(1)} bytes=1500-`,
      ...data.slice(1).map(({ name }) => name),
    ]);
    expect(names()).toEqual(data.map(({ name }) => name));
    for (const { name, sha256 } of data) expect(sha256Of(readFileSync(join(mirror, name)))).toBe(sha256);
  });

  it('the mirror asks only for the list where nothing is new', async () =>
    expect(await runMirror()).toEqual([]));

  it('the mirror begins a file again that has changed meanwhile', { timeout: 180_000 }, async () => {
    // The part of the open file that was fetched has its old bytes.
    const open = (await list()).data.at(-1);
    writeFileSync(join(mirror, `${open?.name}.${open?.sha256.slice(0, 16)}.part`), 'of old');
    await publishUpTo(3);
    const { data } = await list();
    expect(await runMirror()).toEqual(
      data.filter(({ firstSequence }) => firstSequence >= (open?.firstSequence ?? 0)).map(({ name }) => name),
    );
    expect(readdirSync(mirror).filter((name) => name.endsWith('.part'))).toEqual([]);
    for (const { name, sha256 } of data) expect(sha256Of(readFileSync(join(mirror, name)))).toBe(sha256);
  });

  it('the mirror fetches a damaged copy again, and otherwise only what is new', {
    timeout: 180_000,
  }, async () => {
    writeFileSync(join(mirror, bulkName(1)), 'damaged');
    await publishUpTo(4);
    const { data, meta } = await list();
    const requests = await runMirror();
    expect(requests[0]).toBe(bulkName(1));
    expect(requests.slice(1).every((name) => name >= bulkName(161))).toBe(true);
    expect(names()).toEqual(data.map(({ name }) => name));
    expect(readFileSync(join(mirror, 'cursor.txt'), 'utf8')).toBe(meta.nextCursor);
  });

  it('the mirror says what is wrong with its key', async () => {
    await expect(
      run('python3', [join(examples, 'mirror.py'), `http://127.0.0.1:${service.port}`, fresh()], {
        env: { ...process.env, KEY: 'another' },
      }),
    ).rejects.toThrow(/401.*unauthorized/);
  });
});

describe('the recipes', () => {
  let filings: Map<string, Filing>;
  /** The newest change of each filing. */
  let changes: Map<string, Change>;
  /** One filing has what a spreadsheet would run, and a code that it would show in another way. */
  const written = (filing: Filing): Filing =>
    filing.accessionNo === '0000009999-26-000041'
      ? { ...filing, sic: '0100', primaryDocument: '-1+1.htm', primaryDocDescription: '=HYPERLINK("x","y")' }
      : filing;
  const asWritten = (change: Change): Change => ({ ...change, filing: written(change.filing) });
  beforeAll(async () => {
    await publishUpTo(4);
    mkdirSync(mirror, { recursive: true });
    for (const { name, url } of (await list()).data)
      writeFileSync(
        join(mirror, name),
        Buffer.from(
          await (
            await fetch(`http://127.0.0.1:${service.port}${url}`, { headers: { 'x-api-key': serviceKey } })
          ).arrayBuffer(),
        ),
      );
    filings = await newest();
    const rows = names().flatMap((name) => {
      const changesOfFile = gunzipSync(readFileSync(join(mirror, name)))
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => asWritten(JSON.parse(line) as Change));
      writeFileSync(
        join(mirror, name),
        gzipSync(changesOfFile.map((each) => `${JSON.stringify(each)}\n`).join('')),
      );
      return changesOfFile;
    });
    for (const [accessionNo, filing] of filings) filings.set(accessionNo, written(filing));
    changes = new Map(rows.map((change) => [change.filing.accessionNo, change]));
    // The recipes have to follow corrections across files.
    expect(rows.filter(({ revision }) => revision > 1).length).toBeGreaterThan(5);
    expect(filings.size).toBe(rows.filter(({ revision }) => revision === 1).length);
  });

  /**
   * The DuckDB recipe. It has paths relative to the folder of the mirror, and a worker of vitest cannot change
   * its folder.
   */
  const recipeIn = (folder: string) =>
    readFileSync(join(examples, 'newest.sql'), 'utf8').replaceAll(
      /'(bulk\/|filings\.)/g,
      (_, name: string) => `'${folder}/${name}`,
    );

  /** Cells of a CSV file that a spreadsheet shows as the text that they have in the record. */
  function checkCsv(path: string): void {
    const text = readFileSync(path, 'utf8').replace(/^\ufeff/, '');
    const { data, errors } = Papa.parse<string[]>(text.trimEnd(), {});
    expect(errors).toEqual([]);
    const columns = data.shift() as string[];
    expect(data.length).toBe(filings.size);
    for (const cells of data) {
      const cell = (name: string) => cells[columns.indexOf(name)] ?? '';
      const filing = filings.get(cell('accessionNo')) as Filing;
      expect(cell('cik')).toBe(`="${filing.cik}"`);
      expect(cell('items')).toBe(`="${filing.items.join(' ')}"`);
      expect(cell('sic')).toBe(filing.sic === null ? '' : `="${filing.sic}"`);
      for (const name of ['primaryDocument', 'primaryDocDescription'] as const)
        expect(cell(name)).toBe(/^[-=]/.test(filing[name] ?? '') ? `'${filing[name]}` : (filing[name] ?? ''));
      expect([cell('form'), cell('companyName'), cell('filedAt').slice(0, 10)]).toEqual([
        filing.form,
        filing.companyName,
        filing.filedAt,
      ]);
    }
    // As a spreadsheet reads it: quotes doubled within quotes.
    expect(text).toMatch(/"=""\d{10}"""/);
  }

  it('the DuckDB recipe gives the newest observation of each filing, as Parquet and as CSV', {
    timeout: 180_000,
  }, async () => {
    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    const query = async (sql: string) =>
      (await connection.runAndReadAll(sql)).getRowObjectsJson() as Record<string, unknown>[];
    await connection.run(recipeIn(work));
    const rows = await query(`SELECT * FROM '${work}/filings.parquet'`);
    expect(rows.length).toBe(filings.size);
    for (const row of rows) {
      const { acceptedAt, ingestedAt, size, ownership, exhibits, ...filing } = filings.get(
        String(row['accessionNo']),
      ) as Filing;
      expect(JSON.parse(String(row['ownership']))).toEqual(ownership);
      expect(JSON.parse(String(row['exhibits']))).toEqual(exhibits);
      // The text has the time zone.
      const utc = (value: unknown) =>
        value && new Date(`${String(value).replace(' ', 'T')}:00`).toISOString();
      const { sequence, revision, observedAt } = changes.get(filing.accessionNo) as Change;
      expect(row).toMatchObject({
        ...filing,
        size: size === null ? null : String(size),
        sequence: String(sequence),
        revision: String(revision),
      });
      expect(utc(row['observedAt'])).toBe(observedAt);
      const instant = (text: string | null) => text && new Date(text).toISOString();
      expect([utc(row['acceptedAt']), utc(row['ingestedAt'])]).toEqual([
        instant(acceptedAt),
        instant(ingestedAt),
      ]);
    }
    checkCsv(join(work, 'filings.csv'));
    connection.closeSync();
    instance.closeSync();
  });

  it('the jq recipe gives the newest observation of each filing, and those with an item', {
    ...needs('jq'),
    timeout: 180_000,
  }, async () => {
    await run('bash', [join(examples, 'newest.sh')], { cwd: work });
    const read = (name: string) =>
      readFileSync(join(work, name), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Filing);
    const withChange = ([accessionNo, filing]: [string, Filing]) => {
      const { sequence, revision, observedAt } = changes.get(accessionNo) as Change;
      return [accessionNo, { sequence, revision, observedAt, ...filing }] as const;
    };
    expect(new Map(read('filings.jsonl').map((filing) => [filing.accessionNo, filing]))).toEqual(
      new Map([...filings].map(withChange)),
    );
    expect(
      read('results.jsonl')
        .map(({ accessionNo }) => accessionNo)
        .sort(),
    ).toEqual(
      [...filings.values()]
        .filter(({ form, items }) => form === '8-K' && items.includes('2.02'))
        .map(({ accessionNo }) => accessionNo)
        .sort(),
    );
    checkCsv(join(work, 'filings.csv'));
  });

  // Not everybody who runs the tests has pandas, and no registry of Python is asked for it.
  it('the pandas recipe gives the newest observation of each filing, as Parquet and as CSV', {
    ...needs('pandas'),
    timeout: 180_000,
  }, async () => {
    await run('python3', [join(examples, 'newest.py')], { cwd: work });
    expect(existsSync(join(work, 'filings.parquet'))).toBe(true);
    checkCsv(join(work, 'filings.csv'));
  });

  it('the mirror writes nothing beside its folder, and sends the key to nobody else', async () => {
    const outside = fresh();
    const keys: unknown[] = [];
    const other = createServer((incoming, outgoing) => {
      keys.push(incoming.headers['x-api-key']);
      outgoing.end('{}');
    });
    const body = 'from a hostile service';
    const file = { bytes: body.length, rows: 1, sha256: sha256Of(Buffer.from(body)), url: '/file' };
    let name = '';
    let isRedirected = false;
    const hostile = createServer((incoming, outgoing) => {
      if (isRedirected) {
        const { port } = other.address() as AddressInfo;
        outgoing.writeHead(307, { location: `http://127.0.0.1:${port}${incoming.url}` }).end();
      } else
        outgoing.end(
          incoming.url === bulkPath
            ? JSON.stringify({ data: [{ ...file, name }], meta: { nextCursor: 'c' } })
            : body,
        );
    });
    await listen([other, hostile]);
    const address = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}`;
    // Without its pauses, which would take half a minute each time.
    const program = readFileSync(join(examples, 'mirror.py'), 'utf8').replace(
      'time.sleep(2**attempt)',
      'pass',
    );
    const mirrorOnce = (folder: string) =>
      run('python3', ['-c', program, address, folder], { env: { ...process.env, KEY: serviceKey } });
    for (name of ['../evil', join(outside, 'evil'), 'changes-000000000001.jsonl.gz/../../evil'])
      await expect(mirrorOnce(join(outside, 'mirror'))).rejects.toThrow(/an entry that cannot be right/);
    expect(readdirSync(outside)).toEqual(['mirror']);
    isRedirected = true;
    await expect(mirrorOnce(join(outside, 'mirror'))).rejects.toThrow(/the key must not go/);
    expect(keys).toEqual([]);
    isRedirected = false;
    name = bulkName(1);
    await mirrorOnce(join(outside, 'mirror'));
    expect(readFileSync(join(outside, 'mirror', name), 'utf8')).toBe(body);
    await closeAll([other, hostile]);
  });

  it('a name that a spreadsheet would run as a formula is text in the CSV', needs('jq'), async () => {
    const names = ['=1+1', '+1', '-1', '@x', '\t=1', '＝1', '＋1', '－1', '＠x', 'A=1', "'=1"];
    const folder = fresh();
    mkdirSync(join(folder, 'bulk'));
    const [template] = changes.values();
    const lines = names.map((companyName, at) => {
      const accessionNo = `000000000${at % 10}-26-00000${Math.floor(at / 10)}`;
      return JSON.stringify({
        ...template,
        sequence: at + 1,
        filing: { ...template?.filing, accessionNo, companyName },
      });
    });
    writeFileSync(join(folder, 'bulk', bulkName(1)), gzipSync(`${lines.join('\n')}\n`));
    const shown = names.map((name) => (/^[A']/.test(name) ? name : `'${name}`)).sort();
    const cells = (column: number) =>
      Papa.parse<string[]>(readFileSync(join(folder, 'filings.csv'), 'utf8').trimEnd())
        .data.map((row) => row[column])
        .filter((name) => name !== 'companyName')
        .sort();
    await run('bash', [join(examples, 'newest.sh')], { cwd: folder });
    const columns = () =>
      Papa.parse<string[]>(readFileSync(join(folder, 'filings.csv'), 'utf8')).data[0] ?? [];
    const ofJq = columns();
    expect(cells(ofJq.indexOf('companyName'))).toEqual(shown);
    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    await connection.run(recipeIn(folder));
    expect(columns()).toEqual(ofJq);
    expect(cells(ofJq.indexOf('companyName'))).toEqual(shown);
    connection.closeSync();
    instance.closeSync();
  });

  describe.each([
    { rowsOfAll: 50_000, tags: ['slow'] },
    { rowsOfAll: 250_000, tags: ['slow', 'nightly'] },
  ])('with $rowsOfAll rows', ({ rowsOfAll, tags }) => {
    const many = fresh();
    const rowsOfFile = 10_000;
    // A tenth of the rows corrects the row before.
    const filingsOfAll = rowsOfAll - rowsOfAll / 10;
    beforeAll(() => {
      mkdirSync(join(many, 'bulk'));
      const templates = [...changes.values()];
      for (let first = 1; first <= rowsOfAll; first += rowsOfFile) {
        const lines = Array.from({ length: rowsOfFile }, (_, at) => {
          const sequence = first + at;
          const template = templates[sequence % templates.length] as Change;
          const isCorrection = sequence % 10 === 0;
          const accessionNo = `${String(isCorrection ? sequence - 1 : sequence).padStart(10, '0')}-26-000001`;
          const change = { ...template, sequence, revision: isCorrection ? 2 : 1 };
          return `${JSON.stringify({ ...change, filing: { ...template.filing, accessionNo } })}\n`;
        });
        writeFileSync(join(many, 'bulk', bulkName(first)), gzipSync(lines.join(''), { level: 1 }));
      }
    }, 120_000);
    // Programs that read all these rows twice take long on a busy machine.
    const timeout = 600_000;

    it('the DuckDB recipe stays within a quarter of 1 GB and keeps the newest rows', {
      tags,
      timeout,
    }, async () => {
      const instance = await DuckDBInstance.create(':memory:', { memory_limit: '250MB', threads: '2' });
      const connection = await instance.connect();
      await connection.run(recipeIn(many));
      const counted = await connection.runAndReadAll(
        `SELECT count(*) AS rows, count(DISTINCT accessionNo) AS filings, count(*) FILTER (revision = 2) AS corrected FROM '${many}/filings.parquet'`,
      );
      expect(counted.getRowObjectsJson()).toEqual([
        { rows: String(filingsOfAll), filings: String(filingsOfAll), corrected: String(rowsOfAll / 10) },
      ]);
      connection.closeSync();
      instance.closeSync();
    });

    it('the pandas recipe takes less than 1 GB', { ...needs('pandas'), tags, timeout }, async () => {
      const measured =
        'import resource, runpy, sys; runpy.run_path(sys.argv[1]); print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)';
      const { stdout } = await run('python3', ['-c', measured, join(examples, 'newest.py')], { cwd: many });
      expect(Number(stdout) / 1024).toBeLessThan(512);
      expect(readFileSync(join(many, 'filings.csv'), 'utf8').trimEnd().split('\n').length).toBe(
        filingsOfAll + 1,
      );
    });

    it('the jq recipe takes less than 1 GB', { ...needs('jq'), tags, timeout }, async () => {
      await run('bash', ['-c', 'ulimit -v 1000000; exec bash "$0"', join(examples, 'newest.sh')], {
        cwd: many,
      });
      const lines = readFileSync(join(many, 'filings.jsonl'), 'utf8').trimEnd().split('\n');
      expect(lines.length).toBe(filingsOfAll);
    });
  });
});
