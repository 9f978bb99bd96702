import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { serviceFigures } from '../../src/metrics/service-figures.ts';
import { metricsOf } from '../support/metrics.ts';
import { listeningService, type ListeningService } from '../support/service.ts';
import { makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';

let made: MadeSnapshot;
let service: ListeningService;
let nowMs: number;
beforeEach(async () => {
  made = await makeSnapshot({ filings: 20, companies: 2, batches: 1 });
  nowMs = Date.parse('2026-05-04T12:00:00Z');
  service = await listeningService(made.directory, {}, undefined, null, {
    now: () => nowMs,
    elapsed: () => 0,
  });
});

const pointerPath = () => join(made.directory, 'current.json');
const ready = async () => {
  const answer = await service.ask('/readyz');
  return [answer.status, ((await answer.json()) as { pointer: unknown }).pointer];
};
async function read(): Promise<(string | number | undefined)[]> {
  const metrics = await metricsOf(serviceFigures(service.measured));
  const values = await metrics.read();
  return ['age_seconds', 'expires_seconds', 'refused', 'refusals_total'].map((name) =>
    values.get(`fei_pointer_${name}`),
  );
}

describe('the pointer of a service', () => {
  it('a pointer without a signature has no age', async () => {
    expect(await ready()).toEqual([
      200,
      { madeAt: null, ageSeconds: null, expired: null, refusedSince: null },
    ]);
    expect(await read()).toEqual([undefined, undefined, 0, 0]);
  });

  it('readiness and metrics tell the age and the end of a signed pointer', async () => {
    const signature = {
      key: '0'.repeat(16),
      number: 1,
      madeAt: '2026-05-03T12:00:00.000Z',
      expiresAt: '2026-05-10T12:00:00.000Z',
      signature: 'AAAA',
    };
    const pointer = JSON.parse(readFileSync(pointerPath(), 'utf8')) as object;
    writeFileSync(pointerPath(), JSON.stringify({ ...pointer, signature }));
    await service.services.served.check();
    const { madeAt } = signature;
    expect(await ready()).toEqual([200, { madeAt, ageSeconds: 86_400, expired: false, refusedSince: null }]);
    expect(await read()).toEqual([86_400, 6 * 86_400, 0, 0]);
    nowMs += 7 * 86_400_000;
    expect(await ready()).toEqual([
      200,
      { madeAt, ageSeconds: 8 * 86_400, expired: true, refusedSince: null },
    ]);
    expect(await read()).toEqual([8 * 86_400, -86_400, 0, 0]);
  });

  it('readiness and metrics tell since when a pointer is refused, until a good one is there', async () => {
    const good = readFileSync(pointerPath());
    writeFileSync(pointerPath(), '{"format":2}');
    await service.services.served.check();
    const refusedSince = new Date(nowMs).toISOString();
    nowMs += 5000;
    await service.services.served.check();
    expect(await ready()).toEqual([200, { madeAt: null, ageSeconds: null, expired: null, refusedSince }]);
    expect(await read()).toEqual([undefined, undefined, 1, 1]);
    expect(service.measured.warnings.get('snapshot_refused')).toBe(1);
    writeFileSync(pointerPath(), good);
    await service.services.served.check();
    expect((await ready())[1]).toMatchObject({ refusedSince: null });
    expect(await read()).toEqual([undefined, undefined, 0, 1]);
  });
});
