import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runCampaign } from './campaign.ts';
import { quoted } from './response.ts';
import { ownServer, startService } from './service.ts';

const usage = `Sends hostile requests to a service that it starts itself, and looks at every answer.

  node --import tsx test/campaign/main.ts [--requests 200000] [--seed N] [--server PATH/src/server.ts] [--only SCRIPT]

  --requests N   how many (default 20000)
  --seed N       everything follows from it (default: drawn, and printed)
  --server FILE  the service of another tree (default: of this one)
  --only N       plays one script of the campaign alone`;
const rssBytesMaximum = 300 * 1024 * 1024;
const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(0)} MB`;

const { values } = parseArgs({ options: { requests: { type: 'string', default: '20000' },
  seed: { type: 'string' }, server: { type: 'string', default: ownServer }, only: { type: 'string' },
  help: { type: 'boolean', default: false } } });
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
const service = await startService(values.server);
const startedAt = performance.now();
console.log(`${values.requests} requests, --seed ${seed}, ${values.server} on port ${service.port}`);
try {
  const outcome = await runCampaign(service, {
    requests: Number(values.requests), seed, ...(values.only === undefined ? {}
      : { only: Number(values.only) }),
    progress: (requests, failures) => console.log(`  ${requests} requests, ${failures} failures, RSS ${megabytes(service.rssBytes())}, ${((performance.now() - startedAt) / 1000).toFixed(0)} s`),
  });
  console.log(`${outcome.requests} requests on ${outcome.connections} connections; peak RSS ${megabytes(outcome.peakRssBytes)} (bound ${megabytes(rssBytesMaximum)})`);
  console.log(`statuses: ${[...outcome.statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status} × ${count}`).join(', ')}`);
  const directory = outcome.failures.length > 0 ? mkdtempSync(join(tmpdir(), 'campaign-failures-')) : '';
  for (const [key, count] of [...outcome.counts].sort(([a], [b]) => a.localeCompare(b))) {
    console.log(`\n${key}: ${count}`);
    for (const [index, failure] of outcome.failures.filter(({ rule,
      kind }) => `${rule} · ${kind}` === key).entries()) {
      const file = join(directory, `${key.replaceAll(/\W+/g, '-')}-${index}.bin`);
      writeFileSync(file, failure.bytes);
      console.log(`  --seed ${failure.seed} --only ${failure.script}, request ${failure.at}: ${failure.detail}\n    ${quoted(failure.bytes, 600)}\n    whole in ${file}`);
    }
  }
  for (const line of outcome.logged.slice(0, 20)) console.log(`logged: ${line.slice(0, 500)}`);
  const isGood = outcome.counts.size === 0 && outcome.peakRssBytes < rssBytesMaximum
    && outcome.logged.length === 0;
  console.log(isGood ? '\ngood' : `\n${[...outcome.counts.values()].reduce((sum, count) => sum + count, 0)} failures, ${outcome.logged.length} logged errors`);
  process.exitCode = isGood ? 0 : 1;
} finally {
  await service.stop();
}
