import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { closing } from './closing.ts';
import { clearedSettings } from './command.ts';
import { startProgram } from './programs.ts';
import { until } from './wait.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A key that each service process knows. */
export const processKey = 'a-key-of-the-process';

/** A process of `npm start`, whether it begins to listen or ends before. */
export interface RunningService {
  readonly child: ChildProcess;
  /** What it has printed and logged. */
  output(): string;
  /** Where it listens; empty until it does. */
  address(): string;
  /** Its exit code, when it has ended. */
  readonly exited: Promise<number | null>;
}

/** Runs a service on a port that nobody else has unless `PORT` names one. `program` is the checkout to run. */
export function runService(environment: Readonly<Record<string, string>>, program = root): RunningService {
  const { child, printed, ended } = startProgram(process.execPath, ['src/start.mjs'], {
    cwd: program,
    env: { ...clearedSettings, API_KEYS: '', SNAPSHOTS_URL: '', PORT: '0', ...environment },
  });
  const output = () => printed.stdout + printed.stderr;
  return {
    child,
    output,
    address: () => /at (http:\S+)/.exec(printed.stdout)?.[1] ?? '',
    exited: ended.then(({ code }) => code),
  };
}

/** A service that listens, in a process of its own. */
export interface ServiceProcess {
  readonly address: string;
  /** Waits until it has logged an event, and gives the lines with this event. */
  logged(event: string): Promise<Record<string, unknown>[]>;
  /** The members of `/health`, or of its error. */
  health(): Promise<Record<string, unknown>>;
  /** The status of a path, asked with its key. */
  status(path: string): Promise<number>;
  /** The most memory that it ever held. */
  peakRssBytes(): number;
  /** Ends it: with `SIGKILL` at once, else as an operator does. Resolves when it has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a service with `processKey`, and waits until it listens. Throws if it ends before. */
export async function startService(
  environment: Readonly<Record<string, string>>,
  program = root,
): Promise<ServiceProcess> {
  const {
    child,
    output,
    address: found,
    exited,
  } = runService({ API_KEYS: processKey, ...environment }, program);
  let hasEnded = false;
  void exited.then(() => (hasEnded = true));
  const linesOf = (event: string) =>
    output()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((line) => line['event'] === event);
  await until(() => found() !== '' || hasEnded);
  const address = found();
  if (address === '') throw new Error(`the service did not start: ${output()}`);
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    await exited;
  };
  closing(() => stop());
  return {
    address,
    async logged(event) {
      await until(() => linesOf(event).length > 0);
      return linesOf(event);
    },
    health: async () => (await (await fetch(`${address}/health`)).json()) as Record<string, unknown>,
    status: async (path) =>
      (await fetch(`${address}${path}`, { headers: { 'x-api-key': processKey } })).status,
    peakRssBytes: () =>
      Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024,
    stop,
  };
}
