import {
  Client as CurrentClient,
  StreamableHTTPClientTransport as CurrentTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/client';
import { Client as HandshakeClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HandshakeTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

interface Result {
  isError?: boolean;
  structuredContent?: unknown;
}
interface Text {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text: string;
}
interface Completion {
  readonly completion: { readonly values: readonly string[] };
}
type Reference =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string };
/** What is used of each client. */
export interface AnyClient {
  listResources(params?: { cursor: string }): Promise<{ resources: { uri: string }[]; nextCursor?: string }>;
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>;
  readResource(params: { uri: string }): Promise<{ contents: Text[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(params: {
    name: string;
    arguments: Readonly<Record<string, string>>;
  }): Promise<{ messages: { content: { type: string } }[] }>;
  complete(params: { ref: Reference; argument: { name: string; value: string } }): Promise<Completion>;
  listTools(): Promise<{ tools: { name: string; outputSchema?: unknown }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<Result>;
  close(): Promise<void>;
}

/** A client of the tool protocol, before it is connected. */
export interface Connection {
  readonly client: AnyClient;
  connect(): Promise<void>;
  /** Lets it in with what the authorisation server answered. */
  finish(answer: URLSearchParams): Promise<void>;
}

/** How clients connect: headers, or who lets them in. */
export type Options = Pick<StreamableHTTPClientTransportOptions, 'requestInit' | 'authProvider'>;

const name = { name: 'peers', version: '1.0.0' };

/** The official client of the handshake revisions. */
export function handshakeConnection(address: string, options: Options): Connection {
  const client = new HandshakeClient(name);
  const transport = new HandshakeTransport(new URL(address), options as never);
  return {
    client: client as unknown as AnyClient,
    // The package's own types do not agree with exact optional members.
    connect: () => client.connect(transport as Parameters<typeof client.connect>[0]),
    finish: (answer) => transport.finishAuth(answer.get('code') ?? ''),
  };
}

const connectionIn =
  (mode: 'auto' | 'legacy') =>
  (address: string, options: Options): Connection => {
    const client = new CurrentClient(name, { versionNegotiation: { mode } });
    const transport = new CurrentTransport(new URL(address), options);
    return {
      client: client as unknown as AnyClient,
      connect: () => client.connect(transport),
      finish: (answer) => transport.finishAuth(answer),
    };
  };

/** The official client of the newest revision, and the same as it is when it negotiates nothing. */
export const [currentConnection, legacyConnection] = [connectionIn('auto'), connectionIn('legacy')];
