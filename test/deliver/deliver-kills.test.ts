import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { ChangeFilter } from '../../clients/typescript/src/node.ts';
import { addAction } from '../../build/deliver/operator.ts';
import { readState } from '../../build/deliver/delivery-state.ts';
import { clientService } from '../support/clients.ts';
import { start, type Running } from '../support/command.ts';
import { changesBehindFirst, deliveriesOf, firstCursor } from '../support/delivering.ts';
import { useDirectories } from '../support/directories.ts';
import { startFaultyProxy, type Fault } from '../support/faulty-proxy.ts';
import { createRandom } from '../support/generate.ts';
import { secretOf, startReceivers, type Answer } from '../support/receivers.ts';
import { serviceKey } from '../support/service.ts';

/**
 * How often something is killed in a nightly run. `DELIVER_KILLS=1000 npx vitest run test/deliver/deliver-kills.test.ts`
 * takes an hour.
 */
const manyKills = Number(process.env['DELIVER_KILLS'] ?? 30);
const seed = Number(process.env['DELIVER_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

const directory = useDirectories('deliver-kills');
let running: Running | null = null;
afterAll(() => void running?.child.kill('SIGKILL'));

// Each kill is a start of a program, on a machine that may be busy.
describe.each([
  { kills: 8, tags: ['slow'] },
  { kills: manyKills, tags: ['slow', 'nightly'] },
])(`through failures and $kills kills with seed ${seed}`, ({ kills, tags }) => {
  it('each endpoint has exactly the changes of its filter, in order, and repeats only the last one', {
    tags,
    timeout: 120_000 + kills * 12_000,
  }, async () => {
    const random = createRandom(seed);
    const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
    const served = await clientService(60);
    const faults: readonly Fault[] = ['limited', 'cut', 'unavailable', 'lost'];
    const proxy = await startFaultyProxy(
      () => served.service.port,
      () => (random() < 0.05 ? pick(faults) : null),
    );
    let isOver = false;
    const failures: readonly Answer[] = [
      500,
      503,
      404,
      302,
      410,
      (response) => void response.destroy(),
      (response) => {
        response.writeHead(200, { 'content-length': '5' }).write('ab', () => response.destroy());
        return 'accepted';
      },
      // It never answers.
      () => {},
    ];
    const receivers = await startReceivers(
      () => (isOver || random() > 0.08 ? 204 : pick(failures)),
      [secretOf(1), secretOf(2)],
    );
    const folder = directory();
    const deliveries = deliveriesOf(() => proxy.address, folder);
    const cursor = await firstCursor(served.address);
    const filters: Readonly<Record<string, ChangeFilter>> = {
      all: {},
      forms: { form: '8-K' },
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
    const stateDirectory = join(folder, 'state');
    const enableAll = async () => {
      const { endpoints } = await readState(stateDirectory);
      for (const [name, { disabled }] of endpoints)
        if (disabled !== null)
          await addAction(stateDirectory, () => readState(stateDirectory), {
            does: 'enable',
            endpoint: name,
          });
    };
    const delivered = async () =>
      [...(await readState(stateDirectory)).endpoints.values()].reduce(
        (sum, each) => sum + each.delivered,
        0,
      );
    const begin = () =>
      start(
        [
          'deliver',
          '--endpoints',
          join(folder, 'endpoints.json'),
          '--service',
          proxy.address,
          '--state',
          stateDirectory,
          '--allow-private',
        ],
        { API_KEY: serviceKey, LOG_LEVEL: 'warn' },
      );

    const counts = { deliverer: 0, receivers: 0, service: 0 };
    let livesMs = 1500;
    running = begin();
    for (let killed = 0; killed < kills; killed++) {
      const before = await delivered().catch(() => 0);
      await pause(livesMs * (0.3 + random()));
      const dies = pick(['deliverer', 'deliverer', 'receivers', 'service'] as const);
      counts[dies]++;
      if (dies === 'receivers') {
        await receivers.down();
        await pause(300 * random());
        await receivers.up();
      } else if (dies === 'service') {
        await proxy.down();
        await served.restart();
        await proxy.up();
      } else {
        expect(running.child.exitCode).toBeNull();
        running.child.kill('SIGKILL');
        const { code, signal } = await running.ended;
        expect([code, signal]).toEqual([null, 'SIGKILL']);
        await enableAll().catch(() => {});
        running = begin();
      }
      if (killed % 5 === 0) await served.publish(2 * (1 + Math.floor(random() * 20)));
      // On a busy machine it has to live longer to deliver anything.
      livesMs = (await delivered().catch(() => 0)) === before ? Math.min(8000, livesMs * 1.25) : 1500;
    }
    isOver = true;
    // Whoever is disabled, or waits for its next attempt, goes on at once.
    running.child.kill('SIGKILL');
    await running.ended;
    await enableAll();
    running = begin();
    // Only this program can deliver these, so it runs, and ends in order, when they have come.
    await served.publish(2);
    const addressNow = `http://127.0.0.1:${served.service.port}`;
    for (const [name, filter] of Object.entries(filters)) {
      const wanted = (await changesBehindFirst(addressNow, filter)).map(({ sequence }) => sequence);
      expect(wanted.length).toBeGreaterThan(10);
      const got = () => receivers.accepted(`/${name}`).map(({ change }) => change.sequence);
      await expect.poll(() => got().at(-1), { timeout: 100_000 }).toBe(wanted.at(-1));
      const withoutRepeats = (all: readonly number[]) => all.filter((each, at) => each !== all[at - 1]);
      expect(withoutRepeats(got())).toEqual(wanted);
      // Also what was not accepted came in that order: nothing was tried before what stands before it.
      const tried = receivers.at(`/${name}`);
      expect(withoutRepeats(tried.map(({ change }) => change.sequence))).toEqual(wanted);
      for (const { id, change, secrets } of tried)
        expect([id, secrets.length]).toEqual([`${change.filing.accessionNo}.${change.revision}`, 2]);
    }
    running.child.kill('SIGTERM');
    expect((await running.ended).code).toBe(0);
    const twice = Object.keys(filters).reduce((sum, name) => {
      const ids = receivers.accepted(`/${name}`).map(({ id }) => id);
      return sum + ids.length - new Set(ids).size;
    }, 0);
    console.log(`seed ${seed}: kills ${JSON.stringify(counts)}, ${twice} messages accepted twice`);
    await receivers.close();
    await proxy.close();
    await served.close();
  });
});
