import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { BrokenLedger } from '../../build/ledger/batch.ts';
import { openThread, type Thread } from '../../build/work/thread.ts';
import type { Answering } from '../processes/answering.ts';
import { until } from '../support/wait.ts';

const program = new URL('../processes/answering.ts', import.meta.url).href;
const loader = `import('tsx/esm/api').then(({ register }) => {
  register();
  return import(${JSON.stringify(program)});
});`;

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of open.splice(0)) await end();
});

function openHere(): Thread<Answering> & { readonly lines: string[]; readonly stop: AbortController } {
  const lines: string[] = [];
  const stop = new AbortController();
  let starts = 0;
  const thread = openThread<Answering>({
    does: 'answers',
    names: ['twice', 'fail', 'untilAborted', 'exit', 'spin', 'starts'],
    start: () => new Worker(loader, { eval: true, workerData: { starts: ++starts } }),
    errors: [BrokenLedger],
    log: (line, level) => void lines.push(`${level ?? 'info'}: ${line}`),
    signal: stop.signal,
    pauseMs: 1,
  });
  open.push(thread.end);
  return { ...thread, lines, stop };
}

describe('calls that a thread answers', () => {
  it('each call gets its own answer, and errors keep their class and their kind', async () => {
    const { calls } = openHere();
    expect(await Promise.all([1, 2, 3].map((number) => calls.twice(number)))).toEqual([2, 4, 6]);
    await expect(calls.fail('broken')).rejects.toThrow(BrokenLedger);
    await expect(calls.fail('broken')).rejects.toThrow('torn');
    await expect(calls.fail('kind')).rejects.toMatchObject({ message: 'no', kind: 'refused' });
  });

  it("a thread logs through its caller, and its signal is aborted when the caller's is", async () => {
    const { calls, lines, stop } = openHere();
    const aborted = calls.untilAborted();
    await until(() => lines.includes('debug: waiting'));
    stop.abort();
    expect(await aborted).toBe('aborted');
  });

  it('a thread that starts after the signal was aborted learns of it', { tags: ['slow'] }, async () => {
    const { calls, stop } = openHere();
    stop.abort();
    expect(await calls.untilAborted()).toBe('aborted');
  });

  it('a thread that ends by itself is started again by the next call', { tags: ['slow'] }, async () => {
    const { calls, lines } = openHere();
    expect(await calls.starts()).toBe(1);
    const others = calls.untilAborted();
    const ended = await Promise.allSettled([calls.exit(), others]);
    expect(ended.map((each) => each.status === 'rejected' && (each.reason as Error).message)).toEqual([
      'the thread that answers has ended',
      'the thread that answers has ended',
    ]);
    expect(await calls.starts()).toBe(2);
    expect(lines).toContain('error: the thread that answers has ended; it is started again');
  });

  it('a thread ends in the middle of what it does, and is not started again', async () => {
    const { calls, lines, end } = openHere();
    const spinning = calls.spin();
    const caught = expect(spinning).rejects.toThrow('the thread that answers has ended');
    await until(() => lines.includes('info: spinning'));
    await end();
    await caught;
    await expect(calls.twice(1)).rejects.toThrow('the thread that answers has ended');
    expect(lines).toEqual(['info: spinning']);
  });
});
