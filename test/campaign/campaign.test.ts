import { afterAll, beforeAll, expect, it } from 'vitest';
import { sampleService } from '../support/sample.ts';
import { runCampaign } from './campaign.ts';
import { quoted } from './response.ts';
import { startService, type Service } from './service.ts';

// Thousands of requests to a process of its own; `test/campaign/main.ts` plays more of them by hand.
const testMs = 240_000;
const requests = 5000;
const rssBytesMaximum = 300 * 1024 * 1024;

let service: Service;
beforeAll(async () => {
  const { snapshots, close } = await sampleService();
  await close();
  service = await startService({ snapshots });
}, testMs);
afterAll(() => service.stop());

const seeds = [
  ['a fixed seed', 20261121, ['slow', 'nightly']],
  ['a seed of this run', Math.floor(Math.random() * 2 ** 31), ['slow']],
] as const;

for (const [name, seed, tags] of seeds)
  it(`the service answers hostile requests as its documents say, with ${name}: ${seed}`, {
    tags: [...tags],
    timeout: testMs,
  }, async () => {
    const { counts, failures, logged, peakRssBytes } = await runCampaign(service, { requests, seed });
    const shown = failures
      .slice(0, 10)
      .map(
        ({ script, at, rule, detail, bytes }) =>
          `--seed ${seed} --only ${script}, request ${at}: ${rule}: ${detail}\n  ${quoted(bytes, 1000)}`,
      );
    expect(Object.fromEntries(counts), shown.join('\n')).toEqual({});
    expect(logged).toEqual([]);
    expect(peakRssBytes).toBeLessThan(rssBytesMaximum);
  });
