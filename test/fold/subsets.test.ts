// @module-tag slow
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileSighting, mergeFiling } from '../../build/ledger/merge-filing.ts';
import { ciksOf } from '../../build/ledger/parties.ts';
import type { LedgerCompany, LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import type { Change, Company, CompanyProfile, Filing } from '../../src/contract/records.ts';
import { allPartition } from '../../src/format/snapshot.ts';
import { newestCikOf, relatedCiks, successors } from '../../src/domain/successors.ts';
import { useDirectories } from '../support/directories.ts';
import { ledgerCompany, ledgerFiling, someCik } from '../support/arbitraries.ts';
import { readModel } from '../support/ledger-model.ts';
import { appendMadeUp, company, filing } from '../support/ledgers.ts';
import { sampleLedger, serviceOver } from '../support/sample.ts';
import { rowsIn, withFilings } from '../support/published.ts';
import { buildQuietly, openCurrent } from '../support/snapshots.ts';

const fresh = useDirectories('subsets');

/** A company with the filings that its own file lists, each naming it alone. */
interface Listed {
  readonly company: LedgerCompany;
  readonly filings: readonly LedgerFiling[];
}

type World = ReadonlyMap<string, Listed>;

/** Filings of each company that take part: enough for lists of several forms, few enough for many builds. */
const newest = 40;
const related = successors.flatMap(({ predecessorCik, successorCik }) => [predecessorCik, successorCik]);

/**
 * A world in which every predecessor and successor has filings: EDGAR's answers about some of them were never
 * recorded. The predecessor keeps the symbol, and some of its filings name the successor, too.
 */
function withRelated(listed: readonly Listed[]): World {
  const world = new Map(listed.map((each) => [each.company.cik, each]));
  for (const [at, { predecessorCik, successorCik }] of successors.entries()) {
    const ofPredecessor = Array.from({ length: 5 }, (_, number) =>
      filing(900_000 + at * 10 + number, { filerCiks: [predecessorCik] }),
    );
    const known = world.get(successorCik) ?? {
      company: { ...company(1, `NEW${at}`), cik: successorCik },
      filings: [],
    };
    const symbol = known.company.tickers.slice(0, 1);
    if (!world.has(predecessorCik))
      world.set(predecessorCik, {
        company: { ...company(1, null), cik: predecessorCik, tickers: symbol },
        filings: ofPredecessor,
      });
    world.set(successorCik, {
      ...known,
      filings: [
        ...known.filings,
        ...ofPredecessor.slice(0, 2).map((each) => ({ ...each, filerCiks: [successorCik] })),
      ],
    });
  }
  return world;
}

async function worldOfSample(): Promise<World> {
  const { companies, rows } = await readModel(sampleLedger);
  const listed = [...companies.values()].map(
    ({ updatedAt: _updatedAt, everTickers: _everTickers, ...row }): Listed => {
      const own = [...rows.values()].filter((each) => ciksOf(each).includes(row.cik)).slice(-newest);
      return {
        company: row,
        filings: own.map((each) => ({
          ...each,
          subjectCik: each.subjectCik === row.cik ? row.cik : null,
          filerCiks: each.subjectCik === row.cik ? [] : [row.cik],
        })),
      };
    },
  );
  return withRelated(listed);
}

/** Companies, each with the run of the ingest (0, 1 or 2) that asks for it first. */
type Subset = readonly (readonly [cik: string, run: number])[];

/** Some companies, related ones among them more often than not, each with a run. */
const subsetOf = (world: World): fc.Arbitrary<Subset> =>
  fc
    .tuple(
      fc.uniqueArray(fc.constantFrom(...world.keys()), { minLength: 1, maxLength: 3 }),
      fc.subarray(related),
    )
    .chain(([some, relatives]) => {
      const ciks = [...new Set([...some, ...relatives])];
      return fc
        .array(fc.nat(2), { minLength: ciks.length, maxLength: ciks.length })
        .map((runs) => ciks.map((cik, at) => [cik, runs[at] ?? 0] as const));
    });

/**
 * Writes the ledger that such runs would have written, with the merging of the ingest. Returns its filings as
 * they are at the end.
 */
async function writeLedger(
  directory: string,
  world: World,
  subset: Subset,
): Promise<Map<string, LedgerFiling>> {
  const known = new Map<string, LedgerFiling>();
  const isListed = (cik: string) =>
    subset.some(([each]) => each === cik) && (world.get(cik)?.company.tickers.length ?? 0) > 0;
  for (const run of [0, 1, 2]) {
    const asked = subset.flatMap(([cik, first]) => (first === run ? (world.get(cik) ?? []) : []));
    const sightings = new Map<string, LedgerFiling[]>();
    for (const each of asked.flatMap(({ filings }) => filings))
      sightings.set(each.accessionNo, [...(sightings.get(each.accessionNo) ?? []), each]);
    const filings = [...sightings].map(([accessionNo, seen]) =>
      mergeFiling(known.get(accessionNo), seen.map(fileSighting), isListed),
    );
    for (const each of filings) known.set(each.accessionNo, each);
    await appendMadeUp(directory, run + 1, {
      filings,
      companies: asked.map((each) => each.company),
    });
  }
  return known;
}

/** A subset builds, and counts for every company what its lists hold. */
async function holds(world: World, subset: Subset): Promise<void> {
  const ledgerDirectory = fresh();
  const filings = [...(await writeLedger(ledgerDirectory, world, subset)).values()];
  const snapshots = fresh();
  await buildQuietly(ledgerDirectory, snapshots);
  const { snapshot, close } = await openCurrent(snapshots);
  await close();
  const tables = withFilings(await rowsIn(snapshots, snapshot.manifest.segments, snapshot.log.list));
  const rows = <Row>(name: keyof typeof tables) =>
    tables[name].map(({ partition, json }) => ({ key: partition, record: JSON.parse(json) as Row }));

  const held = new Set(subset.map(([cik]) => cik));
  const found = new Map(
    rows<Company>('companies').flatMap(({ key, record }) =>
      key === allPartition ? [[record.cik, record] as const] : [],
    ),
  );
  const [lists, feeds] = [
    rows<Filing>('company-filings').map(({ key, record }) => ({ key, filing: record })),
    rows<Change>('company-changes').map(({ key, record }) => ({ key, filing: record.filing })),
  ];
  const profiles = rows<CompanyProfile>('profiles');
  expect(profiles.map(({ key }) => key)).toEqual([...held].sort());
  expect([...found.keys()].sort()).toEqual([...held].sort());
  expect(snapshot.manifest).toMatchObject({ companyCount: held.size, filingCount: filings.length });
  const service = await serviceOver(snapshots);
  try {
    for (const { record } of profiles) {
      const chain = relatedCiks(record.cik);
      const named = filings.filter((each) => ciksOf(each).some((cik) => chain.includes(cik))).length;
      const listed = [lists, feeds].map(
        (list) =>
          new Set(
            list.filter(({ key }) => key === newestCikOf(record.cik)).map((row) => row.filing.accessionNo),
          ).size,
      );
      const { data } = (await (
        await service.get(`/v1/sec/company/${record.cik}/events?limit=200`)
      ).json()) as { data: unknown[] };
      expect([
        record.cik,
        record.filingCount,
        found.get(record.cik)?.filingCount,
        ...listed,
        data.length,
      ]).toEqual([record.cik, named, named, named, named, Math.min(200, named)]);
      expect(record.relatedCiks).toEqual(chain.filter((cik) => cik !== record.cik && held.has(cik)));
      for (const ticker of record.tickers) {
        const profile = (await (
          await service.get(`/v1/sec/company/${encodeURIComponent(ticker)}/profile`)
        ).json()) as { data: CompanyProfile };
        expect(chain).toContain(profile.data.cik);
      }
    }
  } finally {
    await service.close();
  }
}

/** Subsets that test the rule about predecessors come before random ones. */
const certain = successors.flatMap(({ predecessorCik, successorCik }): Subset[] => [
  [[predecessorCik, 0]],
  [[successorCik, 0]],
  [
    [predecessorCik, 0],
    [successorCik, 1],
  ],
  [
    [successorCik, 0],
    [predecessorCik, 2],
  ],
]);

/** Tries random subsets of a world, after some or all of the certain ones. */
const check = (
  world: World,
  numRuns: number,
  some: readonly Subset[] = fc.sample(fc.constantFrom(...certain), 8),
) =>
  fc.assert(
    fc.asyncProperty(subsetOf(world), (subset) => holds(world, subset)),
    { numRuns: some.length + numRuns, examples: some.map((subset): [Subset] => [subset]) },
  );

describe('a ledger of rows that are hard to print', () => {
  it('no odd text, symbol or value stops a build', async () => {
    const cik = fc.oneof(someCik, fc.constantFrom(...related));
    const batch = fc.record({
      filings: fc.uniqueArray(ledgerFiling(), { maxLength: 12, selector: ({ accessionNo }) => accessionNo }),
      companies: fc.uniqueArray(ledgerCompany(cik), {
        minLength: 2,
        maxLength: 5,
        selector: (each) => each.cik,
      }),
    });
    await fc.assert(
      fc.asyncProperty(batch, async (content) => {
        const ledgerDirectory = fresh();
        await appendMadeUp(ledgerDirectory, 1, {
          ...content,
        });
        const lines: string[] = [];
        await buildQuietly(ledgerDirectory, fresh(), { log: (line) => void lines.push(line) });
        expect(lines).toEqual([
          expect.stringContaining(
            `: ${content.filings.length} filings of ${content.companies.length} companies`,
          ),
        ]);
      }),
      { numRuns: 4 },
    );
  });
});

describe('a ledger of any companies, with or without their predecessors and successors, is published and counts what it lists', () => {
  it('subsets of the embedded sample are published, with right counts', async () =>
    check(await worldOfSample(), 3));
  it(
    'each succession alone and together is published, with right counts',
    {
      tags: ['slow', 'nightly'],
      timeout: 900_000,
    },
    async () => check(await worldOfSample(), 3, certain),
  );
});
