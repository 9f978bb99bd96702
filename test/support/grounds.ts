import { openPartHost } from '../../src/remote/host.ts';
import { closing } from './closing.ts';
import { startFileHost } from './file-host.ts';
import { startNginx } from './nginx.ts';
import { keysWith, startEdge } from './edge.ts';
import { askingBy, sampleKey, sampleService, serviceOver, type SampleService } from './sample.ts';
import { noJournal } from './journal.ts';
import { has, type Need } from './needs.ts';

/** What a service over the embedded sample stands on. */
export interface Ground {
  /** What it takes beside the packages of the project. */
  readonly need?: Need;
  readonly name: string;
  start(): Promise<SampleService>;
}

/** A service over a host of files that holds the sample. `serve` starts the host of a directory. */
async function overHost(
  serve: (directory: string) => Promise<{ readonly address: string }>,
): Promise<SampleService> {
  const shared = await sampleService();
  await shared.close();
  const host = await serve(shared.snapshots);
  return serviceOver(shared.snapshots, noJournal, Date.now, openPartHost(host.address, { now: Date.now }));
}

/** The worker in its engine, over a bucket with the sample. */
async function overBucket(): Promise<SampleService> {
  const shared = await sampleService();
  await shared.close();
  const edge = await startEdge({});
  await edge.bucket.put('keys.json', keysWith(sampleKey));
  await edge.upload(shared.snapshots);
  const ask = (path: string, init: RequestInit) =>
    fetch(`${edge.address}${path}`, {
      ...init,
      redirect: 'manual',
      headers: { 'accept-encoding': 'identity', ...(init.headers as Record<string, string>) },
    });
  return {
    snapshots: shared.snapshots,
    ...askingBy((path, headers = {}, method = 'GET') =>
      ask(path, { method, headers: { 'x-api-key': sampleKey, ...headers } }),
    ),
    post: (path, body, headers = {}) =>
      ask(path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } }),
    fetch: () => {
      throw new Error('the engine listens by itself');
    },
    look: async () => {},
    close: closing(() => edge.stop()),
  };
}

/** Everything that a service can stand on, each of which has to keep the contract. */
export const grounds: readonly Ground[] = [
  { name: 'a folder', start: sampleService },
  has('nginx')
    ? { name: 'nginx', start: () => overHost(startNginx) }
    : { name: 'a host of files', start: () => overHost(startFileHost) },
  { name: 'a worker and its bucket', need: 'engine', start: overBucket },
];
