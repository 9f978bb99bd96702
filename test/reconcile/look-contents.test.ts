import { describe, expect, it } from 'vitest';
import type { AskedContents } from '../../build/ingest/ask-contents.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { describeDifference } from '../../build/reconcile/compare.ts';
import { lookAt, type Look, type LookOptions } from '../../build/reconcile/look.ts';
import type { IndexFiling } from '../../build/sources/master-index.ts';
import { contents, form4 } from '../support/contents.ts';
import { cikOf, filing } from '../support/made-up.ts';
import { headerOf, partyOf } from '../support/told.ts';

const { accessionNo } = filing(1);
const row = filing(1, {
  form: '4',
  filedAt: '2026-03-02',
  subjectCik: cikOf(1),
  filerCiks: [cikOf(2)],
  primaryDocument: 'xslF345X06/doc4.xml',
});
const listed: IndexFiling = {
  accessionNo,
  form: '4',
  forms: ['4'],
  filedAt: '2026-03-02',
  entities: [1, 2].map((number) => ({ cik: cikOf(number), name: `Company ${number}` })),
};
const file = `data/1/${accessionNo.replaceAll('-', '')}/doc4.xml`;
const read: AskedContents = { kind: 'read', contents: contents(accessionNo, form4([2])), refusals: [] };
const lost: AskedContents = { kind: 'lost', cause: 'absent', reason: 'not there (404)' };
const refused: AskedContents = {
  kind: 'refused',
  refusals: [{ cik: '', file, accessionNo, reason: 'it is not XML' }],
};

/** Looks at the filing, and tells what was asked. */
async function look(
  answer: AskedContents,
  held: LedgerFiling | null,
  options: Partial<LookOptions> = {},
): Promise<{ look: Look; asked: string[] }> {
  const asked: string[] = [];
  const absent = { kind: 'lost', cause: 'absent', reason: 'not there' } as const;
  const made = await lookAt([{ listed, ciks: [cikOf(1)] }], {
    upstream: {
      header: async () => (
        asked.push('header'),
        {
          kind: 'ok',
          asOfMs: 0,
          changed: true,
          parsed: headerOf(1, {
            accessionNo,
            form: '4',
            parties: [partyOf(1, 'issuer'), partyOf(2, 'reporting_owner')],
          }),
        }
      ),
      entityFile: async () => (asked.push('file'), absent),
      olderPage: async () => absent,
      contents: async (wanted) => (asked.push(wanted.file), answer),
    },
    held: new Map(held === null ? [] : [[accessionNo, held]]),
    contentsOf: () => ['ownership'],
    settled: new Set(),
    file: 'index',
    append: async () => {},
    ...options,
  });
  return { look: made, asked };
}

it('a block of this address ends a look: nothing counts as missing, and what was fetched is kept', async () => {
  const kept: unknown[] = [];
  const blocked: AskedContents = { kind: 'lost', cause: 'throttled', reason: 'HTTP 403 (slow down)' };
  const [other, asked] = [filing(2).accessionNo, [] as string[]];
  const looking = lookAt(
    [
      { listed, ciks: [cikOf(1)] },
      { listed: { ...listed, accessionNo: other }, ciks: [cikOf(1)] },
    ],
    {
      upstream: {
        header: async (_, of) => (asked.push(of), blocked),
        entityFile: async () => blocked,
        olderPage: async () => blocked,
        contents: async ({ accessionNo: of }) => (asked.push(of), read),
      },
      held: new Map([[accessionNo, row]]),
      contentsOf: () => ['ownership'],
      settled: new Set(),
      file: 'index',
      append: async ({ contents: brought }) => void kept.push(brought),
    },
  );
  await expect(looking).rejects.toThrow('HTTP 403 (slow down)');
  expect([kept, asked]).toEqual([[[read.contents]], [accessionNo, other]]);
});

describe('a filing about ownership that an index lists', () => {
  it('its document alone is asked for if the ledger lacks nothing else', async () => {
    const { look: made, asked } = await look(read, row);
    expect(asked).toEqual([file]);
    expect(made).toMatchObject({
      rest: { contents: [read.contents], filings: [], refusals: [] },
      unsettled: [],
    });
  });
  it('no document is asked for that the ledger has, or that nobody wants', async () => {
    const { look: made, asked } = await look(read, row, { contentsOf: () => [] });
    expect([asked, made.rest.contents]).toEqual([[], []]);
  });
  it('a document that is not there leaves it open, one that cannot be understood is refused', async () => {
    expect((await look(lost, row)).look.unsettled).toEqual([
      { accessionNo, kind: 'open', reason: 'its ownership document: not there (404)' },
    ]);
    const { look: made } = await look(refused, row);
    expect([made.unsettled, made.rest.refusals]).toEqual([[], refused.refusals]);
  });
  it('one that the ledger lacks gets its contents, too; of sources without documents the full submission', async () => {
    const { look: made, asked } = await look(read, null);
    expect(asked).toEqual(['header', 'file', `data/1/${accessionNo}.txt`]);
    expect([made.fetched, made.rest.contents]).toEqual([[accessionNo], [read.contents]]);
    // It is open for want of its documents already.
    expect((await look(lost, null)).look.unsettled).toHaveLength(1);
  });
  it('one whose difference is settled is asked for its document alone, and counted once', async () => {
    const other = { ...row, form: '4/A' };
    const settled = new Set([`${accessionNo} ${describeDifference(listed, other)}`]);
    const { look: made, asked } = await look(lost, other, { settled });
    expect(asked).toEqual([file]);
    expect(made.unsettled).toMatchObject([{ kind: 'different' }]);
  });
});
