import { describe, expect, it } from 'vitest';
import { newRows, type Addition } from '../../build/ingest/append.ts';
import { assembleFiling, isWhole, nothingTold, type Told } from '../../build/ingest/assemble.ts';
import { mergeFiling } from '../../build/ledger/merge-filing.ts';
import { firstObservation, rowOfFiling } from '../../build/ledger/observation.ts';
import { partiesOf } from '../../build/ledger/parties.ts';
import type { LedgerCompany, LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import type { Entity } from '../../build/sources/roles.ts';
import { cikOf, company, filing } from '../support/made-up.ts';
import { feedFiling, headerOf, partyOf } from '../support/told.ts';

const told = (members: Partial<Told>): Told => ({ ...nothingTold, ...members });
const row = (members: Partial<LedgerFiling> = {}) =>
  filing(1, {
    acceptedAt: null,
    primaryDocument: 'a.htm',
    sizeBytes: 5,
    reportDate: '2026-02-01',
    filerCiks: [cikOf(1)],
    ...members,
  });
const assemble = (members: Partial<Told>, known?: LedgerFiling) =>
  assembleFiling(filing(1).accessionNo, known, told(members));
const ownership = {
  form: '4',
  parties: [partyOf(8, 'reporting_owner'), partyOf(9, 'reporting_owner'), partyOf(1, 'issuer')],
};

describe('a filing is put together', () => {
  it('a filing takes times and parties from the feed and documents from the submissions file', () => {
    expect(assemble({ feed: feedFiling(1, ownership), row: row({ form: '4', items: [] }) })).toEqual({
      ...row({ form: '4' }),
      acceptedAt: feedFiling(1).accepted?.eastern,
      subjectCik: cikOf(1),
      filerCiks: [cikOf(8), cikOf(9)],
      roles: [`${cikOf(1)}:issuer`, `${cikOf(8)}:reporting_owner`, `${cikOf(9)}:reporting_owner`],
      items: ['8.01'],
    });
  });
  it('a filing that feed and header alone describe has no documents', () => {
    expect(assemble({ feed: feedFiling(1), header: headerOf(1) })).toMatchObject({
      reportDate: '2026-02-27',
      acceptedAt: '20260302120000',
      primaryDocument: null,
      sizeBytes: null,
      isXbrl: false,
      filerCiks: [cikOf(1)],
    });
    expect(assemble({ feed: feedFiling(1) })).toMatchObject({
      reportDate: null,
      acceptedAt: feedFiling(1).accepted?.eastern,
      items: ['8.01'],
    });
  });
  it('no source gives no filing', () => expect(assemble({})).toBeNull());
  it('the header counts before the feed, and both before a submissions file whose clock may be wrong', () => {
    expect(
      assemble({
        feed: feedFiling(1),
        header: headerOf(1, { acceptedAt: '20260302130000' }),
        row: row({ acceptedAt: '20260302170000' }),
      })?.acceptedAt,
    ).toBe('20260302130000');
    expect(assemble({ feed: feedFiling(1), row: row({ acceptedAt: '20260302170000' }) })?.acceptedAt).toBe(
      feedFiling(1).accepted?.eastern,
    );
    expect(
      assemble({ feed: feedFiling(1, { accepted: null }), row: row({ acceptedAt: '20260302170000' }) })
        ?.acceptedAt,
    ).toBe('20260302170000');
  });
  it('a filing keeps the parties and documents that the ledger knows', () => {
    const known = row({
      acceptedAt: '20260302110000',
      filerCiks: [cikOf(1), cikOf(3)],
      primaryDocDescription: 'X',
    });
    expect(assemble({ feed: feedFiling(1, { accepted: null }) }, known)).toMatchObject({
      acceptedAt: '20260302110000',
      primaryDocument: 'a.htm',
      primaryDocDescription: 'X',
      filerCiks: [cikOf(1), cikOf(3)],
      reportDate: '2026-02-01',
    });
    expect(assemble({ row: row() }, row({ subjectCik: cikOf(2), filerCiks: [cikOf(1)] }))).toMatchObject({
      subjectCik: cikOf(2),
      filerCiks: [cikOf(1)],
    });
  });
  it('a filing is whole once its documents, parties and acceptance are known', () => {
    expect(
      [
        told({ feed: feedFiling(1), row: row() }),
        told({ header: headerOf(1), row: row() }),
        told({ header: headerOf(1, { acceptedAt: null }), row: row() }),
      ].map(isWhole),
    ).toEqual([true, true, true]);
    expect(
      [
        told({ row: row() }),
        told({ feed: feedFiling(1) }),
        told({ feed: feedFiling(1), header: headerOf(1) }),
        told({ feed: feedFiling(1, { accepted: null }), row: row() }),
      ].map(isWhole),
    ).toEqual([false, false, false, false]);
  });
});

describe('a subject company that the feed names on a form of another kind', () => {
  const parties = { form: 'DFAN14A', parties: [partyOf(2, 'filed_by'), partyOf(1, 'subject')] };
  const assembled = assemble({
    feed: feedFiling(1, parties),
    row: row({ form: 'DFAN14A', filerCiks: [cikOf(2)] }),
  }) as LedgerFiling;
  it('a subject company on a form of another kind has the role that the feed tells', () => {
    expect(partiesOf(assembled, () => null).map(({ cik, role }) => [cik, role])).toEqual([
      [cikOf(1), 'subject'],
      [cikOf(2), 'filed_by'],
    ]);
  });
  it('a subject company stays the subject when an ingest reads its own submissions file', () => {
    const sighting = row({ form: 'DFAN14A', filerCiks: [cikOf(1)] });
    expect(mergeFiling(assembled, [sighting], () => true)).toMatchObject({
      subjectCik: cikOf(1),
      filerCiks: [cikOf(2)],
    });
    const { roles: _roles, ...untold } = assembled;
    const ofSchedule = [assembled, untold].map(
      (known) =>
        mergeFiling({ ...known, form: 'SC 13D' }, [{ ...sighting, form: 'SC 13D' }], () => true).subjectCik,
    );
    expect(ofSchedule, 'its own file tells on a Schedule 13D, unless the feed told more').toEqual([
      cikOf(1),
      null,
    ]);
  });
});

describe('the roles that the feed or the header told', () => {
  const two = { form: '144', parties: [partyOf(1, 'subject'), partyOf(2, 'reporting_owner')] };
  const rolesOf = (filing: LedgerFiling | null) =>
    partiesOf(filing as LedgerFiling, () => null).map(({ role }) => role);
  it('roles that were told are published as they were told, also those of several subjects', () => {
    expect(rolesOf(assemble({ feed: feedFiling(1, two) }))).toEqual(['subject', 'reporting_owner']);
    const subjects = [partyOf(1, 'filed_by'), partyOf(2, 'subject'), partyOf(3, 'subject')];
    const offer = assemble({ header: headerOf(1, { form: 'SC TO-T', parties: subjects }) });
    expect([offer?.subjectCik, rolesOf(offer)]).toEqual([cikOf(2), ['subject', 'filed_by', 'subject']]);
  });
  it('a party that is subject and filer at once is the subject', () => {
    const both = [partyOf(1, 'filer'), partyOf(1, 'subject')];
    expect(assemble({ header: headerOf(1, { form: 'SC 13E3', parties: both }) })).toMatchObject({
      subjectCik: cikOf(1),
      filerCiks: [],
      roles: [`${cikOf(1)}:subject`],
    });
  });
  it('roles that were told survive an ingest of submissions files, and a look-up in the ledger', () => {
    const told = assemble({
      feed: feedFiling(1, { form: 'DFAN14A', items: [], parties: [partyOf(1, 'filed_by')] }),
    });
    const merged = mergeFiling(
      told as LedgerFiling,
      [row({ form: 'DFAN14A', filerCiks: [cikOf(3)] })],
      () => true,
    );
    expect(rolesOf(merged), 'one of them was told').toEqual(['filed_by', null]);
    const companyOf = () => ({ name: 'A company', tickers: [] });
    for (const filing of [
      told as LedgerFiling,
      merged,
      { ...merged, roles: [`${cikOf(1)}:filed_by`, `${cikOf(3)}:subject`] },
    ]) {
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
    expect(assemble({ header: headerOf(1, { parties: [partyOf(1, 'subject')] }) }, known)).toMatchObject({
      subjectCik: cikOf(1),
      filerCiks: [cikOf(7)],
      roles: [`${cikOf(1)}:subject`, `${cikOf(7)}:filed_by`],
    });
  });
});

describe('what is added to a ledger', () => {
  const entity = (number: number): Entity => ({
    cik: cikOf(number),
    alone: [cikOf(number)],
    name: `Company ${number}`,
    tickers: [`T${number}`],
    exchange: 'NYSE',
    formerNames: [],
    isIssuer: true,
    isOwner: false,
  });
  const addition = (members: Partial<Addition>): Addition => ({
    target: 't',
    createdAt: '',
    filings: [],
    entities: [],
    tickers: [],
    refusals: [],
    days: [],
    ...members,
  });
  const found = (number: number, members: Partial<Told> = { feed: feedFiling(number) }) => ({
    accessionNo: filing(number).accessionNo,
    told: told(members),
  });
  const rows = (members: Partial<Addition>, known: LedgerFiling[] = [], companies: LedgerCompany[] = []) =>
    newRows(
      addition(members),
      new Map(known.map((each) => [each.accessionNo, each])),
      new Map(companies.map((each) => [each.cik, each])),
    );

  it('a batch has what is new or changed, sorted, each filing once', () => {
    const made = rows({
      filings: [found(2), found(1), found(2, { header: headerOf(2, { acceptedAt: '20260302120002' }) })],
    });
    expect(made.filings.map(({ accessionNo, reportDate }) => [accessionNo, reportDate])).toEqual([
      [filing(1).accessionNo, null],
      [filing(2).accessionNo, '2026-02-27'],
    ]);
    expect(made.added).toHaveLength(2);
    const again = rows({ filings: [found(1), found(2)] }, [...made.filings]);
    expect([again.filings, again.added]).toEqual([[], []]);
    expect(
      rows({ filings: [found(1, { header: headerOf(1) })] }, [...made.filings]).added,
      'a correction is not new',
    ).toEqual([]);
  });
  it('a batch has a row for each company that a filing names', () => {
    const { companies } = rows(
      { filings: [found(1, { feed: feedFiling(1, ownership) })], entities: [entity(1)] },
      [],
      [company(9)],
    );
    expect(companies).toEqual([
      { cik: cikOf(1), name: 'Company 1', tickers: ['T1'], exchange: 'NYSE', formerNames: [] },
      { cik: cikOf(8), name: 'Company 8', tickers: [], exchange: null, formerNames: [] },
    ]);
  });
  it('a row that no batch can hold is refused', () => {
    const { filings, refusals } = rows({
      filings: [found(1, { row: row({ primaryDocument: 'x'.repeat(20_000) }) })],
    });
    expect([filings, refusals]).toEqual([
      [],
      [{ cik: '', file: '', accessionNo: filing(1).accessionNo, reason: expect.stringContaining('20000') }],
    ]);
    const nobody = rows({ filings: [found(1, { feed: feedFiling(1, { parties: [] }) }), found(2)] });
    expect([nobody.filings.length, nobody.refusals]).toEqual([
      1,
      [expect.objectContaining({ accessionNo: filing(1).accessionNo, reason: 'it names no company' })],
    ]);
  });
});
