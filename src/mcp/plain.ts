import type { HeaderReader } from '../http/respond.ts';
import type { Tool } from '../contract/tools.ts';
import type { Services } from '../http/services.ts';
import { callTool, toolNamed } from './call.ts';
import { protocolHeaders } from './messages.ts';

/** A call of a tool that is as both sides of the protocol would have it. */
export interface PlainCall {
  readonly tool: Tool;
  readonly given: unknown;
  readonly id: string | number;
  /** Whether it speaks revision 2026-07-28. */
  readonly isCurrent: boolean;
}

const currentRevision = '2026-07-28';
const handshakeRevisions: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26'];
const metaVersion = 'io.modelcontextprotocol/protocolVersion';
const metaCapabilities = 'io.modelcontextprotocol/clientCapabilities';

/**
 * Recognises a call of a tool in which nothing is amiss; null for everything else, which the official packages then
 * answer or refuse in their own words.
 */
export function plainCall(message: unknown, header: HeaderReader): PlainCall | null {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return null;
  const { jsonrpc, id, method, params } = message as { jsonrpc?: unknown; id?: unknown; method?: unknown; params?: { name?: unknown; arguments?: unknown; _meta?: unknown } | null };
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !params || (typeof id !== 'string' && !Number.isSafeInteger(id))) return null;
  const tool = toolNamed(params.name);
  if (!tool || (params.arguments !== undefined && (typeof params.arguments !== 'object' || params.arguments === null || Array.isArray(params.arguments)))) return null;
  const isCurrent = revisionOf(params._meta, tool.name, header);
  return isCurrent === null ? null : { tool, given: params.arguments, id: id as string | number, isCurrent };
}

/** True for the current revision with its headers as they must be, false for one with a handshake, null if in doubt. */
function revisionOf(meta: unknown, name: string, header: HeaderReader): boolean | null {
  const version = header('mcp-protocol-version');
  const members = new Map(Object.entries((typeof meta === 'object' && meta) || {}));
  if (!members.has(metaVersion)) {
    const isKnown = version === undefined || handshakeRevisions.includes(version);
    return isKnown && header('mcp-method') === undefined && header('mcp-name') === undefined ? false : null;
  }
  const agrees = version === currentRevision && members.get(metaVersion) === version && header('mcp-method') === 'tools/call' && header('mcp-name') === name;
  const capabilities = members.get(metaCapabilities);
  const isWhole = typeof capabilities === 'object' && capabilities !== null && Object.keys(capabilities).length === 0 && [...members.keys()].every((key) => [metaVersion, metaCapabilities, 'io.modelcontextprotocol/clientInfo'].includes(key));
  return agrees && isWhole ? true : null;
}

/** Headers of the answer to a plain call, but for its length. */
export const answerHeaders = { 'Content-Type': 'application/json', ...protocolHeaders } as const;

/** The answer to a plain call: bytes around the result. Throws for what is wrong on this side. */
export async function plainAnswer(services: Services, { tool, given, id, isCurrent }: PlainCall): Promise<Buffer> {
  const result = await callTool(services, tool, given);
  const start = Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${isCurrent ? '{"resultType":"complete",' : '{'}`);
  // The result begins with the bracket that stands there already.
  return Buffer.concat([start, result.subarray(1), end]);
}

const end = Buffer.from('}');
