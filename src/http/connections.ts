import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Limits on what the clients of one process may hold. */
export interface ConnectionBounds {
  /** Open connections. One more closes the connection that was idle for longest. */
  readonly connections: number;
  /**
   * Requests that wait until earlier requests of their connection are answered. One more closes its
   * connection.
   */
  readonly waitingRequests: number;
  /**
   * Bytes of answers that their clients have not read yet. Beyond that, the oldest of these answers are
   * dropped with their connections.
   */
  readonly unsentBytes: number;
}

const defaultBounds: ConnectionBounds = {
  connections: 12_000,
  waitingRequests: 2000,
  unsentBytes: 64 * 1024 * 1024,
};

/** Keeps the connections of a server within the bounds. */
export interface Connections {
  /**
   * Calls `begin` when all earlier requests of the connection are answered and sent: at once for clients that
   * wait for each answer.
   */
  inTurn(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    begin: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
  ): void;
  /** Counts the unsent bytes of an answer that was just written, until its client has read them. */
  hold(outgoing: ServerResponse): void;
}

/** Watches the connections of a server. */
export function watchConnections(server: Server, bounds: ConnectionBounds = defaultBounds): Connections {
  /** Open connections, the one used last at the end, each with the number of its waiting requests. */
  const open = new Map<Socket, number>();
  const unsent = new Map<ServerResponse, number>();
  let waiting = 0;
  let unsentBytes = 0;

  server.on('connection', (socket) => {
    open.set(socket, 0);
    socket.once('close', () => {
      waiting -= open.get(socket) ?? 0;
      open.delete(socket);
    });
    if (open.size > bounds.connections) (open.keys().next().value as Socket).destroy();
  });

  function countWaiting(socket: Socket, change: number): void {
    const count = open.get(socket);
    if (count === undefined) return;
    open.set(socket, count + change);
    waiting += change;
  }

  /** Moves a connection to the end of the order. */
  function use(socket: Socket): void {
    const count = open.get(socket);
    if (count === undefined) return;
    open.delete(socket);
    open.set(socket, count);
  }

  /**
   * Stops reading from all connections until the next round of the event loop. Node parses at once all that a
   * connection sent, 64 KiB of small requests into megabytes of objects, and frees those of a closed
   * connection only after the round. Hundreds of connections that are closed for sending too much must not be
   * read in the same round.
   */
  function readOthersLater(): void {
    const others = [...open.keys()].filter((socket) => !socket.isPaused());
    for (const socket of others) socket.pause();
    setImmediate(() => {
      for (const socket of others) if (!socket.destroyed) socket.resume();
    });
  }

  function release(outgoing: ServerResponse): void {
    unsentBytes -= unsent.get(outgoing) ?? 0;
    unsent.delete(outgoing);
  }

  return {
    inTurn(incoming, outgoing, begin) {
      const { socket } = incoming;
      use(socket);
      // Node gives the connection to a response when the responses before it are sent.
      if (outgoing.socket !== null) return begin(incoming, outgoing);
      if (socket.destroyed) return;
      if (waiting >= bounds.waitingRequests) {
        socket.destroy();
        return readOthersLater();
      }
      countWaiting(socket, 1);
      outgoing.once('socket', () => {
        countWaiting(socket, -1);
        begin(incoming, outgoing);
      });
    },
    hold(outgoing) {
      const bytes = outgoing.writableLength;
      if (bytes === 0) return;
      unsent.set(outgoing, bytes);
      unsentBytes += bytes;
      outgoing.once('close', () => release(outgoing));
      for (const first of unsent.keys()) {
        if (unsentBytes <= bounds.unsentBytes || first === outgoing) break;
        release(first);
        first.destroy();
      }
    },
  };
}
