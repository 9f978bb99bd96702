import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { argumentsOrExit, commands } from '../../src/commands.ts';
import { here } from './child.ts';
import { printTable, type Row } from './row.ts';
import { buildRows } from './rows/build.ts';
import { ingestRows } from './rows/ingest.ts';
import { servingNames, servingRows, type ServingName } from './rows/serving.ts';
import { serviceTimeRows } from './rows/service-time.ts';
import { startRows } from './rows/start.ts';
import { createScratch, type Scratch } from './scratch.ts';

const others: Readonly<Record<string, (scratch: Scratch) => Promise<Row[]>>> = {
  'service-time': serviceTimeRows,
  start: startRows,
  build: buildRows,
  ingest: ingestRows,
};
const names: readonly string[] = [...servingNames, ...Object.keys(others)];

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

function readArguments(): { filings: number; chosen: readonly string[] } {
  const { filings, only, serving } = argumentsOrExit(commands.bench()).opts<{ filings?: string; only?: string; serving?: boolean }>();
  if (filings !== undefined && !/^[1-9]\d{3,7}$/.test(filings)) fail(`--filings: must be a number of at least 1000, not ${filings}`);
  const chosen = only?.split(',') ?? (serving ? servingNames : names);
  for (const name of chosen) if (!names.includes(name)) fail(`--only: must be of ${names.join(', ')}, not ${name}`);
  return { filings: Number(filings ?? (serving ? 20_000 : 1_000_000)), chosen };
}

/** The peers are a package of their own, so that nobody installs them who does not measure. */
function installPeers(): void {
  if (existsSync(here('node_modules'))) return;
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: here('.'), stdio: 'inherit' });
  if (status !== 0) fail('npm ci in test/bench failed');
}

async function main(): Promise<void> {
  const { filings, chosen } = readArguments();
  installPeers();
  const startedAtMs = performance.now();
  const say = (line: string) => console.log(`${((performance.now() - startedAtMs) / 1000).toFixed(1).padStart(6)} s  ${line}`);
  const directory = mkdtempSync(join(tmpdir(), 'filing-bench-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const scratch = createScratch(directory, filings, say);
  const rows: Row[] = [];
  const servers = chosen.filter((name): name is ServingName => servingNames.some((each) => each === name));
  if (servers.length > 0) rows.push(...(await servingRows(scratch, servers)));
  for (const name of chosen) {
    const measureRows = others[name];
    if (!measureRows) continue;
    say(`measuring ${name}`);
    rows.push(...(await measureRows(scratch)));
  }
  say(`done, on ${cpus().length} cores of ${cpus()[0]?.model ?? 'unknown make'}, node ${process.version}\n`);
  console.log(printTable(rows));
}

await main();
