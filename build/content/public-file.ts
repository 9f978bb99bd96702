import type { Catalog } from '../../src/contract/catalog.ts';
import { defaultAddress } from '../../src/contract/product.ts';
import type { SnapshotSettings } from '../../src/contract/snapshot.ts';
import type { Market } from './market.ts';
import type { Example } from './examples.ts';
import type { Overview } from './overview.ts';

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
  readonly overview: Overview;
  readonly settings: SnapshotSettings;
  /** The markets of the catalog. */
  readonly markets: readonly Market[];
  /** A real answer of this snapshot for each operation that has one. */
  readonly examples: readonly Example[];
}

/** What public files are made of that show or describe other ones. */
export interface PageInput extends PublicInput {
  /** The validation catalog, as it is published. */
  readonly catalog: Catalog;
  /** What `/demo` and `/reference.json` answer. */
  readonly demo: object;
  readonly reference: object;
}

/** A JSON document at a path. */
export function jsonFile(
  path: string,
  document: unknown,
  contentType = 'application/json',
  headers?: Readonly<Record<string, string>>,
): PublicFile {
  return { path, contentType, bytes: Buffer.from(JSON.stringify(document)), ...(headers ? { headers } : {}) };
}

/** A text at a path. */
export function textFile(
  path: string,
  text: string,
  contentType = 'text/plain; charset=utf-8',
  headers?: Readonly<Record<string, string>>,
): PublicFile {
  return { path, contentType, bytes: Buffer.from(text), ...(headers ? { headers } : {}) };
}

/**
 * A link of a document: an address below the base URL of the settings, or the path alone if there is none.
 */
export function linkTo({ baseUrl }: SnapshotSettings, path: string): string {
  return `${baseUrl ?? ''}${path}`;
}

/**
 * A whole address, for documents whose readers come from elsewhere: below the base URL, else below the
 * default address.
 */
export function addressOf({ baseUrl }: SnapshotSettings, path: string): string {
  return `${baseUrl ?? defaultAddress}${path}`;
}

/**
 * For readers of plain texts without a configured address: which one they see, and what changes it. Null with
 * one.
 */
export function addressNote({ baseUrl }: SnapshotSettings): string | null {
  return baseUrl === null
    ? `Addresses here begin with ${defaultAddress} because no other is configured: set BASE_URL to the address of the service, and build again.`
    : null;
}

/** The operator's mailbox; where none is configured, the one at the service's own host. */
export function mailboxOf({ contactEmail, baseUrl }: SnapshotSettings): string {
  return contactEmail ?? `contact@${new URL(baseUrl ?? defaultAddress).hostname}`;
}
