import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { argumentsOrExit, commands } from '../../src/commands.ts';
import { here } from './child.ts';
import { printTable, type Row } from './row.ts';
import { buildRows } from './rows/build.ts';
import { ingestRows } from './rows/ingest.ts';
import { latestRows, revalidationRows } from './rows/throughput.ts';
import { serviceTimeRows } from './rows/service-time.ts';
import { startRows } from './rows/start.ts';
import { toolRows } from './rows/tools.ts';
import { createScratch, type Scratch } from './scratch.ts';

const measures: Readonly<Record<string, (scratch: Scratch) => Promise<Row[]>>> = {
  latest: latestRows,
  revalidation: revalidationRows,
  tools: toolRows,
  'service-time': serviceTimeRows,
  start: startRows,
  build: buildRows,
  ingest: ingestRows,
};

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

function readArguments(): { filings: number; names: string[] } {
  const { filings, only } = argumentsOrExit(commands.bench()).opts<{ filings: string; only?: string }>();
  if (!/^[1-9]\d{3,7}$/.test(filings)) fail(`--filings: must be a number of at least 1000, not ${filings}`);
  if (only !== undefined && !Object.hasOwn(measures, only)) fail(`--only: must be one of ${Object.keys(measures).join(', ')}`);
  return { filings: Number(filings), names: only === undefined ? Object.keys(measures) : [only] };
}

/** The peers are a package of their own, so that nobody installs them who does not measure. */
function installPeers(): void {
  if (existsSync(here('node_modules'))) return;
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: here('.'), stdio: 'inherit' });
  if (status !== 0) fail('npm ci in test/bench failed');
}

async function main(): Promise<void> {
  const { filings, names } = readArguments();
  installPeers();
  const startedAtMs = performance.now();
  const say = (line: string) => console.log(`${((performance.now() - startedAtMs) / 1000).toFixed(1).padStart(6)} s  ${line}`);
  const directory = mkdtempSync(join(tmpdir(), 'filing-bench-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const scratch = createScratch(directory, filings, say);
  const rows: Row[] = [];
  for (const name of names) {
    say(`measuring ${name}`);
    rows.push(...(await (measures[name] as (typeof measures)[string])(scratch)));
  }
  say(`done, on ${cpus().length} cores of ${cpus()[0]?.model ?? 'unknown make'}, node ${process.version}\n`);
  console.log(printTable(rows));
}

await main();
