import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEdgarDouble, type EdgarDouble } from '../edgar/edgar-double.ts';
import { clearedSettings } from '../support/command.ts';
import { useDirectories } from '../support/directories.ts';
import { startProgram } from '../support/programs.ts';
import { makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';
import { until } from '../support/wait.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const directory = useDirectories('npm');

/** Starts npm as the leader of a process group of its own, as a terminal does. */
function npm(words: readonly string[], environment: Readonly<Record<string, string>>) {
  const { child, printed, ended } = startProgram('npm', words, {
    cwd: root,
    env: { ...clearedSettings, API_KEYS: '', npm_config_update_notifier: 'false', ...environment },
    isGroup: true,
  });
  started.push(Number(child.pid));
  return {
    pid: Number(child.pid),
    output: () => printed.stdout + printed.stderr,
    /** When npm itself has ended. */
    ended: new Promise<void>((resolve) => void child.once('exit', () => resolve())),
    /** When nobody holds its output any more. */
    code: ended.then(({ code }) => code),
  };
}

const started: number[] = [];
let made: MadeSnapshot;
let edgar: EdgarDouble;
beforeAll(async () => {
  [made, edgar] = await Promise.all([
    makeSnapshot({ filings: 20, companies: 2, batches: 1 }),
    startEdgarDouble(),
  ]);
  // What is asked for here never comes: a run that asks for it is still running.
  edgar.route('/data.sec.gov/submissions/CIK0000000001.json', () => {});
});
afterAll(async () => {
  for (const pid of started) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // Nothing of its group is left, as it should be.
    }
  }
  await Promise.all([made.remove(), edgar.close()]);
});

/** A process manager signals npm alone; Ctrl-C of a terminal goes to all processes of its group. */
const ways = [
  ['SIGTERM', 'npm alone', 1],
  ['SIGINT', 'its group', -1],
] as const;

describe.concurrent('npm', () => {
  it.each(ways)(
    'npm start leaves no server behind after %s to %s',
    { tags: ['slow'] },
    async (signal, _, sign) => {
      const running = npm(['start'], { PORT: '0', SNAPSHOTS_DIR: made.directory });
      await until(() => running.output().includes('"event":"listening"'));
      const address = /at (http:\S+)/.exec(running.output())?.[1] ?? '';
      expect((await fetch(`${address}/health`)).status).toBe(200);
      process.kill(sign * running.pid, signal);
      await running.ended;
      await expect(fetch(`${address}/health`)).rejects.toThrow('fetch failed');
      expect(await running.code).toBe(0);
      expect(running.output()).toContain(`"event":"stopping","signal":"${signal}"`);
    },
  );

  it.each(ways)(
    'npm run ingest leaves no run behind after %s to %s, and says that it was stopped',
    { tags: ['slow'] },
    async (signal, _, sign) => {
      const ledger = directory();
      const running = npm(['run', '--silent', 'ingest', '--', '--universe', '1', '--ledger', ledger], {
        EDGAR_USER_AGENT: `Npm ${signal} npm@example.com`,
        EDGAR_DATA_URL: edgar.dataUrl,
        EDGAR_WWW_URL: edgar.wwwUrl,
        EDGAR_RPS: '10',
      });
      await until(() =>
        edgar.requests.some(
          ({ path, headers }) =>
            path.endsWith('CIK0000000001.json') && headers['user-agent']?.includes(signal),
        ),
      );
      process.kill(sign * running.pid, signal);
      await running.ended;
      await until(() => isGone(running.pid));
      expect(await running.code).toBe(1);
      expect(running.output().trim().split('\n').at(-1)).toBe('stopped by a signal; run it again to go on');
    },
  );
});

function isGone(group: number): boolean {
  try {
    return !process.kill(-group, 0);
  } catch {
    return true;
  }
}
