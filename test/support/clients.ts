import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { appendBatch } from '../../build/ledger/batch.ts';
import { batchAt, company, filing } from './made-up.ts';
import { listeningService, type ListeningService } from './service.ts';
import { makeSnapshot, type MadeSnapshot } from './snapshot.ts';
import { buildQuietly } from './snapshots.ts';
import type { BuildOptions } from '../../build/snapshot/build.ts';

/** The folder of the clients. */
export const clients = fileURLToPath(new URL('../../clients/', import.meta.url));

/** Runs a program. Rejects with what it printed if it fails. */
export const run = promisify(execFile);

/** A service over a made-up ledger of filings of the company T1. */
export interface ClientService {
  readonly made: MadeSnapshot;
  /** The one that runs now. */
  readonly service: ListeningService;
  readonly address: string;
  /** Publishes new filings; every other one, from the first on, is an 8-K. */
  publish(count: number): Promise<void>;
  /** Ends the service, and starts another one over the same snapshots. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a service with so many filings. */
export async function clientService(
  count: number,
  options: Partial<BuildOptions> = {},
): Promise<ClientService> {
  const made = await makeSnapshot();
  let [published, batches] = [0, 0];
  const append = async (more: number) => {
    batches++;
    await appendBatch(made.ledgerDirectory, {
      run: { target: 'made up', status: 'success', message: null, createdAt: batchAt(batches) },
      filings: Array.from({ length: more }, (_, at) =>
        filing(published + at, { form: (published + at) % 2 === 0 ? '8-K' : '10-Q', filedAt: '2026-02-05' }),
      ),
      companies: batches === 1 ? [company(1), company(2)] : [],
      refusals: [],
    });
    published += more;
    await buildQuietly(made.ledgerDirectory, made.directory, options);
  };
  await append(count);
  let service = await listeningService(made.directory);
  return {
    made,
    get service() {
      return service;
    },
    address: `http://127.0.0.1:${service.port}`,
    async publish(more) {
      await append(more);
      await service.services.served.check();
    },
    async restart() {
      await service.close();
      service = await listeningService(made.directory);
    },
    async close() {
      await service.close();
      await made.remove();
    },
  };
}

/** The variables with which a Python program finds the client. */
export const pythonEnvironment = { ...process.env, PYTHONPATH: `${clients}python/src` };
