import { createWriteStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { gunzipSync } from 'node:zlib';
import { bulkPath } from '../../src/contract/bulk.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { createRandom } from '../support/generate.ts';
import { listeningService, serviceKey } from '../support/service.ts';
import { mixedRequests } from './requests.ts';
import { readVocabulary } from './vocabulary.ts';

/**
 * Records what a service answers, so that two versions can be compared:
 *
 *     node --import tsx test/bench/record-answers.ts SNAPSHOTS REQUESTS ANSWERS [COUNT]
 *
 * The first run writes COUNT distinct requests of every kind to REQUESTS; later runs of either version send
 * the same ones. ANSWERS gets a line for each: status, headers and the digest of the body. Of files of the
 * change feed the inflated rows count, and of their list everything but lengths and digests: another version
 * of the compressor may give others.
 */
const [snapshots = '', requests = '', answers = '', count = '2000'] = process.argv.slice(2);
/** Tools that answer with the same records, through the other handler. */
const toolCalls = (accessionNos: readonly string[]) => [
  ...accessionNos.flatMap((accessionNo) =>
    ['compact', 'full'].map((detail) => ({ name: 'sec_filing_summary', arguments: { accessionNo, detail } })),
  ),
  ...['compact', 'full'].map((detail) => ({
    name: 'sec_latest_filings',
    arguments: { limit: 50, detail, maxTokens: 100_000 },
  })),
];

interface Asked {
  readonly target: string;
  readonly body?: string;
}

async function makeRequests(): Promise<Asked[]> {
  const vocabulary = await readVocabulary(snapshots, createRandom(11));
  const accessionNos = vocabulary.filings.slice(0, 100).map(({ accessionNo }) => accessionNo);
  return [
    ...mixedRequests(vocabulary, Number(count), createRandom(12)),
    ...accessionNos.map((accessionNo) => ({ target: `/v1/sec/forms/${accessionNo}/summary` })),
    { target: `/v1/sec/filings?accessionNos=${accessionNos.slice(0, 50).join(',')}` },
    { target: `/v1/sec/filings?accessionNos=${accessionNos[0]},0000000000-00-000000` },
    ...toolCalls(accessionNos.slice(0, 50)).map((params, id) => ({
      target: '/mcp',
      body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
    })),
  ];
}

if (!existsSync(requests)) writeFileSync(requests, JSON.stringify(await makeRequests()));
const asked = JSON.parse(readFileSync(requests, 'utf8')) as Asked[];
const service = await listeningService(snapshots);
const out = createWriteStream(answers);
for (const { target, body } of asked) {
  const response = await fetch(`http://127.0.0.1:${service.port}${target}`, {
    headers: {
      'X-API-Key': serviceKey,
      Authorization: `Bearer ${serviceKey}`,
      ...(body ? { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' } : {}),
    },
    ...(body ? { method: 'POST', body } : {}),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isFile = target.startsWith(`${bulkPath}/`) && response.status === 200;
  const isList = target.split('?')[0] === bulkPath;
  const compared = isFile
    ? gunzipSync(bytes)
    : isList
      ? Buffer.from(bytes.toString().replaceAll(/"bytes":\d+|"sha256":"[0-9a-f]+"/g, ''))
      : bytes;
  const headers = [
    'content-type',
    'link',
    'cache-control',
    'data-stale',
    ...(isFile || isList ? [] : ['etag']),
  ];
  out.write(
    `${target} ${body ?? ''} ${response.status} ${headers.map((name) => response.headers.get(name)).join(' ')} ${compared.length} ${sha256Of(compared)}\n`,
  );
}
out.end();
await finished(out);
await service.close();
