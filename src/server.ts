import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endpoints } from './contract/endpoints.ts';
import { productName } from './contract/product.ts';
import { program } from './format/program.ts';
import { paths } from './format/snapshot.ts';
import { drainable } from './http/drain.ts';
import { addressAt, isLoopback } from './http/origin.ts';
import { createHttpServer } from './node-server.ts';
import { createJournal } from './intents/journal.ts';
import { journalBoundsDefault } from './intents/journal-room.ts';
import { keysFileAt } from './keys/file.ts';
import { createKeyRing } from './keys/ring.ts';
import { createKeyUsage, usagePathOf } from './keys/usage-files.ts';
import { createLog, type Log } from './log/log.ts';
import { printLine, printProblem } from './log/printable.ts';
import { loadProtocol } from './mcp/sdk.ts';
import type { Measured } from './metrics/service-figures.ts';
import { readRuntimeSettings, SettingsError, type RuntimeSettings } from './settings/settings.ts';
import { createTurns } from './requests/turns.ts';
import { onStopSignal } from './stop-signals.ts';
import { createCaches, createServices } from './service.ts';
import { openToOthers } from './files/own-only.ts';
import { smallFilesIn } from './files/small-files.ts';
import { acceptedFolder, createAcceptedPointers } from './snapshot/accepted.ts';
import { openPartFolder } from './snapshot/folder.ts';
import type { PartStore } from './snapshot/store.ts';

/** How often the pointer is read, in milliseconds: from a folder (one system call), and from a host. */
const [folderEveryMs, hostEveryMs] = [250, 3000];
/** How often the keys file is checked for changes, in milliseconds. */
const keysEveryMs = 1000;
/** Limit, in bytes, of the disk cache that holds copies of files from a host. */
const diskCacheBytes = 1024 * 1024 * 1024;
/** How long requests in flight may still take after the service was told to stop, in milliseconds. */
const stopWithinMs = 10_000;
/** When the packages of the tool protocol are loaded, in milliseconds after the service listens: the first answers come before. */
const loadProtocolAfterMs = 500;
/** Milliseconds since the process began: a clock that nobody sets. */
const elapsed = () => performance.now();

function settingsOrExit(): RuntimeSettings {
  try {
    return readRuntimeSettings(process.env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    printProblem(error.message);
    process.exit(2);
  }
}

/**
 * Builds the first snapshot of a fresh clone from the embedded sample. It takes seconds and needs no network.
 */
function buildFirstSnapshot(snapshotsDirectory: string): void {
  const command = fileURLToPath(new URL('../build/start.mjs', import.meta.url));
  const { status } = spawnSync(process.execPath, [command, 'build', '--snapshots', snapshotsDirectory], {
    stdio: 'inherit',
  });
  // The build has said what is wrong; 2 means a setting.
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * The folder in which this process may keep something; null for a service over a host for which no folder was
 * named.
 */
const keepingFolder = ({ SNAPSHOTS_URL, SNAPSHOTS_DIR }: RuntimeSettings) =>
  SNAPSHOTS_URL === null || (process.env['SNAPSHOTS_DIR'] ?? '') !== '' ? SNAPSHOTS_DIR : null;

/** Opens the snapshots folder or host. The modules for a host are loaded only if there is one. */
async function openStore(
  { SNAPSHOTS_URL, SNAPSHOTS_DIR }: RuntimeSettings,
  kept: string | null,
  log: Log,
): Promise<PartStore> {
  if (SNAPSHOTS_URL === null) return openPartFolder(SNAPSHOTS_DIR);
  const [{ openPartHost }, { openCopies }] = await Promise.all([
    import('./remote/host.ts'),
    import('./remote/copies.ts'),
  ]);
  return openPartHost(SNAPSHOTS_URL, {
    now: Date.now,
    ...(kept === null
      ? {}
      : { copies: openCopies(join(kept, 'cache'), diskCacheBytes, log.event, Date.now) }),
  });
}

/**
 * Prints the address of the service and requests to try. `key` is the key of this run, if there is one.
 * `isShut` tells that no key is configured and none was made, so that keyed paths refuse everything.
 */
function announce(address: string, key: string | null, isShut: boolean): void {
  const keyed = endpoints.filter(({ id }) => id === 'listLatestFilings' || id === 'listChanges');
  const { release, format, rules, commit } = program;
  const made = `format ${format}, rules ${rules}${commit === null ? '' : `, commit ${commit}`}`;
  printLine(`${productName} ${release} (${made}) at ${address}`);
  printLine('');
  printLine(`  curl ${address}/demo`);
  for (const { example } of keyed)
    printLine(`  curl -H "x-api-key: ${key ?? '<API_KEY>'}" "${address}${example}"`);
  if (key !== null)
    announceKeys(
      `No key is configured. The key of this run is ${key}; it ends when the service stops. "npm run keys -- add --label NAME" makes a lasting one.`,
    );
  if (isShut)
    announceKeys(
      'No key is configured, and HOST is not loopback: paths that need a key are shut until "npm run keys -- add --label NAME" adds one.',
    );
  printLine('');
}

function announceKeys(text: string): void {
  printLine('');
  printLine(text);
}

/**
 * Listens for Prometheus. The packages for metrics are loaded only here, so only if metrics are asked for.
 */
async function serveMetrics(host: string, port: number, measured: Measured, log: Log): Promise<void> {
  const [{ listenForMetrics }, { serviceFigures }] = await Promise.all([
    import('./metrics/listener.ts'),
    import('./metrics/service-figures.ts'),
  ]);
  try {
    const listening = await listenForMetrics(host, port, serviceFigures(measured));
    log.event('metrics', { host, port: listening.port });
  } catch (error) {
    exitWith((error as Error).message);
  }
}

async function main(): Promise<void> {
  if (process.argv.length > 2) {
    const { argumentsOrExit, commands } = await import('./settings/commands.ts');
    argumentsOrExit(commands.start());
  }
  const settings = settingsOrExit();
  const log = createLog((lines) => void process.stdout.write(lines), Date.now, settings.LOG_LEVEL);
  const keysPath = settings.API_KEYS_FILE ?? join(settings.SNAPSHOTS_DIR, 'keys.json');
  const keys = createKeyRing(settings.API_KEYS, keysFileAt(keysPath), log.event);
  const usage = createKeyUsage(usagePathOf(keysPath), log.event);
  const keysProblem = await keys.refresh();
  if (keysProblem !== null) exitWith(keysProblem);
  const may = await openToOthers(keysPath);
  if (may !== null) log.event('file_open_to_others', { path: keysPath, reason: may }, 'warn');
  if (settings.SNAPSHOTS_URL === null && !existsSync(join(settings.SNAPSHOTS_DIR, paths.pointer)))
    buildFirstSnapshot(settings.SNAPSHOTS_DIR);
  const journal = createJournal(
    settings.INTENTS_DIR ?? join(settings.SNAPSHOTS_DIR, 'intents'),
    journalBoundsDefault,
    log.event,
  );
  const caches = createCaches();
  // With port 0 the port is known once the service listens.
  let address = settings.PORT === 0 ? null : addressAt(settings.HOST, settings.PORT);
  const kept = keepingFolder(settings);
  const services = createServices(
    settings,
    {
      store: await openStore(settings, kept, log),
      keys,
      usage,
      journal,
      log,
      accepted: kept === null ? null : createAcceptedPointers(smallFilesIn(join(kept, acceptedFolder))),
      now: Date.now,
      elapsed,
      turns: createTurns(elapsed),
      address: () => address,
      isLocal: isLoopback(settings.HOST),
    },
    caches,
  );
  const { served, held } = services;
  void services.tokens?.check();
  await served.check();
  const isKeyless =
    keys.size() === 0 && settings.MARKETPLACE_PROXY_SECRETS.length === 0 && settings.OAUTH_ISSUER === null;
  // A key is made for the run only on loopback: a service that others can reach must not open by itself.
  const runKey =
    isKeyless && isLoopback(settings.HOST) ? `run_${randomBytes(18).toString('base64url')}` : null;
  if (runKey !== null) keys.admit(runKey);
  const server = createHttpServer(services);
  const drain = drainable(server);
  if (settings.METRICS_PORT !== null)
    await serveMetrics(
      settings.METRICS_HOST ?? settings.HOST,
      settings.METRICS_PORT,
      {
        services,
        blocks: caches.blocks,
        keys,
        server,
        warnings: log.warnings,
        folder: kept ?? settings.SNAPSHOTS_DIR,
      },
      log,
    );
  server.once('error', (error: NodeJS.ErrnoException) =>
    exitWith(
      error.code === 'EADDRINUSE'
        ? `PORT: ${settings.PORT} is in use on ${settings.HOST}`
        : `HOST: ${error.message}`,
    ),
  );
  server.listen(settings.PORT, settings.HOST, () => {
    const { port } = server.address() as AddressInfo;
    address = addressAt(settings.HOST, port);
    const reachedAt = settings.BASE_URL ?? address;
    announce(reachedAt, runKey, isKeyless && runKey === null);
    log.event('listening', {
      host: settings.HOST,
      port,
      address: reachedAt,
      snapshotId: served.currentId(),
    });
    // Loading takes one long step. The first tool call beside other requests should not be the one that takes it.
    setTimeout(() => void loadProtocol(), loadProtocolAfterMs).unref();
  });
  const timers = [
    setInterval(() => void served.check(), settings.SNAPSHOTS_URL === null ? folderEveryMs : hostEveryMs),
    setInterval(() => {
      void Promise.all([keys.refresh(), usage.save(elapsed()), services.tokens?.check()]);
      // The clock of expiry knows only the times at which it was asked.
      services.expiryNow();
    }, keysEveryMs),
  ];

  onStopSignal((signal) => {
    log.event('stopping', { signal });
    for (const timer of timers) clearInterval(timer);
    held.close();
    drain(
      stopWithinMs,
      () =>
        void Promise.all([served.close(), journal.close(), usage.save(elapsed(), true)]).finally(() => {
          log.flush();
          process.exit(0);
        }),
    );
  });
}

/** Says what keeps the service from starting, and ends the process. */
function exitWith(problem: string): never {
  printProblem(problem);
  process.exit(2);
}

await main();
