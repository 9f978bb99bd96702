import type { Block } from './block.ts';
import { keysOf, rowExtent, type Keys } from './line.ts';
import type { BlockEntry } from './table-head.ts';

/** Entries of the index blocks that are in memory, by their lines: each entry is parsed once. */
const parsed = new WeakMap<Block, Map<number, BlockEntry>>();

/** The entry in a line of an index block, for reads: its labels are parsed when somebody asks for them. */
export function entryAt(block: Block, line: number): BlockEntry {
  let entries = parsed.get(block);
  if (!entries) parsed.set(block, (entries = new Map()));
  let entry = entries.get(line);
  if (!entry) entries.set(line, (entry = new ReadEntry(block, line)));
  return entry;
}

/** All entries of an index block, parsed whole. */
export function entriesOf(block: Block): BlockEntry[] {
  return Array.from(block.ends, (_, line) => ({ ...keysOf(block, line), ...toldIn(block, line) }));
}

/** What an entry tells beside the keys. */
type Told = Omit<BlockEntry, keyof Keys>;

function toldIn(block: Block, line: number): Told {
  const { from, to } = rowExtent(block, line);
  return JSON.parse(block.bytes.toString('utf8', from, to)) as Told;
}

const labelsNeedle = Buffer.from(',"labels":');

/** The same without the labels, which are by far the longest member of an entry, and its last one. */
function shortlyToldIn(block: Block, line: number): Omit<Told, 'labels'> {
  const { from } = rowExtent(block, line);
  const text = block.bytes.toString('utf8', from, block.bytes.indexOf(labelsNeedle, from));
  return JSON.parse(`${text}}`) as Omit<Told, 'labels'>;
}

/**
 * An entry whose labels are parsed when they are asked for; reads without a filter never ask. It is a class because V8
 * gives each literal with a getter a shape of its own, and reads of such objects took twice the time.
 */
class ReadEntry implements BlockEntry {
  readonly partition: string;
  readonly sort: string;
  readonly offset: number;
  readonly bytes: number;
  readonly rows: number;
  readonly filedFrom: string;
  readonly filedTo: string;
  readonly sha256: string;
  readonly #block: Block;
  readonly #line: number;
  #labels: readonly string[] | null = null;

  constructor(block: Block, line: number) {
    const { partition, sort } = keysOf(block, line);
    const { offset, bytes, rows, filedFrom, filedTo, sha256 } = shortlyToldIn(block, line);
    this.partition = partition;
    this.sort = sort;
    this.offset = offset;
    this.bytes = bytes;
    this.rows = rows;
    this.filedFrom = filedFrom;
    this.filedTo = filedTo;
    this.sha256 = sha256;
    this.#block = block;
    this.#line = line;
  }

  get labels(): readonly string[] {
    return (this.#labels ??= toldIn(this.#block, this.#line).labels);
  }
}
