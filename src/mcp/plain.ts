import { isObject } from '../contract/scalars.ts';
import { currentRevision, handshakeRevisions, type Tool } from '../contract/tools.ts';
import type { HeaderReader } from '../http/exchange.ts';
import type { Services } from '../requests/services.ts';
import { callTool, toolNamed } from './call.ts';

/** A valid request for the list of tools, or a valid call of a tool, which needs no package. */
export interface PlainMessage {
  /** The tool that is called; null for the list. */
  readonly tool: Tool | null;
  readonly given: unknown;
  readonly id: string | number;
  /** Whether it uses revision 2026-07-28. */
  readonly isCurrent: boolean;
}

const metaVersion = 'io.modelcontextprotocol/protocolVersion';
const metaCapabilities = 'io.modelcontextprotocol/clientCapabilities';

/**
 * Recognises a request for the list of tools, or a call of a tool, that is valid in every respect. Null for
 * all other messages: the official packages answer or refuse them.
 */
export function plainMessage(message: unknown, header: HeaderReader): PlainMessage | null {
  if (!isObject(message)) return null;
  const { jsonrpc, id, method, params } = message as {
    jsonrpc?: unknown;
    id?: unknown;
    method?: unknown;
    params?: { name?: unknown; arguments?: unknown; cursor?: unknown; _meta?: unknown } | null;
  };
  if (jsonrpc !== '2.0' || (typeof id !== 'string' && !Number.isSafeInteger(id))) return null;
  const known = { id: id as string | number };
  if (
    method === 'tools/list' &&
    (params === undefined || (typeof params === 'object' && params !== null && params.cursor === undefined))
  ) {
    const isCurrent = revisionOf(params?._meta, method, undefined, header);
    return isCurrent === null ? null : { ...known, tool: null, given: undefined, isCurrent };
  }
  if (method !== 'tools/call' || !params) return null;
  const tool = toolNamed(params.name);
  if (!tool || (params.arguments !== undefined && !isObject(params.arguments))) return null;
  const isCurrent = revisionOf(params._meta, method, tool.name, header);
  return isCurrent === null ? null : { ...known, tool, given: params.arguments, isCurrent };
}

/**
 * True for the current revision with correct headers, false for a revision with a handshake, null if it is
 * not clear.
 */
function revisionOf(
  meta: unknown,
  method: string,
  name: string | undefined,
  header: HeaderReader,
): boolean | null {
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

/** Answers a plain message by joining bytes. Rejects with faults of the service. */
export async function plainAnswer(
  services: Services,
  { tool, given, id, isCurrent }: PlainMessage,
  caller: string | null,
): Promise<Buffer> {
  const result = tool ? await callTool(services, tool, given, caller) : await listResult(isCurrent);
  const start = Buffer.from(
    `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${isCurrent ? '{"resultType":"complete",' : '{'}`,
  );
  // `start` ends with the opening brace of the result.
  return Buffer.concat([start, result.subarray(1), end]);
}

const end = Buffer.from('}');
let lists: { readonly handshake: Buffer; readonly current: Buffer } | undefined;

/** The result of `tools/list`, made once: tools change only with a release of the service. */
async function listResult(isCurrent: boolean): Promise<Buffer> {
  const { listedTools, listCache } = await import('./list.ts');
  lists ??= {
    handshake: Buffer.from(JSON.stringify({ tools: listedTools })),
    current: Buffer.from(JSON.stringify({ ...listCache, tools: listedTools })),
  };
  return isCurrent ? lists.current : lists.handshake;
}
