import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { movedCompanies } from '../../build/follow/reading/moved.ts';
import { appendFound } from '../../build/ingest/append.ts';
import { withKnownLedger } from '../../build/ingest/known.ts';
import type { Entity } from '../../build/sources/roles.ts';
import { useDirectories } from '../support/directories.ts';
import { additionOf, cikOf, entityOf, tickerRowsOf } from '../support/ledgers.ts';

const fresh = useDirectories('follow-moved');
const [a, b, stranger] = [cikOf(1), cikOf(2), cikOf(9)];

type Symbols = Readonly<Record<string, string>>;

describe('companies with other symbols in the ticker files than in the ledger', () => {
  /** A ledger in which both companies were read, A with XYZ. */
  async function ledger() {
    const ledgerDirectory = fresh();
    const folders = { ledgerDirectory, snapshotsDirectory: join(ledgerDirectory, 'snapshots') };
    const read = (entities: readonly Entity[], symbols: Symbols) =>
      appendFound(folders, additionOf({ entities, tickers: tickerRowsOf(symbols) }));
    await read([entity(a), entity(b)], { XYZ: a });
    return {
      read,
      moved: (symbols: Symbols, members: readonly string[] | null = [a, b]) =>
        withKnownLedger(folders, (known) =>
          movedCompanies(
            { tickers: tickerRowsOf(symbols), members, isWanted: (cik) => members?.includes(cik) ?? true },
            known,
          ),
        ),
    };
  }
  const entity = (cik: string) => entityOf(cik, [], { asOfMs: Date.parse('2026-03-01T12:00:00Z') });

  it.each<readonly [string, Symbols, readonly string[] | null, readonly string[]]>([
    ['nothing has moved', { XYZ: a }, [a, b], []],
    ['one follows both', { XYZ: b }, [a, b], [a, b]],
    ['one follows who gets it', { XYZ: b }, [b], [b]],
    ['one follows who loses it', { XYZ: b }, [a], [a]],
    ['somebody gets it whom nobody follows', { XYZ: stranger }, [a, b], [a]],
    ['everyone is followed, and the ledger does not know who gets it', { XYZ: stranger }, null, [stranger]],
    ['a company gets a second symbol', { XYZ: a, NEW: a }, [a, b], [a]],
    ['somebody of whom the ledger has nothing gets a new symbol', { XYZ: a, NEW: stranger }, null, []],
    ['no file has it any more', { OTHER: stranger }, [a, b], []],
  ])('%s', async (_, symbols, members, expected) => {
    const { moved } = await ledger();
    expect(await moved(symbols, members)).toEqual(expected);
  });

  it('once their files were read, nobody is left', async () => {
    const { moved, read } = await ledger();
    await read([entity(b)], { XYZ: b });
    expect(await moved({ XYZ: b })).toEqual([]);
    await read([entity(b)], { XYZ: stranger });
    expect(await moved({ XYZ: stranger }), 'nobody is asked again and again').toEqual([]);
  });
});
