import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { agentNamespace, contactAt, defaultAddress, registryName } from '../contract/product.ts';
import { sha256Of } from '../files/bytes.ts';
import type { Answer } from '../http/http-answer.ts';
import type { Snapshot } from '../snapshot/open.ts';

/** Documents of a snapshot that were made for another address than the service has, by their path. */
const rewritten = new WeakMap<Snapshot, LRUCache<string, Answer>>();

/** Bytes of such documents that are kept for each snapshot, compressed ones included. */
const keptBytesMaximum = 4 * 1024 * 1024;

/** The address for which the documents of a snapshot were made. */
export function builtAddressOf({ manifest }: Pick<Snapshot, 'manifest'>): string {
  return manifest.settings.baseUrl ?? defaultAddress;
}

/**
 * Puts the address of this service in the place of the one that a snapshot was built for, and the same for the
 * mailbox and the name that follow from it. Returns the same bytes if there is nothing to replace, or if they are no text.
 */
export function withOwnAddress(snapshot: Pick<Snapshot, 'manifest' | 'address'>, bytes: Buffer): Buffer {
  const [from, to] = [builtAddressOf(snapshot), snapshot.address()];
  if (to === null || to === from) return bytes;
  const pairs = [
    [from, to],
    [registryName(from), registryName(to)],
    [`${agentNamespace(from)}:`, `${agentNamespace(to)}:`],
    ...(snapshot.manifest.settings.contactEmail === undefined ? [[contactAt(from), contactAt(to)]] : []),
  ] as [string, string][];
  const present = pairs.filter(([old]) => bytes.includes(old));
  // An archive may have an address within, and a digest elsewhere.
  let text = present.length === 0 ? null : textIn(bytes);
  if (text === null) return bytes;
  for (const [old, own] of present) text = text.replace(whole(old), () => own);
  return Buffer.from(text);
}

/** The text that some bytes are; null if they are none. */
function textIn(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** An address that is not the beginning of a longer one: neither of another host nor of another port. */
function whole(address: string): RegExp {
  const text = address.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(address.endsWith(':') ? text : `${text}(?![\\w-]|[.:]\\w)`, 'g');
}

/**
 * A public document with the address of this service. A file for download that has a digest is left as it is:
 * it names no address.
 */
export function ownAnswer(snapshot: Snapshot, urlPath: string, built: Answer): Answer {
  const to = snapshot.address();
  if (to === null || to === builtAddressOf(snapshot) || built.headers?.['Repr-Digest'] !== undefined)
    return built;
  const known = rewritten.get(snapshot) ?? new LRUCache<string, Answer>({ maxSize: keptBytesMaximum });
  rewritten.set(snapshot, known);
  const found = known.get(urlPath);
  if (found) return found;
  const bytes = withOwnAddress(snapshot, built.body());
  if (bytes === built.body()) {
    // It is not searched again.
    known.set(urlPath, built, { size: Math.max(1, bytes.length) });
    return built;
  }
  const { br, gzip, ...others } = built;
  const made: Answer = {
    ...others,
    etag: fileEtag(sha256Of(bytes)),
    body: () => bytes,
    ...(br ? { br: once(() => brotliCompressSync(bytes, brotliOptions)) } : {}),
    ...(gzip ? { gzip: once(() => gzipSync(bytes)) } : {}),
  };
  known.set(urlPath, made, { size: 2 * bytes.length });
  return made;
}

/** The ETag of a public document: the first digits of its SHA-256, which readers can check. */
export function fileEtag(sha256: string): string {
  return `"${sha256.slice(0, 32)}"`;
}

/** Much smaller than gzip already, and as fast. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

function once(compress: () => Buffer): () => Promise<Buffer> {
  let made: Promise<Buffer> | null = null;
  return () => (made ??= Promise.resolve(compress()));
}
