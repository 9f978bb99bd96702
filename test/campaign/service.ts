import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addKey } from '../../build/keys.ts';
import type { Facts } from './request.ts';

/** A service in a process of its own, over the embedded sample. */
export interface Service {
  readonly port: number;
  readonly key: string;
  /** A key that may make 30 requests a minute. */
  readonly limitedKey: string;
  readonly gateway: Facts['gateway'];
  /** The memory that it holds now; 0 after its end. */
  rssBytes(): number;
  /** The most that it ever held. */
  peakRssBytes(): number;
  /** How it ended; null while it runs. */
  exitedWith(): string | null;
  /** Its log so far. */
  log(): string;
  stop(): Promise<void>;
}

/** The service of this project, as `npm start` starts it: from its bundle. */
export const ownServer = fileURLToPath(new URL('../../src/start.mjs', import.meta.url));

const startMs = 120_000;

/** How a service is started. */
interface Start {
  /** `src/start.mjs`, of this tree or of another one. */
  readonly server?: string;
  /** Flags for Node. */
  readonly flags?: readonly string[];
  /** Snapshots of the embedded sample; the service builds its own where none are given. */
  readonly snapshots?: string;
}

/** Starts a service on a free port of this machine. It logs to a file. */
export async function startService({
  server = ownServer,
  flags = [],
  snapshots,
}: Start = {}): Promise<Service> {
  const script = resolve(server);
  const directory = mkdtempSync(join(tmpdir(), 'filing-campaign-'));
  const key = 'campaign-key-0123456789abcdef';
  const gateway = { host: 'filings.example.com', secret: 'campaign-proxy-secret-0123' };
  const keysFile = join(directory, 'keys.json');
  const limitedKey = (await addKey(keysFile, 'limited', null, Date.now(), 30)).key;
  const logFile = join(directory, 'log');
  const output = openSync(logFile, 'a');
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [...flags, script], {
    cwd: dirname(dirname(script)),
    env: {
      PATH,
      HOME,
      TMPDIR: tmpdir(),
      NODE_ENV: 'production',
      PORT: '0',
      SNAPSHOTS_DIR: snapshots ?? join(directory, 'snapshots'),
      INTENTS_DIR: join(directory, 'intents'),
      API_KEYS: key,
      API_KEYS_FILE: keysFile,
      MARKETPLACE_HOST: gateway.host,
      MARKETPLACE_PROXY_SECRETS: gateway.secret,
    },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const log = () => readFileSync(logFile, 'utf8');
  const status = (name: string) => {
    try {
      return (
        Number(
          new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(
            readFileSync(`/proc/${child.pid}/status`, 'utf8'),
          )?.[1] ?? 0,
        ) * 1024
      );
    } catch {
      return 0;
    }
  };
  let exited: string | null = null;
  const ended = new Promise<void>(
    (done) =>
      void child.once('exit', (code, signal) => {
        exited = `${code ?? signal}`;
        done();
      }),
  );
  const stop = async () => {
    if (exited === null) child.kill('SIGKILL');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const port = await listeningPort(child, log, () => exited);
    return {
      port,
      key,
      limitedKey,
      gateway,
      rssBytes: () => status('VmRSS'),
      peakRssBytes: () => status('VmHWM'),
      exitedWith: () => exited,
      log,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function listeningPort(
  child: ChildProcess,
  log: () => string,
  exited: () => string | null,
): Promise<number> {
  for (const untilMs = performance.now() + startMs; performance.now() < untilMs; ) {
    const line = log()
      .split('\n')
      .find((each) => each.startsWith('{') && each.includes('"event":"listening"'));
    if (line) return (JSON.parse(line) as { port: number }).port;
    if (exited() !== null) break;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`the service (${child.pid}) did not begin to listen: ${log().slice(-2000)}`);
}
