import { createInterface } from 'node:readline';
import { bytesOf, usualBytesMaximum } from '../answers.ts';
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

  async function ask(line: string, { id, method, params }: Message): Promise<string> {
    const ownRevision = params?._meta?.[revisionMember];
    const name = params?.name ?? params?.uri;
    const headers: Record<string, string> = { accept: 'application/json, text/event-stream' };
    if (typeof ownRevision === 'string') {
      headers['mcp-protocol-version'] = ownRevision;
      if (method !== undefined) headers['mcp-method'] = method;
      if (typeof name === 'string') headers['mcp-name'] = name;
    } else if (revision !== undefined) headers['mcp-protocol-version'] = revision;
    let refusal: Refusal | null = null;
    const { fetch: send = fetch } = settings;
    const transport = createTransport({
      ...settings,
      headers: { ...settings.headers, ...headers },
      fetch: async (...asked) => {
        const response = await send(...asked);
        if (response.status < 400) return response;
        const text = new TextDecoder().decode(await bytesOf(response, usualBytesMaximum, '/mcp'));
        refusal = refusalIn(text);
        return new Response(text, response);
      },
    });
    try {
      const text = await transport.ask({ method: 'POST', path: '/mcp', body: line }, (bytes) =>
        new TextDecoder().decode(bytes).trim(),
      );
      if (method === 'initialize') revision = revisionIn(text);
      return messagesIn(text);
    } catch (error) {
      if (refusal === null) throw error;
      return id === undefined ? '' : failure(id, refusal);
    }
  }

  return async (line) => {
    let message: Message | null;
    try {
      message = JSON.parse(line) as Message | null;
    } catch {
      return failure(null, { code: -32700, message: 'the line is no JSON' });
    }
    if (typeof message !== 'object' || message === null)
      return failure(null, { code: -32600, message: 'the line is no message' });
    try {
      const answer = await ask(line, message);
      return answer === '' ? null : answer;
    } catch (error) {
      const code = error instanceof FilingEventsError ? ` (${error.code})` : '';
      return message.id === undefined
        ? null
        : failure(message.id, { code: -32603, message: `${(error as Error).message}${code}` });
    }
  };
}

/** The error of a message of JSON-RPC. Its code tells an assistant what to do, such as to ask in another revision. */
interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

const failure = (id: Message['id'], error: Refusal) => JSON.stringify({ jsonrpc: '2.0', id, error });

/** The refusal in an answer; null if it has none, as that of a proxy. */
function refusalIn(answer: string): Refusal | null {
  try {
    const { error } = JSON.parse(answer) as { error?: Refusal };
    return typeof error?.code === 'number' && typeof error.message === 'string' ? error : null;
  } catch {
    return null;
  }
}

/** The messages of an answer, each in a line: it is one, or a stream of events. */
function messagesIn(answer: string): string {
  return /^[[{]/.test(answer)
    ? answer.replaceAll('\n', ' ')
    : [...answer.matchAll(/^data: (.*)$/gm)].map(([, data]) => data).join('\n');
}

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
