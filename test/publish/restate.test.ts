// @module-tag slow
import fc from 'fast-check';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { BatchContent } from '../../build/ledger/batch.ts';
import type { Query } from '../../src/contract/parameters.ts';
import type { Change, Filing } from '../../src/contract/records.ts';
import { quietProgress } from '../../build/work/progress.ts';
import { useDirectories } from '../support/directories.ts';
import { headsOf } from '../support/heads.ts';
import { histories } from '../support/histories.ts';
import { batchAt, cikOf, company, filing } from '../support/made-up.ts';
import { plainSettings } from '../support/snapshots.ts';

const fresh = useDirectories('restate');

/** Rules that differ from those of this version. */
interface Rules {
  readonly number: number;
  readonly eventTypes?: Readonly<Record<string, string>>;
  /** Forms that have items, beside those of the 8-K family. */
  readonly withItems?: readonly string[];
  readonly withoutItems?: readonly string[];
  readonly changeTypes?: Readonly<Record<string, Change['changeType']>>;
  readonly successors?: readonly (readonly [predecessor: string, successor: string])[];
  /** A new member of every filing. */
  readonly member?: string;
}

/** The modules of a program with these rules. Modules that were loaded before keep theirs. */
async function programWith(rules: Rules) {
  vi.resetModules();
  vi.doMock('../../src/domain/rules.ts', () => ({ rulesNumber: rules.number, firstRules: 1 }));
  vi.doMock('../../src/domain/event-types.ts', async (original) => {
    const real = await original<typeof import('../../src/domain/event-types.ts')>();
    const hasItems = (form: string) =>
      rules.withItems?.includes(form) || (real.hasItems(form) && !rules.withoutItems?.includes(form));
    return {
      ...real,
      eventTypeOfForm: (form: string) => rules.eventTypes?.[form] ?? real.eventTypeOfForm(form),
      hasItems,
    };
  });
  vi.doMock('../../src/domain/change-type.ts', async (original) => {
    const real = await original<typeof import('../../src/domain/change-type.ts')>();
    return {
      ...real,
      changeTypeOf: (form: string, items: readonly string[]) =>
        rules.changeTypes?.[form] ?? real.changeTypeOf(form, items),
    };
  });
  const { successors } = rules;
  vi.doMock('../../src/domain/successors.ts', async (original) => {
    if (!successors) return original();
    const successorOf = new Map(successors);
    const predecessorOf = new Map(successors.map(([a, b]) => [b, a]));
    const newestCikOf = (cik: string): string => {
      const next = successorOf.get(cik);
      return next === undefined ? cik : newestCikOf(next);
    };
    const relatedCiks = (cik: string) => {
      const chain: string[] = [];
      for (
        let next: string | undefined = newestCikOf(cik);
        next !== undefined;
        next = predecessorOf.get(next)
      )
        chain.push(next);
      return chain;
    };
    return {
      successors: successors.map(([predecessorCik, successorCik]) => ({
        predecessorCik,
        successorCik,
        since: '2020-01-01',
        description: '',
      })),
      sourceOfSuccession: () => 'https://www.sec.gov/',
      isInChain: (cik: string) => successorOf.has(cik) || predecessorOf.has(cik),
      newestCikOf,
      relatedCiks,
      listCikOf: (cik: string, isHeld: (cik: string) => boolean) => relatedCiks(cik).find(isHeld) ?? cik,
    };
  });
  const { member } = rules;
  vi.doMock('../../build/ledger/observation.ts', async (original) => {
    const real = await original<typeof import('../../build/ledger/observation.ts')>();
    if (!member) return real;
    const added = <Made extends { readonly filing: Filing }>(made: Made): Made => {
      const { parties, ...others } = made.filing;
      return { ...made, filing: { ...others, [member]: others.form.length, parties } as Filing };
    };
    return {
      ...real,
      firstObservation: (...words: Parameters<typeof real.firstObservation>) =>
        added(real.firstObservation(...words)),
      nextObservation: (...words: Parameters<typeof real.nextObservation>) =>
        added(real.nextObservation(...words)),
    };
  });
  const [build, ledger, verify, derived, pointer, folder, open, lists, filters] = await Promise.all([
    import('../../build/snapshot/build.ts'),
    import('../../build/ledger/batch.ts'),
    import('../../build/verify/verify.ts'),
    import('../../build/verify/derived.ts'),
    import('../../build/snapshot/pointer.ts'),
    import('../../src/snapshot/folder.ts'),
    import('../../src/snapshot/open.ts'),
    import('../../src/answers/read-feed.ts'),
    import('../../src/answers/known-filters.ts'),
  ]);
  return {
    rules,
    ...build,
    ...ledger,
    ...verify,
    ...derived,
    ...pointer,
    ...folder,
    ...open,
    ...lists,
    ...filters,
  };
}
type Program = Awaited<ReturnType<typeof programWith>>;

afterAll(() => {
  for (const name of ['rules', 'event-types', 'change-type', 'successors'])
    vi.doUnmock(`../../src/domain/${name}.ts`);
  vi.doUnmock('../../build/ledger/observation.ts');
  vi.resetModules();
});

const [a, b, c] = [cikOf(1), cikOf(2), cikOf(3)];
const first = { number: 1, successors: [] } satisfies Rules;
const second = {
  number: 2,
  eventTypes: { '10-Q': 'other_filing', '6-K': 'annual_report' },
  withItems: ['10-Q', '6-K', '4'],
  changeTypes: { '10-K': 'material_event' },
  successors: [[a, b]],
} satisfies Rules;
const third = {
  number: 3,
  eventTypes: { '10-Q': 'other_filing', '10-K': 'other_filing' },
  withoutItems: ['8-K'],
  successors: [
    [a, b],
    [b, c],
  ],
} satisfies Rules;

let programs: [Program, Program, Program];
beforeAll(async () => {
  programs = [await programWith(first), await programWith(second), await programWith(third)];
}, 120_000);

/** A ledger and its snapshots. */
const place = () => {
  const directory = fresh();
  return { ledger: join(directory, 'ledger'), snapshots: join(directory, 'snapshots') };
};
type Place = ReturnType<typeof place>;

const append = (
  { appendBatch }: Program,
  { ledger }: Place,
  number: number,
  content: Partial<BatchContent>,
) =>
  appendBatch(ledger, {
    run: { target: 'made up', status: 'success', message: null, createdAt: batchAt(number) },
    filings: [],
    companies: [],
    refusals: [],
    ...content,
  });

const build = ({ buildSnapshot }: Program, { ledger, snapshots }: Place, log: string[] = []) =>
  buildSnapshot({
    ledgerDirectory: ledger,
    snapshotsDirectory: snapshots,
    settings: plainSettings,
    replace: false,
    log: (line) => void log.push(line),
    logCut: { rowsPerFile: 4, rowsPerMember: 2 },
    now: () => Date.parse('2026-06-01T00:00:00.000Z'),
  });

/** The rows of a table that are shown, as JSON, with their keys. */
async function rowsOf({ snapshots }: Place, table: 'company-filings' | 'profiles' | 'summaries') {
  const [{ walkTable }, { withPartFolder }, { manifestOf }, { rowBytes }] = await Promise.all([
    import('../../build/snapshot/walk.ts'),
    import('../../src/snapshot/folder.ts'),
    import('../support/whole.ts'),
    import('../../src/table/table.ts'),
  ]);
  const { segments } = await manifestOf(snapshots);
  return withPartFolder(snapshots, async (folder) =>
    [...(await walkTable(folder, segments, table))].map((line) => ({
      ...line.keys,
      json: rowBytes(line).toString(),
    })),
  );
}

async function logOf({ snapshots }: Place): Promise<string[]> {
  const [{ changesOf }, { manifestOf }] = await Promise.all([
    import('../support/published-rows.ts'),
    import('../support/whole.ts'),
  ]);
  return (await changesOf(snapshots, await manifestOf(snapshots))).map((change) => JSON.stringify(change));
}
const parse = (json: string) => JSON.parse(json) as Change;

/**
 * Asks the feed for each family, each item and each form, alone and together, of all companies and of each of
 * them: it has the entries that say so themselves, whatever rules made them.
 */
async function checkFeeds(program: Program, { snapshots }: Place, id: string, log: readonly Change[]) {
  const [{ createBlockCache }, { manifestOf }] = await Promise.all([
    import('../../src/table/block-cache.ts'),
    import('../support/whole.ts'),
  ]);
  const manifest = await manifestOf(snapshots);
  await program.withPartFolder(snapshots, async (folder) => {
    const reader = program.createSnapshotReader(folder, createBlockCache(1 << 20), 1 << 20);
    const snapshot = await program.openSnapshot(reader, id, manifest);
    const of = (name: 'eventType' | 'form') => [...new Set(log.map(({ filing: each }) => each[name]))];
    const items = [...new Set(log.flatMap(({ filing: each }) => each.items))];
    const pairs = new Set(log.map(({ filing: { form, eventType } }) => JSON.stringify({ form, eventType })));
    const asked: Pick<Query, 'form' | 'eventType' | 'items'>[] = [
      ...of('eventType').map((eventType) => ({ eventType })),
      ...of('form').map((form) => ({ form: [form] })),
      ...items.map((item) => ({ items: [item] })),
      ...[...pairs].map((pair) => {
        const { form, eventType } = JSON.parse(pair) as Change['filing'];
        return { form: [form], eventType };
      }),
      ...log
        .filter(({ filing: each }) => each.items.length > 0)
        .map(({ filing: each }) => ({ eventType: each.eventType, items: [...each.items] })),
    ];
    const chains = [...new Set(log.flatMap(({ filing: { parties } }) => parties.map(({ cik }) => cik)))];
    const chainOf = (cik: string): string => {
      const next = program.rules.successors?.find(([before]) => before === cik);
      return next === undefined ? cik : chainOf(next[1]);
    };
    const names = ({ filing: { parties } }: Change, chain: string) =>
      parties.some((each) => chainOf(each.cik) === chain);
    /** A correction is told to the companies that the entry before it named, too. */
    const concerns = (change: Change, chain: string) => {
      const before = log.findLast(
        ({ sequence, filing: each }) =>
          sequence < change.sequence && each.accessionNo === change.filing.accessionNo,
      );
      return names(change, chain) || (before !== undefined && names(before, chain));
    };
    for (const query of asked) {
      program.requireKnownFilters(snapshot, { kind: 'feed' }, query);
      const matches = ({ filing: each }: Change) =>
        (query.eventType === undefined || each.eventType === query.eventType) &&
        (query.form?.includes(each.form) ?? true) &&
        (query.items === undefined || each.items.some((item) => query.items?.includes(item)));
      const filter = { ...query, eventType: query.eventType === undefined ? undefined : [query.eventType] };
      const read = async (companies: ReadonlyMap<string, number> | null) =>
        program
          .readFeed(snapshot, { ...filter, companies, after: 0, limit: 1000 })
          .rows.map(({ sort }) => Number(sort));
      const expected = log.filter(matches);
      expect(await read(null), JSON.stringify(query)).toEqual(expected.map(({ sequence }) => sequence));
      for (const cik of chains)
        expect(await read(new Map([[chainOf(cik), 0]])), `${JSON.stringify(query)} of ${cik}`).toEqual(
          expected.filter((change) => concerns(change, chainOf(cik))).map(({ sequence }) => sequence),
        );
    }
  });
}

/**
 * Verifies the snapshot against its bytes and its ledger, that a build from nothing gives the same, and what
 * filters of the feed find.
 */
async function checkAll(program: Program, where: Place, id: string): Promise<void> {
  await checkFeeds(program, where, id, (await logOf(where)).map(parse));
  const manifest = await program.verifySnapshot(where.snapshots, id);
  await program.verifyAgainstLedger(
    where.snapshots,
    manifest,
    id,
    where.ledger,
    program.derivingAgain(where.snapshots, manifest),
    quietProgress,
  );
  expect(await build(program, { ...where, snapshots: fresh() }), 'a build from nothing').toBe(id);
}

describe('an update of the rules', () => {
  const filings = [1, 2, 3, 4].map((number) => filing(number, { filerCiks: [a] }));

  it('a new successor has all filings of its predecessor, in its list and in its profile', async () => {
    const where = place();
    await append(programs[0], where, 1, { filings, companies: [company(1), company(2)] });
    await build(programs[0], where);
    const before = await logOf(where);
    await append(programs[1], where, 2, { filings: [filing(5, { filerCiks: [b], form: '10-K' })] });
    const log: string[] = [];
    const id = await build(programs[1], where, log);
    expect(log.filter((line) => line.includes('rules'))).toEqual([
      expect.stringMatching(/^rules 2 of this version replace rules 1 .* served meanwhile$/),
      'batch 3 restates the ledger by rules 2: 4 filings say something else now, and 4 published entries keep what rules 1 had said',
    ]);
    const profiles = (await rowsOf(where, 'profiles')).map(
      ({ json }) => JSON.parse(json) as { filingCount: number },
    );
    expect(profiles.map(({ filingCount }) => filingCount)).toEqual([5, 5]);
    const listed = await rowsOf(where, 'company-filings');
    expect([listed.length, [...new Set(listed.map(({ partition }) => partition))]]).toEqual([5, [b]]);
    const after = await logOf(where);
    expect(after.slice(0, 4), 'published entries keep their bytes').toEqual(before);
    expect(after.slice(5).map(parse)).toMatchObject(
      filings.map(({ accessionNo }) => ({
        changeType: 'amended',
        revision: 2,
        corrected: ['eventType'],
        observedAt: '2026-06-01T00:00:00.000Z',
        filing: { accessionNo, eventType: 'other_filing', ingestedAt: batchAt(1) },
      })),
    );
    await checkAll(programs[1], where, id);
    expect(await build(programs[1], where, log), 'nothing is left to do').toBe(id);
    expect(log.filter((line) => line.includes('restates')).length).toBe(1);
  });

  it('what older rules had not published, newer rules publish as a correction, and the other way round', async () => {
    const where = place();
    const at = (number: number, items: readonly string[]) =>
      filing(number, { form: number === 1 ? '10-Q' : '8-K', items, filerCiks: [c] });
    await append(programs[0], where, 1, { filings: [at(1, ['1.01']), at(2, ['1.01'])] });
    await append(programs[0], where, 2, { filings: [at(1, ['2.02']), at(2, ['2.02'])] });
    await build(programs[0], where);
    const before = await logOf(where);
    expect(before.map(parse).map(({ filing: { items }, revision }) => [revision, items])).toEqual([
      [1, []],
      [1, ['1.01']],
      [2, ['2.02']],
    ]);
    const id = await build(programs[2], where);
    const after = (await logOf(where)).map(parse);
    expect(
      after.slice(3).map(({ filing: { items, eventType }, revision }) => [revision, items, eventType]),
    ).toEqual([
      [2, [], 'other_filing'],
      [3, [], 'current_report'],
    ]);
    expect((await logOf(where)).slice(0, 3)).toEqual(before);
    await checkAll(programs[2], where, id);
  });

  it('an update after a rollback keeps also what the snapshot published that the rollback left', async () => {
    const where = place();
    await append(programs[0], where, 1, { filings: filings.slice(0, 2), companies: [company(1)] });
    await build(programs[0], where);
    await append(programs[0], where, 2, { filings: filings.slice(2) });
    await build(programs[0], where);
    const before = await logOf(where);
    const { rollback, withPartFolder } = programs[0];
    await withPartFolder(where.snapshots, (folder) => rollback(folder));
    await append(programs[1], where, 3, { filings: [filing(9, { filerCiks: [a], form: '10-K' })] });
    const id = await build(programs[1], where);
    const after = await logOf(where);
    expect([before.length, after.length]).toEqual([4, 9]);
    expect(after.slice(0, 4)).toEqual(before);
    await checkAll(programs[1], where, id);
  });

  it('a restatement takes back nothing that a batch after the published ones corrects', async () => {
    const where = place();
    await append(programs[0], where, 1, { filings: filings.slice(0, 2), companies: [company(1)] });
    await build(programs[0], where);
    const before = await logOf(where);
    const corrected = { ...(filings[0] as (typeof filings)[number]), sizeBytes: 999 };
    await append(programs[1], where, 2, { filings: [corrected] });
    await build(programs[1], where);
    const after = await logOf(where);
    expect(after.slice(0, 2)).toEqual(before);
    const seen = after
      .map(parse)
      .map(({ revision, filing: { accessionNo, size, eventType } }) =>
        [accessionNo.at(-1), revision, size, eventType].join(' '),
      );
    expect(seen).toEqual([
      '1 1 100 quarterly_report',
      '2 1 100 quarterly_report',
      // The correction says both; only the other filing is restated.
      '1 2 999 other_filing',
      '2 2 100 other_filing',
    ]);
  });

  it('an older version neither publishes over newer rules nor reads a ledger that they restated', async () => {
    const where = place();
    await append(programs[0], where, 1, { filings, companies: [company(1)] });
    await build(programs[0], where);
    const id = await build(programs[1], where);
    await expect(build(programs[0], where)).rejects.toThrow(/follows rules 2 and this version has rules 1/);
    await expect(build(programs[0], { ...where, snapshots: fresh() })).rejects.toThrow(
      'batch 2 of the ledger restates it by rules 2, and this version has rules 1: update the program',
    );
    expect(await build(programs[1], where)).toBe(id);
  });

  it('a member that is new in every record changes bytes, and makes no corrections', async () => {
    const where = place();
    await append(programs[0], where, 1, { filings, companies: [company(1)] });
    await build(programs[0], where);
    const before = (await logOf(where)).map(parse);
    const newer = await programWith({ ...first, number: 2, member: 'pages' });
    const id = await build(newer, where);
    const after = (await logOf(where)).map(parse);
    expect(after).toEqual(
      before.map((each) => ({ ...each, filing: { ...each.filing, pages: each.filing.form.length } })),
    );
    expect((await headsOf(where.ledger)).at(-1)?.head.files).toEqual([]);
    expect(await build(newer, { ...where, snapshots: fresh() })).toBe(id);
  });

  /** Publishes ledgers at random moments by programs whose rules become newer at random moments. */
  async function expectForAny(numRuns: number): Promise<void> {
    const steps = fc.array(fc.record({ program: fc.nat(2), isPublished: fc.boolean() }), {
      minLength: 7,
      maxLength: 7,
    });
    await fc.assert(
      fc.asyncProperty(histories, steps, async (batches, plan) => {
        const [where, pristine] = [place(), place()];
        let program = programs[0];
        let log: string[] = [];
        let id: string | null = null;
        const publish = async () => {
          id = await build(program, where);
          const now = await logOf(where);
          expect(now.slice(0, log.length)).toEqual(log);
          log = now;
        };
        for (const [at, { run, filings: rows, companies }] of batches.entries()) {
          const content = { run, filings: rows, companies, refusals: [] };
          await program.appendBatch(where.ledger, content);
          await program.appendBatch(pristine.ledger, content);
          const step = plan[at];
          if (step?.isPublished) await publish();
          // Versions only go up.
          program = programs[Math.max(step?.program ?? 0, programs.indexOf(program))] as Program;
        }
        await publish();
        await checkAll(program, where, id as unknown as string);
        await build(program, pristine);
        // What follows from companies is that of the time of an entry: it makes no correction.
        const ofCompanies = ['cik', 'ticker', 'sic', 'exchange', 'companyName', 'detailUrl', 'documentUrl'];
        const own = ({ filing: { parties, ...members } }: Change) => ({
          ...Object.fromEntries(Object.entries(members).filter(([name]) => !ofCompanies.includes(name))),
          parties: parties.map(({ cik, role }) => [cik, role]),
        });
        const newest = (entries: readonly string[]) =>
          new Map(entries.map(parse).map((each) => [each.filing.accessionNo, own(each)]));
        expect(newest(log)).toEqual(newest(await logOf(pristine)));
      }),
      { numRuns, endOnFailure: true },
    );
  }
  const title =
    'the log of any ledger keeps its entries under newer rules, and its newest state follows them';
  it(`${title}, for one ledger`, () => expectForAny(1));
  // About three seconds for each ledger: it is built a dozen times.
  it(`${title}, for many`, { tags: ['slow', 'nightly'], timeout: 1_800_000 }, () => expectForAny(40));
});
