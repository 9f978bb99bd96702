import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Role, type Message, type Part, type SendMessageRequest } from '@a2a-js/sdk';
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  type Client,
} from '@a2a-js/sdk/client';
import type { Message as FormerMessage, Part as FormerPart } from '@a2a-js/sdk-0.3';
import { A2AClient, ClientFactory as FormerFactory } from '@a2a-js/sdk-0.3/client';
import type { Check } from './main.ts';
import type { RunningService } from './service.ts';

const sentence = 'changes for AAPL, MSFT since 2026-08-01';
const asked = { tickers: 'AAPL,MSFT', since: '2026-08-01' };
/** All of the REST answer; without these arguments an answer is compact, and as long as its budget. */
const asData = {
  skill: 'watchlist-changes',
  arguments: { ...asked, detail: 'full', maxTokens: 1_000_000 },
};
const samePath = '/v1/sec/watchlist/changes?tickers=AAPL,MSFT&since=2026-08-01';

const withKey =
  ({ key }: RunningService): typeof fetch =>
  (input, init) =>
    fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), 'x-api-key': key } });
const rest = async (service: RunningService, path: string): Promise<unknown> =>
  (await withKey(service)(`${service.address}${path}`)).json();

/** The accession numbers in an answer, in their order. */
const accessionNosOf = (answer: unknown): string[] =>
  [...JSON.stringify(answer).matchAll(/"accessionNo":"([^"]+)"/g)].map(([, number]) => number as string);

/** Compact data has filings of the REST answer, without the members that compact filings leave out. */
async function assertCompact(service: RunningService, data: unknown, path: string): Promise<void> {
  const [given, whole] = [accessionNosOf(data), new Set(accessionNosOf(await rest(service, path)))];
  assert.ok(given.length > 0 && given.every((number) => whole.has(number)));
  assert.doesNotMatch(JSON.stringify(data), /"primaryDocument"/);
}

/** The client of 1.0, made from the card. */
function currentClient({ address }: RunningService, fetchImpl: typeof fetch): Promise<Client> {
  const overrides = {
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  };
  return new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, overrides),
  ).createFromUrl(address);
}

function currentRequest(content: Part['content']): SendMessageRequest {
  const part: Part = { content, metadata: undefined, filename: '', mediaType: '' };
  const message: Message = {
    messageId: randomUUID(),
    contextId: 'talk',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [part],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
  return { tenant: '', configuration: undefined, metadata: undefined, message };
}

/** Sends a message and returns the text and the data of the answer. */
async function say(client: Client, content: Part['content']): Promise<{ text: unknown; data: unknown }> {
  const message = (await client.sendMessage(currentRequest(content))) as Message;
  assert.deepEqual([message.role, message.contextId], [Role.ROLE_AGENT, 'talk']);
  const held = (name: string) =>
    message.parts.find((part) => part.content?.$case === name)?.content?.value as unknown;
  return { text: held('text'), data: held('data') };
}

async function talkCurrent(service: RunningService): Promise<void> {
  const client = await currentClient(service, withKey(service));
  for (const content of [
    { $case: 'text' as const, value: sentence },
    { $case: 'data' as const, value: asData },
  ]) {
    const { text, data } = await say(client, content);
    assert.match(String(text), /"Apple Inc\." \(AAPL\)/);
    if (content.$case === 'data') assert.deepEqual(data, await rest(service, samePath));
    else await assertCompact(service, data, samePath);
  }
  // Where nothing streams, the client sends the message and gives the one answer as its stream.
  let events = 0;
  for await (const event of client.sendMessageStream(currentRequest({ $case: 'text', value: sentence })))
    if (event) events++;
  assert.equal(events, 1);
}

async function refuseCurrent(service: RunningService): Promise<void> {
  const [client, anonymous] = [
    await currentClient(service, withKey(service)),
    await currentClient(service, fetch),
  ];
  const named = (name: string) => (error: Error) => assert.equal(error.name, name) === undefined;
  await assert.rejects(
    client.getTask({ tenant: '', id: 'none', historyLength: undefined }),
    named('TaskNotFoundError'),
  );
  await assert.rejects(
    client.cancelTask({ tenant: '', id: 'none', metadata: undefined }),
    named('TaskNotFoundError'),
  );
  await assert.rejects(
    say(client, { $case: 'data', value: { skill: 'company-profile', arguments: { ticker: '' } } }),
    named('RequestMalformedError'),
  );
  await assert.rejects(
    say(client, { $case: 'url', value: 'https://example.com' }),
    named('ContentTypeNotSupportedError'),
  );
  const { data } = await say(anonymous, { $case: 'text', value: 'latest filings' });
  await assertCompact(service, data, '/demo');
  await assert.rejects(say(anonymous, { $case: 'text', value: sentence }), /Invalid or missing API key/);
}

function formerRequest(part: FormerPart): { message: FormerMessage } {
  return { message: { kind: 'message', messageId: randomUUID(), role: 'user', parts: [part] } };
}

function formerData(result: unknown): unknown {
  const { kind, role, parts } = result as FormerMessage;
  assert.deepEqual([kind, role], ['message', 'agent']);
  return parts.flatMap((part) => (part.kind === 'data' ? [part.data] : []))[0];
}

async function talkFormer(service: RunningService): Promise<void> {
  const client = await A2AClient.fromCardUrl(`${service.address}/.well-known/agent-card.json`, {
    fetchImpl: withKey(service),
  });
  for (const part of [
    { kind: 'text' as const, text: sentence },
    { kind: 'data' as const, data: asData },
  ]) {
    const response = await client.sendMessage(formerRequest(part));
    const data = formerData('result' in response && response.result);
    if (part.kind === 'data') assert.deepEqual(data, await rest(service, samePath));
    else await assertCompact(service, data, samePath);
  }
  const refused = await client.getTask({ id: 'none' });
  assert.equal('error' in refused && refused.error.code, -32001);
}

async function refuseFormer(service: RunningService): Promise<void> {
  const anonymous = await new FormerFactory().createFromUrl(service.address);
  const answer = await anonymous.sendMessage(formerRequest({ kind: 'text', text: 'latest filings' }));
  await assertCompact(service, formerData(answer), '/demo');
  await assert.rejects(
    anonymous.sendMessage(formerRequest({ kind: 'text', text: sentence })),
    /Invalid or missing API key/,
  );
  await assert.rejects(anonymous.getTask({ id: 'none' }), /not found/i);
}

/** The agent, with the official clients of both versions, which find it by one card. */
export const a2aChecks: readonly Check[] = [
  { name: 'the official client of A2A 1.0 asks in words and with data', run: talkCurrent },
  { name: 'the same client is refused in ways that it knows', run: refuseCurrent },
  { name: 'the official client of A2A 0.3 asks in words and with data', run: talkFormer },
  { name: 'the same client is refused in ways that it knows', run: refuseFormer },
];
