import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventTypes } from '../../src/domain/event-types.ts';
import { prompts } from '../../src/contract/prompts.ts';
import { allResources, resourceTemplates, resourceUri } from '../../src/contract/resources.ts';
import { resourceNamed } from '../../src/mcp/uri.ts';
import { useAssistant } from '../support/assistant.ts';
import {
  createProtocol,
  everyWay,
  sizeOf,
  type Protocol,
  type ProtocolReply,
  type Text,
} from '../support/protocol.ts';
import { sampleKey, useSample } from '../support/sample.ts';

const service = useSample();
const client = useAssistant(service);
const protocol = createProtocol(service);

const withKey = { 'x-api-key': sampleKey };
const revisions = ['handshake', 'current'] as const;

/** The arguments of a URI for each template, with others for its query. */
const examples: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
  'filing://{accessionNo}': [{ accessionNo: '0000320193-25-000079' }],
  'filing://{accessionNo}/documents': [{ accessionNo: '0001045810-26-000024' }],
  'company://{ticker}': [{ ticker: 'AAPL' }, { ticker: 'aapl' }, { ticker: '0000320193', detail: 'full' }],
  'company://{ticker}/filings': [
    { ticker: 'GOOGL', limit: '200' },
    { ticker: 'AAPL', form: '10-K,10-K/A', since: '2020-01-01' },
    { ticker: 'NVDA', maxTokens: '600' },
  ],
  'company://{ticker}/insider-filings': [{ ticker: 'NVDA', since: '2026-07-01', limit: '3' }],
  'watchlist://{tickers}': [
    { tickers: 'AAPL,MSFT', since: '2026-08-01' },
    { tickers: 'AAPL,no such one', maxTokens: '500' },
  ],
};
const cases = Object.entries(examples).flatMap(([template, all]) =>
  all.map((given) => ({ template, given, uri: resourceUri(template, given) })),
);

async function textsOf(uri: string): Promise<Text[]> {
  return (await client.readResource({ uri })).contents as unknown as Text[];
}

describe('what a service says that it has', () => {
  it.each(everyWay)('wrong types are told in a sentence: %j', async (how) => {
    for (const [method, name] of [
      ['tools/call', 'sec_counts'],
      ['prompts/get', 'company_brief'],
    ] as const) {
      const { reply } = await protocol.send(method, { name, arguments: [] }, { ...how, headers: withKey });
      expect([reply.error?.code, reply.error?.message]).toEqual([
        -32602,
        'params.arguments: must be an object, not []',
      ]);
    }
  });

  it('each capability that is advertised is served, in both protocols, and no other', async () => {
    const advertised = { tools: {}, resources: {}, prompts: {}, completions: {} };
    const served = {
      tools: ['tools/list'],
      resources: ['resources/list', 'resources/templates/list'],
      prompts: ['prompts/list'],
    };
    for (const revision of revisions) {
      const { reply } =
        revision === 'handshake'
          ? await protocol.send('initialize', {
              protocolVersion: '2025-11-25',
              capabilities: {},
              clientInfo: { name: 'test', version: '1' },
            })
          : await protocol.send('server/discover', {}, { revision });
      const { capabilities } = reply.result as { capabilities: Record<string, Record<string, unknown>> };
      expect(Object.keys(capabilities).sort()).toEqual(Object.keys(advertised).sort());
      for (const one of Object.values(capabilities))
        for (const value of Object.values(one)) expect(value).toBe(false);
      for (const method of Object.values(served).flat())
        expect((await protocol.send(method, {}, { revision })).reply.result, method).toBeDefined();
      for (const method of ['resources/subscribe', 'resources/unsubscribe', 'logging/setLevel']) {
        const refused = await protocol.send(method, { uri: 'company://AAPL', level: 'info' }, { revision });
        expect(refused.reply.error?.code, method).toBe(-32601);
      }
    }
  });

  it.each(everyWay)('lists can be read to the end, $way in the $revision protocol', async (how) => {
    const pages = async (method: string, member: string) => {
      const found: { name: string; uri?: string }[] = [];
      const cursors: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const { reply } = await protocol.send(method, cursor === undefined ? {} : { cursor }, how);
        const { [member]: rows, nextCursor, ...rest } = reply.result as Record<string, unknown>;
        found.push(...(rows as typeof found));
        if (how.revision === 'current')
          expect(rest).toMatchObject({
            resultType: 'complete',
            cacheScope: 'public',
            ttlMs: expect.any(Number),
          });
        else if (how.way === 'plain') expect(rest).toEqual({});
        if (nextCursor === undefined) break;
        cursor = nextCursor as string;
        expect(cursors).not.toContain(cursor);
        cursors.push(cursor);
      }
      for (const wrong of ['', 'x', '0', `${cursors[0] ?? 'c'}x`]) {
        const { status, reply } = await protocol.send(method, { cursor: wrong }, how);
        expect([status, reply.error?.code, reply.error?.data?.code]).toEqual([200, -32602, 'invalid_cursor']);
      }
      return { found, pages: cursors.length + 1 };
    };
    const resources = await pages('resources/list', 'resources');
    const uris = resources.found.map(({ uri }) => uri ?? '');
    expect(resources.pages).toBeGreaterThan(1);
    expect(new Set(uris).size).toBe(uris.length);
    for (const eventType of eventTypes) expect(uris).toContain(`reference://event-types/${eventType}`);
    const templates = await pages('resources/templates/list', 'resourceTemplates');
    expect(templates.found.length).toBe(resourceTemplates.length);
    const listed = await pages('prompts/list', 'prompts');
    expect(listed.found.map(({ name }) => name)).toEqual(prompts.map(({ name }) => name));
    expect((await pages('tools/list', 'tools')).pages).toBe(1);
  });
});

describe('a resource', () => {
  it('every listed resource is read without a key and is a text that is not empty', async () => {
    for (let cursor: string | undefined; ; ) {
      const page = await client.listResources(cursor === undefined ? {} : { cursor });
      for (const { uri, mimeType } of page.resources) {
        const { status, reply } = await protocol.send('resources/read', { uri });
        expect(status).toBe(200);
        const [text, ...others] = (reply.result as { contents: Text[] }).contents;
        expect([text?.uri, text?.mimeType, others]).toEqual([uri, mimeType, []]);
        expect(text?.text).toMatch(/\n- \S/);
        expect(sizeOf(text)).toMatchObject({ shortened: false });
      }
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
  });

  it('a former name of a form is told as the list tells it, whether or not a filing has it', async () => {
    for (const uri of ['reference://forms/SC%2013D', 'reference://forms/SC%2013G%2FA'])
      expect((await textsOf(uri))[0]?.text).toMatch(/\n- SC 13[DG]: beneficial_ownership_.*; now called /);
  });

  it('a template names no argument in its description that it always refuses', () => {
    const [described] = resourceTemplates.filter(({ name }) => name === 'company-insider-transactions');
    expect(described?.description).toContain('`owner`');
    expect(described?.description).not.toContain('`tickers`');
  });

  it('a list of the reference has every value of the document, and says where it is cut', async () => {
    const document = await service.json<Record<string, Record<string, unknown>[]>>('/reference.json');
    for (const [path, member, key] of [
      ['forms', 'forms', 'form'],
      ['items', 'items', 'code'],
      ['event-types', 'eventTypes', 'eventType'],
      ['change-types', 'changeTypes', 'changeType'],
      ['roles', 'roles', 'role'],
      ['exchanges', 'exchanges', 'exchange'],
      ['states', 'states', 'state'],
      ['error-codes', 'errorCodes', 'code'],
    ] as const) {
      const values = (document[member] ?? []).map((row) => String(row[key]));
      const [{ text }] = (await textsOf(`reference://${path}?maxTokens=100000`)) as [Text];
      const told = text.split('\n').flatMap((line) => /^- ([^:]+):/.exec(line)?.[1] ?? []);
      expect(told).toEqual(values);
      const [cut] = (await textsOf(`reference://${path}?maxTokens=100`)) as [Text];
      if (cut.text === text) continue;
      const rows = cut.text.match(/^- /gm)?.length ?? 0;
      expect(cut.text).toContain(`, the first ${rows} of ${values.length}:`);
      expect(cut.text).toContain('Shortened to 100 tokens (`maxTokens`)');
      expect(sizeOf(cut)).toMatchObject({ maxTokens: 100, shortened: true });
    }
    for (const { form, eventType } of (document['forms'] ?? []).slice(0, 20)) {
      const [{ text }] = (await textsOf(`reference://event-types/${String(eventType)}`)) as [Text];
      expect(text).toMatch(new RegExp(`\\bforms .*${String(form)}`));
    }
  });

  it.each(cases)('$uri gives what its tool gives', async ({ template, given, uri }) => {
    const { reads, preset } = allResources.find(({ uriTemplate }) => uriTemplate === template) ?? {};
    const tool = await client.callTool({ name: reads?.name ?? '', arguments: { ...preset, ...given } });
    const [{ text: said }] = tool.content as [Text];
    const [text, data] = (await textsOf(uri)) as [Text, Text];
    expect([text.uri, text.mimeType, text.text]).toEqual([uri, 'text/plain', said]);
    expect([data.uri, data.mimeType]).toEqual([uri, 'application/json']);
    expect(JSON.parse(data.text)).toEqual(tool.structuredContent);
    const { maxTokens, shortened, tokens, structuredTokens } = sizeOf(text);
    expect([maxTokens, tokens, structuredTokens]).toEqual([
      Number(given['maxTokens'] ?? 8000),
      Math.ceil(text.text.length / 4),
      Math.ceil(Buffer.byteLength(data.text) / 4),
    ]);
    expect(shortened).toBe(text.text.includes('\nShortened to '));
  });

  it('resources of a company together have its whole history, by the cursor in each text', async () => {
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const [text, data] = (await textsOf(
        resourceUri('company://{ticker}/filings', { ticker: 'AAPL', maxTokens: 900, cursor }),
      )) as [Text, Text];
      const { data: rows, meta } = JSON.parse(data.text) as {
        data: { accessionNo: string }[];
        meta: { nextCursor: string | null };
      };
      seen.push(...rows.map(({ accessionNo }) => accessionNo));
      if (meta.nextCursor === null) break;
      cursor = /the cursor (\S+)$/m.exec(text.text)?.[1];
      expect(cursor).toBe(meta.nextCursor);
    }
    const all = await service.all<{ accessionNo: string }>('/v1/sec/company/AAPL/filings?limit=200');
    expect(seen).toEqual(all.map(({ accessionNo }) => accessionNo));
  });

  it('a resource needs the direct key exactly if its tool does', async () => {
    const gateway = {
      'x-marketplace-host': 'x',
      'x-marketplace-key': 'y',
      'x-marketplace-proxy-secret': 'z',
    };
    for (const { uri } of cases)
      for (const headers of [{}, { 'x-api-key': 'wrong' }, gateway]) {
        const sent = await protocol.send('resources/read', { uri }, { headers });
        expect([sent.status, sent.reply.error?.code]).toEqual([401, -32001]);
        expect(JSON.stringify(sent.reply)).not.toMatch(/Apple|\d{10}-\d{2}-\d{6}/);
      }
  });

  it.each(everyWay)('a resource is the same $way in the $revision protocol', async (how) => {
    for (const uri of ['company://AAPL', 'reference://items', 'watchlist://AAPL,MSFT?maxTokens=900']) {
      const first = await protocol.send('resources/read', { uri }, { headers: withKey });
      const { reply } = await protocol.send('resources/read', { uri }, { ...how, headers: withKey });
      const { contents, ...rest } = reply.result as { contents: unknown };
      expect(contents).toEqual((first.reply.result as { contents: unknown }).contents);
      if (how.revision === 'current')
        expect(rest).toMatchObject({
          resultType: 'complete',
          cacheScope: uri.startsWith('reference') ? 'public' : 'private',
        });
      else expect(rest).toEqual({});
    }
  });
});

describe('a URI that is refused', () => {
  const refusalOf = async (uri: unknown, how: Parameters<Protocol['send']>[2] = {}) => {
    const sent = await protocol.send('resources/read', { uri }, { headers: withKey, ...how });
    return { status: sent.status, ...(sent.reply.error as NonNullable<ProtocolReply['error']>) };
  };

  it.each<[string, string, string]>([
    ['file:///etc/passwd', 'not_found', 'filing://'],
    ['https://www.sec.gov/', 'not_found', 'company://'],
    ['company://AAPL/../../etc', 'not_found', 'uri: must be'],
    ['reference://nope', 'not_found', 'resources/list'],
    ['filing://0000000000-25-000079', 'filing_not_found', 'Data up to 2026-08-17'],
    ['company://apple%20inc', 'company_not_found', 'did you mean AAPL ("Apple Inc."'],
    ['company://ZZZZ', 'company_not_found', 'ZZZZ'],
  ])('%s is not found: %s', async (uri, code, words) => {
    for (const { revision, way } of everyWay) {
      const refused = await refusalOf(uri, { revision, way });
      expect([refused.status, refused.data]).toEqual([200, { code, uri }]);
      expect(refused.message).toContain(words);
      // The newer protocol has no code of its own for it.
      expect(refused.code).toBe(revision === 'current' ? -32602 : -32002);
    }
  });

  it.each<[unknown, string]>([
    ['', 'uri: must be one of filing://'],
    ['AAPL', 'uri: must be one of filing://'],
    ['company://AAPL#x', 'uri: must be one of'],
    ['company://user@AAPL', 'uri: must be one of'],
    ['company:\\\\AAPL', 'uri: must be one of'],
    ['company://AAPL\n', 'uri: must be one of'],
    ['company://%0a', 'control characters'],
    ['company://%00', 'control characters'],
    ['company://%ff', 'percent-encoded'],
    ['company://%', 'percent-encoded'],
    ['company://', 'ticker: must be'],
    ['company://..%2F..%2Fetc%2Fpasswd', 'company_not_found|ticker: must be'],
    ['filing://1', 'accessionNo: must be an accession number'],
    ['company://AAPL?nope=1', '"nope": sec_company_profile takes'],
    ['company://AAPL?ticker=MSFT', 'ticker: must be given once'],
    ['company://AAPL/filings?limit=5&limit=6', 'limit: must be given once'],
    ['company://AAPL/filings?form=10k', 'the nearest is 10-K'],
    ['company://AAPL/filings?maxTokens=0', 'maxTokens: must be an integer'],
    ['company://AAPL/filings?cursor=x', 'invalid_cursor'],
    ['company://KO/insider-filings?form=144', 'form: must be 3, 4, 5'],
    ['watchlist://', 'tickers: must be'],
    ['reference://items/99.9', 'items: must be'],
    ['reference://forms?detail=full', '"detail": reference takes'],
    [5, 'params.uri: must be the URI of a resource'],
    [null, 'params.uri: must be the URI of a resource'],
  ])('%j is refused in words that help', async (uri, words) => {
    const refused = await refusalOf(uri);
    expect([refused.status, [-32602, -32002].includes(refused.code)]).toEqual([200, true]);
    expect(refused.message).toMatch(new RegExp(words.replaceAll(/[?(){}.]/g, '\\$&')));
  });

  it('a URI that is too long is refused with its beginning', async () => {
    const { message } = await refusalOf(`company://${'A'.repeat(5000)}`);
    expect(message).toContain('at most 4000 characters');
    expect(message.length).toBeLessThan(300);
  });

  it('a URI that was made for arguments names them again', () =>
    fc.assert(
      fc.property(
        fc.constantFrom(...allResources),
        fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }).filter((text) => !/\p{Cc}/u.test(text)),
        fc.dictionary(fc.constantFrom('limit', 'form', 'maxTokens'), fc.string({ maxLength: 5 })),
        ({ uriTemplate, preset }, value, query) => {
          const [, own] = /\{(\w+)\}/.exec(uriTemplate) ?? [];
          const given = { ...query, ...(own === undefined ? {} : { [own]: value }) };
          const read = resourceNamed(resourceUri(uriTemplate, given));
          expect([read.template.uriTemplate, read.given]).toEqual([uriTemplate, { ...preset, ...given }]);
        },
      ),
    ));
});
