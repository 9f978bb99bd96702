import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Reader } from '../../build/follow/reading/reader.ts';
import {
  afterAsking,
  dueHistories,
  isRead,
  unreadHistory,
  type History,
  type MainFile,
} from '../../build/follow/reading/histories.ts';
import { createState } from '../../build/follow/reading/follow-state.ts';
import { mayReadHistories, type ReadingPart } from '../../build/follow/reading/reading-part.ts';
import { parseSaved, savedText } from '../../build/follow/reading/saved.ts';
import type { FollowOptions } from '../../build/follow/follower.ts';
import { currentFeedFile } from '../../build/sources/current-feed.ts';
import { headerFile } from '../../build/sources/header.ts';
import { submissionsFile } from '../../build/sources/submissions.ts';
import { hourMs, minuteMs } from '../../src/time/units.ts';
import { ok, status, type EdgarDouble } from '../edgar/edgar-double.ts';
import { useDirectories } from '../support/directories.ts';
import { followHere, type Following } from '../support/following.ts';
import { refusalsOf } from '../support/heads.ts';
import { readRows } from '../support/ledger-rows.ts';
import { cikOf } from '../support/made-up.ts';
import {
  feedMade,
  pageOf,
  routeFeed,
  routeFile,
  startFollowedEdgar,
  submissionsPath,
} from '../support/followed-edgar.ts';
import { accessionOf, upstreamRow } from '../support/submissions.ts';
import { until } from '../support/wait.ts';

const fresh = useDirectories('follow-histories');
const running: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(running.map((end) => end())));

const [one, two] = [cikOf(1), cikOf(2)];
const main = (pages: readonly string[]): MainFile => ({
  entity: { cik: two } as MainFile['entity'],
  from: '2026-03-20',
  pages: pages.map((name) => ({ name, filingCount: null, filingTo: null })),
});

describe('histories that are to be read', () => {
  const read = (...pages: string[]): History => ({ ...unreadHistory(0), main: main(pages) });
  const namesDue = (histories: Record<string, History>, atMs: number) =>
    [...dueHistories(new Map(Object.entries(histories)), atMs)].map(([, request]) =>
      request.kind === 'file' ? request.cik : request.name,
    );

  it('the newest filings of all companies come first, and each history is asked for one file at a time', () => {
    expect(namesDue({ [two]: read('a', 'b'), [one]: unreadHistory(0) }, 0)).toEqual([one, 'a']);
    expect(namesDue({ [two]: read(), [one]: unreadHistory(5) }, 4)).toEqual([]);
    expect([read(), read('a'), unreadHistory(0)].map(isRead)).toEqual([true, false, false]);
  });
  it('a file that is not to be had is asked for again after growing pauses of at most an hour', () => {
    const times: number[] = [];
    let history = unreadHistory(0);
    for (let atMs = 0; times.length < 9; atMs = history.nextAtMs) {
      times.push(atMs);
      history = afterAsking(history, atMs);
    }
    expect(times.map((atMs, at) => (atMs - (times[at - 1] ?? 0)) / minuteMs)).toEqual([
      0, 1, 2, 4, 8, 16, 32, 60, 60,
    ]);
    expect((times.at(-1) as number) - (times.at(-2) as number)).toBe(hourMs);
  });
  it('they are read as soon as the feed was read, or could not be had for some time', () => {
    const at = (elapsedMs: number, failedSinceMs: number | null, seen: readonly string[]) =>
      mayReadHistories({
        options: {},
        clock: { elapsed: () => elapsedMs },
        feed: { failures: 1, failedSinceMs },
        state: { ...createState(), feed: { ...createState().feed, seen: new Set(seen) } },
      } as unknown as ReadingPart);
    expect([at(0, null, []), at(0, null, ['a'])]).toEqual([false, true]);
    expect([at(119_999, 0, []), at(120_000, 0, []), at(500_000, null, [])]).toEqual([false, true, false]);
  });
  it('whose history is complete is known at the next start, and to an older release does not matter', () => {
    const saved = savedText({ ...createState(), complete: new Set([one, two]) });
    expect([...(parseSaved(saved, 0)?.complete ?? [])]).toEqual([one, two]);
    expect(parseSaved(savedText(createState()), 0)?.complete).toEqual(new Set());
  });
});

/** An EDGAR whose feed lists filing 3 of company 1 and filing 50 of company 2, with their files. */
async function upstream(): Promise<EdgarDouble> {
  const edgar = await startFollowedEdgar(running, two, one);
  routeFile(edgar, one, [2, 3]);
  routeFile(edgar, two, [50]);
  return edgar;
}
/** Makes the feed list a filing of somebody whom nobody follows. */
const listOther = (edgar: EdgarDouble) => routeFeed(edgar, [1, cikOf(7), feedMade]);

const numbersIn = async (ledger: string) =>
  (await readRows(ledger)).filings.map(({ accessionNo }) => Number(accessionNo.slice(-6)));
const askedFor = (edgar: EdgarDouble, path: string) =>
  edgar.requests.filter((request) => request.path === path).length;

/** Follows a list, and shows whose history is to be read. */
async function followList(
  edgar: EdgarDouble,
  list: string,
  ledger: string,
  options: Partial<FollowOptions> = {},
): Promise<Following & { readonly reader: Reader }> {
  let following: Following | null = null;
  const reader = await new Promise<Reader>((resolve) => {
    following = followHere(running, edgar, list, ledger, {
      tickerRowsMinimum: 1,
      ...options,
      watch: async (follower) => resolve(follower.reader),
    });
  });
  return { ...(following as unknown as Following), reader };
}
const completeOf = ({ reader }: { readonly reader: Reader }) => [...reader.state.complete];

describe.concurrent('a list that is followed', { tags: ['slow'] }, () => {
  it('its history comes from submissions files, what the feed lists as the feed tells it, and nothing twice', async () => {
    const [edgar, ledger] = [await upstream(), fresh()];
    const page = routeFile(edgar, one, [2, 3], [5, 6]);
    edgar.route(page, pageOf([5, 6]));
    const first = await followList(edgar, `${one},${two}`, ledger);
    await until(() => completeOf(first).length === 2);
    await until(async () => (await numbersIn(ledger)).length === 5);
    await first.end();
    expect(await numbersIn(ledger)).toEqual([2, 3, 5, 6, 50]);
    const batches = first.lines.filter((line) => line.startsWith('batch '));
    expect(batches.filter((line) => !line.includes(', 0 corrected'))).toEqual([]);
    expect(batches.map((line) => Number(/: (\d+) new/.exec(line)?.[1])).reduce((a, b) => a + b)).toBe(5);
    const { filings, companies } = await readRows(ledger);
    // The feed alone tells roles.
    expect(
      filings.filter(({ roles }) => roles?.length).map(({ accessionNo }) => Number(accessionNo.slice(-6))),
    ).toEqual([3, 50]);
    expect(companies.map(({ name }) => name).sort()).toEqual(['Company 1', 'Company 2']);
    expect(first.lines).toEqual(
      expect.arrayContaining([
        'the 2 histories of the list that the ledger may lack are read from submissions files',
        'the histories of 2 entities are in the ledger',
      ]),
    );
    const asked = edgar.requests.length;
    const again = await followList(edgar, `${one},${two}`, ledger);
    await until(() => again.reader.feedReadMs !== null);
    await again.end();
    expect(again.reader.unreadHistories()).toBe(0);
    expect(edgar.requests.slice(asked).filter(({ path }) => path.startsWith('/data.sec.gov/'))).toEqual([]);
  });
  it('a filing of these days that the feed does not list waits for its header', async () => {
    const [edgar, ledger] = [await upstream(), fresh()];
    routeFile(edgar, one, [2, 3, 50]);
    listOther(edgar);
    const { reader, end } = await followList(edgar, one, ledger);
    await until(() => reader.state.complete.has(one));
    expect([...reader.state.pending.values()]).toMatchObject([
      { accessionNo: accessionOf(50), isBacklog: true, isPublished: false },
    ]);
    expect(await numbersIn(ledger)).toEqual([2, 3]);
    await until(() => askedFor(edgar, `/www.sec.gov/Archives/edgar/${headerFile(one, accessionOf(50))}`) > 0);
    await end();
  });
  it('a history is complete with its last page: what a stop leaves is asked for again', async () => {
    const [edgar, ledger] = [await upstream(), fresh()];
    const page = routeFile(edgar, one, [2, 3], [5, 6]);
    edgar.route(page, status(404));
    const first = await followList(edgar, one, ledger);
    await until(async () => (await numbersIn(ledger)).includes(2) && askedFor(edgar, page) > 0);
    await first.end();
    expect(completeOf(first)).toEqual([]);
    // One filing less than the main file says.
    edgar.route(page, pageOf([5]));
    const second = await followList(edgar, one, ledger);
    await until(() => completeOf(second).length === 1);
    await second.end();
    expect(await numbersIn(ledger)).toEqual([2, 3, 5]);
    expect((await refusalsOf(ledger)).map(({ reason }) => reason)).toEqual([
      'it has 1 filings, not the 2 that its main file says',
    ]);
  });
  it.each([
    [
      'there is none',
      status(404),
      'EDGAR has no submissions file of 0000000001: it is asked for again each hour',
    ],
    ['it is refused', status(403), '403'],
    ['it is no such file', ok('<html>'), 'JSON'],
  ])('nobody waits for a file that cannot be had: %s', async (_, behaviour, said) => {
    const [edgar, ledger] = [await upstream(), fresh()];
    edgar.route(submissionsPath(submissionsFile(one)), behaviour);
    const first = await followList(edgar, `${one},${two}`, ledger);
    await until(() => first.lines.some((line) => line.includes(said)));
    await until(() => completeOf(first).includes(two));
    await first.end();
    expect(completeOf(first)).toEqual([two]);
    routeFile(edgar, one, [2, 3]);
    const second = await followList(edgar, `${one},${two}`, ledger);
    await until(() => completeOf(second).length === 2);
    await until(async () => (await numbersIn(ledger)).includes(2));
    await second.end();
  });
  it('the file of a list is read again when it changes, and the history of who is new is read', async () => {
    const [edgar, ledger] = [await upstream(), fresh()];
    const universeFile = join(fresh(), 'universe');
    writeFileSync(universeFile, `${two} # the first one`);
    const following = await followList(edgar, `@${universeFile}`, ledger, { universeFile });
    const { lines, end } = following;
    await until(() => completeOf(following).includes(two));
    writeFileSync(universeFile, 'not a symbol!');
    await until(() => lines.some((line) => line.includes('neither a ticker symbol nor a CIK')));
    expect(lines.some((line) => line.endsWith('; whoever was followed before still is'))).toBe(true);
    writeFileSync(universeFile, `${two}\n${one}\n`);
    await until(() => completeOf(following).length === 2);
    await until(async () => (await numbersIn(ledger)).length === 3);
    expect(lines).toContain('following 2 entities');
    // The feed had listed filing 3 before its company was on the list.
    const third = (await readRows(ledger)).filings.find(({ accessionNo }) => accessionNo === accessionOf(3));
    expect(third?.roles?.length).toBe(1);
    // Who was taken off the list is new when it comes back: what came meanwhile was passed over.
    writeFileSync(universeFile, two);
    await until(() => completeOf(following).length === 1);
    routeFile(edgar, one, [2, 3, 7]);
    writeFileSync(universeFile, `${one} ${two}`);
    await until(async () => (await numbersIn(ledger)).includes(7));
    await end();
    expect(upstreamRow(7).filingDate < '2026-03-15').toBe(true);
  });
  it('while the feed cannot be read, the files of the list are read in turn', async () => {
    const [edgar, ledger] = [await upstream(), fresh()];
    edgar.route(`/www.sec.gov/cgi-bin/${currentFeedFile(0)}`, status(403));
    const startedMs = performance.now();
    const shown: string[] = [];
    const following = await followList(edgar, `${one},${two}`, ledger, {
      // A minute passes in each second.
      elapsed: () => (performance.now() - startedMs) * 60,
      showStatus: (line) => void shown.push(line),
    });
    await until(() => completeOf(following).length === 2);
    routeFile(edgar, one, [2, 3, 18]);
    await until(async () => (await numbersIn(ledger)).includes(18));
    await following.end();
    expect(shown.at(-1)).toMatch(
      /the feed has failed for \d+ minutes · following 2 entities by their submissions files in turn/,
    );
  });
  it('a ledger that is older than what was saved beside it gets the histories that it lacks, and is told of the gap', async () => {
    const [edgar, ledger, other] = [await upstream(), fresh(), fresh()];
    const first = await followList(edgar, one, ledger);
    await until(() => completeOf(first).length === 1);
    await first.end();
    const { state } = first.reader;
    const feed = {
      ...state.feed,
      seen: new Set<string>(),
      readThroughMs: Date.parse('2026-03-02T16:05:00-05:00'),
    };
    writeFileSync(join(other, '.follow.json'), savedText({ ...state, feed }));
    const second = await followList(edgar, one, other);
    await until(async () => (await numbersIn(other)).includes(2));
    await second.end();
    expect(second.lines).toContainEqual(
      expect.stringMatching(
        /^the feed was not read for 48 hours, from 2026-03-02T21:05:00Z to 2026-03-04T21:00:00Z, /,
      ),
    );
  });
});
