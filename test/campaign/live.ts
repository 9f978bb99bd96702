import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** How `/livez` was answered beside a campaign. */
export interface Live {
  readonly count: number;
  /** The longest time of an answer, in milliseconds. */
  readonly worstMs: number;
  /** When that was asked, in milliseconds since the first time. */
  readonly worstAfterMs: number;
}

/** Asks for `/livez` all the time, from its first answer on until the function that is returned is called. */
export async function watchLive(port: number): Promise<() => Promise<Live>> {
  const worker = new Worker(new URL('live-worker.mjs', import.meta.url), { workerData: port });
  await once(worker, 'message');
  return async () => {
    worker.postMessage('stop');
    const [live] = (await once(worker, 'message')) as [Live];
    await worker.terminate();
    return live;
  };
}
