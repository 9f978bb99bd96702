import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Settings that the environment of the tests may have; an empty one counts as not set. The test runner sets
 * BASE_URL.
 */
export const clearedSettings = {
  BASE_URL: '',
  SNAPSHOTS_DIR: '',
  API_KEYS_FILE: '',
  API_KEY: '',
  MARKETPLACE_URL: '',
  INTENTS_DIR: '',
  PLANS_FILE: '',
  TRUSTED_KEY: '',
  SIGNING_KEY_FILE: '',
  STALE_AFTER_HOURS: '',
  CONTACT_EMAIL: '',
  EDGAR_USER_AGENT: '',
  EDGAR_DATA_URL: '',
  EDGAR_WWW_URL: '',
  EDGAR_RPS: '',
  CONTENTS: '',
  HOST: '',
  METRICS_HOST: '',
  METRICS_PORT: '',
  LOG_LEVEL: '',
};

/** How a command ended. */
export interface Ended {
  /** Null if it was killed. */
  readonly code: number | null;
  /** What it was killed with; null if it ended by itself. */
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly tookMs: number;
}

/** A command that runs. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Starts a command of the build as `npm run` does. */
export function start(words: readonly string[], environment: Readonly<Record<string, string>> = {}): Running {
  const startedMs = performance.now();
  const child = spawn(process.execPath, ['build/start.mjs', ...words], {
    cwd: root,
    env: { ...process.env, ...clearedSettings, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => void (output[name] += text));
  const ended = new Promise<Ended>(
    (resolve) =>
      void child.once('close', (code, signal) =>
        resolve({ code, signal, ...output, tookMs: performance.now() - startedMs }),
      ),
  );
  return { child, ended };
}

/** Runs a command of the build to its end. */
export function command(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return start(words, environment).ended;
}
