import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { fileURLToPath } from 'node:url';

declare module 'vitest' {
  interface TaskMeta {
    /** What a test needs and this machine lacks: why it is skipped. */
    lacks?: string;
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The environment with the folders in which Debian has servers, where only root looks. */
export const pathWithSbin = () => ({ ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/sbin` });

const runs =
  (program: string, ...words: readonly string[]) =>
  () =>
    spawnSync(program, words, { stdio: 'ignore', env: pathWithSbin() }).status === 0;
const isThere = (path: string) => () => existsSync(path);
const isRequired = (name: 'REQUIRE_BROWSER' | 'REQUIRE_PROGRAMS') => (process.env[name] ?? '') !== '';

const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where a browser is, or null. */
export const browserPath = browsers.find((path) => existsSync(path)) ?? null;

/** Recorded EDGAR answers, if this checkout has them beside it. They are never part of the project. */
export const recordings = fileURLToPath(new URL('../../../shared/edgar', import.meta.url));

/**
 * What tests need beside the packages of the project: how to find out whether it is there, and how a report
 * names it. Where `isRequired` is true, as on the machine that checks everything, a test runs and fails.
 */
const programs = {
  recordings: { text: 'recorded EDGAR answers (../shared/edgar)', has: isThere(`${recordings}/replay.mjs`) },
  reference: {
    text: 'the list of forms (../shared/reference/forms.tsv)',
    has: isThere(fileURLToPath(new URL('../../../shared/reference/forms.tsv', import.meta.url))),
  },
  browser: {
    text: 'a browser (apt-get install chromium)',
    has: () => browserPath !== null || isRequired('REQUIRE_BROWSER'),
  },
  nginx: {
    text: 'nginx',
    has: () => existsSync('/usr/sbin/nginx') || isRequired('REQUIRE_PROGRAMS'),
  },
  caddy: { text: 'Caddy', has: runs('caddy', 'version') },
  rclone: {
    text: 'rclone',
    has: () => existsSync('/usr/bin/rclone') || isRequired('REQUIRE_PROGRAMS'),
  },
  engine: {
    text: 'the engine of workers (npm ci in test/edge)',
    has: () => existsSync(`${root}/test/edge/node_modules/miniflare`) || isRequired('REQUIRE_PROGRAMS'),
  },
  namespaces: {
    text: 'root with namespaces (unshare), overlay mounts and setpriv',
    has: () =>
      userInfo().uid === 0 &&
      runs('setpriv', '--version')() &&
      runs('unshare', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/opt')(),
  },
  root: { text: 'root, who makes files of other users', has: () => userInfo().uid === 0 },
  history: {
    text: 'the commits of earlier releases (git fetch --unshallow)',
    has: () =>
      spawnSync('git', ['cat-file', '-e', 'e629efb^{commit}'], { cwd: root, stdio: 'ignore' }).status === 0,
  },
  python: { text: 'python3', has: runs('python3', '--version') },
  checkers: {
    text: 'mypy and pyright (python3 -m venv .cache/python, and pip install -r test/clients/requirements.txt there)',
    has: () => ['mypy', 'pyright'].every((name) => runs(`${root}/.cache/python/bin/${name}`, '--version')()),
  },
  pandas: { text: 'pandas and pyarrow for python3', has: runs('python3', '-c', 'import pandas, pyarrow') },
  jq: { text: 'jq', has: runs('jq', '--version') },
  promtool: { text: 'promtool (apt-get install prometheus)', has: runs('promtool', '--version') },
  systemd: { text: 'systemd-analyze', has: runs('systemd-analyze', '--version') },
  docker: { text: 'docker compose', has: runs('docker', 'compose', 'version') },
  descriptors: { text: '/proc/self/fd (Linux)', has: isThere('/proc/self/fd') },
} satisfies Record<string, { readonly text: string; readonly has: () => boolean }>;

/** Something that tests need beside the packages of the project. */
export type Need = keyof typeof programs;

const known = new Map<Need, boolean>();

/** Whether this machine has what some tests need. */
export function has(need: Need): boolean {
  const answer = known.get(need) ?? programs[need].has();
  known.set(need, answer);
  return answer;
}

/**
 * Options of a test or of a group of tests: it is skipped where this machine lacks what it needs, and the
 * report of the run says so. The body of a skipped group runs all the same, as vitest has to know its tests.
 */
export function needs(need: Need): { skip: boolean; meta: { lacks?: string } } {
  return has(need) ? { skip: false, meta: {} } : { skip: true, meta: { lacks: programs[need].text } };
}
