/** "Any insider selling at this company in April?" is one short call, over documents that EDGAR served. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { parseOwnership } from '../../build/contents/ownership-file.ts';
import { boundedAnswer } from '../../src/answers/for-assistants.ts';
import type { InsiderTransaction } from '../../src/contract/insider-transactions.ts';
import { tools, type Tool } from '../../src/contract/tools.ts';
import { checkArguments } from '../../src/query/arguments.ts';
import { contents } from '../support/contents.ts';
import { useDirectories } from '../support/directories.ts';
import type { BatchRows } from '../support/ledger-model.ts';
import { company, filing, madeUp } from '../support/ledgers.ts';
import { needs, recordings } from '../support/needs.ts';
import { openHistory } from '../support/published.ts';

const fresh = useDirectories('insider-selling');
const cik = '0001682852';
const root = join(recordings, 'ownership');

/** A value element of the independent reading. */
interface Reading {
  readonly value: string | null;
}
/** A row of its table of shares; a holding has no coding. */
interface ReadRow {
  readonly transactionDate?: Reading;
  readonly transactionCoding: { readonly transactionCode?: string } | null;
  readonly transactionAmounts: {
    readonly transactionShares: Reading;
    readonly transactionPricePerShare: Reading;
  } | null;
}
interface Truth {
  readonly issuer: { readonly issuerCik: string };
  readonly periodOfReport: string;
  readonly documentType: string;
  readonly nonDerivativeTable: { readonly rows: readonly ReadRow[] } | null;
}

const salesIn = ({ nonDerivativeTable }: Truth) =>
  (nonDerivativeTable?.rows ?? [])
    .filter(({ transactionCoding }) => transactionCoding?.transactionCode === 'S')
    .map(({ transactionDate, transactionAmounts }) => [
      transactionDate?.value,
      Number(transactionAmounts?.transactionShares.value),
      Number(transactionAmounts?.transactionPricePerShare.value),
    ]);

it(
  'what insiders of a company sold in a month is one call below 1,500 tokens, and as an independent reading says',
  needs('recordings'),
  async () => {
    const truths = readdirSync(join(root, 'truth')).flatMap((name) => {
      const truth = JSON.parse(readFileSync(join(root, 'truth', name), 'utf8')) as Partial<Truth>;
      return truth.issuer?.issuerCik?.padStart(10, '0') === cik
        ? [{ name: basename(name, '.json'), truth: truth as Truth }]
        : [];
    });
    expect(truths.length).toBeGreaterThan(5);
    const rows = truths.map(({ name, truth }, at) => ({
      name,
      row: filing(at + 1, {
        form: truth.documentType,
        filedAt: truth.periodOfReport.slice(0, 10),
        subjectCik: cik,
        filerCiks: [],
      }),
    }));
    const [batch] = madeUp({
      filings: rows.map(({ row }) => row),
      companies: [{ ...company(1, 'MRNA', { name: 'Moderna, Inc.' }), cik }],
    });
    const said = rows.map(({ name, row }) =>
      contents(row.accessionNo, parseOwnership(readFileSync(join(root, 'filings', `${name}.xml`))).document),
    );
    const { open } = await openHistory(fresh(), [{ ...(batch as BatchRows), contents: said }]);
    const tool = tools.find(({ name }) => name === 'sec_insider_transactions') as Tool;
    const call = { ticker: 'MRNA', code: 'S', since: '2023-04-01', until: '2023-04-30' };
    const { text, content, size } = await boundedAnswer(
      {
        snapshot: open.snapshot,
        coverage: {
          newestFiledOn: '2023-06-14',
          fetchedAt: '2023-06-15T00:00:00.000Z',
          isSample: false,
          isStale: false,
          staleAfter: '2023-06-16T00:00:00.000Z',
        },
        now: () => 0,
        pause: () => null,
      },
      tool,
      checkArguments(tool, call),
    );
    expect(size.tokens + (size.structuredTokens ?? 0)).toBeLessThan(1500);
    const { data } = content() as { data: InsiderTransaction[] };
    const sold = truths
      .filter(({ truth }) => truth.periodOfReport.startsWith('2023-04'))
      .sort((a, b) => (a.truth.periodOfReport < b.truth.periodOfReport ? 1 : -1))
      .flatMap(({ truth }) => salesIn(truth));
    expect(sold.length).toBe(14);
    expect(data.map(({ on, shares, price }) => [on, shares, price])).toEqual(sold);
    expect(text).toContain('14 insider transactions of "Moderna, Inc." (CIK 0001682852) with code S');
    expect(text).toContain(
      '"Bancel Stephane" ("Chief Executive Officer", director) sold 40,000 shares of "Common Stock" in 4 transactions at 155.67 to 158.56 dollars on 12 April 2023; ',
    );
    expect(text).toContain(', planned under Rule 10b5-1 [');
    expect(text).toContain('there are no older ones');
    await open.close();
  },
);
