import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openKnownLedger } from '../../build/ingest/known.ts';
import { batchDirectory, BrokenLedger, readBatchFile } from '../../build/ledger/batch.ts';
import type { LedgerContents } from '../../build/ledger/contents.ts';
import type { Refusal } from '../../build/ledger/ledger-rows.ts';
import { readContents } from '../../build/ledger/read.ts';
import { quietProgress } from '../../build/work/progress.ts';
import { contents, form4, transaction } from '../support/contents.ts';
import { useDirectories } from '../support/directories.ts';
import { appendMadeUp, bareFiling, company, filing } from '../support/ledgers.ts';
import { rewriteBatch } from '../support/published.ts';

const fresh = useDirectories('contents');
const form4Of = (number: number, owner = number) =>
  contents(filing(number).accessionNo, form4([owner], [transaction(1), transaction(2)]));

function append(ledger: string, number: number, rows: readonly LedgerContents[]): Promise<number> {
  return appendMadeUp(ledger, number, {
    filings: [bareFiling(number, { form: '4' })],
    companies: [company(1)],
    contents: rows,
  });
}

async function readBack(ledger: string, number: number) {
  const { head } = await readBatchFile(ledger, number);
  const [rows, refusals]: [LedgerContents[], Refusal[]] = [[], []];
  for await (const read of readContents(ledger, head)) {
    rows.push(...read.rows);
    refusals.push(...read.refusals);
  }
  return { head, rows, refusals };
}

describe('contents of a batch', () => {
  it('a batch gives contents back as they were appended, by accession number', async () => {
    const ledger = fresh();
    await append(ledger, 1, [form4Of(3), form4Of(1), form4Of(2)]);
    const { head, rows, refusals } = await readBack(ledger, 1);
    expect(rows).toEqual([form4Of(1), form4Of(2), form4Of(3)]);
    expect(refusals).toEqual([]);
    expect(head.format).toBe(2);
    expect(head.files.map(({ name, rows: count }) => [name, count])).toContainEqual(['contents-1.jsonl', 3]);
  });

  it('a batch without contents has the format that older versions read', async () => {
    const ledger = fresh();
    await append(ledger, 1, []);
    const { head, rows } = await readBack(ledger, 1);
    expect([head.format, rows]).toEqual([1, []]);
    expect(readdirSync(batchDirectory(ledger, 1)).toSorted()).toEqual([
      'batch.json',
      'companies.csv',
      'filings-1.csv',
    ]);
  });

  it('many contents are written into several files and read in their order', async () => {
    const ledger = fresh();
    const long = 'x'.repeat(1_000_000);
    const rows = Array.from({ length: 12 }, (_, at) =>
      contents(filing(at).accessionNo, form4([5], [transaction(1)], long)),
    );
    await append(ledger, 1, rows);
    const read = await readBack(ledger, 1);
    expect(read.rows).toEqual(rows);
    expect(read.head.files.filter(({ name }) => name.startsWith('contents-')).length).toBe(2);
  });

  it('a filing may have contents only once in a batch', async () => {
    await expect(append(fresh(), 1, [form4Of(1), form4Of(1)])).rejects.toThrow('may not follow');
  });

  it('contents that break a rule of the record are not appended', async () => {
    const bad = structuredClone(form4Of(1)) as { ownership: { documentType: unknown } };
    bad.ownership.documentType = 4;
    await expect(append(fresh(), 1, [bad as unknown as LedgerContents])).rejects.toThrow(
      'ownership.documentType',
    );
  });

  it('whoever reads a batch leaves out a line that breaks a rule, and names it', async () => {
    const ledger = fresh();
    await append(ledger, 1, [form4Of(1), form4Of(2), form4Of(3)]);
    await rewriteBatch(ledger, 1, 'contents-1.jsonl', (text) =>
      text
        .split('\n')
        .map((line, at) => (at === 1 ? line.replace('"isExit":false', '"isExit":"no"') : line))
        .join('\n'),
    );
    const { rows, refusals } = await readBack(ledger, 1);
    expect(rows).toEqual([form4Of(1), form4Of(3)]);
    expect(refusals).toEqual([
      {
        cik: '',
        accessionNo: '',
        file: '000001/contents-1.jsonl',
        reason: expect.stringMatching(/^\(row 2\): ownership\.ownership\.isExit: /),
      },
    ]);
  });

  it.each([
    ['a line is missing', (text: string) => text.slice(text.indexOf('\n') + 1), 'it has 2 rows, not 3'],
    [
      'lines are not sorted',
      (text: string) => `${text.split('\n').slice(0, 3).toReversed().join('\n')}\n`,
      'must be sorted',
    ],
  ])('a batch in which %s is broken', async (_, change, message) => {
    const ledger = fresh();
    await append(ledger, 1, [form4Of(1), form4Of(2), form4Of(3)]);
    await rewriteBatch(ledger, 1, 'contents-1.jsonl', change);
    const reading = readBack(ledger, 1);
    await expect(reading).rejects.toThrow(BrokenLedger);
    await expect(reading).rejects.toThrow(message);
  });
});

it('a ledger tells which filings have contents, and from which source', async () => {
  const ledger = fresh();
  await append(ledger, 1, [form4Of(1), { ...form4Of(2), source: 'data_set' }]);
  const known = await openKnownLedger(ledger, fresh(), quietProgress);
  try {
    const all = [3, 2, 1].map((number) => filing(number).accessionNo);
    const sources = async () => Object.fromEntries(await known.contents(all));
    expect(await sources()).toEqual({
      [all[2] as string]: { ownership: 'document' },
      [all[1] as string]: { ownership: 'data_set' },
    });
    const documents = [{ sequence: 1, type: '4', description: null, name: 'a.xml', size: 1 }];
    await append(ledger, 2, [
      { ...form4Of(2), documents },
      { ...form4Of(3), source: 'data_set' },
      { accessionNo: filing(4).accessionNo, documents },
    ]);
    expect(await sources()).toEqual({
      [all[2] as string]: { ownership: 'document' },
      [all[1] as string]: { ownership: 'document', documents: true },
      [all[0] as string]: { ownership: 'data_set' },
    });
    expect(await known.contents([filing(4).accessionNo])).toEqual(
      new Map([[filing(4).accessionNo, { documents: true }]]),
    );
  } finally {
    await known.close();
  }
});
