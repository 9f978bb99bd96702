import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { appendBatch, batchDirectory, type BatchFile } from '../../build/ledger/batch.ts';
import type { LedgerCompany, LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import type { ListedDocument } from '../../src/contract/filing-documents.ts';
import { successors } from '../../src/domain/successors.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { contents, form4, holding, transaction } from './contents.ts';
import { batchAt, cikOf, company, filing } from './made-up.ts';

const [{ predecessorCik, successorCik }] = successors as [(typeof successors)[number]];

/** Filing `number` of the small ledger, as it was first seen. */
function first(number: number): LedgerFiling {
  const filer = cikOf((number % 6) + 1);
  if (number % 11 === 0)
    return filing(number, {
      form: '4',
      subjectCik: filer,
      filerCiks: [cikOf(90 + (number % 3))],
      primaryDocument: 'xslF345X05/a.xml',
    });
  if (number % 7 === 0)
    return filing(number, {
      form: '8-K',
      items: number % 2 === 0 ? ['2.02', '9.01'] : ['8.01'],
      filerCiks: [filer],
    });
  if (number % 13 === 0) return filing(number, { filerCiks: [predecessorCik] });
  return filing(number, { filerCiks: number % 10 === 0 ? [filer, cikOf(7)].sort() : [filer] });
}

const documentsOf = (number: number): ListedDocument[] =>
  ['4', 'EX-24', 'EX-99.1', 'GRAPHIC'].map((type, at) => ({
    sequence: at + 1,
    type,
    description: at === 1 ? 'POWER OF ATTORNEY' : null,
    name: `d${number}-${at}.htm`,
    size: 1000 * number,
  }));

/**
 * Writes a ledger of four batches that makes three segments, the first of several blocks. Later batches
 * correct filings in every way (within a segment and across, twice, back and forth), rename companies, move
 * symbols, name a successor, and hold rows that do not fit. Some filings have contents from the beginning.
 */
export async function writeSmallLedger(directory: string): Promise<void> {
  const range = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => first(from + at));
  const changed = (number: number, members: Partial<LedgerFiling>): LedgerFiling => ({
    ...first(number),
    ...members,
  });
  const predecessor: LedgerCompany = { ...company(1, 'OLDX'), cik: predecessorCik, name: 'Old Oil Corp' };
  const successor: LedgerCompany = {
    ...company(1, 'OLDX'),
    cik: successorCik,
    name: 'New Oil Corp',
    formerNames: ['Older Oil Corp'],
  };
  const append = async (
    number: number,
    filings: readonly LedgerFiling[],
    companies: readonly LedgerCompany[],
    contentsOf: readonly number[] = [],
  ) =>
    appendBatch(directory, {
      run: { target: 'made up', status: 'success', message: null, createdAt: batchAt(number) },
      filings,
      companies,
      contents: contentsOf.map((each) => ({
        ...contents(
          first(each).accessionNo,
          form4([90 + (each % 3)], [transaction(1), transaction(2)], null, null, [holding(1), holding(2)]),
        ),
        ...(each === 11 ? {} : { documents: documentsOf(each) }),
      })),
      refusals: [],
    });

  await append(
    1,
    range(1, 130),
    [...[1, 2, 3, 4, 5, 7].map((number) => company(number)), predecessor],
    // The last one has to wait for its filing.
    [11, 22, 121, 187],
  );
  await append(
    2,
    [
      ...range(131, 170),
      changed(1, { primaryDocument: 'other.htm' }),
      changed(2, { form: '10-K' }),
      changed(3, { acceptedEastern: '20260205120000' }),
    ],
    [],
  );
  await append(
    3,
    [
      ...range(171, 186),
      changed(1, { primaryDocument: 'third.htm' }),
      changed(4, { filedAt: '2026-01-20', acceptedEastern: null }),
      changed(5, { filerCiks: [cikOf(2)] }),
      changed(7, { items: ['2.02'] }),
      changed(9, { form: '8-K', items: ['9.01'] }),
      changed(20, { filerCiks: [cikOf(3)] }),
    ],
    [
      company(2, 'T2', { name: 'Renamed and Company', formerNames: ['Company 2'] }),
      company(4, 'T3'),
      successor,
      company(8, null),
      company(90, null),
    ],
  );
  spoil(directory, 3);
  await append(
    4,
    [...range(187, 188), changed(1, {}), changed(5, {}), filing(13, { filerCiks: [successorCik] })],
    [company(2, 'T2', { name: 'Company 2' })],
  );
}

/**
 * Adds rows that do not fit to the files of the newest batch, as an older version would have written them.
 */
function spoil(directory: string, number: number): void {
  const path = join(batchDirectory(directory, number), 'batch.json');
  const head = JSON.parse(readFileSync(path, 'utf8')) as BatchFile;
  const bad: Readonly<Record<string, string>> = {
    'companies.csv': 'no-cik,Nobody,,,',
    'filings-1.csv': 'no accession number,4,2026-02-01,,,,,,,0,0,,0000000001',
  };
  const files = head.files.map((file) => {
    const name = join(batchDirectory(directory, number), file.name);
    const text = readFileSync(name, 'utf8');
    const columns = (text.split('\n')[0] ?? '').split(',').length;
    const row = (bad[file.name] ?? '').split(',');
    const spoilt = `${text}${[...row, ...Array.from({ length: columns - row.length }, () => '')].join(',')}\n`;
    writeFileSync(name, spoilt);
    return { ...file, bytes: Buffer.byteLength(spoilt), sha256: sha256Of(spoilt), rows: file.rows + 1 };
  });
  writeFileSync(path, `${JSON.stringify({ ...head, files }, null, 2)}\n`);
}
