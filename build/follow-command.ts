import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isLogged } from '../src/log/levels.ts';
import { createLog, linesOf, type Log } from '../src/log/log.ts';
import { printable } from '../src/log/printable.ts';
import type { SettingsOf } from '../src/settings/settings-of-commands.ts';
import {
  checkPublishing,
  edgarSettings,
  foldersOf,
  setting,
  signingKeyOf,
  type FolderOptions,
} from './command-settings.ts';
import { followFigures } from './follow/follow-figures.ts';
import { follow } from './follow/follow-loop.ts';
import type { Follower, FollowOptions } from './follow/follower.ts';
import { openFollowThreads } from './follow-threads.ts';
import { listFileOf, parseUniverse } from './ingest/universe.ts';
import { writeHeartbeat } from './snapshot/write-heartbeat.ts';

/** The arguments of `npm run follow`. */
export interface FollowCommandOptions extends FolderOptions {
  readonly universe: string;
  readonly interval: number;
}

/** What the program gives the command: its own address, its clocks, and how it is stopped and shows progress. */
export interface FollowCommandGiven extends Pick<FollowOptions, 'now' | 'elapsed' | 'signal' | 'progress'> {
  readonly entry: URL;
}

/** How often the delay of the loop is measured, in milliseconds. */
const loopResolutionMs = 10;

/** Runs `npm run follow`. It logs as the service does: one JSON object a line. */
export async function followCommand(
  options: FollowCommandOptions,
  settings: SettingsOf<'follow'>,
  { entry, now, elapsed, signal, progress }: FollowCommandGiven,
): Promise<void> {
  const universe = setting(() => parseUniverse(options.universe));
  const folders = foldersOf(options, settings);
  const [isTerminal, clear] = process.stdout.isTTY ? [true, '\r\u001b[K'] : [false, ''];
  const log = createLog(
    (lines) => void process.stdout.write(clear === '' ? lines : `${clear}${lines.toString()}`),
    now,
    settings.LOG_LEVEL,
  );
  const say = linesOf(log, 'follow');
  await checkPublishing(settings, say);
  const sayStatus = linesOf(log, 'status');
  const threads = openFollowThreads(entry, folders, process.stderr.isTTY, say, signal);
  const stoodStill = monitorEventLoopDelay({ resolution: loopResolutionMs });
  stoodStill.enable();
  const { METRICS_PORT: metricsPort, METRICS_HOST: metricsHost } = settings;
  try {
    await follow({
      universe,
      universeFile: listFileOf(options.universe),
      folders,
      intervalMs: options.interval * 1000,
      settings: edgarSettings(settings),
      contents: settings.CONTENTS,
      now,
      elapsed,
      signal,
      log: say,
      progress,
      ...threads.work,
      // Like publications, it reads the key again: a key that was replaced signs both.
      beat: async (heartbeat) =>
        writeHeartbeat(folders.snapshotsDirectory, heartbeat, signingKeyOf(settings)),
      stoodStillMs: () => Math.max(0, stoodStill.max / 1e6 - loopResolutionMs),
      ...(metricsPort === null
        ? {}
        : { watch: (follower: Follower) => watch(follower, metricsHost ?? settings.HOST, metricsPort, log) }),
      showStatus: (line, isMinute) =>
        void (isTerminal && isLogged('info', settings.LOG_LEVEL)
          ? process.stdout.write(`${clear}${printable(line)}`)
          : isMinute && sayStatus(line)),
    });
  } finally {
    await threads.end();
    log.flush();
  }
}

/**
 * Serves metrics for Prometheus. The packages for this are imported only here, because other commands do not
 * need them.
 */
async function watch(follower: Follower, host: string, port: number, log: Log): Promise<void> {
  const { listenForMetrics } = await import('../src/metrics/listener.ts');
  const listening = await listenForMetrics(host, port, followFigures(follower));
  log.event('metrics', { host, port: listening.port });
}
