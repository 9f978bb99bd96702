import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** How often connections on which nothing is in flight any more are looked for. */
const roundMs = 50;

/**
 * Makes a server one that can stop in good order. The function that it returns takes no new connection, lets
 * every answer arrive, at a slow reader too, and calls `done` when all connections are closed: after
 * `withinMs` at the latest.
 */
export function drainable(server: Server): (withinMs: number, done: () => void) => void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  /**
   * Node counts a connection as idle once its answer is written, though most of it may still wait to be sent.
   */
  function closeIdle(): void {
    for (const { writableLength } of sockets) if (writableLength > 0) return;
    server.closeIdleConnections();
  }

  return (withinMs, done) => {
    // An HTTP server's own `close` would close idle connections right away.
    NetServer.prototype.close.call(server, done);
    closeIdle();
    setInterval(closeIdle, roundMs).unref();
    setTimeout(() => server.closeAllConnections(), withinMs).unref();
  };
}
