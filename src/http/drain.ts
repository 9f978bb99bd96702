import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** How often idle connections are looked for while the server stops, in milliseconds. */
const roundMs = 50;

/**
 * Prepares a server for an orderly stop. The function that is returned takes no new connections, lets every
 * answer arrive, even at a slow reader, and calls `done` when all connections are closed, at the latest after
 * `withinMs`.
 */
export function drainable(server: Server): (withinMs: number, done: () => void) => void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  /**
   * Closes idle connections when no bytes wait to be sent. Node counts a connection as idle once its answer
   * is written, though most of it may still wait to be sent.
   */
  function closeIdle(): void {
    for (const { writableLength } of sockets) if (writableLength > 0) return;
    server.closeIdleConnections();
  }

  return (withinMs, done) => {
    // The `close` of an HTTP server would close idle connections at once.
    NetServer.prototype.close.call(server, done);
    closeIdle();
    setInterval(closeIdle, roundMs).unref();
    setTimeout(() => server.closeAllConnections(), withinMs).unref();
  };
}
