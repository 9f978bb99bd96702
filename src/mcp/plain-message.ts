import { currentRevision, handshakeRevisions } from '../contract/tools.ts';
import type { HeaderReader } from '../http/exchange.ts';
import type { Services } from '../requests/services.ts';
import { askedBy, type Asked } from './methods.ts';

/** A valid request for something that the service itself answers: it needs no package. */
export interface PlainMessage {
  readonly asked: Asked;
  readonly id: string | number;
  /** Whether it uses revision 2026-07-28. */
  readonly isCurrent: boolean;
}

const metaVersion = 'io.modelcontextprotocol/protocolVersion';
const metaCapabilities = 'io.modelcontextprotocol/clientCapabilities';

/**
 * Recognises a request that is valid in every respect and asks for something that the service itself answers.
 * Null for all other messages: the official packages answer or refuse them.
 */
export function plainMessage(
  message: unknown,
  header: HeaderReader,
  asked: Asked | null = askedBy(message),
): PlainMessage | null {
  if (asked === null) return null;
  const { jsonrpc, id, params } = message as {
    jsonrpc?: unknown;
    id?: unknown;
    params?: { _meta?: unknown };
  };
  if (jsonrpc !== '2.0' || (typeof id !== 'string' && !Number.isSafeInteger(id))) return null;
  const isCurrent = revisionOf(params?._meta, asked, header);
  return isCurrent === null ? null : { asked, id: id as string | number, isCurrent };
}

/**
 * True for the current revision with correct headers, false for a revision with a handshake, null if it is
 * not clear.
 */
function revisionOf(meta: unknown, { method, name }: Asked, header: HeaderReader): boolean | null {
  const version = header('mcp-protocol-version');
  const members = new Map(Object.entries((typeof meta === 'object' && meta) || {}));
  if (!members.has(metaVersion)) {
    const isKnown = version === undefined || handshakeRevisions.includes(version);
    return isKnown && header('mcp-method') === undefined && header('mcp-name') === undefined ? false : null;
  }
  const agrees =
    version === currentRevision &&
    members.get(metaVersion) === version &&
    header('mcp-method') === method &&
    header('mcp-name') === name;
  const capabilities = members.get(metaCapabilities);
  const isWhole =
    typeof capabilities === 'object' &&
    capabilities !== null &&
    Object.keys(capabilities).length === 0 &&
    [...members.keys()].every((key) =>
      [metaVersion, metaCapabilities, 'io.modelcontextprotocol/clientInfo'].includes(key),
    );
  return agrees && isWhole ? true : null;
}

/** Answers a plain message by joining bytes. Rejects with `ApiError`. */
export async function plainAnswer(
  services: Services,
  { asked: { cache, result }, id, isCurrent }: PlainMessage,
  caller: string | null,
): Promise<Buffer> {
  const made = await result(services, caller);
  const kept =
    cache === null ? '' : `"ttlMs":${cache.ttlMs},"cacheScope":${JSON.stringify(cache.cacheScope)},`;
  const start = Buffer.from(
    `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${isCurrent ? `{"resultType":"complete",${kept}` : '{'}`,
  );
  // `start` ends with the opening brace of the result.
  return Buffer.concat([start, made.subarray(1), end]);
}

const end = Buffer.from('}');
