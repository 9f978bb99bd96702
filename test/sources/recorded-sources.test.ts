// @module-tag slow
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  filingsOfFeed,
  parseCurrentFeed,
  whyOutdated,
  type FeedEntry,
  type FeedFiling,
} from '../../build/sources/current-feed.ts';
import { parseHeader } from '../../build/sources/header.ts';
import {
  dailyIndexFile,
  filingsOfIndex,
  parseMasterIndex,
  quarterlyIndexFile,
} from '../../build/sources/master-index.ts';
import { recordings } from '../support/replay.ts';
import { needs } from '../support/needs.ts';

const feedDirectory = join(recordings, '2025-12-12/www.sec.gov/cgi-bin');
const quarterFile = join(recordings, '2025-12-12/www.sec.gov/Archives/edgar/full-index/2025/QTR4/master.gz');
const dailyFile = join(
  recordings,
  'indexes/www.sec.gov/Archives/edgar/daily-index/2020/QTR1/master.20200103.idx',
);

function feedFilings(): FeedFiling[] {
  const entries: FeedEntry[] = [];
  for (const name of readdirSync(feedDirectory).filter(
    (each) => each.endsWith('.atom') || each.endsWith('=atom'),
  )) {
    const page = parseCurrentFeed(readFileSync(join(feedDirectory, name)));
    expect(page.refused).toEqual([]);
    expect(whyOutdated(page, Date.parse('2025-12-12T18:02:34-05:00'))).toBeNull();
    entries.push(...page.entries);
  }
  expect(entries.length).toBe(5220);
  return filingsOfFeed(entries);
}

describe('recorded answers of the other sources', needs('recordings'), () => {
  it('all recordings of the other sources are there', () => {
    for (const path of [feedDirectory, quarterFile, dailyFile, join(recordings, 'headers')])
      expect(existsSync(path), path).toBe(true);
  });

  it('the feed of a day agrees with the index of its quarter', () => {
    const filings = feedFilings();
    expect(filings.length).toBe(3313);
    expect(
      filings.every(
        ({ accepted, parties }) => accepted !== null && parties.every(({ role }) => role !== null),
      ),
    ).toBe(true);
    const index = parseMasterIndex(gunzipSync(readFileSync(quarterFile)), quarterlyIndexFile('2025/QTR4'));
    expect([index.rows.length, index.refused, index.through]).toEqual([275_447, [], '2025-12-31']);
    const listed = new Map(filingsOfIndex(index.rows).map((filing) => [filing.accessionNo, filing]));
    expect(listed.size).toBe(193_299);
    const missing = filings.filter((filing) => {
      const other = listed.get(filing.accessionNo);
      if (!other) return true;
      expect(other).toMatchObject({ form: filing.form, filedAt: filing.filedAt });
      const ciks = other.entities.map(({ cik }) => cik);
      for (const { cik } of filing.parties) expect(ciks, filing.accessionNo).toContain(cik);
      return false;
    });
    expect(missing.map(({ form }) => form)).toEqual(['SBSE-A/A']);
  });

  it('the page past the end of the feed is refused', () => {
    const name = readdirSync(feedDirectory).find((each) => each.endsWith('.503')) as string;
    expect(() => parseCurrentFeed(readFileSync(join(feedDirectory, name)))).toThrow('it is not XML');
  });

  it('the index of a day has one row for each filing and entity', () => {
    const index = parseMasterIndex(readFileSync(dailyFile), dailyIndexFile('2020-01-03'));
    expect([index.rows.length, index.refused, filingsOfIndex(index.rows).length]).toEqual([7989, [], 4655]);
    expect(() => parseMasterIndex(readFileSync(dailyFile), dailyIndexFile('2020-01-06'))).toThrow(
      'it goes through 2020-01-03',
    );
  });

  it('headers of 1995 to 2026 are read, but the one that was cut off', () => {
    let acceptances = 0;
    for (const name of readdirSync(join(recordings, 'headers'))) {
      const accessionNo = name.replace('.txt', '');
      const body = readFileSync(join(recordings, 'headers', name));
      if (accessionNo === '0001410368-26-010918') {
        expect(() => parseHeader(body, accessionNo)).toThrow('it is cut off');
        continue;
      }
      const header = parseHeader(body, accessionNo);
      expect(header.acceptedEastern).toBe(
        /<ACCEPTANCE-DATETIME>(\d{14})/.exec(body.toString('latin1'))?.[1] ?? null,
      );
      expect(
        header.parties.every(({ role }) => role !== null),
        name,
      ).toBe(true);
      expect(new Set(header.parties.map(({ cik }) => cik))).toEqual(
        new Set([...body.toString('latin1').matchAll(/CENTRAL INDEX KEY:\s*(\d+)/g)].map(([, cik]) => cik)),
      );
      if (header.acceptedEastern !== null) acceptances++;
    }
    expect(acceptances).toBe(116);
  });
});
