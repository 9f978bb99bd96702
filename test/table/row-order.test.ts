import { beforeAll, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { Change, Event, Filing } from '../../src/contract/records.ts';
import { ProfileRow } from '../../src/format/profile-rows.ts';
import { SummaryRow, tableDefinition, tableNames, type TableName } from '../../src/format/snapshot.ts';
import { OwnershipRow } from '../../src/format/stored-contents.ts';
import { isHiding } from '../../src/table/line.ts';
import { rowBytes, type Table } from '../../src/table/table.ts';
import { useDirectories } from '../support/directories.ts';
import { buildQuietly, openCurrent } from '../support/snapshots.ts';
import { writeSmallLedger } from '../support/small-ledger.ts';

const fresh = useDirectories('row-order');
const members = ({ shape }: { readonly shape: object }): string[] => Object.keys(shape);

describe('the order of members that parts of rows follow from', () => {
  it('the filing is the last member of a change', () => expect(members(Change).at(-1)).toBe('filing'));

  it('the members of an event are the first ones of a filing, and cik is behind them', () => {
    const own = members(Event);
    expect(members(Filing).slice(0, own.length + 1)).toEqual([...own, 'cik']);
  });

  it('what a document says about ownership is the last member of a filing', () =>
    expect(members(Filing).at(-1)).toBe('ownership'));

  it('the document comes last in a row of ownership', () =>
    expect(members(OwnershipRow)).toEqual(['source', 'document']));

  it('a summary is its sequence, and what it adds to a filing', () =>
    expect(members(SummaryRow).slice(0, 2)).toEqual(['sequence', 'summary']));

  it('in a profile only texts come before the name of the company', () => {
    const own = members(ProfileRow);
    expect(own.slice(0, own.indexOf('name') + 1)).toEqual(['cik', 'ticker', 'name']);
  });

  it('a profile has what a list of companies leaves out between forms and tickers', () => {
    const own = members(ProfileRow);
    const left = own.slice(own.indexOf('forms'), own.indexOf('tickers'));
    expect(left).toEqual(['forms', 'latestFiling', 'latestIngestedAt']);
  });
});

describe('rows that a build writes', () => {
  let snapshots: string;
  beforeAll(async () => {
    const ledger = fresh();
    await writeSmallLedger(ledger);
    snapshots = fresh();
    await buildQuietly(ledger, snapshots);
  });

  /** The rows of a table that hide no other, as text. */
  async function* rowsIn(table: Table): AsyncGenerator<string> {
    const first = table.head.direction === 'ascending' ? '' : '\uffff';
    for (const entry of table.blocksFrom({ partition: '', sort: first })) {
      const block = await table.read(entry);
      for (let line = 0; line < block.ends.length; line++)
        if (!isHiding(block, line)) yield rowBytes({ block, line }).toString();
    }
  }

  /** Expects that the members of a value are in the order of its schema, and those of its members too. */
  function expectOrder(schema: z.ZodType, value: unknown, path: string): void {
    const definition = schema as z.ZodType & {
      readonly shape?: Readonly<Record<string, z.ZodType>>;
      readonly element?: z.ZodType;
      unwrap?(): z.ZodType;
    };
    if (definition.unwrap) return expectOrder(definition.unwrap(), value, path);
    if (Array.isArray(value)) {
      if (definition.element) for (const each of value) expectOrder(definition.element, each, `${path}[]`);
      return;
    }
    const { shape } = definition;
    if (!shape || value === null || typeof value !== 'object') return;
    const names = Object.keys(value);
    expect([path, names]).toEqual([path, Object.keys(shape).filter((name) => names.includes(name))]);
    for (const name of names)
      expectOrder(shape[name] as z.ZodType, (value as Record<string, unknown>)[name], `${path}.${name}`);
  }

  it.each(tableNames)('members of rows of %s are in the order of their schema', async (name: TableName) => {
    const { snapshot } = await openCurrent(snapshots);
    const { row } = tableDefinition(name);
    let rows = 0;
    for (const table of snapshot.tables(name))
      for await (const text of rowsIn(table)) {
        expectOrder(row, JSON.parse(text), name);
        rows++;
      }
    expect(rows).toBeGreaterThan(0);
  });
});
