import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command, run, startServer } from '../bench/child.ts';
import { freePort } from '../support/servers.ts';

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
 * Builds a snapshot of the sample and starts the service on it, with more settings. The build writes the address of the
 * service into documents, so the port must be known before.
 */
export async function startService(settings: Readonly<Record<string, string>>): Promise<RunningService> {
  const scratch = mkdtempSync(join(tmpdir(), 'filing-peers-'));
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const key = 'key-of-the-peers';
  const environment = {
    BASE_URL: address,
    SNAPSHOTS_DIR: join(scratch, 'snapshots'),
    API_KEYS: key,
    HOST: 'localhost',
    PORT: String(port),
    ...settings,
  };
  await run(command(['build'], environment));
  const { stop } = await startServer({ script: 'src/start.mjs', environment });
  return {
    address,
    key,
    scratch,
    async stop() {
      await stop();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}
