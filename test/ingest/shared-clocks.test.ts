import { expect, it } from 'vitest';
import { createGathering } from '../../build/ingest/gather.ts';
import type { KnownLedger } from '../../build/ingest/known.ts';
import { decideClocks, settledFilings } from '../../build/ingest/shared-clocks.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { parseExtraPage } from '../../build/sources/submissions.ts';
import { useDirectories } from '../support/directories.ts';
import { bareFiling, entityOf } from '../support/ledgers.ts';
import { accessionOf, columnsOf, upstreamRow } from '../support/submissions.ts';

const fresh = useDirectories('shared-clocks');
/** In the evening in New York. */
const fetchedMs = Date.parse('2026-03-05T23:30:00Z');

/**
 * Acceptance times by a file whose own rows do not tell its clock: Forms 4 that may have been accepted in the evening or
 * in the afternoon. Row 3 is of the day on which the file is fetched, so it is Eastern whatever the others are. `told`
 * are the filings whose acceptance the ledger has.
 */
async function timesOf(clock: 'utc' | 'eastern', told: Readonly<Record<number, string>>) {
  const hours = clock === 'utc' ? '21' : '16';
  const times = [
    `2026-03-03T${hours}:40:00.000Z`,
    `2026-03-04T${hours}:40:00.000Z`,
    '2026-03-05T18:10:00.000Z',
  ];
  const rows = times.map((acceptanceDateTime, at) =>
    upstreamRow(at + 1, { form: '4', filingDate: acceptanceDateTime.slice(0, 10), acceptanceDateTime }),
  );
  const columns = parseExtraPage(Buffer.from(JSON.stringify(columnsOf(rows))));
  const gathering = await createGathering(fresh(), () => {}, null);
  gathering.takeEntity(entityOf('0000000007', []))('f', columns, fetchedMs);
  gathering.finish();
  const held = new Map(
    Object.entries(told).map(([number, acceptedEastern]): [string, LedgerFiling] => [
      accessionOf(Number(number)),
      bareFiling(Number(number), { acceptedEastern }),
    ]),
  );
  const clocks = await decideClocks(
    gathering,
    { filings: async () => held } as unknown as KnownLedger,
    undefined,
  );
  const settled = [...settledFilings(gathering, clocks)];
  await gathering.close();
  return settled.map(({ sightings }) => sightings[0]?.row.acceptedEastern);
}

it.each([
  ['the newest one alone tells nothing of a UTC file', 'utc', { 3: '20260305181000' }, [null, null, null]],
  [
    'the newest one does not contradict an older one',
    'utc',
    { 1: '20260303164000', 3: '20260305181000' },
    ['20260303164000', '20260304164000', null],
  ],
  [
    'an older one tells that a file is Eastern',
    'eastern',
    { 1: '20260303164000', 3: '20260305181000' },
    ['20260303164000', '20260304164000', '20260305181000'],
  ],
] as const)('of filings that a file shares with the ledger, %s', async (_, clock, told, expected) => {
  expect(await timesOf(clock, told)).toEqual(expected);
});
