import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openVerifiedLog } from '../../build/verify/verified-log.ts';
import { quietProgress } from '../../build/work/progress.ts';
import type { LogList } from '../../src/format/log-files.ts';
import { makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';
import { openCurrent } from '../support/snapshots.ts';

describe('the list of the log, verified', () => {
  let made: MadeSnapshot;
  beforeAll(async () => {
    made = await makeSnapshot({ filings: 700, companies: 20, batches: 1 });
  });
  afterAll(() => made.remove());

  /** Verifies each entry of the log by a list that was changed. */
  async function verifyBy(change: (list: LogList) => LogList): Promise<number> {
    const { snapshot, close } = await openCurrent(made.directory);
    await close();
    const value: unknown = JSON.parse(JSON.stringify(change(snapshot.log.list)));
    const log = openVerifiedLog(made.directory, snapshot.manifest, { path: 'list', value }, quietProgress);
    return [...log.entriesFrom(1)].length;
  }

  const withSpans = (change: (spans: string[]) => readonly string[] | undefined) => (list: LogList) => ({
    ...list,
    files: list.files.map((file) => ({ ...file, spans: change(file.spans?.split(' ') ?? [])?.join(' ') })),
  });

  it('spans that are not those of the file are refused', async () => {
    const entries = await verifyBy((list) => list);
    expect(entries).toBeGreaterThanOrEqual(700);
    for (const change of [
      ([first = '', ...rest]: string[]) => [`1${first}`, ...rest],
      ([, ...rest]: string[]) => rest,
      (spans: string[]) => spans.toReversed(),
      (spans: string[]) => [...spans, '1'],
    ])
      await expect(verifyBy(withSpans(change))).rejects.toThrow('list (log): file 1 has other spans');
    await expect(verifyBy((list) => ({ ...list, membersPerSpan: 4 }))).rejects.toThrow('has other spans');
  });

  it('a list without spans, of an older version, is good', async () => {
    expect(await verifyBy(withSpans(() => undefined))).toBeGreaterThanOrEqual(700);
  });
});
