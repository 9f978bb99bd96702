import { createInterface } from 'node:readline';
import { FilingEventsError } from '../errors.ts';
import { createTransport, type ClientSettings } from '../transport.ts';
import type { Command } from './command.ts';
import { UsageError } from './words.ts';

/** A message of JSON-RPC, as far as this program looks at it. */
interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: {
    readonly name?: unknown;
    readonly uri?: unknown;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

/** Where messages of newer revisions say their revision. */
const revisionMember = 'io.modelcontextprotocol/protocolVersion';

/**
 * Makes what answers a line of an assistant with the answer of the service; null where none is wanted. It never rejects.
 * Example: `await bridgeTo({ baseUrl, apiKey })('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')`.
 */
export function bridgeTo(settings: ClientSettings): (line: string) => Promise<string | null> {
  /** The revision of which `initialize` of the service spoke, which later requests name. */
  let revision: string | undefined;

  async function ask(line: string, { method, params }: Message): Promise<string> {
    const ownRevision = params?._meta?.[revisionMember];
    const name = params?.name ?? params?.uri;
    const headers: Record<string, string> = { accept: 'application/json, text/event-stream' };
    if (typeof ownRevision === 'string') {
      headers['mcp-protocol-version'] = ownRevision;
      if (method !== undefined) headers['mcp-method'] = method;
      if (typeof name === 'string') headers['mcp-name'] = name;
    } else if (revision !== undefined) headers['mcp-protocol-version'] = revision;
    const transport = createTransport({ ...settings, headers: { ...settings.headers, ...headers } });
    const text = await transport.ask({ method: 'POST', path: '/mcp', body: line }, (bytes) =>
      new TextDecoder().decode(bytes).trim(),
    );
    if (method === 'initialize') revision = revisionIn(text);
    return text;
  }

  return async (line) => {
    let message: Message;
    try {
      message = JSON.parse(line) as Message;
    } catch {
      return failure(null, -32700, 'the line is no JSON');
    }
    try {
      const answer = await ask(line, message);
      return answer === '' ? null : answer.replaceAll('\n', ' ');
    } catch (error) {
      const code = error instanceof FilingEventsError ? ` (${error.code})` : '';
      return message.id === undefined
        ? null
        : failure(message.id, -32603, `${(error as Error).message}${code}`);
    }
  };
}

const failure = (id: Message['id'], code: number, message: string) =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });

function revisionIn(answer: string): string | undefined {
  try {
    const { result } = JSON.parse(answer) as { result?: { protocolVersion?: unknown } };
    return typeof result?.protocolVersion === 'string' ? result.protocolVersion : undefined;
  } catch {
    return undefined;
  }
}

/** A local bridge to the tools of the service. Example: `mcp.run(context)`. */
export const mcp: Command = {
  name: 'mcp',
  words: '',
  text: 'is a local server of MCP for assistants that start programs: it passes on their messages with your key',
  options: [],
  examples: ['mcp'],
  async run({ words, settings, signal, write }) {
    if (words.length > 0) throw new UsageError('mcp takes no words');
    const answer = bridgeTo(settings);
    const pending = new Set<Promise<void>>();
    const lines = createInterface({ input: process.stdin, signal });
    for await (const line of lines) {
      if (line.trim() === '') continue;
      const answering = answer(line).then((text) => (text === null ? undefined : write(`${text}\n`)));
      pending.add(answering);
      void answering.finally(() => pending.delete(answering));
      // What comes behind it may depend on the revision that it agrees on.
      if (line.includes('"initialize"')) await answering;
    }
    await Promise.all(pending);
  },
};
