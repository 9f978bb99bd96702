// @module-tag slow
/** What any document about ownership says goes from the ledger to everybody who reads it, value for value. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../clients/typescript/src/node.ts';
import { parseOwnership } from '../../build/contents/ownership-file.ts';
import { appendBatch } from '../../build/ledger/batch.ts';
import { readContents } from '../../build/ledger/read.ts';
import { hasTransactions } from '../../src/contract/transaction-filters.ts';
import type { OwnershipDocument } from '../../src/contract/ownership-document.ts';
import type { Ownership } from '../../src/contract/ownership.ts';
import { pythonEnvironment, run } from '../support/clients.ts';
import { useDirectories } from '../support/directories.ts';
import { expectedRows, exportQuietly, recordsOf, rowsByDuckDb } from '../support/exported.ts';
import { headsOf } from '../support/heads.ts';
import { cikOf, company, filing } from '../support/made-up.ts';
import { has } from '../support/needs.ts';
import {
  anySpelling,
  form144Tree,
  schedule13DTree,
  schedule13GTree,
  section16Tree,
  xmlOfTree,
} from '../support/ownership-xml.ts';
import { documentOfTruth } from '../support/recorded-truth.ts';
import { listeningService, serviceKey } from '../support/service.ts';
import { buildQuietly } from '../support/snapshots.ts';

const fresh = useDirectories('any-document');

/** A document by its elements, spelt in any way, and what it says. */
const anyDocument = fc
  .tuple(fc.oneof(section16Tree, section16Tree, form144Tree, schedule13DTree, schedule13GTree), anySpelling)
  .map(([tree, spelling]) => ({
    xml: xmlOfTree(tree, spelling),
    said: documentOfTruth(
      tree as unknown as Parameters<typeof documentOfTruth>[0],
    ) as unknown as OwnershipDocument,
  }));

/** Prints, as lines of JSON, what the Python client has of filings: `ownership` in the feed, and the whole document. */
const python = `
import json, sys
from filing_events import Client
client = Client(sys.argv[1], sys.argv[2])
for change in client.changes(since="1990-01-01"):
    number = change["filing"]["accessionNo"]
    document = client.get_filing_ownership(number)["data"]
    print(json.dumps([number, change["filing"]["ownership"], document]))
`;

/** By the accession number of each filing, `ownership` in its newest change, and the whole document. */
type Had = Map<string, readonly [Ownership | null, unknown]>;

async function hadByTypeScript(baseUrl: string): Promise<Had> {
  const client = createClient({ baseUrl, apiKey: serviceKey });
  const had: Had = new Map();
  for await (const { filing: each } of client.changes({ since: '1990-01-01' })) {
    const { accessionNo } = each;
    const { data } = await client.getFilingOwnership({ accessionNo });
    had.set(accessionNo, [each.ownership as Ownership | null, data]);
  }
  return had;
}

async function hadByPython(baseUrl: string): Promise<Had> {
  const { stdout } = await run('python3', ['-c', python, baseUrl, serviceKey], {
    env: pythonEnvironment,
    maxBuffer: 256 * 1024 * 1024,
  });
  const lines = stdout.trim().split('\n');
  return new Map(
    lines.map((line) => {
      const [accessionNo, ownership, document] = JSON.parse(line) as [string, Ownership, unknown];
      return [accessionNo, [ownership, document]];
    }),
  );
}

async function expectThrough(
  documents: readonly { readonly xml: Buffer; readonly said: OwnershipDocument }[],
) {
  const [ledger, snapshots, tables] = [fresh(), fresh(), fresh()];
  const rows = documents.map(({ xml, said }, at) => ({
    row: filing(at + 1, { form: said.documentType, subjectCik: cikOf(1), filerCiks: [] }),
    said,
    read: parseOwnership(xml).document,
  }));
  const contents = rows.map(({ row: { accessionNo }, read }) => ({
    accessionNo,
    source: 'document' as const,
    ownership: read,
  }));
  // Half of the documents come later than their filings.
  for (const [at, isOwn] of [() => true, () => false].entries()) {
    await appendBatch(ledger, {
      run: { target: '', status: 'success', message: null, createdAt: `2026-03-0${at + 1}T22:00:00.000Z` },
      filings: isOwn() ? rows.map(({ row }) => row) : [],
      companies: isOwn() ? [company(1)] : [],
      contents: contents.filter((_, number) => (number % 2 === 0) === isOwn()),
      refusals: [],
    });
    await buildQuietly(ledger, snapshots);
  }
  const expected: Had = new Map(rows.map(({ row, said }) => [row.accessionNo, [said.ownership, said]]));

  const inLedger = new Map<string, unknown>();
  for (const { head } of await headsOf(ledger))
    for await (const page of readContents(ledger, head))
      for (const { accessionNo, ownership } of page.rows) inLedger.set(accessionNo, ownership);
  expect(inLedger).toEqual(new Map(rows.map(({ row, said }) => [row.accessionNo, said])));

  const service = await listeningService(snapshots);
  const baseUrl = `http://127.0.0.1:${service.port}`;
  expect(await hadByTypeScript(baseUrl)).toEqual(expected);
  if (has('python')) expect(await hadByPython(baseUrl)).toEqual(expected);

  await exportQuietly({ snapshotsDirectory: snapshots, directory: tables, location: tables });
  // The tables are compared with the files of the feed, and these with what the documents say.
  const { changes } = await recordsOf(snapshots);
  const newest = new Map(changes.map((change) => [change.filing.accessionNo, change.filing.ownership]));
  expect(newest).toEqual(new Map(rows.map(({ row, said }) => [row.accessionNo, said.ownership])));
  const [found, naive] = [await rowsByDuckDb(tables), await expectedRows(snapshots)];
  for (const table of ['transactions', 'holdings', 'filings'] as const)
    expect(found[table], table).toEqual(naive[table]);
  const saidRows = rows.flatMap(({ said }) => (said.kind === 'section_16' ? [said] : []));
  // A Form 3 has no transactions in the list of them, whatever its document says.
  const withTransactions = saidRows.filter(({ documentType }) => hasTransactions(documentType));
  const inTables = withTransactions.reduce((sum, { ownership }) => sum + ownership.transactions.length, 0);
  expect(found.transactions.length).toBe(inTables);
  expect(found.holdings.length).toBe(saidRows.reduce((sum, { holdings }) => sum + holdings.length, 0));
}

describe('any document made of the schemas', () => {
  const property = fc.asyncProperty(fc.array(anyDocument, { minLength: 20, maxLength: 60 }), expectThrough);

  it('comes through ledger, feed, export and clients value for value', { timeout: 300_000 }, () =>
    fc.assert(property, { numRuns: 2, endOnFailure: true }),
  );

  it('the same with many more', { tags: ['slow', 'nightly'], timeout: 1_800_000 }, () =>
    fc.assert(property, { numRuns: 40, endOnFailure: true }),
  );
});
