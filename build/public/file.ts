import type { Example } from '../views/examples.ts';
import type { Catalogue } from '../views/catalogue.ts';
import type { SnapshotSettings } from '../../src/contract/snapshot.ts';

/** One file of the public tree: served to anybody at its path. */
export interface PublicFile {
  /** URL path, e.g. `/demo`. */
  readonly path: string;
  readonly contentType: string;
  readonly bytes: Buffer;
  /** Headers beside the usual ones of public documents, or instead of them. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What public files are made of. */
export interface PublicInput {
  readonly catalogue: Catalogue;
  readonly settings: SnapshotSettings;
  /** A real answer of this snapshot for each operation that has one. */
  readonly examples: readonly Example[];
}

/** A JSON document at a path. */
export function jsonFile(path: string, document: unknown, contentType = 'application/json', headers?: Readonly<Record<string, string>>): PublicFile {
  return { path, contentType, bytes: Buffer.from(JSON.stringify(document)), ...(headers ? { headers } : {}) };
}

/** A text at a path. */
export function textFile(path: string, text: string, contentType = 'text/plain; charset=utf-8', headers?: Readonly<Record<string, string>>): PublicFile {
  return { path, contentType, bytes: Buffer.from(text), ...(headers ? { headers } : {}) };
}

/** A link of a document: an address below the base URL of the settings, or the path alone if there is none. */
export function linkTo({ baseUrl }: SnapshotSettings, path: string): string {
  return `${baseUrl ?? ''}${path}`;
}
