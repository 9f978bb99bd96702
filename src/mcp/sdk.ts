import type { CallToolResult, ListToolsResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { productName, productVersion } from '../contract/product.ts';
import { toolInstructions } from '../contract/tools.ts';
import { codes } from '../json-rpc/messages.ts';

/** Calls a tool by its name and returns the parsed result; null if there is no such tool. */
export type ToolCaller = (name: string, given: unknown) => Promise<CallToolResult | null>;

/** Answers any message of the protocol, in any revision. `body` is the parsed body of the request. */
export type ProtocolHandler = (request: Request, body: unknown, call: ToolCaller) => Promise<Response>;

const identity = { name: 'filing-event-intelligence', title: productName, version: productVersion };
/**
 * Accepts any parameters, so that wrong ones reach the handler and are refused as invalid parameters, not as
 * an internal error.
 */
const callRequest = z.looseObject({ method: z.literal('tools/call'), params: z.unknown() });

/**
 * Loads the official packages and makes the protocol through them: revisions from 2024-10-07 to 2025-11-25, and
 * 2026-07-28. Requests are independent of each other. The packages load one after the other, so that other
 * requests are answered between them: all at once they hold the loop for 140 ms.
 */
export async function loadProtocol(): Promise<ProtocolHandler> {
  const { ListToolsRequestSchema, McpError } = await import('@modelcontextprotocol/sdk/types.js');
  const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/sdk/validation/ajv-provider.js');
  const { Server: LegacyServer } = await import('@modelcontextprotocol/sdk/server/index.js');
  const { WebStandardStreamableHTTPServerTransport: LegacyTransport } = await import(
    '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
  );
  const current = await import('@modelcontextprotocol/server');
  const { listCache, listedTools } = await import('./list.ts');
  const listing = { tools: listedTools } as unknown as ListToolsResult;
  // Made once and shared: making it takes most of the time of making a server.
  const jsonSchemaValidator = new AjvJsonSchemaValidator();

  function currentServer(call: ToolCaller) {
    const server = new current.Server(identity, {
      capabilities: { tools: { listChanged: false } },
      instructions: toolInstructions,
      cacheHints: { 'tools/list': listCache, 'server/discover': listCache },
    });
    server.setRequestHandler('tools/list', () => listing as never);
    server.setRequestHandler('tools/call', async ({ params }) => {
      const result = await call(params.name, params.arguments);
      if (!result) throw new current.ProtocolError(codes.parameters, unknownTool(params.name));
      return result as never;
    });
    return server;
  }

  function legacyServer(call: ToolCaller) {
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

  return async (request, body, call) => {
    if (!(await current.isLegacyRequest(request, body)))
      return current
        .createMcpHandler(() => currentServer(call), { legacy: 'reject' })
        .fetch(request, { parsedBody: body });
    const transport = new LegacyTransport({ enableJsonResponse: true });
    await legacyServer(call).connect(transport);
    return transport.handleRequest(request, { parsedBody: body });
  };
}

function unknownTool(name: string): string {
  return `Unknown tool: ${JSON.stringify(name.slice(0, 60))}; tools/list names those that there are`;
}
