import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { followFigures } from '../../build/follow/follow-figures.ts';
import { savedFile } from '../../build/follow/reading/saved.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import type { Figure } from '../../src/metrics/figures.ts';
import { useDirectories } from '../support/directories.ts';
import { readRows } from '../support/ledger-rows.ts';
import { metricsOf } from '../support/metrics.ts';
import { recordedFilings, startLive, type Live, type RecordedFiling } from '../support/live.ts';
import { followHere } from '../support/following.ts';
import { until } from '../support/wait.ts';
import { needs } from '../support/needs.ts';

const fresh = useDirectories('follow-live');

const running: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(running.map((end) => end())));

const isSubject = (role: string) => role === 'Issuer' || role === 'Subject';
const subjectOf = ({ parties }: RecordedFiling) =>
  [...parties].find(([, { role }]) => isSubject(role))?.[0] ?? null;
const othersOf = (filing: RecordedFiling) =>
  [...filing.parties.keys()].filter((cik) => cik !== subjectOf(filing)).sort();
const stamp = ({ accepted }: RecordedFiling) => accepted.replace(/\D/g, '');

async function liveDay(...options: string[]): Promise<Live> {
  const live = await startLive(...options);
  running.push(() => live.stop().catch(() => {}));
  return live;
}

/**
 * A few companies that file between two times of the first afternoon, and what the feed says of them until
 * the second.
 */
function someFilers(from: string, to: string, count: number): { ciks: string[]; filings: RecordedFiling[] } {
  const all = recordedFilings();
  const ciks = [
    ...new Set(
      all
        .filter(({ accepted }) => accepted >= from && accepted <= to)
        .map((filing) => subjectOf(filing) ?? ([...filing.parties.keys()][0] as string)),
    ),
  ].slice(0, count);
  return {
    ciks,
    filings: all.filter(({ accepted, parties }) => accepted <= to && ciks.some((cik) => parties.has(cik))),
  };
}

/** The rows of a ledger that are not as the feed says: acceptance, parties, documents. */
function differences(rows: readonly LedgerFiling[], filings: readonly RecordedFiling[]): unknown[] {
  const recorded = new Map(filings.map((filing) => [filing.accessionNo, filing]));
  return rows.flatMap((row) => {
    const filing = recorded.get(row.accessionNo);
    const isSame =
      filing !== undefined &&
      row.form === filing.form &&
      row.acceptedEastern === stamp(filing) &&
      row.subjectCik === subjectOf(filing) &&
      String(row.filerCiks) === String(othersOf(filing)) &&
      row.primaryDocument !== null;
    return isSame ? [] : [{ row, filing }];
  });
}

describe.concurrent('a recorded day that happens again', { tags: ['slow'], ...needs('recordings') }, () => {
  it('follow publishes each filing of a recorded day once, as the feed lists it', async () => {
    const { ciks, filings } = someFilers('2025-12-11T16:33:00', '2025-12-11T16:35:30', 12);
    const live = await liveDay(
      '--from',
      '2025-12-11T16:34',
      '--speed',
      '60',
      '--rps',
      '10',
      '--hide',
      '0',
      '--fail',
      'browse-edgar=503@1',
      '--fail',
      'submissions=reset@1',
    );
    let figures: Figure[] = [];
    const following = followHere(running, live, ciks.join(), fresh(), {
      watch: async (follower) => void (figures = followFigures(follower)),
    });
    const isThere = async () => (await readRows(following.ledger)).filings.length >= filings.length;
    await until(isThere);
    await following.end();
    const { filings: rows } = await readRows(following.ledger);
    const due = rows.filter(({ accessionNo }) =>
      filings.some((filing) => filing.accessionNo === accessionNo),
    );
    expect(due.map(({ accessionNo }) => accessionNo).sort()).toEqual(
      filings.map(({ accessionNo }) => accessionNo).sort(),
    );
    expect(differences(due, filings)).toEqual([]);
    expect(following.published()).toBeGreaterThan(0);
    expect(following.lines).toEqual(
      expect.arrayContaining([
        expect.stringContaining('the clock of this machine is'),
        expect.stringMatching(/^batch 1: \d+ new filings, 0 corrected$/),
      ]),
    );
    expect(following.lines.at(-1)).toMatch(/^stopped: listed \d+ · published \d+ · pending \d+/);
    // What was pending at the stop is kept beside the ledger.
    expect(readFileSync(join(following.ledger, savedFile), 'utf8')).toContain('readThroughMs');
    const metrics = await metricsOf(figures);
    const read = await metrics.read();
    metrics.close();
    const [listed, published] =
      /listed (\d+) · published (\d+)/
        .exec(following.lines.at(-1) ?? '')
        ?.slice(1)
        .map(Number) ?? [];
    expect([
      read.get('fei_follow_listed_total'),
      read.get('fei_follow_published_total'),
      read.get('fei_follow_refusals_total'),
      read.get('fei_follow_publish_failures'),
    ]).toEqual([listed, published, 0, 0]);
    for (const name of [
      'source="feed",status="200"',
      'source="feed",status="503"',
      'source="submissions",status="none"',
      'source="submissions",status="200"',
      'source="tickers",status="200"',
    ])
      expect(read.get(`fei_edgar_requests_total{${name}}`), name).toBeGreaterThan(0);
    const counts = await live.stop();
    expect(counts).toMatchObject({ throttled: 0, undeclared: 0 });
    expect(counts.highestPerSecond).toBeLessThanOrEqual(10);
  });
});
