import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** What a process has used so far. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly rssBytes: number;
  readonly peakRssBytes: number;
  /** Bytes that were given to calls that write; 0 where the system does not tell. */
  readonly writtenBytes: number;
}

/** A program as arguments of node, and what its environment adds. */
export interface Program {
  readonly script: string;
  readonly arguments?: readonly string[];
  /** Flags of node itself. */
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Where it runs: the root of the project if left out. */
  readonly directory?: string;
}

/** A command of the build, as `npm run` starts it. */
export const command = (
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Program => ({ script: 'build/start.mjs', arguments: words, environment });

/** A server that answers on a port of this machine. */
export interface Server {
  readonly port: number;
  /** Its process, where it is one of this machine. */
  readonly pid?: number | undefined;
  /** When it was started, on the clock of `performance.now()`. */
  readonly startedAtMs: number;
  /** Rejects if it has ended. */
  usage(): Promise<Usage>;
  /** What it has logged so far. */
  logged(): string;
  /** How it ended; null while it runs. */
  exitedWith(): string | null;
  stop(): Promise<void>;
}

/** Takes note of something that was started. */
export type Keep = <Started extends { stop(): unknown }>(started: Promise<Started>) => Promise<Started>;

/** Does work with what it starts and keeps: in the end all of that is stopped, what was started last first. */
export async function withStarted<Result>(work: (keep: Keep) => Promise<Result>): Promise<Result> {
  const kept: { stop(): unknown }[] = [];
  try {
    return await work(async (starting) => {
      const started = await starting;
      kept.push(started);
      return started;
    });
  } finally {
    for (const each of kept.toReversed()) await each.stop();
  }
}

/** A program that has ended, with the last message that it sent. */
export interface Finished<Result = undefined> {
  readonly seconds: number;
  readonly usage: Usage;
  readonly result: Result;
}

type Message = { readonly usage?: Usage; readonly result?: unknown } | undefined;

/** The root of the project. */
export const root = fileURLToPath(new URL('../..', import.meta.url));
/** The path of a file beside this one. */
export const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** What runs now. It ends with this process, also where that is told to stop. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a program that is measured. What it prints goes nowhere, here, or to an open file; errors are printed, or go there, too. */
export function start(
  { script, arguments: given = [], flags = [], environment = {}, directory = root }: Program,
  output: 'ignore' | 'inherit' | number,
): ChildProcess {
  const loader = script.endsWith('.ts') ? ['--import', 'tsx'] : [];
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  const child = spawn(
    process.execPath,
    [...flags, '--import', here('processes/report.mjs'), ...loader, script, ...given],
    {
      cwd: directory,
      env: {
        PATH,
        HOME,
        NODE_ENV: 'production',
        ...(TMPDIR === undefined ? {} : { TMPDIR }),
        ...environment,
      },
      stdio: ['ignore', output, typeof output === 'number' ? output : 'inherit', 'ipc'],
    },
  );
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Starts a server that logs a line `{"event":"listening","port":…}` to a file, and waits for that line. */
export async function startServer(program: Program): Promise<Server> {
  const startedAtMs = performance.now();
  const directory = mkdtempSync(join(tmpdir(), 'filing-bench-log-'));
  const log = join(directory, 'log');
  const file = openSync(log, 'a');
  const child = start(program, file);
  closeSync(file);
  const removeLog = () => rmSync(directory, { recursive: true, force: true });
  process.once('exit', removeLog);
  const logged = () => readFileSync(log, 'utf8');
  const exitedWith = () => child.signalCode ?? child.exitCode?.toString() ?? null;
  const failed = (does: string) =>
    new Error(`${program.script} ${does}; it logged: ${logged().slice(-2000)}`);
  const port = await listeningPort();
  return {
    port,
    pid: child.pid,
    startedAtMs,
    usage: () =>
      new Promise((resolve, reject) => {
        const end = () => reject(failed(`has ended with ${exitedWith()}`));
        if (exitedWith() !== null) return end();
        child.once('exit', end);
        child.once('message', (message: Message) => {
          child.off('exit', end);
          if (message?.usage) resolve(message.usage);
          else reject(failed('does not tell what it used'));
        });
        child.send('usage');
      }),
    logged,
    exitedWith,
    async stop() {
      const ended = once(child, 'exit');
      if (child.kill('SIGKILL')) await ended;
      removeLog();
      process.off('exit', removeLog);
    },
  };

  async function listeningPort(): Promise<number> {
    for (;;) {
      const found = /^\{.*"event":"listening".*"port":(\d+)/m.exec(logged())?.[1];
      if (found !== undefined) return Number(found);
      if (exitedWith() !== null) throw failed('ended before it listened');
      await delay(2);
    }
  }
}

/** Runs a program to its end. Throws if it fails. */
export async function run<Result = undefined>(program: Program): Promise<Finished<Result>> {
  const startedAtMs = performance.now();
  const child = start(program, 'ignore');
  let usage: Usage | undefined;
  let result: Result | undefined;
  child.on('message', (message: Message) => {
    if (message?.usage) usage = message.usage;
    if (message?.result !== undefined) result = message.result as Result;
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  const seconds = (performance.now() - startedAtMs) / 1000;
  if (child.connected) await once(child, 'disconnect');
  if (code !== 0 || !usage) throw new Error(`${program.script} ended with ${code}`);
  return { seconds, usage, result: result as Result };
}
