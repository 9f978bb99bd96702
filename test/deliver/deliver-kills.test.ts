import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import type { ChangeFilter } from '../../clients/typescript/src/node.ts';
import { clientService } from '../support/clients.ts';
import { start, type Running } from '../support/command.ts';
import { changesBehindFirst, deliveriesOf, firstCursor } from '../support/delivering.ts';
import { useDirectories } from '../support/directories.ts';
import { createRandom } from '../support/generate.ts';
import { often } from '../support/often.ts';
import { secretOf, startReceivers } from '../support/receivers.ts';
import { serviceKey } from '../support/service.ts';

const directory = useDirectories('deliver-kills');
let running: Running | null = null;
afterAll(() => void running?.child.kill('SIGKILL'));

// The simulator also stops endpoints, the service and the network. Here a process of its own is killed.
for (const { times: kills, options } of often(3, 30, 12_000))
  it(
    `through ${kills} kills each endpoint has exactly the changes of its filter, in order, and repeats only the last one`,
    options,
    async () => {
      const seed = Math.floor(Math.random() * 2 ** 31);
      const random = createRandom(seed);
      const served = await clientService(60);
      const receivers = await startReceivers(() => (random() > 0.05 ? 204 : 503), [secretOf(1), secretOf(2)]);
      const folder = directory();
      const deliveries = deliveriesOf(() => served.address, folder);
      const cursor = await firstCursor(served.address);
      const filters: Readonly<Record<string, ChangeFilter>> = {
        all: {},
        company: { tickers: ['T1'], form: '10-Q' },
        family: { eventType: 'current_report' },
      };
      deliveries.write(
        Object.entries(filters).map(([name, filter]) => ({
          name,
          url: `${receivers.address}/${name}`,
          secrets: [secretOf(1), secretOf(2)],
          cursor,
          ...(filter as object),
        })),
      );
      const files = ['--endpoints', join(folder, 'endpoints.json'), '--state', join(folder, 'state')];
      const begin = () =>
        start(['deliver', '--service', served.address, ...files, '--allow-private'], {
          API_KEY: serviceKey,
          LOG_LEVEL: 'warn',
        });
      const received = () => receivers.at('/all').length;

      for (let killed = 0; killed < kills; killed++) {
        running = begin();
        const before = received();
        await expect.poll(received).toBeGreaterThan(before);
        await pause(300 * random());
        expect(running.child.exitCode).toBeNull();
        running.child.kill('SIGKILL');
        await running.ended;
        await served.publish(2 * (1 + Math.floor(random() * 20)));
      }
      running = begin();
      for (const [name, filter] of Object.entries(filters)) {
        const wanted = (await changesBehindFirst(served.address, filter)).map(({ sequence }) => sequence);
        expect(wanted.length).toBeGreaterThan(10);
        const got = () => receivers.accepted(`/${name}`).map(({ change }) => change.sequence);
        await expect.poll(() => got().at(-1), { timeout: 100_000 }).toBe(wanted.at(-1));
        const withoutRepeats = (all: readonly number[]) => all.filter((each, at) => each !== all[at - 1]);
        expect(withoutRepeats(got()), `seed ${seed}`).toEqual(wanted);
        // Also what was not accepted came in that order: nothing was tried before what stands before it.
        const tried = receivers.at(`/${name}`);
        expect(withoutRepeats(tried.map(({ change }) => change.sequence)), `seed ${seed}`).toEqual(wanted);
        for (const { id, change, secrets } of tried)
          expect([id, secrets.length]).toEqual([`${change.filing.accessionNo}.${change.revision}`, 2]);
      }
      running.child.kill('SIGTERM');
      expect((await running.ended).code).toBe(0);
      await receivers.close();
      await served.close();
    },
  );
