import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { firstUnsettledDay } from '../../build/sources/clock.ts';
import { collectArchive } from '../../build/ingest/collect-archive.ts';
import { fillBatch } from '../../build/ingest/fill-batch.ts';
import { createGathering } from '../../build/ingest/gather.ts';
import { IngestFailed } from '../../build/ingest/ingest.ts';
import { openKnownLedger } from '../../build/ingest/known.ts';
import { decideClocks, settledFilings } from '../../build/ingest/shared-clocks.ts';
import { sameFiling } from '../../build/ledger/filing-columns.ts';
import { createRefusals } from '../../build/ledger/refusals.ts';
import { appendBatch, batchDirectory, openBatch, withLedgerEnd } from '../../build/ledger/batch.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { quietProgress } from '../../build/work/progress.ts';
import { sources } from '../../build/sources/registry.ts';
import { parseSubmissions } from '../../build/sources/submissions.ts';
import { type EdgarDouble } from '../edgar/edgar-double.ts';
import { archiveMade, archiveRoute, longFile } from '../support/archive-server.ts';
import { archiveMembers } from '../support/archive.ts';
import { combinedInMemory } from '../support/combine-model.ts';
import { command } from '../support/command.ts';
import { useDirectories } from '../support/directories.ts';
import { createIngestWorld, firstRunMs, upstreamRows, type IngestWorld } from '../support/ingest-world.ts';
import { readRows } from '../support/ledger-rows.ts';
import { seenProgress } from '../support/progress.ts';
import { cikOf } from '../support/made-up.ts';
import { needs } from '../support/needs.ts';
import {
  accessionOf,
  columnsOf,
  easternAcceptanceOf,
  extraPage,
  submissionsOf,
  upstreamRow,
  utcAcceptance,
  type UpstreamRow,
} from '../support/submissions.ts';
import { batchNumbers } from '../support/heads.ts';
import { writeLargeZip, zipOf, type Member } from '../support/zip.ts';

const directory = useDirectories('ingest-archive');
const doubles: EdgarDouble[] = [];
afterAll(() => Promise.all(doubles.map((double) => double.close())));

const body = (value: unknown) => Buffer.from(JSON.stringify(value));
const unsettledFrom = firstUnsettledDay(Date.parse(archiveMade));
const world = (symbols: Readonly<Record<string, string>> = { AAA: cikOf(1), BBB: cikOf(2) }) =>
  createIngestWorld(directory, doubles, symbols);

/** An entity as the archive has it. Rows behind the first so many go into a page. */
function entityOf(
  number: number,
  rows: readonly UpstreamRow[],
  members: Record<string, unknown> = {},
  rowsOfMain = Infinity,
): Member[] {
  const cik = cikOf(number);
  const older = rows.slice(rowsOfMain);
  const page = extraPage(cik, 1, older);
  const main = {
    name: `CIK${cik}.json`,
    body: body(submissionsOf(cik, rows.slice(0, rowsOfMain), members, older.length > 0 ? [page] : [])),
  };
  return older.length > 0 ? [{ name: page.name, body: body(columnsOf(older)) }, main] : [main];
}

const rows = upstreamRows;
const insider = (number: number, members: Partial<UpstreamRow> = {}) =>
  upstreamRow(number, { form: '4', items: '', fileNumber: '', act: '', ...members });
const owner = {
  insiderTransactionForIssuerExists: 0,
  insiderTransactionForOwnerExists: 1,
  tickers: [],
  exchanges: [],
};
/** Three entities: two share a filing, one has a page. */
const three: readonly Member[] = [
  ...entityOf(1, [insider(1), ...rows(2, 6)], {}, 3),
  ...entityOf(2, [insider(1, { fileNumber: '001-1', act: '34' }), ...rows(10, 11)], owner),
  ...entityOf(3, rows(20, 22), { tickers: [], exchanges: [] }),
];
const csvOf = (ledgerDirectory: string, batch = 1) => {
  const folder = batchDirectory(ledgerDirectory, batch);
  return Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name.endsWith('.csv'))
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
};

/** The files below a directory that this process has open. */
function openBelow(folder: string): string[] {
  return readdirSync('/proc/self/fd')
    .flatMap((descriptor) => {
      try {
        return readlinkSync(join('/proc/self/fd', descriptor));
      } catch {
        return [];
      }
    })
    .filter((path) => path.startsWith(`${folder}/`));
}

describe.concurrent('everyone, out of the bulk archive,', () => {
  it('the bulk archive gives one batch, the same as the files one after the other', async () => {
    const one = await world();
    one.archive(three);
    expect(await one.run('all')).toMatchObject({
      batch: 1,
      added: 11,
      corrected: 0,
      refusals: [],
      archiveMs: Date.parse(archiveMade),
      run: { target: 'all', status: 'success', message: null },
    });
    expect(one.log).toEqual([
      'the bulk archive of 2026-03-21T07:00:00.000Z has 3 entities',
      '3 requests, 0 not modified, 0 tried again, 0 throttled',
    ]);
    const other = await world();
    other.files(three);
    expect(await other.run('1,2,3')).toMatchObject({ added: 11, archiveMs: null });
    expect(csvOf(one.ledgerDirectory)).toEqual(csvOf(other.ledgerDirectory));
    const { filings } = await readRows(one.ledgerDirectory);
    expect(filings[0]).toMatchObject({ subjectCik: cikOf(1), filerCiks: [cikOf(2)] });
    expect(readdirSync(one.ledgerDirectory).sort()).toEqual(['.cache', '.lock', 'batches']);
  });

  it('the bulk archive is fetched again only where it has changed', {
    tags: ['slow'],
  }, async () => {
    const { run, archive, askedForArchive, ledgerDirectory } = await world();
    archive(three);
    await run('all');
    expect(askedForArchive()).toEqual(['all']);
    expect(await run('all')).toMatchObject({ batch: 2, added: 0, corrected: 0 });
    expect(askedForArchive()).toEqual(['changes']);
    expect(csvOf(ledgerDirectory, 2)).toEqual({});
    archive(
      [
        ...three.slice(0, 3),
        ...entityOf(3, [...rows(20, 22), upstreamRow(23, { size: 5 })], { tickers: [], exchanges: [] }),
      ],
      { etag: '"two"' },
    );
    expect(await run('all')).toMatchObject({ batch: 3, added: 1, corrected: 0 });
    expect(Object.keys(csvOf(ledgerDirectory, 3))).toEqual(['filings-1.csv']);
  });

  it('an ingest since a day leaves older pages and rows of the archive', async () => {
    const old = entityOf(1, [...rows(1, 4), ...rows(5, 6, { filingDate: '2010-05-06' })], {}, 4);
    // Nothing of the page is read: it may be anything.
    const broken = old.map((member) =>
      member.name.includes('submissions-') ? { ...member, body: Buffer.from('{') } : member,
    );
    const { run, archive, ledgerDirectory } = await world();
    archive(broken);
    expect(await run('all', { since: '2026-03-04' })).toMatchObject({
      added: 2,
      refusals: [],
      run: { target: 'all since 2026-03-04' },
    });
    expect((await readRows(ledgerDirectory)).filings.map(({ filedAt }) => filedAt)).toEqual([
      '2026-03-04',
      '2026-03-05',
    ]);
  });

  it('an ingest leaves out what another program has appended meanwhile', async () => {
    const [whole, one] = [await world(), await world()];
    whole.archive(three);
    await whole.run('all');
    const { filings, companies } = await readRows(whole.ledgerDirectory);
    const send = longFile(zipOf(three));
    one.edgar.route(archiveRoute, async (request, response) => {
      await appendBatch(one.ledgerDirectory, {
        run: {
          target: 'follow: all',
          status: 'success',
          message: null,
          createdAt: new Date(firstRunMs).toISOString(),
        },
        filings: filings.slice(0, 3),
        companies: companies.slice(0, 1),
        refusals: [],
      });
      await send(request, response);
    });
    expect(await one.run('all')).toMatchObject({ batch: 2, added: 8, corrected: 0 });
    expect(await readRows(one.ledgerDirectory)).toEqual({ filings, companies, batches: 2 });
  });

  it('an ingest of the archive ends when told to, and leaves only the archive', {
    tags: ['slow'],
  }, async () => {
    const { run, archive, ledgerDirectory } = await world();
    archive(three);
    for (const at of ['reading the bulk archive', 'merging']) {
      const stop = new AbortController();
      const progress = { ...quietProgress, begin: (name: string) => void (name === at && stop.abort()) };
      await expect(run('all', { signal: stop.signal, progress })).rejects.toMatchObject({
        name: 'AbortError',
      });
      expect([
        await batchNumbers(ledgerDirectory),
        readdirSync(ledgerDirectory, { recursive: true, encoding: 'utf8' }).filter((name) =>
          name.includes('.staging'),
        ),
      ]).toEqual([[], []]);
      expect(existsSync(join(ledgerDirectory, '.cache', 'submissions.zip'))).toBe(true);
    }
    expect(await run('all')).toMatchObject({ batch: 1, added: 11 });
  });

  it('an ingest of the archive counts what it reads', async () => {
    const { run, archive } = await world();
    archive(three);
    const { progress, works } = seenProgress();
    await run('all', { progress });
    expect(
      works.filter(({ name }) => /archive|merging/.test(name)).map(({ name, done }) => [name, done]),
    ).toEqual([
      ['fetching the bulk archive', 0],
      ['reading the bulk archive', 3],
      ['fetching what the archive lacks', 0],
      ['merging', 3],
      ['merging', 11],
    ]);
  });
});

describe.concurrent('an archive with something broken', () => {
  /** Damages the packed bytes of a member. */
  const damage = (zip: Buffer, name: string): Buffer => {
    const copy = Buffer.from(zip);
    const at = copy.indexOf(name) + name.length + 20;
    copy.fill(0xff, at, at + 30);
    return copy;
  };

  it('a broken member is refused and named with both reasons if its file fails, too', async () => {
    const { run, edgar, ledgerDirectory, log } = await world();
    edgar.route(archiveRoute, longFile(damage(zipOf(three), `CIK${cikOf(3)}.json`)));
    const { added, refusals, run: record } = await run('all');
    expect(added).toBe(8);
    expect(refusals).toEqual([
      {
        cik: cikOf(3),
        file: `CIK${cikOf(3)}.json`,
        accessionNo: '',
        reason: expect.stringMatching(/^in the bulk archive: .+; by itself: not there \(404\)$/),
      },
    ]);
    expect(record).toMatchObject({
      status: 'partial',
      message: expect.stringContaining(`1 lost: CIK${cikOf(3)}.json in the bulk archive`),
    });
    expect(log).toContainEqual(
      expect.stringMatching(new RegExp(`^in the bulk archive: CIK${cikOf(3)}\\.json `)),
    );
    expect((await readRows(ledgerDirectory)).companies.map(({ cik }) => cik)).toEqual([cikOf(1), cikOf(2)]);
  });
  it('a broken member is replaced by its file', async () => {
    const { run, edgar, files, ledgerDirectory } = await world();
    files(three);
    edgar.route(archiveRoute, longFile(damage(zipOf(three), `CIK${cikOf(1)}-submissions-001.json`)));
    expect(await run('all')).toMatchObject({ added: 11, refusals: [], run: { status: 'success' } });
    const whole = await world();
    whole.archive(three);
    await whole.run('all');
    expect(csvOf(ledgerDirectory)).toEqual(csvOf(whole.ledgerDirectory));
  });
  it('broken rows of an archive are refused and named, and the rest is taken', async () => {
    const { run, archive } = await world();
    archive([
      ...entityOf(1, [
        upstreamRow(1),
        upstreamRow(2, { form: '8-K|x' }),
        upstreamRow(3, { primaryDocDescription: 'x'.repeat(600_000) }),
        upstreamRow(4, { primaryDocDescription: 'x'.repeat(20_000) }),
      ]),
      ...entityOf(2, rows(5, 5), { formerNames: [{ name: 'y'.repeat(600_000) }] }),
    ]);
    const { added, refusals } = await run('all');
    expect(added).toBe(2);
    expect(
      refusals.map(({ cik, accessionNo, reason }) => [
        Number(cik),
        Number(accessionNo.slice(-6)),
        reason.slice(0, 20),
      ]),
    ).toEqual(
      [
        [0, 4, 'its texts have 20003 '],
        [1, 2, 'form "8-K|X"'],
        [1, 3, 'its texts have 60013'],
        // Former names have their days beside them, which name them again.
        [2, 0, 'its texts have 12005'],
      ].map(([cik, number, reason]) => [cik, number, expect.stringContaining(String(reason).slice(0, 16))]),
    );
  });
  it.each([
    ['its directory', (zip: Buffer) => Buffer.from(zip).fill(0, zip.length - 40)],
    ['its end', (zip: Buffer) => zip.subarray(0, zip.length - 30)],
    ['everything', () => Buffer.from('<!DOCTYPE html><html><title>SEC.gov | Down</title></html>')],
  ])(
    'an archive with a broken part (%s) is not taken, and the next run fetches it again',
    async (_, change) => {
      const { run, edgar, askedForArchive, ledgerDirectory } = await world();
      const zip = zipOf(three);
      edgar.route(archiveRoute, longFile(change(zip)));
      await expect(run('all')).rejects.toThrow(IngestFailed);
      await expect(run('all')).rejects.toThrow(/^the bulk archive could not be fetched: /);
      expect(askedForArchive()).toEqual(['all', 'all']);
      expect([
        await batchNumbers(ledgerDirectory),
        existsSync(join(ledgerDirectory, '.cache', 'submissions.zip')),
      ]).toEqual([[], false]);
      edgar.route(archiveRoute, longFile(zip));
      expect(await run('all')).toMatchObject({ batch: 1, added: 11 });
    },
  );
  it('an archive that broke on the disk is fetched again at once', { tags: ['slow'] }, async () => {
    const { run, archive, askedForArchive, ledgerDirectory } = await world();
    archive(three);
    await run('all');
    writeFileSync(join(ledgerDirectory, '.cache', 'submissions.zip'), 'rotten');
    askedForArchive();
    expect(await run('all')).toMatchObject({ batch: 2, added: 0, corrected: 0, refusals: [] });
    expect(askedForArchive()).toEqual(['changes', 'all']);
  });
});

describe.concurrent('refusals', () => {
  it('refusals are counted, and the first ones kept', () => {
    const refusals = createRefusals(2);
    const refusal = (number: number) => ({ cik: cikOf(number), file: '', accessionNo: '', reason: 'r' });
    refusals.add(refusal(3), refusal(1));
    expect(refusals.rows()).toEqual([refusal(1), refusal(3)]);
    for (let number = 4; number < 10; number++) refusals.add(refusal(number));
    expect([refusals.count(), refusals.rows().length, refusals.rows().at(-1)?.reason]).toEqual([
      8,
      3,
      'and 6 more that are not listed',
    ]);
  });
});

describe.concurrent('those who are listed', () => {
  const many = Array.from({ length: 220 }, (_, at) =>
    entityOf(at + 1, rows(at * 10, at * 10 + 1), { tickers: [], exchanges: [] }),
  ).flat();
  const symbols = Object.fromEntries(Array.from({ length: 220 }, (_, at) => [`T${at + 1}`, cikOf(at + 1)]));

  /** Expects that a run asks for the file of the first company by itself. It ends there: the others take half a minute. */
  async function expectFileByFile({ run, files, file }: IngestWorld): Promise<void> {
    files(many);
    const stop = new AbortController();
    file(`CIK${cikOf(1)}.json`, () => stop.abort());
    await expect(run('listed', { signal: stop.signal })).rejects.toMatchObject({ name: 'AbortError' });
  }

  it('listed companies come out of the bulk archive at first, and file by file later', {
    tags: ['slow'],
  }, async () => {
    const made = await world({ ...symbols, NEW: cikOf(900) });
    const { run, archive, files, asked, askedForArchive, ledgerDirectory } = made;
    archive([...many, ...entityOf(500, rows(9000, 9001), { tickers: [], exchanges: [] })]);
    files(entityOf(900, rows(9100, 9101)));
    expect(await run('listed')).toMatchObject({
      added: 442,
      refusals: [],
      run: { target: 'listed', status: 'success' },
    });
    // Who is not in the archive yet is asked for by itself.
    expect(asked()).toEqual([`CIK${cikOf(900)}.json`]);
    expect(existsSync(join(ledgerDirectory, '.cache', 'submissions.zip'))).toBe(false);
    askedForArchive();
    await expectFileByFile(made);
    expect(askedForArchive()).toEqual([]);
  });
  it('listed companies come file by file where the archive cannot be had', async () => {
    const made = await world(symbols);
    await expectFileByFile(made);
    expect(made.log[0]).toBe(
      'the bulk archive could not be fetched: not there (404); the files of 220 entities are asked for one after the other',
    );
  });
  it('a follower does not fill a ledger of listed companies without the archive', async () => {
    const { run, files, edgar } = await world(symbols);
    files(many);
    await expect(run('listed', { isFirstFill: true })).rejects.toThrow(
      'the bulk archive could not be fetched: not there (404)',
    );
    expect(edgar.requests.length).toBe(3);
  });
});

describe.concurrent('what was gathered', () => {
  it('gathered filings can be read repeatedly, and leave no file open', needs('descriptors'), async () => {
    const folder = directory();
    const gathering = await createGathering(folder, () => {}, null, 1);
    const { entity, columns } = parseSubmissions(body(submissionsOf(cikOf(1), rows(1, 9))), cikOf(1));
    gathering.takeEntity(entity)('f', columns, Date.parse(archiveMade));
    gathering.finish();
    const [first] = gathering.filings();
    expect(first?.accessionNo).toBe(accessionOf(1));
    const isLock = (path: string) => path.endsWith('.lock');
    expect(openBelow(folder).filter((path) => !isLock(path))).toEqual([]);
    for (let time = 0; time < 2; time++)
      expect(
        [...gathering.filings()].map(({ rowsOfFiles }) =>
          rowsOfFiles().map(({ filing }) => filing.accessionNo),
        ),
      ).toEqual(Array.from({ length: 9 }, (_, at) => [accessionOf(at + 1)]));
    await gathering.close();
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe.concurrent('any small archive', () => {
  const row = fc.record({
    number: fc.integer({ min: 1, max: 12 }),
    day: fc.integer({ min: 1, max: 20 }),
    form: fc.constantFrom('8-K', '4', 'SC 13G', '10-Q'),
    time: fc.constantFrom('utc', 'eastern', 'neither', 'none'),
    hasFile: fc.boolean(),
    size: fc.option(fc.integer({ min: 0, max: 9 })),
  });
  const entity = fc.record({
    rows: fc.array(row, { maxLength: 8 }),
    isIssuer: fc.boolean(),
    isOwner: fc.boolean(),
    hasTicker: fc.boolean(),
    rowsOfMain: fc.integer({ min: 1, max: 8 }),
  });
  type MadeEntity = typeof entity extends fc.Arbitrary<infer Value> ? Value : never;
  const timeOf = {
    utc: utcAcceptance,
    eastern: easternAcceptanceOf,
    neither: (day: string) => `${day}T16:00:00.000Z`,
    none: (day: string) => `${day}T00:00:00.000Z`,
  };
  const membersOf = (entities: readonly MadeEntity[]): Member[] =>
    entities.flatMap(({ rows: list, isIssuer, isOwner, hasTicker, rowsOfMain }, at) =>
      entityOf(
        at + 1,
        list.map(({ number, day, form, time, hasFile, size }) => {
          const filingDate = `2026-03-${String(day).padStart(2, '0')}`;
          return upstreamRow(number, {
            filingDate,
            form,
            acceptanceDateTime: timeOf[time](filingDate),
            fileNumber: hasFile ? '001-1' : '',
            act: hasFile ? '34' : '',
            size: (size ?? null) as number,
            items: '',
          });
        }),
        {
          insiderTransactionForIssuerExists: Number(isIssuer),
          insiderTransactionForOwnerExists: Number(isOwner),
          ...(hasTicker ? {} : { tickers: [], exchanges: [] }),
        },
        rowsOfMain,
      ),
    );

  /** What a run does with an archive that is here, without requests. */
  async function take(
    zip: string,
    ledgerDirectory: string,
    since: string | null,
    heldMaximum: number,
  ): Promise<void> {
    const archive = await sources.submissionsArchive.open(zip);
    const known = await openKnownLedger(ledgerDirectory, ledgerDirectory, quietProgress);
    const refusals = createRefusals();
    const gathering = await createGathering(ledgerDirectory, refusals.add, since, heldMaximum);
    expect(
      await collectArchive({
        archive,
        asOfMs: Date.parse(archiveMade),
        members: null,
        gathering,
        refusals,
        since,
        progress: quietProgress,
      }),
    ).toEqual([]);
    gathering.finish();
    const batch = await openBatch(ledgerDirectory);
    const clocks = await decideClocks(gathering, known, undefined);
    await fillBatch({
      findings: {
        entities: gathering.entities,
        entityCount: gathering.counts.entities,
        filings: () => settledFilings(gathering, clocks),
        tickers: [],
        claimOf: gathering.claimOf,
        isSorted: false,
      },
      known,
      batch,
      refuse: refusals.add,
      progress: quietProgress,
    });
    expect(refusals.rows()).toEqual([]);
    const run = {
      target: 'all',
      status: 'success',
      message: null,
      createdAt: new Date(firstRunMs).toISOString(),
    };
    await withLedgerEnd(ledgerDirectory, (end) => batch.finish(end, { run, refusals: [] }));
    await Promise.all([gathering.close(), known.close(), archive.close()]);
  }

  for (const [runs, tags] of [
    [40, ['slow']],
    [400, ['slow', 'nightly']],
  ] as const)
    it(`any small archive gives what its files give, at first and again, as ${runs} show`, {
      tags: [...tags],
      timeout: 600_000,
    }, async () => {
      const inputs = fc.tuple(
        fc.array(entity, { minLength: 1, maxLength: 5 }),
        fc.array(entity, { minLength: 1, maxLength: 5 }),
        fc.option(fc.integer({ min: 1, max: 20 })),
        fc.constantFrom(1, 2000, 1e6),
      );
      let [shared, corrected, undecided] = [0, 0, 0];
      await fc.assert(
        fc.asyncProperty(inputs, async ([first, second, sinceDay, heldMaximum]) => {
          const ledgerDirectory = directory();
          const since = sinceDay === null ? null : `2026-03-${String(sinceDay).padStart(2, '0')}`;
          let known = new Map<string, LedgerFiling>();
          const listed = new Set<string>();
          for (const entities of [first, second]) {
            const members = membersOf(entities);
            const zip = join(ledgerDirectory, 'made.zip');
            writeFileSync(zip, zipOf(members));
            await take(zip, ledgerDirectory, since, heldMaximum);
            const expected = new Map([
              ...known,
              ...combinedInMemory(members, since, unsettledFrom, known, listed).map(
                (filing) => [filing.accessionNo, filing] as const,
              ),
            ]);
            const found = (await readRows(ledgerDirectory)).filings;
            expect(found).toEqual(
              [...expected.values()].sort((a, b) => (a.accessionNo < b.accessionNo ? -1 : 1)),
            );
            shared += found.filter(
              ({ filerCiks, subjectCik }) => filerCiks.length + Number(subjectCik !== null) > 1,
            ).length;
            corrected += found.filter(
              (filing) =>
                known.has(filing.accessionNo) &&
                !sameFiling(known.get(filing.accessionNo) as LedgerFiling, filing),
            ).length;
            undecided += found.filter(({ acceptedEastern }) => acceptedEastern === null).length;
            known = new Map(found.map((filing) => [filing.accessionNo, filing]));
          }
        }),
        { numRuns: runs },
      );
      // There was something to see.
      expect(Math.min(shared, corrected, undecided)).toBeGreaterThan(runs / 2);
    });
});

describe('a run of everyone', () => {
  const words = (ledger: string) => ['ingest', '--universe', 'all', '--ledger', ledger];
  const tickerRows = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`K${at}`, cikOf(at + 1)]));

  // Half a million filings take more than 300 MB as objects.
  for (const [filings, heapMegabytes, tags] of [
    [150_000, 130, ['slow']],
    [500_000, 160, ['slow', 'nightly']],
  ] as const)
    it(`a run of everyone takes no more memory for a larger archive, as of ${filings} filings`, {
      tags: [...tags],
      timeout: 900_000,
    }, async () => {
      const { edgar, environment } = await world(tickerRows);
      const path = join(directory(), 'made.zip');
      writeLargeZip(path, archiveMembers({ entities: filings / 20, filings, shared: 2 }));
      edgar.route(archiveRoute, longFile(readFileSync(path)));
      const ledger = directory();
      const { code, stdout } = await command(words(ledger), {
        ...environment,
        NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}`,
      });
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(/batch 1 in .*: \d{6} new filings, 0 corrected, success/),
      ]);
    });
});
