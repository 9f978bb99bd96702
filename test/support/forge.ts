import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { factsOf, noFacts } from '../../build/segments/row-facts.ts';
import { storedTable } from '../../build/segments/segment-writer.ts';
import { createStoredTable, readLines, type StoredLine } from '../../build/segments/table-files.ts';
import { publish } from '../../build/snapshot/pointer.ts';
import { walkTable } from '../../build/snapshot/walk.ts';
import type { Change } from '../../src/contract/records.ts';
import {
  paths,
  Routes,
  snapshotId,
  tableDefinition,
  tableNames,
  type FileReference,
  type Manifest,
  type TableName,
} from '../../src/format/snapshot.ts';
import { makeLine, noteOf } from '../../src/table/line.ts';
import { readSegmentHead, segmentName, segmentParts, type SegmentHead } from '../../src/table/segment.ts';
import { rowBytes } from '../../src/table/table.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { toBlock } from '../../src/table/block.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import type { LogList } from '../../src/format/log-files.ts';
import { parseLogList, readChecked } from '../../src/snapshot/open.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { openLog } from '../../src/table/open-log.ts';
import { textsOfLog } from './log.ts';

/**
 * A line of a table: its keys, its row as JSON, null where it hides one, and what stands beside the row for
 * the build.
 */
export interface ForgedLine {
  readonly partition: string;
  readonly sort: string;
  readonly row: string | null;
  readonly note?: string;
}

/** What a forger does to a snapshot. */
export interface Forgery {
  /** Which segment has the tables that are changed, counted from the oldest, 0 if left out. */
  readonly segment?: number;
  readonly tables?: { readonly [Name in TableName]?: (lines: ForgedLine[]) => ForgedLine[] };
  /** What becomes of the head of that segment, before its digest is made again. */
  readonly head?: (head: SegmentHead) => SegmentHead;
  readonly documents?: Readonly<Record<string, (text: string) => string>>;
  readonly routes?: (routes: Routes) => Routes;
  /** What becomes of the manifest, before its digest is made again. */
  readonly manifest?: (manifest: Manifest) => Manifest;
}

function toForged({ keys, block, line }: StoredLine): ForgedLine {
  const row = rowBytes({ block, line }).toString();
  const note = noteOf(block, line);
  return { ...keys, row: row === 'null' ? null : row, ...(note === null ? {} : { note }) };
}

/** The lines of a table of a snapshot, as they count: the newest of each key, without what is hidden. */
export async function rowsOfTable(
  directory: string,
  manifest: Pick<Manifest, 'segments'>,
  name: TableName,
): Promise<ForgedLine[]> {
  return withPartFolder(directory, async (parts) =>
    [...(await walkTable(parts, manifest.segments, name))].map(toForged),
  );
}

/** The entries of the log of a snapshot, parsed. */
export async function changesOf(
  directory: string,
  of: LogList | Partial<Pick<Manifest, 'log'>>,
): Promise<Change[]> {
  return withPartFolder(directory, async (parts) => {
    const list =
      'files' in of
        ? of
        : parseLogList(of.log as FileReference, await readChecked(parts, of.log as FileReference));
    const texts = await textsOfLog(openLog(parts, list, createBlockCache(1024 * 1024)));
    return texts.map((text) => JSON.parse(text) as Change);
  });
}

/** The rows of one partition of a table of a snapshot, parsed. */
export async function partitionOf<Row>(
  directory: string,
  manifest: Pick<Manifest, 'segments'> & Partial<Pick<Manifest, 'log'>>,
  name: TableName,
  partition: string,
  list?: LogList,
): Promise<Row[]> {
  const lines = (await rowsOfTable(directory, manifest, name))
    .filter((line) => line.partition === partition)
    .map(({ row }) => JSON.parse(row as string) as unknown);
  if (name !== 'latest' && name !== 'company-filings') return lines as Row[];
  // Lists in other orders lead to the log.
  const changes = new Map(
    (await changesOf(directory, list ?? manifest)).map(({ sequence, filing }) => [sequence, filing]),
  );
  return lines.map(
    (line) => changes.get(typeof line === 'number' ? line : (line as { sequence: number }).sequence) as Row,
  );
}

/**
 * Makes a changed snapshot beside one that is there, with every index, size, count and digest made again, and
 * points at it, as somebody would who can write to the disk and knows the format. Returns its name and
 * manifest.
 */
export function forge(
  directory: string,
  manifest: Manifest,
  forgery: Forgery,
): Promise<{ id: string; manifest: Manifest }> {
  return withPartFolder(directory, async (parts) => {
    const segments = [...manifest.segments];
    const at = forgery.segment ?? 0;
    const entry = segments[at];
    if (entry && (forgery.tables || forgery.head)) {
      const { name, head } = forgeSegment(
        directory,
        entry.name,
        await readSegmentHead(parts, entry.name, entry.headSha256),
        forgery,
      );
      const bytes = Object.values(head.tables).reduce(
        (sum, { files }) => sum + files.rows.bytes + files.index.bytes,
        Buffer.byteLength(headText(head)),
      );
      segments[at] = {
        ...entry,
        name,
        headSha256: sha256Of(headText(head)),
        headBytes: Buffer.byteLength(headText(head)),
        from: head.from,
        to: head.to,
        bytes,
      };
    }
    const text = ({ sha256 }: FileReference) => readFileSync(join(directory, paths.file(sha256)), 'utf8');
    const documents = Object.fromEntries(
      Object.entries(manifest.documents).map(([name, file]) => {
        const change = forgery.documents?.[name];
        return [name, change ? keep(directory, change(text(file))) : file];
      }),
    );
    const routes = forgery.routes
      ? keep(
          directory,
          `${JSON.stringify(forgery.routes(Routes.parse(JSON.parse(text(manifest.routes)))))}\n`,
        )
      : manifest.routes;
    const plain = { ...manifest, segments, documents, routes };
    const forged = forgery.manifest ? forgery.manifest(plain) : plain;
    const bytes = `${JSON.stringify(forged)}\n`;
    const id = snapshotId(forged.generatedAt, sha256Of(bytes));
    writeFileSync(join(directory, paths.manifest(id)), bytes);
    await publish(directory, id, sha256Of(bytes));
    return { id, manifest: forged };
  });
}

const headText = (head: SegmentHead) => `${JSON.stringify(head)}\n`;

function forgeSegment(
  directory: string,
  name: string,
  old: SegmentHead,
  { tables = {}, head: changeHead }: Forgery,
): { name: string; head: SegmentHead } {
  const aside = join(directory, paths.segments, `${name}-forged`);
  mkdirSync(aside);
  const head: SegmentHead = { ...old, tables: {} };
  for (const table of tableNames) {
    const { direction, isFiltered } = tableDefinition(table);
    const lines = [...readLines(storedTable(directory, name, old, table))].map(toForged);
    const written = createStoredTable(direction, {
      rows: join(aside, `${table}.jsonl.gz`),
      index: join(aside, `${table}.index.jsonl.gz`),
    });
    for (const { partition, sort, row, note } of tables[table]?.(lines) ?? lines) {
      const line = { block: toBlock(Buffer.from(makeLine({ partition, sort }, row, note)), ''), line: 0 };
      written.add({ partition, sort }, line, isFiltered ? factsOf(line) : noFacts);
    }
    const { head: tableHead, files } = written.finish();
    head.tables[table] = { ...tableHead, files };
  }
  const forged = changeHead ? changeHead(head) : head;
  writeFileSync(join(aside, 'segment.json'), headText(forged));
  const forgedName = segmentName(forged, sha256Of(headText(forged)));
  const target = dirname(join(directory, segmentParts.head(forgedName)));
  mkdirSync(target, { recursive: true });
  for (const file of [
    'segment.json',
    ...tableNames.flatMap((table) => [`${table}.jsonl.gz`, `${table}.index.jsonl.gz`]),
  ])
    writeFileSync(join(target, file), readFileSync(join(aside, file)));
  return { name: forgedName, head: forged };
}

function keep(directory: string, text: string): FileReference {
  const path = join(directory, paths.file(sha256Of(text)));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return { sha256: sha256Of(text), bytes: Buffer.byteLength(text) };
}
