import type { Catalog } from '../../src/contract/catalog.ts';
import { contactAt, defaultAddress } from '../../src/contract/product.ts';
import type { SnapshotSettings } from '../../src/format/snapshot.ts';
import type { Market } from './market.ts';
import type { Example } from './examples.ts';
import type { Overview } from './overview.ts';

/** A file that everybody may fetch at its path, without a key. */
export interface PublicFile {
  /** URL path, e.g. `/demo`. */
  readonly path: string;
  readonly contentType: string;
  readonly bytes: Buffer;
  /** Headers that are added to the usual ones of public documents, or replace them. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The input from which public files are made. */
export interface PublicInput {
  readonly overview: Overview;
  readonly settings: SnapshotSettings;
  /** The markets of the catalog. */
  readonly markets: readonly Market[];
  /** A real answer of this snapshot for each operation that has one. */
  readonly examples: readonly Example[];
}

/** The input of pages and of files that show the catalog, `/demo` or `/reference.json`. */
export interface PageInput extends PublicInput {
  /** The validation catalog, as it is published. */
  readonly catalog: Catalog;
  /** The bodies of `/demo` and `/reference.json`. */
  readonly demo: object;
  readonly reference: object;
}

/** Makes a public file from a JSON document. */
export function jsonFile(
  path: string,
  document: unknown,
  contentType = 'application/json',
  headers?: Readonly<Record<string, string>>,
): PublicFile {
  return { path, contentType, bytes: Buffer.from(JSON.stringify(document)), ...(headers ? { headers } : {}) };
}

/** Makes a public file from a text. */
export function textFile(
  path: string,
  text: string,
  contentType = 'text/plain; charset=utf-8',
  headers?: Readonly<Record<string, string>>,
): PublicFile {
  return { path, contentType, bytes: Buffer.from(text), ...(headers ? { headers } : {}) };
}

/** Returns a link for a document: an address below the base URL, or the path alone if no base URL is set. */
export function linkTo({ baseUrl }: SnapshotSettings, path: string): string {
  return `${baseUrl ?? ''}${path}`;
}

/**
 * Returns a full address, for documents that are read outside the service: below the base URL, or below the
 * default address if no base URL is set. A service with another address replaces it.
 */
export function addressOf({ baseUrl }: SnapshotSettings, path: string): string {
  return `${baseUrl ?? defaultAddress}${path}`;
}

/** Returns the operator's mailbox. If none is configured, it is `contact@` the host of the service. */
export function mailboxOf({ contactEmail, baseUrl }: SnapshotSettings): string {
  return contactEmail ?? contactAt(baseUrl ?? defaultAddress);
}
