import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { beforeAll } from 'vitest';
import { closing } from './closing.ts';
import { sampleKey, type SampleService } from './sample.ts';

/** The list of tools has fewer tokens: an assistant reads all of it first. */
export const listTokensMaximum = 9000;

/** The official client, as assistants have it. */
const newClient = () => new Client({ name: 'assistant', version: '1.0.0' });

/** Connects it. It checks structured content with the output schemas of the tools, which it lists first. */
async function connect(client: Client, { fetch }: Pick<SampleService, 'fetch'>): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
    requestInit: { headers: { 'x-api-key': sampleKey } },
    fetch: async (url, init) => fetch(new Request(url, init)),
  });
  // The package's own types do not agree with exact optional members.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  await client.listTools();
  closing(() => client.close());
  return client;
}

/** An assistant that asks a service. */
export const connectAssistant = (service: Pick<SampleService, 'fetch'>): Promise<Client> =>
  connect(newClient(), service);

/** One that asks it in all tests of a file. */
export function useAssistant(service: SampleService): Client {
  const client = newClient();
  beforeAll(() => connect(client, service));
  return client;
}

/** What the agent answers to a message that asks a skill: a text, and data. */
export async function askAgent<Data>(
  { post }: Pick<SampleService, 'post'>,
  skill: string,
  given: object,
): Promise<[{ text: string }, { data: Data }]> {
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ data: { skill, arguments: given } }] };
  const asked = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
  const headers = { 'x-api-key': sampleKey, 'a2a-version': '1.0' };
  const response = await post('/a2a', JSON.stringify(asked), headers);
  const { result } = (await response.json()) as {
    result: { message: { parts: [{ text: string }, { data: Data }] } };
  };
  return result.message.parts;
}
