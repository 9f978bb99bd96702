import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { livePerSecond } from '../bench/load.ts';
import { greatest } from '../bench/row.ts';
import { runCampaign, type Outcome } from './campaign.ts';
import { quoted } from './response.ts';
import { ownServer, startService } from './service.ts';

const usage = `Sends hostile requests to a service that it starts itself, and looks at every answer.

  node --import tsx test/campaign/main.ts [--requests 200000] [--seed N] [--server PATH/src/start.mjs] [--only SCRIPT]

  --requests N   how many (default 20000)
  --seed N       everything follows from it (default: drawn, and printed)
  --server FILE  the service of another tree (default: of this one)
  --only N       plays one script of the campaign alone`;
const rssBytesMaximum = 300 * 1024 * 1024;
/** `/livez` is answered within so many milliseconds, whatever others ask for. */
const liveMsMaximum = 100;
const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(0)} MB`;

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    seed: { type: 'string' },
    server: { type: 'string', default: ownServer },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
const only = values.only === undefined ? {} : { only: Number(values.only) };
const startedAt = performance.now();
const service = await startService({ server: values.server });
console.log(`${values.requests} requests, --seed ${seed}, ${values.server} on port ${service.port}`);
async function progress(requests: number, failures: number): Promise<void> {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  const { rssBytes } = await service.usage();
  console.log(`  ${requests} requests, ${failures} failures, RSS ${megabytes(rssBytes)}, ${seconds} s`);
}
try {
  print(await runCampaign(service, { requests: Number(values.requests), seed, ...only, progress }));
} finally {
  await service.stop();
}

/** Says how it went, failures by rule and kind with the bytes of the first of each. */
function print({
  requests,
  connections,
  statuses,
  failures,
  counts,
  logged,
  peakRssBytes,
  liveMs,
}: Outcome): void {
  const worstMs = greatest(liveMs);
  console.log(
    `${requests} requests on ${connections} connections; peak RSS ${megabytes(peakRssBytes)} (bound ${megabytes(rssBytesMaximum)})`,
  );
  console.log(
    `/livez beside it: ${liveMs.length} times, worst ${worstMs.toFixed(0)} ms, about ${(liveMs.indexOf(worstMs) / livePerSecond).toFixed(0)} s after the start (bound ${liveMsMaximum} ms)`,
  );
  console.log(
    `statuses: ${[...statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, count]) => `${status} × ${count}`)
      .join(', ')}`,
  );
  const directory = failures.length > 0 ? mkdtempSync(join(tmpdir(), 'campaign-failures-')) : '';
  for (const [key, count] of [...counts].sort(([a], [b]) => a.localeCompare(b))) {
    console.log(`\n${key}: ${count}`);
    for (const [index, failure] of failures
      .filter(({ rule, kind }) => `${rule} · ${kind}` === key)
      .entries()) {
      const file = join(directory, `${key.replaceAll(/\W+/g, '-')}-${index}.bin`);
      writeFileSync(file, failure.bytes);
      console.log(
        `  --seed ${failure.seed} --only ${failure.script}, request ${failure.at}: ${failure.detail}`,
      );
      console.log(`    ${quoted(failure.bytes, 600)}\n    whole in ${file}`);
    }
  }
  const reasons = new Map<string, number>();
  for (const line of logged) {
    const {
      path,
      reason,
      stack = '',
    } = JSON.parse(line) as { path?: string; reason?: string; stack?: string };
    const text = `${path}: ${reason}, at ${/src\/[^)\s]+/.exec(stack)?.[0] ?? 'nowhere'}`;
    reasons.set(text, (reasons.get(text) ?? 0) + 1);
  }
  for (const [reason, count] of reasons) console.log(`\nlogged: ${reason} × ${count}`);
  const isGood =
    counts.size === 0 && logged.length === 0 && peakRssBytes < rssBytesMaximum && worstMs < liveMsMaximum;
  const failed = [...counts.values()].reduce((sum, count) => sum + count, 0);
  console.log(isGood ? '\ngood' : `\n${failed} failures, ${logged.length} errors in the log`);
  process.exitCode = isGood ? 0 : 1;
}
