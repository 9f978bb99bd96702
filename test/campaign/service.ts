import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { addKey } from '../../build/keys.ts';
import { root, startServer, type Server } from '../bench/child.ts';
import type { Facts } from './request.ts';

/** A service in a process of its own, over the embedded sample. */
export interface Service extends Server {
  readonly key: string;
  /** A key that may make 30 requests a minute. */
  readonly limitedKey: string;
  readonly gateway: Facts['gateway'];
}

/** The service of this project, as `npm start` starts it: from its bundle. */
export const ownServer = join(root, 'src/start.mjs');

/** How a service is started. */
interface Start {
  /** `src/start.mjs`, of this tree or of another one. */
  readonly server?: string;
  /** Flags for Node. */
  readonly flags?: readonly string[];
  /** Snapshots of the embedded sample; the service builds its own where none are given. */
  readonly snapshots?: string;
}

/** Starts a service on a free port of this machine. */
export async function startService({
  server = ownServer,
  flags = [],
  snapshots,
}: Start = {}): Promise<Service> {
  const script = resolve(server);
  const directory = mkdtempSync(join(tmpdir(), 'filing-campaign-'));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  const key = 'campaign-key-0123456789abcdef';
  const gateway = { host: 'filings.example.com', secret: 'campaign-proxy-secret-0123' };
  const keysFile = join(directory, 'keys.json');
  const limitedKey = (await addKey(keysFile, 'limited', null, Date.now(), 30)).key;
  try {
    const started = await startServer({
      script,
      flags,
      directory: dirname(dirname(script)),
      environment: {
        PORT: '0',
        SNAPSHOTS_DIR: snapshots ?? join(directory, 'snapshots'),
        INTENTS_DIR: join(directory, 'intents'),
        API_KEYS: key,
        API_KEYS_FILE: keysFile,
        MARKETPLACE_HOST: gateway.host,
        MARKETPLACE_PROXY_SECRETS: gateway.secret,
      },
    });
    const stop = () => started.stop().finally(remove);
    return { ...started, key, limitedKey, gateway, stop };
  } catch (error) {
    remove();
    throw error;
  }
}
