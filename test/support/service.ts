import type { Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { createAuthenticator, type Gateway } from '../../src/auth.ts';
import { createResponseCache } from '../../src/http/cache.ts';
import { createCounts } from '../../src/http/counts.ts';
import { createHeldRequests } from '../../src/http/held.ts';
import { createHttpServer, type ServerBounds } from '../../src/http/server.ts';
import type { Services } from '../../src/http/services.ts';
import { createKeyRing } from '../../src/keys.ts';
import { createLog } from '../../src/log.ts';
import type { Measured } from '../../src/metrics/service.ts';
import { createFollower } from '../../src/snapshot/follow.ts';
import { createChunkCache } from '../../src/table/cache.ts';
import { noJournal } from './journal.ts';
import { closeAll, listen } from './servers.ts';

/** A key that the service knows. */
export const serviceKey = 'a-key-of-the-service';

/** A Node server over the snapshots of a directory, on a port of this machine. */
export interface ListeningService {
  readonly services: Services;
  readonly server: Server;
  readonly port: number;
  /** What its metrics are read from. */
  readonly measured: Measured;
  /** What was logged so far, a line each. */
  logged(): Record<string, unknown>[];
  close(): Promise<void>;
}

/** Starts a Node server over the snapshots of a directory; `keysFile` holds keys beside `serviceKey`. */
export async function listeningService(directory: string, bounds: ServerBounds = {}, gateway: Gateway = { host: null, secrets: [] }, keysFile: string | null = null): Promise<ListeningService> {
  let written = '';
  const log = createLog((lines) => (written += lines.toString()), Date.now);
  const held = createHeldRequests();
  const blocks = createChunkCache(8 * 1024 * 1024);
  const follower = createFollower(directory, blocks, log.event, held.release);
  await follower.check();
  const keys = createKeyRing([serviceKey], keysFile, log.event);
  await keys.refresh();
  const authenticator = createAuthenticator(keys, gateway);
  const services: Services = { follower, held, counts: createCounts(), authenticator, responses: createResponseCache(1024 * 1024), log, now: Date.now, own: { baseUrl: null, isLocal: true }, journal: noJournal };
  const server = createHttpServer(services, bounds);
  await listen([server]);
  return {
    services, server,
    measured: { services, blocks, keys, server },
    port: (server.address() as AddressInfo).port,
    logged() {
      log.flush();
      return written.split('\n').slice(0, -1).map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    async close() {
      await closeAll([server]);
      await follower.close();
    },
  };
}

/** Opens a connection and sends bytes as they are. */
export function sendBytes(port: number, text: string): Socket {
  const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
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
