import { spawn, type ChildProcess } from 'node:child_process';
import { onTestFinished } from 'vitest';

/** How a program ended. */
export interface Ended {
  /** Null if it was killed. */
  readonly code: number | null;
  /** What it was killed with; null if it ended by itself. */
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly tookMs: number;
}

/** A program that runs. */
export interface Running {
  readonly child: ChildProcess;
  /** What it has printed until now. */
  readonly printed: { readonly stdout: string; readonly stderr: string };
  readonly ended: Promise<Ended>;
  /** Kills it, with all that it started if it leads a group. Resolves when it has ended. */
  kill(): Promise<Ended>;
}

/** Where and with what a program runs. */
export interface ProgramOptions {
  readonly cwd?: string;
  /** Beside the environment of the tests. */
  readonly env?: Readonly<Record<string, string>>;
  /** What it reads; nothing if left out. */
  readonly input?: string;
  /** Whether it leads a group of its own, as a terminal starts it. */
  readonly isGroup?: boolean;
}

const running = new Set<Running>();
process.once('exit', () => {
  // What a failed test has left.
  for (const each of running) each.child.kill('SIGKILL');
});

/** Starts a program, and keeps what it prints. */
export function startProgram(
  program: string,
  words: readonly string[],
  { cwd, env = {}, input, isGroup = false }: ProgramOptions = {},
): Running {
  const startedMs = performance.now();
  const child = spawn(program, words, {
    cwd,
    env: { ...process.env, ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    detached: isGroup,
  });
  child.stdin?.end(input);
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => void (printed[name] += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      running.delete(started);
      resolve({ code, signal, ...printed, tookMs: performance.now() - startedMs });
    });
  });
  const started: Running = {
    child,
    printed,
    ended,
    kill() {
      if (child.exitCode === null && child.signalCode === null)
        process.kill(isGroup ? -Number(child.pid) : Number(child.pid), 'SIGKILL');
      return ended;
    },
  };
  running.add(started);
  return started;
}

/** Starts a program that is killed with all that it started when the test ends. */
export function startForTest(
  program: string,
  words: readonly string[],
  options: ProgramOptions = {},
): Running {
  const started = startProgram(program, words, { ...options, isGroup: true });
  onTestFinished(() => void started.kill());
  return started;
}
