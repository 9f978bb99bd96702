import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { argumentsOrExit, commands } from '../../src/settings/commands.ts';
import { here } from './child.ts';
import { printTable, type Row } from './row.ts';
import { batchesRows } from './rows/batches.ts';
import { buildRows } from './rows/build.ts';
import { followingRows } from './rows/following.ts';
import { ingestRows } from './rows/ingest.ts';
import { liveRows } from './rows/live.ts';
import { probeRows } from './rows/probe.ts';
import { publishingRows } from './rows/publishing.ts';
import { bucketRows } from './rows/bucket.ts';
import { proxyRows } from './rows/proxy.ts';
import { remoteRows } from './rows/remote.ts';
import { servingNames, servingRows, type ServingName } from './rows/serving.ts';
import { serviceTimeRows } from './rows/service-time.ts';
import { startRows } from './rows/start.ts';
import { switchingRows } from './rows/switching.ts';
import { streamsRows } from './rows/streams.ts';
import { workerRows } from './rows/worker.ts';
import { weekRows } from './rows/week.ts';
import { createScratch, type Scratch } from './scratch.ts';

type MeasureRows = (scratch: Scratch) => Promise<Row[]>;

/** What needs no peer, by the names that `--only` takes. */
const others: Readonly<Record<string, MeasureRows>> = {
  'service-time': serviceTimeRows,
  probe: probeRows,
  remote: remoteRows,
  publishing: publishingRows,
  switching: switchingRows,
  start: startRows,
  build: buildRows,
  ingest: ingestRows,
  live: liveRows,
  streams: streamsRows,
  worker: workerRows,
};
/** What is only measured if it is named: it takes long, or has no bound. */
const named: Readonly<Record<string, MeasureRows>> = {
  week: weekRows,
  batches: batchesRows,
  following: followingRows,
  proxy: proxyRows,
  bucket: bucketRows,
};
const names: readonly string[] = [...servingNames, ...Object.keys(others)];

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

interface Arguments {
  readonly filings: number;
  readonly publications: number;
  readonly chosen: readonly string[];
  readonly hasDetails: boolean;
  /** Where ledgers and snapshots are made and stay; left out, in a folder that is removed. */
  readonly scratch: string | undefined;
}

function readArguments(): Arguments {
  const { filings, publications, only, serving, details, scratch } = argumentsOrExit(commands.bench()).opts<{
    filings?: string;
    publications?: string;
    only?: string;
    serving?: boolean;
    details?: boolean;
    scratch?: string;
  }>();
  if (filings !== undefined && !/^[1-9]\d{3,7}$/.test(filings))
    fail(`--filings: must be a number of at least 1000, not ${filings}`);
  if (publications !== undefined && !/^[1-9]\d{0,2}$/.test(publications))
    fail(`--publications: must be a number from 1 to 999, not ${publications}`);
  const chosen = only?.split(',') ?? (serving ? servingNames : names);
  for (const name of chosen)
    if (!names.includes(name) && !(name in named))
      fail(`--only: must be of ${[...names, ...Object.keys(named)].join(', ')}, not ${name}`);
  return {
    filings: Number(filings ?? (serving ? 20_000 : 1_000_000)),
    publications: Number(publications ?? 60),
    chosen,
    hasDetails: details === true,
    scratch,
  };
}

/** The peers are a package of their own, so that nobody installs them who does not measure. */
function installPeers(): void {
  if (existsSync(here('node_modules'))) return;
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: here('.'),
    stdio: 'inherit',
  });
  if (status !== 0) fail('npm ci in test/bench failed');
}

async function main(): Promise<void> {
  const { filings, publications, chosen, hasDetails, scratch: kept } = readArguments();
  const servers = chosen.filter((name): name is ServingName => servingNames.some((each) => each === name));
  // The others need no peer.
  if (servers.length > 0) installPeers();
  const startedAtMs = performance.now();
  const logFile = join(tmpdir(), `filing-bench-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}.log`);
  const keep = (text: string, isPrinted: boolean) => {
    appendFileSync(logFile, `${text}\n`);
    if (isPrinted) console.log(text);
  };
  const timed = (line: string) =>
    `${((performance.now() - startedAtMs) / 1000).toFixed(1).padStart(6)} s  ${line}`;
  const say = (line: string) => keep(timed(line), true);
  const detail = (text: string) => keep(text, hasDetails);
  const directory = kept ?? mkdtempSync(join(tmpdir(), 'filing-bench-'));
  mkdirSync(directory, { recursive: true });
  if (kept === undefined) process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const scratch = createScratch({ directory, large: filings, publications, say, detail });
  const rows: Row[] = [];
  // A run that is stopped leaves what it measured in the log file.
  const add = (measured: readonly Row[]) => {
    rows.push(...measured);
    detail(`\n${printTable(measured)}\n`);
  };
  if (servers.length > 0) add(await servingRows(scratch, servers));
  for (const name of chosen) {
    const measureRows = others[name] ?? named[name];
    if (!measureRows) continue;
    say(`measuring ${name}`);
    add(await measureRows(scratch));
  }
  say(
    `done, on ${cpus().length} cores of ${cpus()[0]?.model ?? 'unknown make'}, node ${process.version}; the machine had ${loadavg()[2]?.toFixed(1)} processes at work on average, this run's ones included\n`,
  );
  keep(printTable(rows), true);
  console.log(`\nThis and more of it is in ${logFile}`);
}

await main();
