import type { Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Gateway } from '../../src/keys/authenticator.ts';
import { createHttpServer, type ServerBounds } from '../../src/node-server.ts';
import type { Services } from '../../src/requests/services.ts';
import { createTurns } from '../../src/requests/turns.ts';
import { createKeyRing, type KeyRing } from '../../src/keys/ring.ts';
import { createLog } from '../../src/log/log.ts';
import { createCaches, createServices, type ServiceSettings } from '../../src/service.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import type { PartStore } from '../../src/snapshot/store.ts';
import type { Measured } from '../../src/metrics/service-figures.ts';
import { keysFileAt } from '../../src/keys/file.ts';
import { noUsage } from '../../src/keys/usage.ts';
import { createKeyUsage, usagePathOf } from '../../src/keys/usage-files.ts';
import { closing } from './closing.ts';
import { noJournal } from './journal.ts';
import { closeAll, listen } from './servers.ts';

/** A key that the service knows. */
export const serviceKey = 'a-key-of-the-service';

/** A Node server over snapshots, on a port of this machine. */
export interface ListeningService {
  readonly services: Services;
  readonly server: Server;
  readonly port: number;
  readonly keys: KeyRing;
  /** What its metrics are read from. */
  readonly measured: Measured;
  /** Requests a path, with `serviceKey` unless it has other headers. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  /** What was logged so far, a line each. */
  logged(): Record<string, unknown>[];
  close(): Promise<void>;
}

/** What a service keeps in memory in tests. */
export const smallCaches = (unsentBytes?: number) =>
  createCaches(8 * 1024 * 1024, 1024 * 1024, undefined, unsentBytes);

/**
 * Starts a Node server over the snapshots of a directory or of another store; `keysFile` holds keys beside
 * `serviceKey`, and `clocks` are those of its machine.
 */
export async function listeningService(
  snapshots: string | PartStore,
  { unsentBytes, ...bounds }: ServerBounds & { readonly unsentBytes?: number } = {},
  gateway: Omit<Gateway, 'headers'> & {
    readonly name?: string;
    readonly oauth?: Pick<ServiceSettings, 'OAUTH_ISSUER' | 'OAUTH_AUDIENCE' | 'OAUTH_LIMITS'>;
  } = { host: null, secrets: [] },
  keysFile: string | null = null,
  clocks: Pick<Services, 'now' | 'elapsed'> = { now: Date.now, elapsed: () => performance.now() },
): Promise<ListeningService> {
  let written = '';
  const log = createLog((lines) => (written += lines.toString()), Date.now);
  const store = typeof snapshots === 'string' ? openPartFolder(snapshots) : snapshots;
  const settings = {
    BASE_URL: null,
    TRUSTED_KEY: null,
    FRESH_WITHIN: 300,
    MARKETPLACE_HOST: gateway.host,
    MARKETPLACE_PROXY_SECRETS: [...gateway.secrets],
    MARKETPLACE_NAME: gateway.name ?? 'marketplace',
    MARKETPLACE_LIMITS: gateway.perMinute === undefined ? null : new Map(gateway.perMinute),
    OAUTH_ISSUER: null,
    OAUTH_AUDIENCE: null,
    OAUTH_LIMITS: null,
    ...gateway.oauth,
  };
  const keys = createKeyRing([serviceKey], keysFile === null ? null : keysFileAt(keysFile), log.event);
  await keys.refresh();
  const usage = keysFile === null ? noUsage : createKeyUsage(usagePathOf(keysFile), log.event);
  const caches = smallCaches(unsentBytes);
  let address: string | null = null;
  const services = createServices(
    settings,
    {
      store,
      keys,
      usage,
      journal: noJournal,
      log,
      ...clocks,
      turns: createTurns(clocks.elapsed),
      isLocal: true,
      ...(gateway.oauth ? { address: () => address } : {}),
    },
    caches,
  );
  await services.served.check();
  const server = createHttpServer(services, bounds);
  await listen([server]);
  const { port } = server.address() as AddressInfo;
  address = `http://127.0.0.1:${port}`;
  return {
    services,
    server,
    keys,
    measured: {
      services,
      blocks: caches.blocks,
      keys,
      server,
      warnings: log.warnings,
      folder: typeof snapshots === 'string' ? snapshots : null,
    },
    port,
    ask: (path, init = {}) =>
      fetch(`${address}${path}`, { ...init, headers: { 'x-api-key': serviceKey, ...init.headers } }),
    logged() {
      log.flush();
      return written
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    close: closing(async () => {
      await closeAll([server]);
      await services.served.close();
    }),
  };
}

/** Opens a connection and sends bytes as they are. */
export function sendBytes(port: number, text: string): Socket {
  const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
  closing(() => socket.destroy());
  socket.on('error', () => {});
  return socket;
}

/** Sends bytes as they are and resolves to everything that comes back until the connection ends. */
export function exchangeBytes(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = sendBytes(port, text);
    let received = '';
    socket.on('data', (part: Buffer) => (received += part.toString('latin1')));
    socket.once('close', () => resolve(received));
  });
}
