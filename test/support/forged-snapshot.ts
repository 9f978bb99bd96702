import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256Of } from '../../src/files/bytes.ts';
import {
  paths,
  snapshotId,
  type FileReference,
  type Manifest,
  type Pointer,
  type PublicRoute,
  type Routes,
} from '../../src/format/snapshot.ts';

const fileIn = (directory: string, { sha256 }: Pick<FileReference, 'sha256'>) =>
  join(directory, paths.file(sha256));

/** The bytes of a stored file. */
export const storedBytes = (directory: string, reference: FileReference) =>
  readFileSync(fileIn(directory, reference));

/** The manifest of a snapshot. */
export const manifestOf = (directory: string, id: string) =>
  JSON.parse(readFileSync(join(directory, paths.manifest(id)), 'utf8')) as Manifest;

/** The public files of a snapshot. */
export const routesOf = (directory: string, id: string) =>
  JSON.parse(storedBytes(directory, manifestOf(directory, id).routes).toString()) as Routes;

/**
 * Makes a snapshot like the current one, whose encoded variants of public files are others, and points to it.
 * The rest of the pointer stays. Returns its name.
 */
export function exchangeVariants(
  directory: string,
  variantsOf: (bytes: Buffer) => { readonly br: Buffer; readonly gzip: Buffer },
): string {
  const store = (bytes: Buffer): FileReference => {
    const reference = { sha256: sha256Of(bytes), bytes: bytes.length };
    mkdirSync(dirname(fileIn(directory, reference)), { recursive: true });
    writeFileSync(fileIn(directory, reference), bytes);
    return reference;
  };
  const pointer = JSON.parse(readFileSync(join(directory, paths.pointer), 'utf8')) as Pointer;
  const manifest = manifestOf(directory, pointer.snapshotId);
  const routes = Object.entries(routesOf(directory, pointer.snapshotId)).map(
    ([path, route]): [string, PublicRoute] => {
      if (!route.br) return [path, route];
      const { br, gzip } = variantsOf(storedBytes(directory, route.file));
      return [path, { ...route, br: store(br), gzip: store(gzip) }];
    },
  );
  const bytes = Buffer.from(
    `${JSON.stringify({ ...manifest, routes: store(Buffer.from(`${JSON.stringify(Object.fromEntries(routes))}\n`)) })}\n`,
  );
  const id = snapshotId(manifest.generatedAt, sha256Of(bytes));
  writeFileSync(join(directory, paths.manifest(id)), bytes);
  writeFileSync(
    join(directory, paths.pointer),
    JSON.stringify({ ...pointer, snapshotId: id, manifestSha256: sha256Of(bytes), previous: [] }),
  );
  return id;
}
