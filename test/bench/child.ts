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
}

/** A server that answers on a port of this machine. */
export interface Server {
  readonly port: number;
  /** When it was started, on the clock of `performance.now()`. */
  readonly startedAtMs: number;
  usage(): Promise<Usage>;
  /** What it has logged so far. */
  logged(): string;
  stop(): Promise<void>;
}

/** A program that has ended, with the last message that it sent. */
export interface Finished<Result = unknown> {
  readonly seconds: number;
  readonly usage: Usage;
  readonly result: Result | undefined;
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

/** Starts a program that is measured. What it prints goes nowhere, here, or to an open file. */
export function start(
  { script, arguments: given = [], flags = [], environment = {} }: Program,
  output: 'ignore' | 'inherit' | number,
): ChildProcess {
  const loader = script.endsWith('.ts') ? ['--import', 'tsx'] : [];
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  const child = spawn(
    process.execPath,
    [...flags, '--import', here('processes/report.mjs'), ...loader, script, ...given],
    {
      cwd: root,
      env: {
        PATH,
        HOME,
        NODE_ENV: 'production',
        ...(TMPDIR === undefined ? {} : { TMPDIR }),
        ...environment,
      },
      stdio: ['ignore', output, 'inherit', 'ipc'],
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
  const port = await listeningPort(child, log, program.script);
  return {
    port,
    startedAtMs,
    async usage() {
      const answer = once(child, 'message') as Promise<[Message]>;
      child.send('usage');
      const [message] = await answer;
      if (!message?.usage) throw new Error(`${program.script} does not tell what it used`);
      return message.usage;
    },
    logged: () => readFileSync(log, 'utf8'),
    async stop() {
      const ended = once(child, 'exit');
      if (child.kill('SIGKILL')) await ended;
      removeLog();
      process.off('exit', removeLog);
    },
  };
}

async function listeningPort(child: ChildProcess, log: string, script: string): Promise<number> {
  for (;;) {
    const port = /^\{.*"event":"listening".*"port":(\d+)/m.exec(readFileSync(log, 'utf8'))?.[1];
    if (port !== undefined) return Number(port);
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`${script} ended before it listened`);
    await delay(2);
  }
}

/** Runs a program to its end. Throws if it fails. */
export async function run<Result>(program: Program): Promise<Finished<Result>> {
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
  return { seconds, usage, result };
}
