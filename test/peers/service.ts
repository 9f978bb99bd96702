import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The real service over a snapshot of the embedded sample. */
export interface RunningService {
  /** Without a slash at the end. */
  readonly address: string;
  readonly key: string;
  /** A directory in which peers may write. */
  readonly scratch: string;
  /** Ends the service and removes `scratch`. */
  stop(): Promise<void>;
}

/**
 * Returns a port on which no program listens. The build writes the address of the service into documents, so
 * the port must be known before the build.
 */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

/**
 * Builds a snapshot of the sample and starts the service on it, with more settings. If either program fails, throws an error with
 * what it printed.
 */
export async function startService(settings: Readonly<Record<string, string>>): Promise<RunningService> {
  const scratch = mkdtempSync(join(tmpdir(), 'filing-peers-'));
  const address = `http://localhost:${await freePort()}`;
  const key = 'key-of-the-peers';
  const environment = {
    ...process.env,
    BASE_URL: address,
    SNAPSHOTS_DIR: join(scratch, 'snapshots'),
    API_KEYS: key,
    HOST: 'localhost',
    PORT: new URL(address).port,
    ...settings,
  };
  const built = spawnSync(process.execPath, ['build/start.mjs', 'build'], {
    cwd: root,
    env: environment,
    encoding: 'utf8',
  });
  if (built.status !== 0) throw new Error(`the build failed: ${built.stderr}`);
  const child = spawn(process.execPath, ['src/start.mjs'], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // If this process exits without calling `stop`, the service ends, too.
  process.once('exit', () => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  while (!output.includes('"event":"listening"')) {
    if (child.exitCode !== null) throw new Error(`the service ended: ${output}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    address,
    key,
    scratch,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}
