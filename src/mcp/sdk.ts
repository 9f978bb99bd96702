import { z } from 'zod';
import { productName } from '../contract/product.ts';
import { programVersion } from '../format/program.ts';
import { toolInstructions } from '../contract/tools.ts';
import { codes } from '../json-rpc/messages.ts';
import { askedMethods, releaseCache, type AskedMethod, type ResultCache } from './methods.ts';

/**
 * Answers a method of the service in place of the packages. The packages get a short result, which the caller
 * replaces by the real one, and how long clients may keep it. Null if the method names nothing that the
 * service has.
 */
export type Answerer = (
  method: AskedMethod,
  params: unknown,
) => Promise<{ readonly result: object; readonly cache: ResultCache | null } | null>;

/** Answers any message of the protocol, in any revision. `body` is the parsed body of the request. */
export type ProtocolHandler = (request: Request, body: unknown, answerer: Answerer) => Promise<Response>;

const identity = { name: 'filing-event-intelligence', title: productName, version: programVersion };
/** What the service has, truthfully for both protocols: nothing changes while it runs, so nobody is notified. */
const capabilities = {
  tools: { listChanged: false },
  resources: { listChanged: false },
  prompts: { listChanged: false },
  completions: {},
};

/** Accept any parameters, so that wrong ones are refused as invalid parameters, not as an internal error. */
const anyRequests = askedMethods.map(
  (method) => [method, z.looseObject({ method: z.literal(method), params: z.unknown() })] as const,
);

/**
 * Loads the official packages and makes the protocol through them: revisions from 2024-10-07 to 2025-11-25, and
 * 2026-07-28. Requests are independent of each other. The packages load one after the other, so that other
 * requests are answered between them: all at once they hold the loop for 140 ms.
 */
export async function loadProtocol(): Promise<ProtocolHandler> {
  const { McpError } = await import('@modelcontextprotocol/sdk/types.js');
  const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/sdk/validation/ajv-provider.js');
  const { Server: LegacyServer } = await import('@modelcontextprotocol/sdk/server/index.js');
  const { WebStandardStreamableHTTPServerTransport: LegacyTransport } = await import(
    '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
  );
  const current = await import('@modelcontextprotocol/server');
  // Made once and shared: making it takes most of the time of making a server.
  const jsonSchemaValidator = new AjvJsonSchemaValidator();

  function currentServer(answerer: Answerer) {
    const server = new current.Server(identity, {
      capabilities,
      instructions: toolInstructions,
      cacheHints: { 'server/discover': releaseCache },
    });
    for (const method of askedMethods)
      server.setRequestHandler(method, async ({ params }) => {
        const answered = await answerer(method, params);
        if (!answered) throw new current.ProtocolError(codes.parameters, unknownName(method, params));
        return { ...answered.result, ...answered.cache } as never;
      });
    return server;
  }

  function legacyServer(answerer: Answerer) {
    const server = new LegacyServer(identity, {
      capabilities,
      instructions: toolInstructions,
      jsonSchemaValidator,
    });
    for (const [method, anyRequest] of anyRequests)
      server.setRequestHandler(anyRequest, async ({ params }) => {
        const answered = await answerer(method, params);
        if (!answered) throw new McpError(codes.parameters, unknownName(method, params));
        return answered.result;
      });
    return server;
  }

  return async (request, body, answerer) => {
    if (!(await current.isLegacyRequest(request, body)))
      return current
        .createMcpHandler(() => currentServer(answerer), { legacy: 'reject' })
        .fetch(request, { parsedBody: body });
    const transport = new LegacyTransport({ enableJsonResponse: true });
    await legacyServer(answerer).connect(transport);
    return transport.handleRequest(request, { parsedBody: body });
  };
}

function unknownName(method: AskedMethod, params: unknown): string {
  const { name } = (params ?? {}) as { name?: unknown };
  return method === 'tools/call' && typeof name === 'string'
    ? `Unknown tool: ${JSON.stringify(name.slice(0, 60))}; tools/list names those that there are`
    : 'Invalid params: they do not fit the method';
}
