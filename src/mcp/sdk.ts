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

/**
 * Loads the official package and makes the protocol through it: revisions from 2024-10-07 to 2026-07-28. Requests are
 * independent of each other.
 */
export async function loadProtocol(): Promise<ProtocolHandler> {
  const {
    createMcpHandler,
    isLegacyRequest,
    ProtocolError,
    Server,
    WebStandardStreamableHTTPServerTransport,
  } = await import('@modelcontextprotocol/server');

  function serverWith(answerer: Answerer, hasCaching: boolean) {
    const server = new Server(identity, {
      capabilities,
      instructions: toolInstructions,
      cacheHints: { 'server/discover': releaseCache },
    });
    for (const method of askedMethods)
      server.setRequestHandler(method, async ({ params }) => {
        const answered = await answerer(method, params);
        if (!answered) throw new ProtocolError(codes.parameters, unknownName(method, params));
        return { ...answered.result, ...(hasCaching ? answered.cache : null) } as never;
      });
    return server;
  }

  return async (request, body, answerer) => {
    if (!(await isLegacyRequest(request, body)))
      return createMcpHandler(() => serverWith(answerer, true), { legacy: 'reject' }).fetch(request, {
        parsedBody: body,
      });
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await serverWith(answerer, false).connect(transport);
    return transport.handleRequest(request, { parsedBody: body });
  };
}

function unknownName(method: AskedMethod, params: unknown): string {
  const { name } = (params ?? {}) as { name?: unknown };
  return method === 'tools/call' && typeof name === 'string'
    ? `Unknown tool: ${JSON.stringify(name.slice(0, 60))}; tools/list names those that there are`
    : 'Invalid params: they do not fit the method';
}
