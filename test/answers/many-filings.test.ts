import { beforeAll, describe, expect, it } from 'vitest';
import { FilingsResponse } from '../../src/contract/envelopes.ts';
import { createProtocol } from '../support/protocol.ts';
import { sampleKey, useSample } from '../support/sample.ts';

const service = useSample();
let known: string[];
beforeAll(async () => {
  const { data } = await service.json<{ data: { accessionNo: string }[] }>('/v1/sec/latest?limit=50');
  known = data.map(({ accessionNo }) => accessionNo);
});

const path = '/v1/sec/filings?accessionNos=';
const ask = async (entries: readonly string[]) => {
  const response = await service.get(`${path}${entries.join(',')}`);
  expect(response.status).toBe(200);
  return FilingsResponse.parse(await response.json());
};

describe('filings by accession number', () => {
  it('fifty filings come in the order asked, each as its summary gives it', async () => {
    const asked = [...known].sort().reverse();
    expect(asked.length).toBe(50);
    const { data, meta } = await ask(asked);
    expect(data.map(({ accessionNo }) => accessionNo)).toEqual(asked);
    expect(meta).toEqual({
      count: 50,
      unknown: [],
      newestFiledAt: '2026-08-17',
      notInvestmentAdvice: true,
    });
    for (const each of data.slice(0, 5)) {
      const summary = await service.get(`/v1/sec/forms/${each.accessionNo}/summary`);
      expect(((await summary.json()) as { data: unknown }).data).toEqual(each);
    }
  });

  it('unknown accession numbers are named in the order asked, and repeated ones count once', async () => {
    const [first = '', second = ''] = known;
    const { data, meta } = await ask([
      '0000000009-26-000002',
      second,
      '0000000009-26-000001',
      first.replaceAll('-', ''),
      first,
      '000000000926000002',
    ]);
    expect(data.map(({ accessionNo }) => accessionNo)).toEqual([second, first]);
    expect(meta).toMatchObject({ count: 2, unknown: ['0000000009-26-000002', '0000000009-26-000001'] });
    expect(await ask(['0000000009-26-000001'])).toMatchObject({
      data: [],
      meta: { count: 0, unknown: ['0000000009-26-000001'] },
    });
  });

  it('more than fifty and texts that are no accession numbers are refused', async () => {
    const number = (at: number) => `0000000009-26-${String(at).padStart(6, '0')}`;
    const many = (count: number) => Array.from({ length: count }, (_, at) => number(at)).join(',');
    expect((await service.get(`${path}${many(50)}`)).status).toBe(200);
    for (const text of [many(51), '', ',', `${number(1)},`, `${number(1)},x`, 'x', '0000320193-25-00007']) {
      const response = await service.get(`${path}${text}`);
      expect([text, response.status]).toEqual([text, 400]);
      expect(await response.text()).toContain('accessionNos: must be 1 to 50 accession numbers');
    }
    expect((await service.get('/v1/sec/filings')).status).toBe(400);
  });

  it('the tool takes a list as well, gives the same answer and says what is unknown', async () => {
    const call = async (accessionNos: unknown) => {
      const { reply } = await createProtocol(service).send(
        'tools/call',
        { name: 'sec_filings_by_number', arguments: { accessionNos, detail: 'full' } },
        { headers: { 'x-api-key': sampleKey } },
      );
      return reply.result as { content: { text: string }[]; structuredContent: unknown };
    };
    const asked = [known[3] ?? '', '0000000009-26-000001', known[1] ?? ''];
    const { content, structuredContent } = await call(asked);
    expect(structuredContent).toEqual(await ask(asked));
    const text = content[0]?.text ?? '';
    expect(text).toContain('2 filings, in the order asked.');
    expect(text.indexOf(asked[0] as string)).toBeLessThan(text.indexOf(asked[2] as string));
    expect(text).toContain('This service has no filing 0000000009-26-000001.');
  });
});
