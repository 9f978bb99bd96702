import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { savedFile } from '../../build/follow/reading/saved.ts';
import { submissionsFile } from '../../build/sources/submissions.ts';
import { status, undeclared, type EdgarDouble } from '../edgar/edgar-double.ts';
import { archiveRoute, longFile } from '../support/archive-server.ts';
import { useDirectories } from '../support/directories.ts';
import { readRows } from '../support/ledger-rows.ts';
import { mainFileOf, routeFile, startFollowedEdgar } from '../support/followed-edgar.ts';
import { cikOf } from '../support/made-up.ts';
import { followHere } from '../support/following.ts';
import { until } from '../support/wait.ts';
import { zipOf } from '../support/zip.ts';
import { headsOf } from '../support/heads.ts';

const fresh = useDirectories('follow-fill');
const running: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(running.map((end) => end())));

const [archived, stranger] = [cikOf(1), cikOf(9)];

/** An EDGAR whose feed lists a filing that the archive has, and one of an entity that nobody knows. */
async function upstream(): Promise<EdgarDouble> {
  const edgar = await startFollowedEdgar(running, stranger, archived);
  routeFile(edgar, stranger, [50]);
  const body = Buffer.from(JSON.stringify(mainFileOf(archived, [2, 3])));
  edgar.route(archiveRoute, longFile(zipOf([{ name: submissionsFile(archived), body }])));
  return edgar;
}

const accessions = async (ledger: string) =>
  (await readRows(ledger)).filings.map(({ accessionNo }) => Number(accessionNo.slice(-6)));
const targets = async (ledger: string) => (await headsOf(ledger)).map(({ head }) => head.run.target);
const askedForArchive = (edgar: EdgarDouble) =>
  edgar.requests.filter(({ path }) => path === archiveRoute).length;

describe.concurrent('a ledger of everyone that is followed', { tags: ['slow'] }, () => {
  it('follow fills an empty ledger of everyone from the bulk archive, and goes on with the feed', async () => {
    const [edgar, ledger] = [await upstream(), fresh()];
    const { lines, end, published } = followHere(running, edgar, 'all', ledger, { tickerRowsMinimum: 1 });
    await until(async () => (await accessions(ledger)).includes(50));
    await until(() => published() > 0);
    await end();
    expect(await accessions(ledger)).toEqual([2, 3, 50]);
    expect((await targets(ledger)).slice(0, 2)).toEqual(['all', 'follow: all']);
    expect(lines).toEqual(
      expect.arrayContaining([
        'the ledger was never filled with all companies: it is filled from the bulk archive first',
        'batch 1: 2 filings from the bulk archive',
        'following everyone',
      ]),
    );
    // The clock of this machine is months away: the records have EDGAR's time.
    expect((await headsOf(ledger))[0]?.head.run.createdAt).toMatch(/^2026-03-20T20:05/);
    expect(readFileSync(join(ledger, savedFile), 'utf8')).toContain('\\"since\\":\\"2026-03-19\\"');
    const again = followHere(running, edgar, 'all', ledger, { tickerRowsMinimum: 1 });
    await until(() => again.lines.includes('following everyone'));
    await again.end();
    expect(askedForArchive(edgar)).toBe(1);
  });
  it('follow says that there is no archive, and follows all the same', async () => {
    const [edgar, ledger] = [await upstream(), fresh()];
    edgar.route(archiveRoute, status(404));
    const { lines, end } = followHere(running, edgar, 'all', ledger, { tickerRowsMinimum: 1 });
    await until(async () => (await accessions(ledger)).includes(50));
    await end();
    expect(lines).toContainEqual(
      'not filled: the bulk archive could not be fetched: not there (404); the ledger lacks earlier filings until the archive is tried again in an hour',
    );
    expect(await targets(ledger)).not.toContain('all');
  });
  it('follow fills a ledger of a few listed companies with their filings', async () => {
    const [edgar, ledger] = [await upstream(), fresh()];
    routeFile(edgar, archived, [2, 3]);
    const { end, lines } = followHere(running, edgar, 'listed', ledger, { tickerRowsMinimum: 1 });
    await until(() => lines.includes('following 1 entities'));
    await end();
    expect([await accessions(ledger), (await targets(ledger))[0], askedForArchive(edgar)]).toEqual([
      [2, 3],
      'listed',
      0,
    ]);
  });
  it('follow does not fill a ledger of named companies', async () => {
    const [edgar, ledger] = [await upstream(), fresh()];
    const { end, lines } = followHere(running, edgar, '9', ledger, { tickerRowsMinimum: 1 });
    await until(async () => (await accessions(ledger)).includes(50));
    await end();
    expect([
      await accessions(ledger),
      askedForArchive(edgar),
      lines.some((line) => line.includes('archive')),
    ]).toEqual([[50], 0, false]);
  });
  it('follow ends at once while it fills a ledger, when told to or when refused', async () => {
    const [edgar, ledger] = [await upstream(), fresh()];
    edgar.route(
      archiveRoute,
      (_, response) => void response.writeHead(200, { etag: '"x"', 'content-length': 1000 }).write('x'),
    );
    const { end } = followHere(running, edgar, 'all', ledger, { tickerRowsMinimum: 1 });
    await until(() => askedForArchive(edgar) > 0);
    await end();
    expect(await targets(ledger)).toEqual([]);
    edgar.route(archiveRoute, undeclared());
    await expect(followHere(running, edgar, 'all', ledger, { tickerRowsMinimum: 1 }).ended).rejects.toThrow(
      'user_agent_rejected',
    );
  });
});
