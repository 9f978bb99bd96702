import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Lets servers listen on ports of this machine that nobody else has. */
export async function listen(servers: readonly Server[]): Promise<void> {
  for (const server of servers) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}

/** The port on which a server listens. */
export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** A port of this machine, or of another of its addresses, that nobody has at this moment. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Closes servers with all their connections. */
export async function closeAll(servers: readonly Server[]): Promise<void> {
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** A server that can go down and come up again on the same port. */
export interface Reopened {
  readonly address: string;
  down(): Promise<void>;
  up(): Promise<void>;
}

/** Lets a server listen on a port that nobody else has, and lets it go down and up on that port. */
export async function reopenable(server: Server): Promise<Reopened> {
  await listen([server]);
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    down: () => closeAll([server]),
    up: () => new Promise((resolve) => void server.listen(port, '127.0.0.1', resolve)),
  };
}
