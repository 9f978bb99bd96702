import { fileURLToPath } from 'node:url';
import { startProgram, type Ended, type Running } from './programs.ts';

export type { Ended, Running };

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

/** Starts a command of the build as `npm run` does. */
export function start(words: readonly string[], environment: Readonly<Record<string, string>> = {}): Running {
  return startProgram(process.execPath, ['build/start.mjs', ...words], {
    cwd: root,
    env: { ...clearedSettings, ...environment },
  });
}

/** Runs a command of the build to its end. */
export function command(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return start(words, environment).ended;
}
