import type { BlocksAhead } from './merged-walk.ts';
import { together } from './passes.ts';
import type { Table } from './table.ts';
import type { BlockEntry } from './table-head.ts';

/** One partition of several tables; none of its blocks is read yet. */
export interface Partition {
  readonly name: string;
  /** How many blocks a walk would read, of each table at most as many as were asked for. */
  readonly blocks: number;
  readonly inTables: readonly { readonly table: Table; readonly entries: readonly BlockEntry[] }[];
}

/** Blocks of a partition that are read ahead over a host while one is being visited. */
const aheadMaximum = 4;

/**
 * Reads only the index: which blocks of the tables hold rows of a partition. Takes at most `blocksMaximum` blocks of
 * each table.
 */
export function openPartition(tables: readonly Table[], name: string, blocksMaximum: number): Partition {
  const inTables = together(tables, (table) => {
    const entries: BlockEntry[] = [];
    for (const entry of table.blocksFrom({ partition: name, sort: '' })) {
      if (entry.partition > name || entries.length === blocksMaximum) break;
      entries.push(entry);
    }
    return { table, entries };
  });
  return { name, blocks: inTables.reduce((sum, { entries }) => sum + entries.length, 0), inTables };
}

/**
 * The first of the choices whose partitions have the fewest blocks together, of each partition and table at most
 * `blocksMaximum`; undefined if there is no choice.
 */
export function fewestBlocks<Choice extends { readonly partitions: readonly string[] }>(
  tables: readonly Table[],
  choices: readonly Choice[],
  blocksMaximum: number,
): Choice | undefined {
  if (choices.length < 2) return choices[0];
  const counted = together(choices, (choice) => {
    const opened = together(choice.partitions, (name) => openPartition(tables, name, blocksMaximum));
    return { choice, blocks: opened.reduce((sum, { blocks }) => sum + blocks, 0) };
  });
  return counted.toSorted((a, b) => a.blocks - b.blocks)[0]?.choice;
}

/** Notes the first blocks of partitions that are walked one after the other. */
export function notePartitions(partitions: readonly Partition[]): void {
  for (const { table, entries } of partitions.flatMap(({ inTables }) => inTables))
    for (const entry of entries.slice(0, aheadMaximum)) table.note(entry);
}

/**
 * How many blocks a walk through a partition reads in one round. The first one is read alone, because it often
 * suffices. Then more and more are read ahead.
 */
export const growingAhead: BlocksAhead = (block) => 1 + Math.min(block, aheadMaximum);
