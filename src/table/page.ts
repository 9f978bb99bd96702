import { feedOrder, tableDefinition, type TableShape } from '../contract/snapshot.ts';
import { bisect, lineAt, lineEnd, lineStart, textMember, type Chunk } from './chunk.ts';
import { beginning, type Block, type BlockFilter, type Place, type Table } from './table.ts';

/** Neighbouring rows of one block: lines `from` up to, not including, `to`. */
export interface Slice {
  readonly chunk: Chunk;
  readonly from: number;
  to: number;
}

/** What a page is asked for. */
export interface PageRequest {
  readonly key: string;
  /** Go on strictly after this order value; left out, from the first row of the key. */
  readonly after?: string | undefined;
  readonly limit: number;
  readonly since?: string | undefined;
  readonly form?: string | undefined;
  readonly eventType?: string | undefined;
}

/** Rows of a page as slices of the blocks they lie in. */
export interface Page {
  readonly slices: readonly Slice[];
  readonly rows: number;
  /** Order value of the last row; null on an empty page. */
  last(): string | null;
  readonly shape: TableShape;
}

const filedAtNeedle = Buffer.from('"filedAt":"');
const acceptanceNeedle = Buffer.from('"acceptanceDateTime":"');
const accessionNeedle = Buffer.from('"accessionNo":"');
const sequencePrefix = '{"sequence":'.length;

/** Blocks of a filtered page that are read at the same time. */
const blocksAhead = 8;

/** The order value of a row, from its bytes. */
export function orderOfRow(shape: TableShape, chunk: Chunk, line: number): string {
  if (shape === 'feed') {
    const from = lineStart(chunk, line) + sequencePrefix;
    return feedOrder(Number(chunk.bytes.toString('latin1', from, chunk.bytes.indexOf(0x2c, from))));
  }
  const filedAt = textMember(chunk, line, filedAtNeedle) ?? '';
  const acceptance = textMember(chunk, line, acceptanceNeedle) ?? '';
  return `${filedAt} ${acceptance} ${textMember(chunk, line, accessionNeedle) ?? ''}`;
}

/** The filing date of a row, from its bytes; empty if it has none. */
export function filedAtOfRow(chunk: Chunk, line: number): string {
  return textMember(chunk, line, filedAtNeedle) ?? '';
}

/** Collects the rows that a request asks for. No row is parsed: members are found as bytes. */
export async function readPage(table: Table, request: PageRequest): Promise<Page> {
  const { key, after, limit, since } = request;
  // An index without tags says nothing about forms and families: its blocks are all looked at.
  const filter = { key, since, tag: tableDefinition(table.name).tagged ? (request.form ?? request.eventType) : undefined };
  const needles = memberNeedles(request);
  const slices: Slice[] = [];
  let rows = 0;
  const start = await table.seek(key, after ?? beginning);
  const filtered = since !== undefined || filter.tag !== undefined;
  let block = start && filtered ? await table.at(start.place, filter) : start;
  const follow = block && filtered ? followAhead(table, block, filter) : undefined;
  let searched = 0;
  while (block && rows < limit && block.key === key) {
    const chunk = await table.read(block);
    let line = after === undefined ? 0 : firstAfter(table, chunk, block, after);
    while (rows < limit && (line = nextMatch(chunk, line, needles, since)) < chunk.ends.length) {
      const open = slices[slices.length - 1];
      if (needles.length === 0 && since === undefined) {
        const to = Math.min(chunk.ends.length, line + limit - rows);
        slices.push({ chunk, from: line, to });
        rows += to - line;
        break;
      }
      if (open && open.chunk === chunk && open.to === line) open.to = line + 1;
      else slices.push({ chunk, from: line, to: line + 1 });
      rows++;
      line++;
    }
    searched++;
    // As many as the rest of the page takes, if they hold as many rows as those before.
    if (rows < limit) block = await (follow ? follow(((limit - rows) * searched) / rows) : table.next(block.place, filter));
  }
  return toPage(table.shape, slices, rows);
}

/**
 * The blocks of a filtered page that follow one. The index names them before any is read, so that some are read while others
 * are searched: the rows of a rare form lie in a block each. `wanted` is how many of them the page is likely to take.
 */
function followAhead(table: Table, from: Block, filter: BlockFilter): (wanted: number) => Promise<Block | undefined> {
  const begun: Block[] = [];
  let place: Place | undefined = from.place;
  return async (wanted) => {
    while (place && begun.length < Math.min(wanted, blocksAhead)) {
      const block: Block | undefined = await table.next(place, filter);
      place = block && block.key === filter.key ? block.place : undefined;
      if (!block || !place) break;
      table.readAhead(block);
      begun.push(block);
    }
    return begun.shift();
  };
}

/** A page of slices; its last order value is looked up when it is wanted. */
export function toPage(shape: TableShape, slices: readonly Slice[], rows: number): Page {
  const end = slices[slices.length - 1];
  return { shape, slices, rows, last: () => (end ? orderOfRow(shape, end.chunk, end.to - 1) : null) };
}

/** The same page one row shorter. */
export function withoutLastRow({ shape, slices, rows }: Page): Page {
  const end = slices[slices.length - 1];
  const kept = slices.slice(0, -1);
  if (end && end.to - end.from > 1) kept.push({ ...end, to: end.to - 1 });
  return toPage(shape, kept, rows - 1);
}

/** The greatest filing date of the rows of a page; null on an empty page. */
export function newestFiledAt(page: Page): string | null {
  let newest = '';
  for (const { chunk, from, to } of page.slices) {
    for (let line = from; line < to; line++) {
      const filedAt = filedAtOfRow(chunk, line);
      if (filedAt > newest) newest = filedAt;
    }
  }
  return newest || null;
}

function memberNeedles({ form, eventType }: PageRequest): Buffer[] {
  const needles: Buffer[] = [];
  if (form !== undefined) needles.push(Buffer.from(`"form":${JSON.stringify(form)},`));
  if (eventType !== undefined) needles.push(Buffer.from(`"eventType":${JSON.stringify(eventType)},`));
  return needles;
}

/** The first line of a block that stands strictly after an order value; 0 for blocks that follow the sought one. */
function firstAfter(table: Table, chunk: Chunk, block: Block, after: string): number {
  const passed = table.shape === 'history' ? (order: string) => order < after : (order: string) => order > after;
  if (passed(block.first)) return 0;
  return bisect(chunk.ends.length, (line) => passed(orderOfRow(table.shape, chunk, line)));
}

/** The first line from `line` on that has every member and the date; the number of lines if there is none. */
function nextMatch(chunk: Chunk, line: number, needles: readonly Buffer[], since: string | undefined): number {
  const total = chunk.ends.length;
  search: while (line < total) {
    for (const needle of needles) {
      const hit = chunk.bytes.indexOf(needle, lineStart(chunk, line));
      if (hit === -1) return total;
      if (hit > lineEnd(chunk, line)) {
        line = lineAt(chunk, hit);
        continue search;
      }
    }
    if (since === undefined || filedAtOfRow(chunk, line) >= since) return line;
    line++;
  }
  return total;
}
