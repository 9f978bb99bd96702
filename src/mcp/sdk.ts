import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  Server as CurrentServer,
} from '@modelcontextprotocol/server';
import { Server as LegacyServer } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
  type ListToolsResult,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import { productName, productVersion } from '../contract/product.ts';
import { toolInstructions } from '../contract/tools.ts';
import { codes } from '../json-rpc/messages.ts';
import { listCache, listedTools } from './list.ts';

/** Calls a tool by its name and returns the parsed result; null if there is no such tool. */
export type ToolCaller = (name: string, given: unknown) => Promise<CallToolResult | null>;

/** Answers any message of the protocol, in any revision. `body` is the parsed body of the request. */
export type ProtocolHandler = (request: Request, body: unknown, call: ToolCaller) => Promise<Response>;

const identity = { name: 'filing-event-intelligence', title: productName, version: productVersion };
const listing = { tools: listedTools } as unknown as ListToolsResult;
/**
 * Accepts any parameters, so that wrong ones reach the handler and are refused as invalid parameters, not as
 * an internal error.
 */
const callRequest = z.looseObject({ method: z.literal('tools/call'), params: z.unknown() });
/** Made once and shared: making it takes most of the time of making a server. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/**
 * The protocol through the official packages: revisions from 2024-10-07 to 2025-11-25, and 2026-07-28.
 * Requests are independent of each other.
 */
export function createProtocolHandler(): ProtocolHandler {
  return async (request, body, call) => {
    if (!(await isLegacyRequest(request, body)))
      return createMcpHandler(() => currentServer(call), { legacy: 'reject' }).fetch(request, {
        parsedBody: body,
      });
    const server = legacyServer(call);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    return transport.handleRequest(request, { parsedBody: body });
  };
}

function currentServer(call: ToolCaller): CurrentServer {
  const server = new CurrentServer(identity, {
    capabilities: { tools: { listChanged: false } },
    instructions: toolInstructions,
    cacheHints: { 'tools/list': listCache, 'server/discover': listCache },
  });
  server.setRequestHandler('tools/list', () => listing as never);
  server.setRequestHandler('tools/call', async ({ params }) => {
    const result = await call(params.name, params.arguments);
    if (!result) throw new ProtocolError(codes.parameters, unknownTool(params.name));
    return result as never;
  });
  return server;
}

function legacyServer(call: ToolCaller): LegacyServer {
  const server = new LegacyServer(identity, {
    capabilities: { tools: { listChanged: false } },
    instructions: toolInstructions,
    jsonSchemaValidator,
  });
  server.setRequestHandler(ListToolsRequestSchema, () => listing);
  server.setRequestHandler(callRequest, async ({ params }) => {
    const { name, arguments: given } = params as { name: string; arguments?: unknown };
    const result = await call(name, given);
    if (!result) throw new McpError(codes.parameters, unknownTool(name));
    return result;
  });
  return server;
}

function unknownTool(name: string): string {
  return `Unknown tool: ${JSON.stringify(name.slice(0, 60))}; tools/list names those that there are`;
}
