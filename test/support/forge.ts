import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { factsOf } from '../../build/snapshot/facts.ts';
import { createTableCutter } from '../../build/snapshot/table-writer.ts';
import { walkBlocks } from '../../build/snapshot/walk.ts';
import { paths, snapshotId, tableDefinition, type Manifest, type RecordOf, type TableName } from '../../src/contract/snapshot.ts';
import { lineText } from '../../src/table/chunk.ts';
import { sha256Of } from '../../src/table/file.ts';

/** A row of a table: the key under which it lies, and its JSON. */
export interface ForgedRow {
  readonly key: string;
  readonly json: string;
}

/** What a forger does to a snapshot: rows of tables, and the manifest before its digests are made again. */
export interface Forgery {
  readonly tables?: { readonly [Name in TableName]?: (rows: ForgedRow[]) => ForgedRow[] };
  readonly documents?: Readonly<Record<string, (text: string) => string>>;
  readonly manifest?: (manifest: Manifest) => Manifest;
}

/** Rows of a table. */
export async function rowsOfTable(directory: string, manifest: Manifest, name: TableName): Promise<ForgedRow[]> {
  const rows: ForgedRow[] = [];
  const { keyMember } = tableDefinition(name);
  for await (const { block, chunk } of walkBlocks(directory, manifest, name)) {
    for (let line = 0; line < chunk.ends.length; line++) {
      const json = lineText(chunk, line);
      rows.push({ key: keyMember ? String((JSON.parse(json) as Record<string, unknown>)[keyMember]) : block.key, json });
    }
  }
  return rows;
}

/**
 * Changes a snapshot in place and makes every index, size, count, digest and the name again, as somebody would who can
 * write to the disk and knows the format. Returns the new directory, name and manifest.
 */
export async function forge(directory: string, manifest: Manifest, forgery: Forgery): Promise<{ directory: string; id: string; manifest: Manifest }> {
  const files = new Map(manifest.files.map((entry) => [entry.path, entry]));
  const tables = { ...manifest.tables };
  const write = (path: string, content: string, rows: number | null) => {
    // Files may be hard links to those of another snapshot.
    rmSync(join(directory, path));
    writeFileSync(join(directory, path), content);
    files.set(path, { path, bytes: Buffer.byteLength(content), sha256: sha256Of(content), rows });
  };
  for (const [name, change] of Object.entries(forgery.tables ?? {}) as [TableName, (rows: ForgedRow[]) => ForgedRow[]][]) {
    const blocks: string[] = [];
    const index: string[] = [];
    const cutter = createTableCutter(name, { block: (bytes) => void blocks.push(bytes.toString()), index: (bytes) => void index.push(bytes.toString()) });
    for (const { key, json } of change(await rowsOfTable(directory, manifest, name))) cutter.add(key, json, factsOf(name, JSON.parse(json) as RecordOf<typeof name>));
    const { rows, lines, pages } = cutter.finish();
    write(paths.table(name), blocks.join(''), rows);
    write(paths.index(name), index.join(''), lines);
    tables[name] = pages;
  }
  for (const [path, change] of Object.entries(forgery.documents ?? {})) write(path, change(readFileSync(join(directory, path), 'utf8')), null);
  const plain = { ...manifest, tables, files: [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)) };
  const forged = forgery.manifest ? forgery.manifest(plain) : plain;
  const bytes = `${JSON.stringify(forged)}\n`;
  writeFileSync(join(directory, paths.manifest), bytes);
  const id = snapshotId(forged.generatedAt, sha256Of(bytes));
  const target = join(dirname(directory), 'forged', id);
  mkdirSync(dirname(target), { recursive: true });
  renameSync(directory, target);
  return { directory: target, id, manifest: forged };
}
