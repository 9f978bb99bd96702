// @module-tag slow
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partiesOf } from '../../build/ledger/parties.ts';
import type { Change, Filing } from '../../src/contract/records.ts';
import { allPartition } from '../../src/format/snapshot.ts';
import { newestCikOf } from '../../src/domain/successors.ts';
import { useDirectories } from '../support/directories.ts';
import { histories } from '../support/histories.ts';
import { changesOf, foldBatches, type BatchRows } from '../support/ledger-model.ts';
import { cikOf } from '../support/made-up.ts';
import { observeNaively } from '../support/log-model.ts';
import {
  publishedRows,
  publishSegments,
  rowsIn,
  writeHistory,
  withFilings,
  type ListedName,
  type PublishedRow,
} from '../support/published.ts';

const fresh = useDirectories('observations');

type Tables = Record<ListedName, PublishedRow[]>;
/** Rows of one partition of a table, parsed; that of all companies if none is named. */
const recordsOf = <Row>(tables: Tables, name: ListedName, partition: string = allPartition) =>
  tables[name].filter((row) => row.partition === partition).map(({ json }) => JSON.parse(json) as Row);

/** The tables after each batch of a history, every one of them published. */
async function prefixesOf(batches: readonly BatchRows[]): Promise<Tables[]> {
  const [ledger, directory] = [fresh(), fresh()];
  await writeHistory(ledger, batches);
  const published: Tables[] = [];
  let entries: Awaited<ReturnType<typeof publishSegments>> = [];
  for (let number = 1; number <= batches.length; number++) {
    entries = await publishSegments(ledger, directory, entries, number);
    published.push(withFilings(await rowsIn(directory, entries)));
  }
  return published;
}

const names = ({ parties }: Filing, key: string) =>
  parties.some(({ cik }) => newestCikOf(cik) === newestCikOf(key));
/** Feeds of a table, by partition, each as the bytes that are served. */
function feedsOf(rows: readonly PublishedRow[]): Map<string, string[]> {
  const feeds = new Map<string, string[]>();
  for (const { partition, json } of rows) feeds.set(partition, [...(feeds.get(partition) ?? []), json]);
  return feeds;
}

// What is published is held against the same model in `equality.test.ts`, so that most of these need no
// publication.
describe('the change feed', () => {
  it('the change feed is what the specification says', () => {
    fc.assert(
      fc.property(histories, (batches) => {
        expect(changesOf(foldBatches(batches))).toEqual(changesOf(foldBatches(batches, observeNaively)));
      }),
      { numRuns: 300 },
    );
  });

  it('published, the change feed and the feed of each company are as specified', () =>
    fc.assert(
      fc.asyncProperty(histories, async (batches) => {
        const log = changesOf(foldBatches(batches, observeNaively));
        const tables = withFilings(await publishedRows(fresh(), batches));
        expect(recordsOf<Change>(tables, 'log')).toEqual(log);
        const before = new Map<number, Filing | undefined>();
        const newest = new Map<string, Filing>();
        for (const { sequence, filing: each } of log) {
          before.set(sequence, newest.get(each.accessionNo));
          newest.set(each.accessionNo, each);
        }
        const chains = new Set(
          log.flatMap(({ filing: each }) => each.parties.map(({ cik }) => newestCikOf(cik))),
        );
        expect(
          new Set(tables['company-changes'].map(({ partition }) => partition.replace(/ item$/, ''))),
        ).toEqual(chains);
        for (const chain of chains) {
          const own = log.filter(
            ({ sequence, filing: each }) => names(each, chain) || names(before.get(sequence) ?? each, chain),
          );
          expect(recordsOf<Change>(tables, 'company-changes', chain)).toEqual(own);
          expect(recordsOf<Change>(tables, 'company-changes', `${chain} item`)).toEqual(
            own.filter(({ filing: { items } }) => items.length > 0),
          );
        }
      }),
      { numRuns: 20 },
    ));

  it('every feed only grows: what was published before a batch is there to the byte after it', () =>
    fc.assert(
      fc.asyncProperty(histories, async (batches) => {
        const published = await prefixesOf(batches);
        for (const table of ['log', 'company-changes'] as const) {
          const feeds = published.map((each) => feedsOf(each[table]));
          feeds.slice(1).forEach((after, at) => {
            for (const [partition, part] of feeds[at] ?? [])
              expect(after.get(partition)?.slice(0, part.length)).toEqual(part);
          });
        }
      }),
      { numRuns: 15 },
    ));
});

describe('the parties of a filing', () => {
  const [one, two, three] = [1, 2, 3].map(cikOf) as [string, string, string];
  it.each<[string, string | null, string[], (string | null)[]]>([
    ['4', one, [three], ['issuer', 'reporting_owner']],
    ['4', null, [three], ['reporting_owner']],
    ['144', one, [three], ['subject', 'reporting_owner']],
    ['SC 13G/A', one, [two, three], ['subject', 'filed_by', 'filed_by']],
    ['SC 13G', null, [two], [null]],
    ['10-K', null, [one, two], ['filer', 'filer']],
    ['UPLOAD', null, [one], [null]],
    ['PX14A6G', null, [one, three], [null, null]],
  ])(
    'the parties of a %s of %s and %s have the roles that EDGAR tells',
    (form, subjectCik, filerCiks, roles) => {
      const ciks = [...(subjectCik === null ? [] : [subjectCik]), ...filerCiks];
      expect(partiesOf({ form, subjectCik, filerCiks }, () => null)).toEqual(
        ciks.map((cik, at) => ({ cik, name: null, role: roles[at] })),
      );
    },
  );
});
