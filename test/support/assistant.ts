import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { sampleKey, type SampleService } from './sample.ts';

/** The list of tools has fewer tokens: an assistant reads all of it first. */
export const listTokensMaximum = 9000;

/**
 * The official client, as assistants have it. It checks structured content with the output schemas of the
 * tools, which it lists first.
 */
export async function connectAssistant({ fetch }: Pick<SampleService, 'fetch'>): Promise<Client> {
  const opened = new Client({ name: 'assistant', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
    requestInit: { headers: { 'x-api-key': sampleKey } },
    fetch: async (url, init) => fetch(new Request(url, init)),
  });
  // The package's own types do not agree with exact optional members.
  await opened.connect(transport as Parameters<typeof opened.connect>[0]);
  await opened.listTools();
  return opened;
}
