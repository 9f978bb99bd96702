import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appendFound } from '../../build/ingest/append.ts';
import { withKnownLedger } from '../../build/ingest/known.ts';
import { holderOf } from '../../build/ledger/symbols.ts';
import type { Entity } from '../../build/sources/roles.ts';
import { useDirectories } from '../support/directories.ts';
import { additionOf, cikOf, entityOf, tickerRowsOf } from '../support/ledgers.ts';

const fresh = useDirectories('symbols');
const [a, b, c] = [cikOf(1), cikOf(2), cikOf(3)];
const day = (number: number) => `2026-03-${String(number).padStart(2, '0')}T12:00:00.000Z`;

describe('who has a symbol', () => {
  const sources = (
    listed: readonly string[],
    claim: [string, number] | null,
    held: [string, string] | null,
  ) => ({
    listed: () => listed,
    claimed: () => (claim ? { cik: claim[0], asOfMs: Date.parse(day(claim[1])) } : undefined),
    held: () => (held ? { cik: held[0], at: held[1] } : undefined),
  });
  it.each([
    ['the ticker file decides', sources([c], [a, 9], [b, day(1)]), c],
    ['the ledger knows it longer than the file of the other company', sources([], [a, 1], [b, day(2)]), b],
    ['the file of the other company is newer', sources([], [a, 3], [b, day(2)]), a],
    ['nobody had it before', sources([], [a, 3], null), a],
    ['the ledger of an older version does not say since when', sources([], [a, 3], [b, '']), a],
    ['the ticker files disagree, and one of the companies names it', sources([a, b], [b, 1], [c, day(9)]), b],
    ['the ticker files disagree, and nobody names it', sources([a, b], [c, 9], [b, day(1)]), b],
    ['the ticker files disagree, and nobody ever had it', sources([a, b], null, null), a],
    ['nobody names it now', sources([], null, [b, day(2)]), b],
    ['nobody ever had it', sources([], null, null), undefined],
  ])('%s', (_, said, expected) => expect(holderOf('XYZ', said)).toBe(expected));
});

describe('a symbol that moves to another company', () => {
  const entity = (cik: string, asOf: number, tickers: readonly string[], name = `Company ${cik}`) =>
    entityOf(cik, tickers, { name, asOfMs: Date.parse(day(asOf)) });

  /** A ledger, to which each call appends what was read on a day. */
  function ledger() {
    const ledgerDirectory = fresh();
    const folders = { ledgerDirectory, snapshotsDirectory: join(ledgerDirectory, 'snapshots') };
    return {
      read: (on: number, entities: readonly Entity[], tickers: Readonly<Record<string, string>> = {}) =>
        appendFound(folders, additionOf({ createdAt: day(on), entities, tickers: tickerRowsOf(tickers) })),
      /** Whom the symbol leads to, and the symbols of both companies. */
      state: () =>
        withKnownLedger(folders, async (known) => {
          const companies = await known.companies([a, b]);
          return [
            (await known.symbols(['XYZ'])).get('XYZ'),
            companies.get(a)?.tickers,
            companies.get(b)?.tickers,
          ];
        }),
    };
  }

  it('a run that reads the former company for another reason does not give the symbol back', async () => {
    const { read, state } = ledger();
    await read(1, [entity(a, 1, ['XYZ']), entity(b, 1, [])], { XYZ: a });
    await read(3, [entity(b, 3, ['XYZ'])], { XYZ: b });
    expect(await state(), 'the company that lost it was not read').toEqual([b, [], ['XYZ']]);
    // As the reconciliation reads it: without ticker files, once with a file that still names the symbol.
    await read(4, [entity(a, 2, ['XYZ'], 'A new name')]);
    await read(5, [entity(a, 5, [], 'A newer name')]);
    expect(await state()).toEqual([b, [], ['XYZ']]);
    await read(6, [entity(a, 6, ['XYZ'])]);
    expect(await state(), 'a newer file of the company itself').toEqual([a, ['XYZ'], []]);
    await read(7, [entity(a, 7, ['XYZ'])], { XYZ: b });
    expect(await state(), 'the ticker file says otherwise, and b was not read').toEqual([a, [], []]);
    await read(8, [entity(b, 7, ['XYZ'])], { XYZ: b });
    expect(await state()).toEqual([b, [], ['XYZ']]);
  });

  it('a symbol that an older version led to the wrong company is led back when its company is read', async () => {
    const { read, state } = ledger();
    await read(1, [entity(b, 1, ['XYZ'])], { XYZ: b });
    // As the older version did: the company that had lost the symbol named it again.
    await read(2, [entity(a, 3, ['XYZ'])]);
    expect((await state())[0]).toBe(a);
    const healed = await read(4, [entity(b, 1, ['XYZ'])], { XYZ: b });
    expect(healed.batch).not.toBeNull();
    expect(await state()).toEqual([b, [], ['XYZ']]);
    expect((await read(5, [entity(b, 1, ['XYZ'])], { XYZ: b })).batch, 'once').toBeNull();
  });

  it('of two files of one run, that of the greater CIK has the symbol, whatever their order', async () => {
    const { read, state } = ledger();
    await read(3, [entity(b, 1, ['XYZ']), entity(a, 2, ['XYZ'])]);
    expect(await state()).toEqual([b, [], ['XYZ']]);
  });
});
