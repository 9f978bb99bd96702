import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { clearedSettings } from './command.ts';
import { until } from './wait.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const started = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of started) child.kill('SIGKILL');
});

/** A key that each service process knows. */
export const processKey = 'a-key-of-the-process';

/** A service in a process of its own, as `npm start` runs it. */
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

/**
 * Starts a service on a port that nobody else has unless `PORT` names one, and waits until it listens.
 * `program` is the checkout to run.
 */
export async function startService(
  environment: Readonly<Record<string, string>>,
  program = root,
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, ['src/start.mjs'], {
    cwd: program,
    env: {
      ...process.env,
      ...clearedSettings,
      SNAPSHOTS_URL: '',
      PORT: '0',
      API_KEYS: processKey,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => void (output += text));
  let hasEnded = false;
  const ended = new Promise<void>((resolve) =>
    child.once('close', () => {
      hasEnded = true;
      started.delete(child);
      resolve();
    }),
  );
  const linesOf = (event: string) =>
    output
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((line) => line['event'] === event);
  const addressIn = (text: string) => /at (http:\S+)/.exec(text)?.[1];
  await until(() => addressIn(output) !== undefined || hasEnded);
  const address = addressIn(output);
  if (address === undefined) throw new Error(`the service did not start: ${output}`);
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
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await ended;
    },
  };
}
