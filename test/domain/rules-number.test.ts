// @module-tag slow
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appendBatch } from '../../build/ledger/batch.ts';
import { surveyLedger } from '../../build/ledger/survey.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { walkTable } from '../../build/snapshot/walk.ts';
import { quietProgress } from '../../build/work/progress.ts';
import { formsByEventType, formsFiledByOthers, formsThatAmend } from '../../src/domain/forms.ts';
import { rulesNumber } from '../../src/domain/rules.ts';
import { successors } from '../../src/domain/successors.ts';
import { paths, tableNames } from '../../src/format/snapshot.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { lineBytes } from '../../src/table/table.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { openLog } from '../../src/table/open-log.ts';
import { useDirectories } from '../support/directories.ts';
import { bringUp, textsOfLog } from '../support/log.ts';
import { batchAt, cikOf, company, filing } from '../support/made-up.ts';
import { sampleLedger } from '../support/sample.ts';

const fresh = useDirectories('rules-number');

/** The digest of every line of every table that the rules make of a ledger. */
async function digestOf(ledgerDirectory: string): Promise<string> {
  const directory = fresh();
  mkdirSync(join(directory, paths.segments), { recursive: true });
  return withPartFolder(directory, async (parts) => {
    const survey = await surveyLedger(ledgerDirectory, null);
    const { segments, log } = await bringUp({
      directory,
      parts,
      ledgerDirectory,
      segments: [],
      rowCounts: survey?.rowCounts ?? [],
      progress: quietProgress,
    });
    const hash = createHash('sha256');
    for (const table of tableNames) {
      // The digest of a batch depends on the version that wrote it, and no rule does.
      if (table === 'batches') continue;
      for (const line of await walkTable(parts, segments, table)) hash.update(lineBytes(line));
    }
    for (const entry of await textsOfLog(openLog(parts, log.list, createBlockCache(1024 * 1024))))
      hash.update(entry);
    return hash.digest('hex');
  });
}

/**
 * A ledger with every known form, with and without a subject, with one filer and with several, corrections of
 * some, and a filing of each company that has a successor.
 */
async function ledgerOfForms(): Promise<string> {
  const ledger = fresh();
  const forms = [
    ...new Set([
      ...Object.values(formsByEventType).flat(),
      ...formsThatAmend,
      ...formsFiledByOthers,
      'UNHEARD OF',
      '8-K/A',
    ]),
  ].sort();
  const [{ predecessorCik, successorCik }] = successors as [(typeof successors)[number]];
  let number = 0;
  const variants = (form: string): LedgerFiling[] => [
    filing(++number, {
      form,
      items: ['2.02', '9.01'],
      reportDate: '2026-01-31',
      primaryDocument: 'xslF345X05/a.xml',
    }),
    filing(++number, { form, subjectCik: cikOf(1), filerCiks: [cikOf(2), cikOf(3)], acceptedEastern: null }),
    filing(++number, { form, items: ['9.01'], filerCiks: [cikOf(3), predecessorCik], isXbrl: true }),
    filing(++number, { form, filerCiks: [cikOf(2)], roles: [`${cikOf(2)}:filed_by`], primaryDocument: null }),
  ];
  const filings = [
    ...forms.flatMap(variants),
    ...successors.map((each) => filing(++number, { filerCiks: [each.predecessorCik] })),
  ];
  const append = (at: number, content: Pick<Parameters<typeof appendBatch>[1], 'filings' | 'companies'>) =>
    appendBatch(ledger, {
      run: { target: 'made up', status: 'success', message: null, createdAt: batchAt(at) },
      refusals: [],
      ...content,
    });
  await append(1, {
    filings,
    companies: [
      company(1, 'ONE', { name: 'The One & Only Company, Inc.' }),
      company(2, null, { name: "O'Neil P. Q. R. Holdings", formerNames: ['Élan Corp plc'] }),
      { ...company(3, 'OLDX'), cik: predecessorCik },
    ],
  });
  await append(2, {
    filings: filings.flatMap((each, at) =>
      at % 7 === 0 ? [{ ...each, form: forms[at % forms.length] as string }] : [],
    ),
    companies: [{ ...company(4, 'OLDX'), cik: successorCik }],
  });
  return ledger;
}

describe('the number of the rules', () => {
  it('the rules give other rows only with another number', async () => {
    const digests = { sample: await digestOf(sampleLedger), forms: await digestOf(await ledgerOfForms()) };
    const recorded = JSON.parse(readFileSync(new URL('rules.json', import.meta.url), 'utf8')) as Record<
      string,
      unknown
    >;
    expect(
      recorded[rulesNumber],
      `the rules give other rows than those that test/domain/rules.json records for rules ${rulesNumber}. If that is meant, raise the number in src/domain/rules.ts, and record ${JSON.stringify(digests)} for it; if only a member is new in every record, raise snapshotFormat instead, and record them for the same number`,
    ).toEqual(digests);
  });
});
