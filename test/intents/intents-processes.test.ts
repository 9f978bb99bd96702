import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { paths } from '../../src/format/snapshot.ts';
import { RecordedIntents, ValidationStatsResponse } from '../../src/contract/intents.ts';
import { command } from '../support/command.ts';
import { useDirectories } from '../support/directories.ts';
import { startService, type ServiceProcess } from '../support/service-process.ts';
import { makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';
import { serviceOver } from '../support/sample.ts';
import { buildQuietly } from '../support/snapshots.ts';
import { currentId, manifestOf } from '../support/whole.ts';

const directory = useDirectories('intents-processes');

let made: MadeSnapshot;
beforeAll(async () => void (made = await makeSnapshot({ filings: 60, companies: 4, batches: 1 })));

/** Statistics of the snapshot that is current now. */
async function statistics(days: number) {
  const service = await serviceOver(made.directory);
  const response = await service.get(`/v1/validation/stats?days=${days}`, { 'x-api-key': 'sample-key' });
  expect(response.status).toBe(200);
  const { data } = ValidationStatsResponse.parse(await response.json());
  return data;
}

// Three services and thousands of requests, then builds in processes of their own.
describe('intents of several processes', { tags: ['slow'], timeout: 120_000 }, () => {
  it('each acknowledged intent counts once, also of a killed process', async () => {
    const intents = join(made.directory, 'intents');
    const environment = { SNAPSHOTS_DIR: made.directory };
    const services = await Promise.all([1, 2, 3].map(() => startService(environment)));
    const acknowledged: string[] = [];
    const perClient = 60;
    let sent = 0;
    const visitor = async (at: number): Promise<void> => {
      for (let number = 0; number < perClient; number++) {
        // The first service is killed while all of them are at work.
        if (++sent === 900) void services[0]?.stop('SIGKILL');
        const name = `visitor ${at} visit ${number}`;
        const service = services[(at + number) % services.length] as ServiceProcess;
        const answered = await fetch(
          `${service.address}/validate/public-procurement/${number % 2 ? 'view' : 'request'}`,
          { method: 'POST', headers: { 'user-agent': name } },
        ).then(
          (response) => response.status,
          () => 0,
        );
        if (answered === 202) acknowledged.push(name);
        else expect([answered, service]).toEqual([0, services[0]]);
      }
    };
    await Promise.all(Array.from({ length: 40 }, (_, at) => visitor(at)));
    expect(acknowledged.length).toBeGreaterThan(1500);
    expect(acknowledged.length).toBeLessThan(40 * perClient);
    await Promise.all(services.map((service) => service.stop()));

    expect(
      (await command(['build', '--ledger', made.ledgerDirectory, '--snapshots', made.directory], environment))
        .code,
    ).toBe(0);
    const lines = readdirSync(intents)
      .flatMap((name) => readFileSync(join(intents, name), 'utf8').split('\n'))
      .filter((line) => line !== '');
    const names = lines.map((line) => (JSON.parse(line) as { userAgent: string }).userAgent);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(names)).toEqual(new Set([...names, ...acknowledged]));
    const { total, recent, funnels } = await statistics(7);
    expect([total, recent.length]).toEqual([names.length, 50]);
    expect(funnels.find(({ market }) => market === 'public-procurement')).toMatchObject({
      views: names.filter((name) => Number(name.split(' ').at(-1)) % 2 === 1).length,
    });
  });

  it('the intents of a visit show in the statistics after the next build', async () => {
    const before = await statistics(7);
    const service = await startService({ SNAPSHOTS_DIR: made.directory });
    const steps = [
      'view',
      'demo',
      'download?target=product-recalls',
      'request?target=product-recalls',
      'marketplace',
    ];
    for (const step of steps)
      expect((await fetch(`${service.address}/validate/consumer-product-safety/${step}`)).status).toBe(202);
    await service.stop();
    // The journal lies beside the snapshots that are built, also where the directory is named by the argument
    // alone.
    expect(
      (await command(['build', '--ledger', made.ledgerDirectory, '--snapshots', made.directory])).code,
    ).toBe(0);
    const after = await statistics(7);
    expect(after.total).toBe(before.total + steps.length);
    expect(after.funnels.find(({ market }) => market === 'consumer-product-safety')).toMatchObject({
      views: 1,
      demos: 1,
      downloads: 1,
      requests: 1,
      marketplaceClicks: 1,
      strongIntent: 3,
      viewToStrongIntentRate: 3,
    });
    expect(after.targetFunnels.find(({ target }) => target === 'product-recalls')).toMatchObject({
      views: 0,
      downloads: 1,
      requests: 1,
      strongIntent: 2,
      viewToStrongIntentRate: null,
    });
    // The snapshot holds what it was counted from: it can be derived again.
    const { documents, settings } = await manifestOf(made.directory);
    const intents = RecordedIntents.parse(
      JSON.parse(readFileSync(join(made.directory, paths.file(documents['intents']?.sha256 ?? '')), 'utf8')),
    );
    const elsewhere = directory();
    expect(await buildQuietly(made.ledgerDirectory, elsewhere, { settings, intents })).toBe(
      await currentId(made.directory),
    );
  });

  it('statistics of intents are verified with the ledger', async () => {
    const verified = await command(['verify', '--ledger', made.ledgerDirectory], {
      SNAPSHOTS_DIR: made.directory,
    });
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('gives the same bytes')]);
  });
});
