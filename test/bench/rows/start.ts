import { createRandom } from '../../support/generate.ts';
import type { Server } from '../child.ts';
import { createMix, type MixedRequest } from '../requests.ts';
import { decimal, megabytes, median, type Row } from '../row.ts';
import type { Built, Scratch } from '../scratch.ts';
import { apiKey, startService } from '../service.ts';
import { readVocabulary, type Vocabulary } from '../vocabulary.ts';

const starts = 7;
/** The first starts also answer requests, for the memory that they take. */
const startsWithRequests = 2;
const requestsSent = 2000;
const growthMaximum = 1.1;

/** What the starts on one snapshot took. */
interface Starts {
  readonly seconds: number[];
  readonly cpuSeconds: number[];
  readonly bytesAtFirst: number[];
  readonly bytesAfterRequests: number[];
}

/** Start and memory on the large snapshot, and how they grow from the small one. */
export async function startRows(scratch: Scratch): Promise<Row[]> {
  const { small, large } = scratch.filings;
  const contestants = [];
  for (const filings of [small, large]) {
    const built = await scratch.snapshot(filings);
    const started: Starts = { seconds: [], cpuSeconds: [], bytesAtFirst: [], bytesAfterRequests: [] };
    contestants.push({ built, vocabulary: await readVocabulary(built.snapshots, built.id, built.manifest, createRandom(3)), started });
  }
  for (let at = 0; at < starts; at++) {
    for (const { built, vocabulary, started } of contestants) await startOnce(built, at < startsWithRequests ? vocabulary : null, started);
  }
  const [before, after] = contestants.map(({ started }) => started) as [Starts, Starts];
  const row = (what: string, name: keyof Starts, format: (value: number) => string, maximum: number): Row => {
    const [from, to] = [median(before[name]), median(after[name])];
    return {
      what: `${what}, ${decimal(large)} filings`,
      measured: `${format(to)} (least ${format(Math.min(...after[name]))}), ${(to / from).toFixed(2)} of that with ${decimal(small)} filings (${format(from)})`,
      bound: `< ${format(maximum)}, growth <= ${growthMaximum}`,
      holds: to < maximum && to / from <= growthMaximum,
    };
  };
  scratch.say(`processor time of a start: ${median(before.cpuSeconds).toFixed(2)} s small, ${median(after.cpuSeconds).toFixed(2)} s large`);
  return [
    row('start to first answer', 'seconds', (value) => `${value.toFixed(2)} s`, 0.5),
    row('memory after the first answer', 'bytesAtFirst', megabytes, 150e6),
    row(`memory after ${decimal(requestsSent)} requests`, 'bytesAfterRequests', megabytes, 150e6),
  ];
}

async function startOnce({ snapshots }: Built, vocabulary: Vocabulary | null, started: Starts): Promise<void> {
  const server = await startService(snapshots);
  try {
    await ask(server, '/v1/sec/latest');
    started.seconds.push((performance.now() - server.startedAtMs) / 1000);
    const { cpuSeconds, rssBytes } = await server.usage();
    started.cpuSeconds.push(cpuSeconds);
    started.bytesAtFirst.push(rssBytes);
    if (vocabulary === null) return;
    const mix = createMix(vocabulary, createRandom(5));
    let last: MixedRequest = mix.next();
    for (let sent = 0; sent < requestsSent; sent++) last = mix.next(last, await ask(server, last.path));
    started.bytesAfterRequests.push((await server.usage()).rssBytes);
  } finally {
    await server.stop();
  }
}

async function ask({ port }: Server, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-api-key': apiKey } });
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${path}: status ${response.status}, ${body}`);
  return body;
}
