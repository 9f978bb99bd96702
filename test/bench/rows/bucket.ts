import worker from '../../../src/edge.ts';
import type { Bucket } from '../../../src/remote/bucket.ts';
import { folderBucket } from '../../support/folder-bucket.ts';
import { latest } from '../addresses.ts';
import { withStarted } from '../child.ts';
import { startTimer } from '../load.ts';
import { drawRequests, largestShareOfClients, usualRequests } from '../requests.ts';
import { decimal, row, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { apiKey, startService } from '../service.ts';

const requestsMeasured = 1500;
const pollsMeasured = 1000;
/** How often what clients ask most is asked again. */
const again = 40;
const origin = 'https://filings.example.com';

/** What an isolate has taken so far. */
interface Taken {
  readonly cpuMs: number;
  readonly reads: number;
  readonly bytes: number;
}

/**
 * What the worker over a bucket takes in one isolate: reads of the bucket (operations of class B), bytes of them, and CPU, for
 * its first answer, for requests of every kind, for the same again, and for polls.
 */
export async function bucketRows(scratch: Scratch): Promise<Row[]> {
  const { snapshots } = await scratch.snapshot(scratch.filings.large);
  const { vocabulary, targets } = await drawRequests(snapshots, requestsMeasured, 11, largestShareOfClients);
  const { bucket, taken: read } = countingBucket(folderBucket(snapshots));
  let sentBytes = 0;
  async function ask(target: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
    const request = new Request(`${origin}${target}`, {
      headers: { 'x-api-key': apiKey, 'accept-encoding': 'gzip', ...more },
    });
    const response = await worker.fetch(
      request,
      { SNAPSHOTS: bucket, API_KEYS: apiKey, BASE_URL: origin },
      { waitUntil: (work) => void work.catch((error: Error) => scratch.say(error.message)) },
    );
    if (response.status !== 200 && response.status !== 304)
      throw new Error(`${target}: status ${response.status}`);
    sentBytes += (await response.arrayBuffer()).byteLength;
    return response.headers.get('etag') ?? '';
  }
  const taken = (): Taken => {
    const { user, system } = process.cpuUsage();
    return { cpuMs: (user + system) / 1000, ...read() };
  };
  async function measured(what: string, count: number, work: () => Promise<void>): Promise<Row> {
    const [before, sentBefore] = [taken(), sentBytes];
    await work();
    const after = taken();
    const each = (name: keyof Taken) => (after[name] - before[name]) / count;
    return row(
      `bucket: ${what}, ${decimal(scratch.filings.large)} filings`,
      `${decimal(each('reads'), 2)} reads of ${decimal(each('bytes') / 1000, 1)} KB in all, ${decimal(each('cpuMs'), 2)} ms of CPU, ${decimal((sentBytes - sentBefore) / count / 1000, 1)} KB sent`,
    );
  }
  const askAll = async (some: readonly string[]) => {
    for (const target of some) await ask(target);
  };
  const usual = usualRequests(vocabulary).flat();
  const usualAgain = Array.from({ length: again }, () => usual).flat();
  return [
    await measured('the first answer of an isolate', 1, () => askAll([latest])),
    await measured('what clients ask most, for the first time', usual.length, () => askAll(usual)),
    await measured('the same again', again * usual.length, () => askAll(usualAgain)),
    await measured('a request of any kind, never asked before', targets.length, () => askAll(targets)),
    await measured('the same again', targets.length, () => askAll(targets)),
    await measured('a poll of latest with an ETag, nothing new', pollsMeasured, async () => {
      const etag = await ask(latest);
      for (let number = 1; number < pollsMeasured; number++) await ask(latest, { 'if-none-match': etag });
    }),
    await rowOfService(snapshots, targets, usualAgain),
  ];
}

/** What the same takes of a service over the folder, which has more memory and reads no bucket. */
function rowOfService(snapshots: string, targets: readonly string[], usual: readonly string[]): Promise<Row> {
  return withStarted(async (keep) => {
    const [service, timer] = [await keep(startService(snapshots)), await keep(startTimer())];
    const cpuMs: number[] = [];
    for (const some of [targets, targets, usual]) {
      const before = await service.usage();
      await timer.ask(service, some, { connections: 1 });
      cpuMs.push((((await service.usage()).cpuSeconds - before.cpuSeconds) * 1000) / some.length);
    }
    const [first = NaN, second = NaN, most = NaN] = cpuMs;
    return row(
      'beside the bucket: a service over the folder',
      `${decimal(first, 2)} ms of CPU for a request of any kind, ${decimal(second, 2)} for the same again, ${decimal(most, 2)} for what clients ask most, again and again`,
    );
  });
}

/** A bucket that counts how often it is read, and the bytes that it gives. */
function countingBucket(bucket: Bucket): { bucket: Bucket; taken: () => { reads: number; bytes: number } } {
  let [reads, bytes] = [0, 0];
  return {
    bucket: {
      ...bucket,
      async get(key, options) {
        reads++;
        const object = await bucket.get(key, options);
        const { range } = options ?? {};
        if (object?.arrayBuffer && range) bytes += Math.min(range.length, object.size - range.offset);
        else if (object?.text) bytes += object.size;
        return object;
      },
    },
    taken: () => ({ reads, bytes }),
  };
}
