import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appendFound, type Addition } from '../../build/ingest/append.ts';
import { isWhole, sightingOf, sightingsOf, type Told } from '../../build/ingest/sightings.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { mergeFiling } from '../../build/ledger/merge-filing.ts';
import { firstObservation, rowOfFiling } from '../../build/ledger/observation.ts';
import { partiesOf } from '../../build/ledger/parties.ts';
import type { FeedFiling } from '../../build/sources/current-feed.ts';
import type { Header } from '../../build/sources/header.ts';
import { useDirectories } from '../support/directories.ts';
import { headsOf } from '../support/heads.ts';
import { readRows } from '../support/ledger-rows.ts';
import { additionOf, appendMadeUp, cikOf, company, entityOf, filing } from '../support/ledgers.ts';
import { feedFiling, headerOf, partyOf } from '../support/told.ts';

const fresh = useDirectories('sightings');

/** What sources give of a filing. */
interface Given {
  readonly feed?: FeedFiling;
  readonly header?: Header;
  readonly file?: LedgerFiling;
}
const told = ({ feed, header, file }: Given): Told => ({
  ...(feed && { feed: sightingOf.feed(feed) }),
  ...(header && { header: sightingOf.header(header) }),
  ...(file && { file: sightingOf.file(file) }),
});
const row = (members: Partial<LedgerFiling> = {}) =>
  filing(1, {
    acceptedEastern: null,
    primaryDocument: 'a.htm',
    sizeBytes: 5,
    reportDate: '2026-02-01',
    filerCiks: [cikOf(1)],
    ...members,
  });
const nobody = () => false;
const merged = (given: Given, known?: LedgerFiling) => mergeFiling(known, sightingsOf(told(given)), nobody);
const ownership = {
  form: '4',
  parties: [partyOf(8, 'reporting_owner'), partyOf(9, 'reporting_owner'), partyOf(1, 'issuer')],
};

describe('a filing is put together', () => {
  it('a filing takes times and parties from the feed and documents from the submissions file', () => {
    expect(merged({ feed: feedFiling(1, ownership), file: row({ form: '4', items: [] }) })).toEqual({
      ...row({ form: '4' }),
      acceptedEastern: feedFiling(1).accepted?.eastern,
      subjectCik: cikOf(1),
      filerCiks: [cikOf(8), cikOf(9)],
      roles: [`${cikOf(1)}:issuer`, `${cikOf(8)}:reporting_owner`, `${cikOf(9)}:reporting_owner`],
      items: ['8.01'],
    });
  });
  it('a filing that feed and header alone describe has no documents', () => {
    expect(merged({ feed: feedFiling(1), header: headerOf(1) })).toMatchObject({
      reportDate: '2026-02-27',
      acceptedEastern: '20260302120000',
      primaryDocument: null,
      sizeBytes: null,
      isXbrl: false,
      filerCiks: [cikOf(1)],
    });
    expect(merged({ feed: feedFiling(1) })).toMatchObject({
      reportDate: null,
      acceptedEastern: feedFiling(1).accepted?.eastern,
      items: ['8.01'],
    });
  });
  it('the header counts before the feed, and both before a submissions file whose clock may be wrong', () => {
    expect(
      merged({
        feed: feedFiling(1),
        header: headerOf(1, { acceptedEastern: '20260302130000' }),
        file: row({ acceptedEastern: '20260302170000' }),
      }).acceptedEastern,
    ).toBe('20260302130000');
    expect(
      merged({ feed: feedFiling(1), file: row({ acceptedEastern: '20260302170000' }) }).acceptedEastern,
    ).toBe(feedFiling(1).accepted?.eastern);
    expect(
      merged({ feed: feedFiling(1, { accepted: null }), file: row({ acceptedEastern: '20260302170000' }) })
        .acceptedEastern,
    ).toBe('20260302170000');
  });
  it('a filing keeps the parties and documents that the ledger knows', () => {
    const known = row({
      acceptedEastern: '20260302110000',
      filerCiks: [cikOf(1), cikOf(3)],
      primaryDocDescription: 'X',
    });
    expect(merged({ feed: feedFiling(1, { accepted: null }) }, known)).toMatchObject({
      acceptedEastern: '20260302110000',
      primaryDocument: 'a.htm',
      primaryDocDescription: 'X',
      filerCiks: [cikOf(1), cikOf(3)],
      reportDate: '2026-02-01',
    });
    expect(merged({ file: row() }, row({ subjectCik: cikOf(2), filerCiks: [cikOf(1)] }))).toMatchObject({
      subjectCik: cikOf(2),
      filerCiks: [cikOf(1)],
    });
  });
  it('a filing is whole once its documents, parties and acceptance are known', () => {
    expect(
      [
        told({ feed: feedFiling(1), file: row() }),
        told({ header: headerOf(1), file: row() }),
        told({ header: headerOf(1, { acceptedEastern: null }), file: row() }),
      ].map(isWhole),
    ).toEqual([true, true, true]);
    expect(
      [
        told({ file: row() }),
        told({ feed: feedFiling(1) }),
        told({ feed: feedFiling(1), header: headerOf(1) }),
        told({ feed: feedFiling(1, { accepted: null }), file: row() }),
      ].map(isWhole),
    ).toEqual([false, false, false, false]);
  });
});

describe('a subject company that the feed names on a form of another kind', () => {
  const parties = { form: 'DFAN14A', parties: [partyOf(2, 'filed_by'), partyOf(1, 'subject')] };
  const assembled = merged({
    feed: feedFiling(1, parties),
    file: row({ form: 'DFAN14A', filerCiks: [cikOf(2)] }),
  });
  it('a subject company on a form of another kind has the role that the feed tells', () => {
    expect(partiesOf(assembled, () => null).map(({ cik, role }) => [cik, role])).toEqual([
      [cikOf(1), 'subject'],
      [cikOf(2), 'filed_by'],
    ]);
  });
  it('a subject company stays the subject when an ingest reads its own submissions file', () => {
    const sighting = row({ form: 'DFAN14A', filerCiks: [cikOf(1)] });
    expect(mergeFiling(assembled, [sightingOf.file(sighting)], () => true)).toMatchObject({
      subjectCik: cikOf(1),
      filerCiks: [cikOf(2)],
    });
    const { roles: _roles, ...untold } = assembled;
    const ofSchedule = [assembled, untold].map(
      (known) =>
        mergeFiling(
          { ...known, form: 'SC 13D' },
          [sightingOf.file({ ...sighting, form: 'SC 13D' })],
          () => true,
        ).subjectCik,
    );
    expect(ofSchedule, 'its own file tells on a Schedule 13D, unless the feed told more').toEqual([
      cikOf(1),
      null,
    ]);
  });
});

describe('the roles that the feed or the header told', () => {
  const two = { form: '144', parties: [partyOf(1, 'subject'), partyOf(2, 'reporting_owner')] };
  const rolesOf = (filing: LedgerFiling) => partiesOf(filing, () => null).map(({ role }) => role);
  it('roles that were told are published as they were told, also those of several subjects', () => {
    expect(rolesOf(merged({ feed: feedFiling(1, two) }))).toEqual(['subject', 'reporting_owner']);
    const subjects = [partyOf(1, 'filed_by'), partyOf(2, 'subject'), partyOf(3, 'subject')];
    const offer = merged({ header: headerOf(1, { form: 'SC TO-T', parties: subjects }) });
    expect([offer.subjectCik, rolesOf(offer)]).toEqual([cikOf(2), ['subject', 'filed_by', 'subject']]);
  });
  it('a party that is subject and filer at once is the subject', () => {
    const both = [partyOf(1, 'filer'), partyOf(1, 'subject')];
    expect(merged({ header: headerOf(1, { form: 'SC 13E3', parties: both }) })).toMatchObject({
      subjectCik: cikOf(1),
      filerCiks: [],
      roles: [`${cikOf(1)}:subject`],
    });
  });
  it('roles that were told survive an ingest of submissions files, and a look-up in the ledger', () => {
    const told = merged({
      feed: feedFiling(1, { form: 'DFAN14A', items: [], parties: [partyOf(1, 'filed_by')] }),
    });
    const both = mergeFiling(
      told,
      [sightingOf.file(row({ form: 'DFAN14A', filerCiks: [cikOf(3)] }))],
      () => true,
    );
    expect(rolesOf(both), 'one of them was told').toEqual(['filed_by', null]);
    const companyOf = () => ({ name: 'A company', tickers: [], exchange: null });
    for (const filing of [told, both, { ...both, roles: [`${cikOf(1)}:filed_by`, `${cikOf(3)}:subject`] }]) {
      const known = firstObservation(filing, companyOf, '2026-03-02T12:00:00.000Z', 1);
      expect(rowOfFiling(known)).toEqual(filing);
    }
  });
  it('roles told now count before those told earlier, which stay for parties that are not named now', () => {
    const known = {
      ...row(),
      roles: [`${cikOf(1)}:filer`, `${cikOf(7)}:filed_by`],
      filerCiks: [cikOf(1), cikOf(7)],
    };
    expect(merged({ header: headerOf(1, { parties: [partyOf(1, 'subject')] }) }, known)).toMatchObject({
      subjectCik: cikOf(1),
      filerCiks: [cikOf(7)],
      roles: [`${cikOf(1)}:subject`, `${cikOf(7)}:filed_by`],
    });
  });
});

describe('what is added to a ledger', () => {
  const found = (number: number, given: Given = { feed: feedFiling(number) }) => ({
    accessionNo: filing(number).accessionNo,
    sightings: sightingsOf(told(given)),
  });
  const added = (ledger: string, members: Partial<Addition>) =>
    appendFound({ ledgerDirectory: ledger, snapshotsDirectory: ledger }, additionOf(members));

  it('a batch has what is new or changed, sorted, each filing once', async () => {
    const ledger = fresh();
    const first = await added(ledger, {
      filings: [found(2), found(1), found(2, { header: headerOf(2, { acceptedEastern: '20260302120002' }) })],
    });
    expect(first.added).toEqual([filing(1).accessionNo, filing(2).accessionNo]);
    expect((await readRows(ledger)).filings.map(({ reportDate }) => reportDate)).toEqual([
      null,
      '2026-02-27',
    ]);
    const again = await added(ledger, { filings: [found(1), found(2, { file: row({ form: '8-K' }) })] });
    expect([again.added, again.corrected]).toEqual([[], [filing(2).accessionNo]]);
    expect((await added(ledger, { filings: [found(1)] })).batch).toBeNull();
    expect(readdirSync(join(ledger, 'batches')).filter((name) => name.startsWith('.'))).toEqual([]);
  });
  it('a batch has a row for each company that a filing names', async () => {
    const ledger = fresh();
    await appendMadeUp(ledger, 1, { companies: [company(9)] });
    await added(ledger, {
      filings: [found(1, { feed: feedFiling(1, ownership) })],
      entities: [entityOf(cikOf(1), ['T1'])],
    });
    expect((await readRows(ledger)).companies).toEqual([
      { cik: cikOf(1), name: 'Company 1', tickers: ['T1'], exchange: 'NYSE', formerNames: [] },
      { cik: cikOf(8), name: 'Company 8', tickers: [], exchange: null, formerNames: [] },
      company(9),
    ]);
  });
  it('a row that no batch can hold is refused', async () => {
    const ledger = fresh();
    const long = await added(ledger, {
      filings: [found(1, { file: row({ primaryDocument: 'x'.repeat(20_000) }) })],
    });
    const messageOfLast = async () => (await headsOf(ledger)).at(-1)?.head.run.message;
    expect([long.added, await messageOfLast()]).toEqual([
      [],
      `1 lost: ${filing(1).accessionNo} its texts have 20000 characters, the most is 16384`,
    ]);
    const nobody = await added(ledger, {
      filings: [found(1, { feed: feedFiling(1, { parties: [] }) }), found(2)],
    });
    expect([nobody.added, await messageOfLast()]).toEqual([
      [filing(2).accessionNo],
      `1 lost: ${filing(1).accessionNo} it names no company`,
    ]);
  });
});
