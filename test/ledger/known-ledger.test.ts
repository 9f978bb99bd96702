// @module-tag slow
import { cpSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFarBehind, openKnownLedger } from '../../build/ingest/known.ts';
import { batchDirectory, BrokenLedger } from '../../build/ledger/batch.ts';
import { quietProgress } from '../../build/work/progress.ts';
import { readPointer } from '../../build/snapshot/pointer.ts';
import { hasItems } from '../../src/domain/event-types.ts';
import { paths } from '../../src/format/snapshot.ts';
import { foldSymbol } from '../../src/domain/scalars.ts';
import { useDirectories } from '../support/directories.ts';
import { unevenHistories } from '../support/histories.ts';
import { readModel, type BatchRows, type ModelCompany } from '../support/ledger-model.ts';
import { appendMadeUp, cikOf, company, filing, madeUp, noAddress } from '../support/ledgers.ts';
import { writeHistory } from '../support/published.ts';
import { buildQuietly } from '../support/snapshots.ts';
import { manifestOf } from '../support/whole.ts';

const fresh = useDirectories('known');

/** What a ledger is asked for here: everything that it has, and some that it has not. */
async function questions(ledger: string) {
  const model = await readModel(ledger);
  const { rows, companies, symbols } = model;
  return {
    model,
    accessionNos: ['9999999999-26-000001', ...rows.keys()].reverse(),
    ciks: ['0000000077', ...companies.keys()].reverse(),
    symbols: ['nope', ...[...symbols.keys()].map((symbol) => symbol.toLowerCase())],
  };
}

const rowOf = ({ updatedAt: _updatedAt, everTickers: _everTickers, ...row }: ModelCompany) => row;

/**
 * Whether a known ledger, looked up with the snapshots of a directory, answers as the ledger in memory.
 * Returns how many rows of batches it read.
 */
async function expectKnown(ledger: string, snapshots: string): Promise<number> {
  const { model, accessionNos, ciks, symbols } = await questions(ledger);
  let rows = 0;
  const known = await openKnownLedger(ledger, snapshots, {
    ...quietProgress,
    step: (count = 1) => void (rows += count),
  });
  try {
    const published = (accessionNo: string) => {
      const row = model.rows.get(accessionNo);
      return (
        row && { ...row, items: hasItems(row.form) ? row.items : [], filerCiks: row.filerCiks.toSorted() }
      );
    };
    expect(await known.filings(accessionNos)).toEqual(
      new Map(
        accessionNos.flatMap((accessionNo) =>
          published(accessionNo) ? [[accessionNo, published(accessionNo)]] : [],
        ),
      ),
    );
    const found = await known.companies(ciks);
    expect([...found.keys()].sort()).toEqual([...model.companies.keys()].sort());
    for (const [cik, { name, tickers, exchange, formerNames, formerNamePeriods, facts }] of found) {
      expect({
        cik,
        name,
        tickers,
        exchange,
        formerNames,
        ...(formerNamePeriods ? { formerNamePeriods } : {}),
        ...(facts ? { facts } : {}),
      }).toEqual(rowOf(model.companies.get(cik) as ModelCompany));
    }
    const folded = new Map([...model.symbols].filter(([symbol]) => !/^\d{10}$/.test(symbol)));
    expect(await known.symbols(symbols)).toEqual(
      new Map([...folded].map(([symbol, { cik }]) => [foldSymbol(symbol), cik])),
    );
    expect(await known.filings([])).toEqual(new Map());
  } finally {
    await known.close();
  }
  // Nothing is left of what was folded aside.
  expect(readdirSync(ledger).filter((name) => name.startsWith('.staging'))).toEqual([]);
  return rows;
}

const batches = (): BatchRows[] =>
  madeUp(
    {
      companies: [
        company(1),
        company(2),
        company(3, null, {
          facts: {
            sic: '1000',
            sicDescription: null,
            category: null,
            entityType: null,
            stateOfIncorporation: 'DE',
            fiscalYearEnd: null,
            ...noAddress,
          },
        }),
      ],
      filings: Array.from({ length: 30 }, (_, at) => filing(at + 1, { filerCiks: [cikOf(1 + (at % 3))] })),
    },
    {
      companies: [company(1, 'NEW', { name: 'Renamed', formerNames: ['Company 1'] })],
      filings: [
        filing(2, { form: '10-K', acceptedEastern: null }),
        filing(40, { subjectCik: cikOf(4), filerCiks: [cikOf(1)], form: '4' }),
      ],
    },
    {
      companies: [company(5, 'T1')],
      filings: [filing(40, { subjectCik: cikOf(4), filerCiks: [cikOf(2), cikOf(1)].sort(), form: '4' })],
    },
    {},
  );

async function ledgerOf(rows: readonly BatchRows[]): Promise<string> {
  const ledger = fresh();
  await writeHistory(ledger, rows);
  return ledger;
}

describe('what a ledger knows', () => {
  it('a ledger is read from its batches where there is no snapshot', async () => {
    expect(await expectKnown(await ledgerOf(batches()), join(fresh(), 'nowhere'))).toBe(38);
    const nothing = await openKnownLedger(fresh(), fresh(), quietProgress);
    expect([
      await nothing.filings([filing(1).accessionNo]),
      await nothing.companies([cikOf(1)]),
      await nothing.symbols(['T1']),
    ]).toEqual([new Map(), new Map(), new Map()]);
    await nothing.close();
  });

  it('work that asks for nothing new takes in what is appended meanwhile once, behind it', async () => {
    const [first, ...others] = batches();
    const ledger = await ledgerOf([first as BatchRows]);
    let rows = 0;
    const known = await openKnownLedger(ledger, fresh(), {
      ...quietProgress,
      step: (count = 1) => void (rows += count),
    });
    const [old, young] = [filing(1).accessionNo, filing(40).accessionNo];
    const read = rows;
    await known.asBefore(async () => {
      for (const batch of others) {
        await writeHistory(ledger, [batch]);
        expect([...(await known.filings([old, young])).keys()]).toEqual([old]);
        expect(rows).toBe(read);
      }
    });
    expect([...(await known.filings([old, young])).keys()].sort()).toEqual([old, young].sort());
    await expect(known.asBefore(() => Promise.reject(new Error('ends')))).rejects.toThrow('ends');
    await writeHistory(ledger, madeUp({ filings: [filing(41)] }));
    expect((await known.filings([filing(41).accessionNo])).size).toBe(1);
    await known.close();
  });

  it('a current snapshot answers for the ledger without reading rows, an older one with the batches behind', async () => {
    const rows = batches();
    for (const [behind, read] of [
      [0, 0],
      [1, 0],
      [2, 2],
      [3, 5],
    ] as const) {
      const [ledger, snapshots] = [fresh(), fresh()];
      await writeHistory(ledger, rows.slice(0, rows.length - behind));
      await buildQuietly(ledger, snapshots);
      await writeHistory(ledger, rows.slice(rows.length - behind));
      expect([behind, await expectKnown(ledger, snapshots)]).toEqual([behind, read]);
    }
  });

  it('a snapshot of another ledger, or from before a fork, is not used', async () => {
    const rows = batches();
    const snapshots = fresh();
    await buildQuietly(
      await ledgerOf(madeUp({ companies: [company(1, 'ELSE')], filings: [filing(1, { form: '8-K' })] })),
      snapshots,
    );
    expect(await expectKnown(await ledgerOf(rows), snapshots)).toBe(38);

    const forked = fresh();
    await buildQuietly(
      await ledgerOf([...rows.slice(0, 1), ...madeUp({ filings: [filing(1, { form: '8-K' })] })]),
      forked,
    );
    expect(await expectKnown(await ledgerOf(rows), forked)).toBe(38);

    // The snapshot has more batches than the ledger, which was put back.
    const longer = fresh();
    await buildQuietly(await ledgerOf(rows), longer);
    expect(await expectKnown(await ledgerOf(rows.slice(0, 2)), longer)).toBe(36);
  });

  it('a broken snapshot is not used', async () => {
    const ledger = await ledgerOf(batches());
    const damages: ((snapshots: string, manifest: string, segment: string) => void)[] = [
      (snapshots) => writeFileSync(join(snapshots, paths.pointer), '{'),
      (snapshots) =>
        writeFileSync(join(snapshots, paths.pointer), JSON.stringify({ format: 1, snapshotId: 'x' })),
      (_, manifest) => truncateSync(manifest, 100),
      (_, manifest) => writeFileSync(manifest, '{}'),
      (_, __, segment) => truncateSync(join(segment, 'segment.json'), 10),
      (_, __, segment) => writeFileSync(join(segment, 'segment.json'), '{}'),
    ];
    const whole = fresh();
    const id = await buildQuietly(ledger, whole);
    const { segments } = await manifestOf(whole);
    for (const damage of damages) {
      const snapshots = join(fresh(), 'copy');
      cpSync(whole, snapshots, { recursive: true });
      const segment = join(snapshots, paths.segments, segments[0]?.name ?? '');
      damage(snapshots, join(snapshots, paths.manifest(id)), segment);
      expect(await expectKnown(ledger, snapshots)).toBe(38);
    }
  });

  it('a broken ledger is refused, with a snapshot and without', async () => {
    const ledger = await ledgerOf(batches());
    const snapshots = fresh();
    await buildQuietly(ledger, snapshots);
    await appendMadeUp(ledger, 5, {
      filings: [filing(50)],
    });
    truncateSync(join(batchDirectory(ledger, 5), 'filings-1.csv'), 30);
    for (const directory of [snapshots, fresh()])
      await expect(openKnownLedger(ledger, directory, quietProgress)).rejects.toThrow(BrokenLedger);
    expect(readdirSync(ledger)).toEqual(['.lock', 'batches']);
    expect(await readPointer(snapshots)).not.toBeNull();
  });

  it('open look-ups take in each new batch once, and read no rows of what a publication holds', async () => {
    const [ledger, snapshots] = [fresh(), fresh()];
    const rows = batches();
    await writeHistory(ledger, rows.slice(0, 1));
    await buildQuietly(ledger, snapshots);
    let folded = 0;
    const known = await openKnownLedger(ledger, snapshots, {
      ...quietProgress,
      step: (count = 1) => void (folded += count),
    });
    const formOf = async (number: number) => {
      const { accessionNo } = filing(number);
      return (await known.filings([accessionNo])).get(accessionNo)?.form ?? null;
    };
    const nameOf = async (number: number) =>
      (await known.companies([cikOf(number)])).get(cikOf(number))?.name;
    expect([await formOf(2), await formOf(40), await nameOf(1), folded]).toEqual([
      filing(2).form,
      null,
      'Company 1',
      0,
    ]);
    await writeHistory(ledger, rows.slice(1, 2));
    expect([await formOf(2), await formOf(40), await nameOf(1), folded]).toEqual(['10-K', '4', 'Renamed', 3]);
    await writeHistory(ledger, rows.slice(2, 3));
    expect(await Promise.all([known.symbols(['NEW', 'T1']), formOf(2), nameOf(5)])).toEqual([
      new Map([
        ['NEW', cikOf(1)],
        ['T1', cikOf(5)],
      ]),
      '10-K',
      company(5, 'T1').name,
    ]);
    expect(folded).toBe(5);
    await buildQuietly(ledger, snapshots);
    expect([await formOf(2), await formOf(40), await nameOf(1), folded]).toEqual(['10-K', '4', 'Renamed', 5]);
    // A pointer that cannot be read, or of another ledger, takes nothing from what is open.
    writeFileSync(join(snapshots, paths.pointer), '{');
    expect([await formOf(2), folded]).toEqual(['10-K', 5]);
    // A ledger that is put in the place of this one is read from its beginning.
    rmSync(join(ledger, 'batches'), { recursive: true });
    await writeHistory(
      ledger,
      madeUp({ filings: [filing(2, { form: 'SD' })] }, {}, {}, { filings: [filing(60)] }),
    );
    expect([await formOf(2), await formOf(40)]).toEqual(['SD', null]);
    await known.close();
    expect(readdirSync(ledger)).toEqual(['.lock', 'batches']);
  });

  it('open look-ups fold batches together again before they are many runs', async () => {
    const ledger = fresh();
    await writeHistory(ledger, batches());
    let folded = 0;
    const known = await openKnownLedger(ledger, fresh(), {
      ...quietProgress,
      step: (count = 1) => void (folded += count),
    });
    for (let number = 1; number <= 70; number++) {
      await appendMadeUp(ledger, number, {
        filings: [filing(100 + number)],
      });
      const { accessionNo } = filing(100 + number);
      expect([...(await known.filings([accessionNo, filing(1).accessionNo])).keys()].sort()).toEqual(
        [filing(1).accessionNo, accessionNo].sort(),
      );
    }
    await known.close();
    // 38 rows and 70, and once more those before the sixty-fifth run.
    expect(folded).toBeGreaterThan(38 + 70);
    expect(folded).toBeLessThan(2 * (38 + 70));
  });

  it('what a ledger knows is the same whatever was published', () =>
    fc.assert(
      fc.asyncProperty(unevenHistories, fc.nat(7), async (rows, at) => {
        const [ledger, snapshots] = [fresh(), fresh()];
        mkdirSync(ledger, { recursive: true });
        const published = Math.min(at, rows.length);
        await writeHistory(ledger, rows.slice(0, published));
        if (published > 0) await buildQuietly(ledger, snapshots);
        await writeHistory(ledger, rows.slice(published));
        await expectKnown(ledger, snapshots);
      }),
      { numRuns: 4, interruptAfterTimeLimit: 15_000 },
    ));
});

describe('isFarBehind', () => {
  it('counts the rows that are in no snapshot', async () => {
    const [ledgerDirectory, snapshotsDirectory] = [fresh(), fresh()];
    const isBehind = (rows: number) => isFarBehind({ ledgerDirectory, snapshotsDirectory }, rows);
    expect(await isBehind(0)).toBe(false);
    const append = (number: number) =>
      appendMadeUp(ledgerDirectory, number, {
        filings: [filing(number), filing(number + 10)],
        companies: [company(1)],
      });
    await append(1);
    expect([await isBehind(2), await isBehind(3)]).toEqual([true, false]);
    await buildQuietly(ledgerDirectory, snapshotsDirectory);
    expect(await isBehind(0)).toBe(false);
    await append(2);
    expect([await isBehind(2), await isBehind(3)]).toEqual([true, false]);
  });
});
