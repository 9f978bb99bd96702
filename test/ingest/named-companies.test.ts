import { describe, expect, it } from 'vitest';
import { appendFound } from '../../build/ingest/append.ts';
import { withKnownLedger } from '../../build/ingest/known.ts';
import { sightingOf } from '../../build/ingest/sightings.ts';
import type { LedgerCompany } from '../../build/ledger/ledger-rows.ts';
import { useDirectories } from '../support/directories.ts';
import {
  appendMadeUp,
  batchAt,
  cikOf,
  company,
  filing,
  operatingFacts as facts,
} from '../support/ledgers.ts';
import { buildQuietly } from '../support/snapshots.ts';
import { headerOf, partyOf } from '../support/told.ts';

const fresh = useDirectories('named-companies');
const owner = cikOf(7);

/** A ledger, and what adds filings of an owner under a name to it. Batch `number` is of March 1, 2026. */
async function made(companies: readonly LedgerCompany[] = []) {
  const folders = { ledgerDirectory: fresh(), snapshotsDirectory: fresh() };
  await appendMadeUp(folders.ledgerDirectory, 1, {
    filings: [filing(1)],
    companies: [company(1), ...companies],
  });
  return {
    folders,
    add: (
      createdAt: string,
      ...filings: readonly (readonly [number: number, filedAt: string, name: string])[]
    ) =>
      appendFound(folders, {
        target: 't',
        createdAt,
        entities: [],
        tickers: [],
        refusals: [],
        days: [],
        filings: filings.map(([number, filedAt, name]) => {
          const { accessionNo } = filing(number);
          const parties = [partyOf(1, 'subject'), { cik: owner, name, role: 'filed_by' as const }];
          const header = headerOf(number, { accessionNo, filedAt, form: 'SC 13D', parties });
          return { accessionNo, sightings: [sightingOf.header(header)] };
        }),
      }),
    nameOf: () =>
      withKnownLedger(folders, async (known) => (await known.companies([owner])).get(owner)?.name),
  };
}

describe('a company of which only the name is known', () => {
  it('has the name that a later filing tells, and none of an older one', async () => {
    const { folders, add, nameOf } = await made();
    await add(batchAt(2), [2, '2026-02-27', 'Old LLC']);
    expect(await nameOf()).toBe('Old LLC');
    await buildQuietly(folders.ledgerDirectory, folders.snapshotsDirectory);
    await add('2026-05-05T14:00:00.000Z', [3, '2026-05-05', 'New LLC']);
    expect(await nameOf()).toBe('New LLC');
    await add('2026-05-06T14:00:00.000Z', [4, '2026-03-03', 'Old LLC'], [5, '2026-05-05', 'New LLC']);
    expect(await nameOf()).toBe('New LLC');
  });

  it('has the name of the newest of several filings that come together', async () => {
    const { add, nameOf } = await made();
    await add(
      batchAt(2),
      [2, '2026-02-26', 'Older LLC'],
      [3, '2026-02-27', 'Newer LLC'],
      [4, '2026-02-25', 'Oldest'],
    );
    expect(await nameOf()).toBe('Newer LLC');
  });

  it('that was read from its own file keeps the name of the file', async () => {
    const { add, nameOf } = await made([company(7, 'T7', { facts })]);
    await add('2026-05-05T14:00:00.000Z', [3, '2026-05-05', 'New LLC']);
    expect(await nameOf()).toBe('Company 7');
  });
});
