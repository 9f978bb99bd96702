import { beforeAll, describe, expect, it } from 'vitest';
import { eventTypes } from '../../src/domain/event-types.ts';
import { itemTitles } from '../../src/domain/items.ts';
import { prompts } from '../../src/contract/prompts.ts';
import type { Company } from '../../src/contract/records.ts';
import { resourceTemplates } from '../../src/contract/resources.ts';
import { useAssistant } from '../support/assistant.ts';
import {
  changesOf,
  filingsOf,
  insiderFilingsOf,
  readModel,
  type LedgerModel,
} from '../support/ledger-model.ts';
import { createProtocol, everyWay, sizeOf, type Text } from '../support/protocol.ts';
import { sampleKey, sampleLedger, useSample } from '../support/sample.ts';

const service = useSample();
const client = useAssistant(service);
const protocol = createProtocol(service);
let sample: LedgerModel;
beforeAll(async () => void (sample = await readModel(sampleLedger)));

const withKey = { 'x-api-key': sampleKey };
const [apple, microsoft, nvidia] = ['0000320193', '0000789019', '0001045810'] as const;

/** The question of a prompt, and the texts that come with it. */
async function ask(name: string, given: Record<string, string>) {
  const { messages } = await client.getPrompt({ name, arguments: given });
  const [question, ...others] = messages.map(({ role, content }) => {
    expect(role).toBe('user');
    return (content.type === 'resource' ? content.resource : content) as Text;
  });
  return { question: question as Text, resources: others };
}

const numbersIn = ({ text }: Text) =>
  [...text.matchAll(/^- .* \[(\d{10}-\d{2}-\d{6})\]/gm)].map(([, accessionNo = '']) => accessionNo);
const numbersOf = (filings: readonly { readonly accessionNo: string }[]) =>
  filings.map(({ accessionNo }) => accessionNo);

describe('a prompt', () => {
  it.each(prompts)(
    '$name has texts of resources that can be read by their URIs',
    async ({ name, example }) => {
      const { question, resources } = await ask(name, example);
      for (const value of Object.values(example)) expect(question.text).toContain(value.split(',')[0]);
      expect(resources.length).toBeGreaterThan(0);
      for (const { uri = '', mimeType, text } of resources) {
        expect(mimeType).toBe('text/plain');
        const [read] = (await client.readResource({ uri })).contents as unknown as [Text];
        expect(read.text).toBe(text);
      }
    },
  );

  it('what is new in a watchlist has every change of its companies', async () => {
    const since = '2026-08-01';
    const { question, resources } = await ask('watchlist_news', { tickers: 'AAPL, MSFT,nope', since });
    const [text] = resources as [Text];
    expect(numbersIn(text)).toEqual(
      [apple, microsoft].flatMap((company) =>
        numbersOf(changesOf(sample, { company, since }).map(({ filing }) => filing)),
      ),
    );
    expect(text.text).toContain('nope: no company of this service');
    expect(question.text).toMatch(/^What is new at AAPL, MSFT, nope since 2026-08-01\?/);
  });

  it('insider sales has Forms 4 with their XML and Forms 144, and says where sales stand', async () => {
    const since = '2026-05-01';
    const { question, resources } = await ask('insider_sales', { ticker: 'NVDA', since });
    const [sales, insiders, planned] = resources as [Text, Text, Text];
    expect(sales.text).toContain('have none here: the list of insider filings names them');
    const expected = insiderFilingsOf(sample, nvidia).filter(
      ({ form, filedAt }) => form.startsWith('4') && (filedAt ?? '') >= since,
    );
    expect(expected.length).toBeGreaterThan(1);
    expect(numbersIn(insiders)).toEqual(numbersOf(expected).slice(0, 20));
    expect(insiders.text).toMatch(/https:\/\/www\.sec\.gov\/Archives\/\S+\.xml/);
    expect(numbersIn(planned)).toEqual(
      numbersOf(filingsOf(sample, { company: nvidia, form: ['144', '144/A'], since })).slice(0, 20),
    );
    expect(question.text).toMatch(/whether they report a sale is not in this data: say so/);
    const [read] = (await ask('insider_sales', { ticker: 'AMZN' })).resources as [Text];
    expect(read.text).toMatch(
      /"Herrington Douglas J" \(.*\) sold 6,370 shares .* in 3 transactions at 261\.8781 to 263\.8538 dollars on 21 May 2026, planned under Rule 10b5-1 \[/,
    );
  });

  it('a comparison has both profiles and the events of both', async () => {
    const since = '2026-07-15';
    const { resources } = await ask('compare_events', { ticker: 'AAPL', otherTicker: 'MSFT', since });
    const [first, second, events] = resources as [Text, Text, Text];
    expect([first.text, second.text]).toEqual([
      expect.stringContaining(`"Apple Inc." (AAPL), CIK ${apple}`),
      expect.stringContaining(`"MICROSOFT CORP" (MSFT), CIK ${microsoft}`),
    ]);
    expect(first.text).toContain('Industry (SIC) 3571 ');
    expect(numbersIn(events)).toEqual(
      [apple, microsoft].flatMap((company) =>
        numbersOf(changesOf(sample, { company, since }).map(({ filing }) => filing)),
      ),
    );
  });

  it('a prompt keeps to its budget, and each text that is cut says so', async () => {
    const given = { tickers: 'AAPL,MSFT,NVDA,GOOGL,AMZN,KO', since: '2020-01-01' };
    for (const maxTokens of [300, 1000, 3000, 20_000])
      for (const [name, own] of [
        ['watchlist_news', given],
        ['insider_sales', { ticker: 'NVDA' }],
        ['company_brief', { ticker: 'GOOGL' }],
      ] as const) {
        const { question, resources } = await ask(name, { ...own, maxTokens: String(maxTokens) });
        const tokens = [question, ...resources].reduce((sum, { text }) => sum + text.length / 4, 0);
        const isLeast = resources.every((each) => numbersIn(each).length <= 1);
        expect(tokens <= maxTokens || isLeast, `${name} ${maxTokens}: ${tokens}`).toBe(true);
        for (const each of resources) {
          const { shortened, maxTokens: share, tokens: own } = sizeOf(each);
          expect(own).toBe(Math.ceil(each.text.length / 4));
          expect(each.text.includes(`\nShortened to ${share} token`)).toBe(shortened);
        }
      }
    const { resources } = await ask('watchlist_news', { ...given, maxTokens: '1000' });
    expect(sizeOf(resources[0]).shortened).toBe(true);
    expect(resources[0]?.text).toContain('call again with the same arguments and the cursor');
  });

  it.each<[string, object, string]>([
    ['watchlist_news', {}, 'invalid_parameter: tickers: is required'],
    ['watchlist_news', { tickers: 'AAPL', nope: 'x' }, 'invalid_parameter: "nope": watchlist_news takes'],
    ['watchlist_news', { tickers: 'AAPL', maxTokens: '0' }, 'invalid_parameter: maxTokens: must be'],
    ['watchlist_news', { tickers: 'AAPL', since: 'June' }, 'invalid_parameter: since: must be'],
    [
      'compare_events',
      { ticker: 'AAPL', otherTicker: 'aapl' },
      'invalid_parameter: otherTicker: must be another',
    ],
    [
      'compare_events',
      { ticker: 'GOOG', otherTicker: 'GOOGL' },
      'invalid_parameter: otherTicker: must be another',
    ],
    [
      'compare_events',
      { ticker: 'AAPL', otherTicker: '0000320193' },
      'invalid_parameter: otherTicker: must be another',
    ],
    ['company_brief', { ticker: 'coca cola' }, 'company_not_found: coca cola: .*did you mean KO'],
    ['company_brief', { ticker: '__proto__' }, 'invalid_parameter: ticker|company_not_found'],
    ['explain_filing', { accessionNo: '0000000000-25-000079' }, 'filing_not_found: '],
    ['nope', {}, 'not_found: name: must be one of the prompts watchlist_news'],
    ['__proto__', {}, 'not_found: name: must be one of'],
  ])('%s with %j is refused in the words of the operations', async (name, given, words) => {
    for (const how of everyWay) {
      const { status, reply } = await protocol.send(
        'prompts/get',
        { name, arguments: given },
        { ...how, headers: withKey },
      );
      expect([status, reply.error?.code]).toEqual([200, -32602]);
      expect(reply.error?.message).toMatch(new RegExp(words));
      expect(reply.error?.message.startsWith(`${reply.error.data?.code}: `)).toBe(true);
    }
  });

  it('a prompt with parameters of wrong types is refused as a tool is', async () => {
    for (const params of [
      {},
      { name: 5 },
      { name: 'company_brief', arguments: [] },
      { name: 'x', arguments: 'y' },
    ])
      for (const how of everyWay) {
        const { status, reply } = await protocol.send('prompts/get', params, { ...how, headers: withKey });
        expect([status, reply.error?.code], JSON.stringify(params)).toEqual([200, -32602]);
      }
  });

  it.each(everyWay)('a prompt is the same $way in the $revision protocol, and needs a key', async (how) => {
    const params = { name: 'company_brief', arguments: { ticker: 'AAPL' } };
    const first = await client.getPrompt(params);
    const { reply } = await protocol.send('prompts/get', params, { ...how, headers: withKey });
    expect(reply.result).toMatchObject(JSON.parse(JSON.stringify(first)) as object);
    const refused = await protocol.send('prompts/get', params, how);
    expect([refused.status, refused.reply.error?.code]).toEqual([401, -32001]);
  });
});

describe('a completion', () => {
  const ofPrompt = (name: string) => ({ type: 'ref/prompt' as const, name });
  const ofResource = (uri: string) => ({ type: 'ref/resource' as const, uri });
  const complete = async (
    ref: ReturnType<typeof ofPrompt> | ReturnType<typeof ofResource>,
    name: string,
    value: string,
  ) => (await client.complete({ ref, argument: { name, value } })).completion;

  it('a company is completed by its symbol or name, and the last one of a list', async () => {
    for (const [value, expected] of [
      ['app', 'AAPL'],
      ['MSFT', 'MSFT'],
      ['coca', 'KO'],
      ['0000320193', 'AAPL'],
    ] as const) {
      expect((await complete(ofResource('company://{ticker}'), 'ticker', value)).values).toContain(expected);
      expect((await complete(ofPrompt('compare_events'), 'otherTicker', value)).values).toContain(expected);
      expect((await complete(ofPrompt('watchlist_news'), 'tickers', `NVDA,${value}`)).values).toContain(
        `NVDA,${expected}`,
      );
    }
    const search = await service.json<{ data: Company[] }>('/v1/sec/companies/search?q=in&limit=20');
    expect((await complete(ofPrompt('company_brief'), 'ticker', 'in')).values).toEqual(
      search.data.map(({ ticker, cik }) => ticker ?? cik),
    );
    for (const nothing of ['', ' ', 'x', '\n', 'zzzzzz', 'x'.repeat(500)])
      expect((await complete(ofPrompt('company_brief'), 'ticker', nothing)).values).toEqual([]);
  });

  it('forms, families and items are completed by what they begin with, at most 100', async () => {
    const { forms } = await service.json<{ forms: { form: string; newName: string | null }[] }>(
      '/reference.json',
    );
    const inUse = forms.filter(({ newName }) => newName === null).map(({ form }) => form);
    for (const [uri, name, all] of [
      ['reference://forms/{form}', 'form', inUse],
      ['company://{ticker}/filings', 'form', inUse],
      ['reference://event-types/{eventType}', 'eventType', eventTypes],
      ['reference://items/{items}', 'items', itemTitles.map(([code]) => code)],
    ] as const)
      for (const typed of ['', '1', '8-k', 'an', '2.0', 'S', 'nope']) {
        const matching = all.filter((value) => value.toLowerCase().startsWith(typed.toLowerCase()));
        expect(await complete(ofResource(uri), name, typed)).toEqual({
          values: matching.slice(0, 100),
          total: matching.length,
          hasMore: matching.length > 100,
        });
      }
    expect((await complete(ofResource('watchlist://{tickers}'), 'form', '10-K,8-K1')).values).toContain(
      '10-K,8-K12B',
    );
  });

  it('every argument of a template or prompt can be completed, if only with nothing', async () => {
    for (const { uriTemplate, reads } of resourceTemplates)
      for (const { parameter } of reads.arguments)
        expect((await complete(ofResource(uriTemplate), parameter.name, 'x')).values).toBeInstanceOf(Array);
    for (const { name, arguments: own } of prompts)
      for (const { parameter } of own)
        expect((await complete(ofPrompt(name), parameter.name, '5')).values).toBeInstanceOf(Array);
  });

  it.each(everyWay)('symbols need a key, forms do not, $way in the $revision protocol', async (how) => {
    const params = (name: string, value: string) => ({
      ref: ofResource('company://{ticker}/filings'),
      argument: { name, value },
    });
    const refused = await protocol.send('completion/complete', params('ticker', 'app'), how);
    expect([refused.status, refused.reply.error?.code]).toEqual([401, -32001]);
    expect(JSON.stringify(refused.reply)).not.toContain('AAPL');
    const { reply } = await protocol.send('completion/complete', params('form', '10-K'), how);
    expect(reply.result).toMatchObject({ completion: { values: expect.arrayContaining(['10-K', '10-KT']) } });
  });

  it.each<[object, string]>([
    [{}, 'params.ref: must be an object'],
    [{ ref: {} }, 'params.argument: must be an object'],
    [{ ref: {}, argument: {} }, 'argument.value: must be a text'],
    [{ ref: {}, argument: { name: 'x', value: 'y' } }, 'ref.type: must be ref/prompt or ref/resource'],
    [
      { ref: { type: 'ref/prompt', name: 'nope' }, argument: { name: 'x', value: 'y' } },
      'one of the prompts',
    ],
    [
      { ref: { type: 'ref/resource', uri: 'file:///{x}' }, argument: { name: 'x', value: 'y' } },
      'a template',
    ],
    [
      { ref: { type: 'ref/prompt', name: 'explain_filing' }, argument: { name: 'ticker', value: 'y' } },
      'argument.name: must be one of accessionNo, maxTokens',
    ],
  ])('%j is refused: %s', async (params, words) => {
    const { status, reply } = await protocol.send('completion/complete', params, { headers: withKey });
    expect([status, reply.error?.code]).toEqual([200, -32602]);
    expect(reply.error?.message).toContain(words);
  });
});
