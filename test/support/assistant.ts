import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { beforeAll } from 'vitest';
import { closing } from './closing.ts';
import { sampleKey, sampleService, type SampleService } from './sample.ts';

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
  closing(() => opened.close());
  return opened;
}

/** The sample, and an assistant that asks it. */
export interface SampleAssistant {
  readonly service: SampleService;
  readonly client: Client;
}

/** Both, for all tests of a file. */
export function useAssistant(): SampleAssistant {
  const used = {} as { service: SampleService; client: Client };
  beforeAll(async () => {
    used.service = await sampleService();
    used.client = await connectAssistant(used.service);
  });
  return used;
}
