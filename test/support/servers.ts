import type { Server } from 'node:http';

/** Lets servers listen on ports of this machine that nobody else has. */
export async function listen(servers: readonly Server[]): Promise<void> {
  for (const server of servers) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}

/** Closes servers with all their connections. */
export async function closeAll(servers: readonly Server[]): Promise<void> {
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
