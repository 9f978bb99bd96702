import { openPartHost } from '../../src/remote/host.ts';
import { startFileHost } from './file-host.ts';
import { hasNginx, startNginx } from './nginx.ts';
import { sampleService, serviceOver, type SampleService } from './sample.ts';
import { noJournal } from './journal.ts';

/** What a service over the embedded sample stands on. */
export interface Ground {
  readonly name: string;
  start(): Promise<SampleService>;
}

/** A service over a host of files that holds the sample. `serve` starts the host of a directory. */
async function overHost(serve: (directory: string) => Promise<{ readonly address: string; stop(): Promise<void> }>): Promise<SampleService> {
  const shared = await sampleService();
  await shared.close();
  const host = await serve(shared.snapshots);
  const service = await serviceOver(shared.snapshots, noJournal, Date.now, openPartHost(host.address, { now: Date.now }));
  return {
    ...service,
    async close() {
      await service.close();
      await host.stop();
    },
  };
}

/** Everything that a service can stand on, each of which has to keep the contract. */
export const grounds: readonly Ground[] = [
  { name: 'a folder', start: sampleService },
  hasNginx
    ? { name: 'nginx', start: () => overHost(startNginx) }
    : { name: 'a host of files', start: () => overHost(async (directory) => startFileHost(directory).then(({ address, close }) => ({ address, stop: close }))) },
];
