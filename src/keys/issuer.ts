import * as z from 'zod';
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import { isLoopback } from '../http/origin.ts';

/** The published keys of the issuer of tokens (RFC 7517). */
export interface IssuerKeys {
  /** Finds the key that the header of a token names. */
  readonly find: JWTVerifyGetKey;
  /** Differs from that of the keys before exactly if the keys do. */
  readonly text: string;
}

/** Reads the keys of an issuer, and keeps the last ones that could be read. */
export interface Issuer {
  /** The keys that were read last; null if none ever were. */
  readonly keys: () => IssuerKeys | null;
  /** How old the keys are, or how long ago reading them last failed, in milliseconds; Infinity before the first time. */
  readonly readAgoMs: () => number;
  /** Reads the keys again. If somebody reads them already, waits for that. Never rejects: a failure is logged once. */
  read(): Promise<void>;
}

/** What the issuer says of itself (RFC 8414; OpenID Connect Discovery 1.0). */
const Metadata = z.looseObject({ issuer: z.string(), jwks_uri: z.string() });
const KeySet = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) });

/** How long a request to the issuer may take, and after which time whoever reads the keys must be gone, in milliseconds. */
const [answerMs, goneMs, lookEveryMs] = [5000, 20_000, 50];
/** The longest document of an issuer that is read, in bytes. */
const bytesMaximum = 256 * 1024;

/** Whether tokens and keys may come from an address: https, or http on this machine. */
export function isTrustworthy(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** Makes a reader of the keys of an issuer. `elapsed` is in milliseconds and never goes back. */
export function createIssuer(
  issuer: string,
  elapsed: () => number,
  log: (event: string, details: Record<string, unknown>) => void,
): Issuer {
  let keys: IssuerKeys | null = null;
  let readMs = -Infinity;
  let readingSinceMs: number | null = null;
  let lastReason = '';

  const isRead = () => readingSinceMs !== null && elapsed() - readingSinceMs < goneMs;

  return {
    keys: () => keys,
    readAgoMs: () => elapsed() - readMs,
    async read() {
      if (isRead()) {
        // Each request waits by itself: in a worker none may wait for what another one began.
        while (isRead()) await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
        return;
      }
      readingSinceMs = elapsed();
      try {
        const set = await readKeys(issuer);
        lastReason = '';
        const text = JSON.stringify(set);
        if (text === keys?.text) return;
        log('issuer_keys', { issuer, keys: set.keys.length });
        // The package is loaded only where tokens are taken.
        keys = { find: (await import('jose')).createLocalJWKSet(set), text };
      } catch (error) {
        const reason = (error as Error).message;
        if (reason !== lastReason) log('issuer_refused', { issuer, reason });
        lastReason = reason;
      } finally {
        readMs = elapsed();
        readingSinceMs = null;
      }
    },
  };
}

/**
 * Where an issuer may publish its metadata: as an authorisation server, with the path of the issuer behind the
 * well-known one (RFC 8414, section 3.1), or as an OpenID provider, in both ways that are in use.
 */
export function metadataAddresses(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const [server, provider] = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];
  return [
    ...new Set([`${origin}${path}${provider}`, `${origin}${server}${path}`, `${origin}${provider}${path}`]),
  ];
}

async function readKeys(issuer: string): Promise<JSONWebKeySet> {
  const { jwks_uri: address } = await readMetadata(issuer);
  if (!isTrustworthy(address)) throw new Error(`${issuer} says that its keys are not at an https address`);
  return checked(KeySet, await readJson(address), address) as JSONWebKeySet;
}

async function readMetadata(issuer: string): Promise<z.infer<typeof Metadata>> {
  let failure = new Error(`${issuer} has no metadata`);
  for (const address of metadataAddresses(issuer)) {
    try {
      const metadata = checked(Metadata, await readJson(address), address);
      if (metadata.issuer === issuer) return metadata;
      throw new Error(`${address} is of the issuer ${JSON.stringify(metadata.issuer.slice(0, 200))}`);
    } catch (error) {
      failure = error as Error;
    }
  }
  throw failure;
}

function checked<Value>(schema: z.ZodType<Value>, value: unknown, address: string): Value {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  throw new Error(`${address}: ${issue?.path.join('.') || 'the document'}: ${issue?.message}`);
}

/** Reads a JSON document of at most `bytesMaximum`. A redirect is refused: the address is what was agreed. */
async function readJson(address: string): Promise<unknown> {
  const response = await fetch(address, {
    redirect: 'manual',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(answerMs),
  }).catch((error: Error) => {
    throw new Error(`${address}: ${(error.cause as Error | undefined)?.message ?? error.message}`);
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`${address}: status ${response.status}`);
  }
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > bytesMaximum) throw new Error(`${address}: longer than ${bytesMaximum} bytes`);
    pieces.push(piece);
  }
  return JSON.parse(Buffer.concat(pieces).toString());
}
