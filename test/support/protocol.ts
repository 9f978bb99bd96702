import type { SampleService } from './sample.ts';

/** A text of a result, and its size where it has one. */
export interface Text {
  readonly uri?: string;
  readonly mimeType?: string;
  readonly text: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** What a text says of its size. */
export interface TextSize {
  readonly tokens: number;
  readonly structuredTokens?: number;
  readonly maxTokens: number;
  readonly shortened: boolean;
}

/** The size that a text has with it. Throws if it has none. */
export function sizeOf(text: Text | undefined): TextSize {
  const size = text?._meta?.['filing-event-intelligence/size'];
  if (size === undefined) throw new Error('a text without its size');
  return size as TextSize;
}

/** The answer to a message. */
export interface ProtocolReply {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: { readonly code?: string; readonly uri?: string };
  };
}

/** In which protocol a message is sent, and whether it needs the official packages. */
export interface Sending {
  readonly revision?: 'handshake' | 'current';
  readonly way?: 'plain' | 'through the packages';
  readonly headers?: Readonly<Record<string, string>>;
}

/** Every protocol, and every way through the service. */
export const everyWay = (['handshake', 'current'] as const).flatMap((revision) =>
  (['plain', 'through the packages'] as const).map((way) => ({ revision, way })),
);

/** Sends messages to `/mcp` as they are written here. */
export interface Protocol {
  send(
    method: string,
    params: object,
    how?: Sending,
  ): Promise<{ readonly status: number; readonly reply: ProtocolReply }>;
}

/** What a message of the newest revision says of its client. */
export const currentMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
};

/** The headers of a message of the newest revision, which name what it is about. */
export const currentHeaders = (method: string, name?: string) => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': headerText(name) }),
});

/** A client of the protocol endpoint, without a key unless `headers` have one. */
export function createProtocol(service: SampleService): Protocol {
  return {
    async send(method, params, { revision = 'handshake', way = 'plain', headers = {} } = {}) {
      const { uri, name } = params as { uri?: string; name?: string };
      const named = method === 'resources/read' ? uri : name;
      const isPlain = way === 'plain';
      const [meta, own] =
        revision === 'current'
          ? [
              // Capabilities that the service has no use for are left to the packages.
              isPlain
                ? currentMeta
                : { ...currentMeta, 'io.modelcontextprotocol/clientCapabilities': { roots: {} } },
              currentHeaders(method, typeof named === 'string' ? named : undefined),
            ]
          : [undefined, isPlain ? {} : { 'mcp-protocol-version': '2024-11-05' }];
      const message = {
        jsonrpc: '2.0',
        id: 'a-1',
        method,
        params: { ...params, ...(meta ? { _meta: meta } : {}) },
      };
      const response = await service.post('/mcp', JSON.stringify(message), {
        ...(own as Record<string, string>),
        ...headers,
      });
      return { status: response.status, reply: (await response.json()) as ProtocolReply };
    },
  };
}

/** A value as the header `Mcp-Name` carries it. */
function headerText(value: string): string {
  return /^[\x21-\x7e]+$/.test(value) ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
