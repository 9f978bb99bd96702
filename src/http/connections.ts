import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Shares } from './shares.ts';

/** Limits on what the clients of one process may hold. */
export interface ConnectionBounds {
  /** Open connections. One more closes another one, of those that are needed least. */
  readonly connections: number;
  /**
   * Requests that wait until earlier requests of their connection are answered. One more closes its
   * connection.
   */
  readonly waitingRequests: number;
}

const defaultBounds: ConnectionBounds = { connections: 14_500, waitingRequests: 2000 };

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
  /** Closes other connections before that of a request that is not answered at once. */
  keepUntilSent(outgoing: ServerResponse): void;
  /** Counts the unsent bytes of an answer that was just written, until its client has read them. */
  hold(outgoing: ServerResponse, caller: string | null): void;
}

/**
 * Watches the connections of a server. `unsent` counts the bytes of answers that are not sent yet. If there are
 * too many, the oldest of those that wait for their clients are dropped with their connections.
 */
export function watchConnections(
  server: Server,
  unsent: Shares,
  bounds: ConnectionBounds = defaultBounds,
): Connections {
  /** Open connections, each with the number of its waiting requests. */
  const open = new Map<Socket, number>();
  // Three groups, in the order in which connections are closed if there are too many: those that sent no
  // request yet, those that are between two requests (the one used last at the end of its group), and those
  // with a request that is not answered yet, such as a held one or a download.
  const silent = new Set<Socket>();
  const idle = new Set<Socket>();
  const busy = new Map<Socket, ServerResponse>();
  const unread = new Map<ServerResponse, () => void>();
  let waiting = 0;

  server.on('connection', (socket) => {
    if (open.size >= bounds.connections) leastNeeded()?.destroy();
    open.set(socket, 0);
    silent.add(socket);
    socket.once('close', () => {
      waiting -= open.get(socket) ?? 0;
      open.delete(socket);
      for (const each of [silent, idle, busy]) each.delete(socket);
    });
  });

  function leastNeeded(): Socket | undefined {
    for (const each of [silent, idle, busy])
      for (const socket of each.keys()) if (!socket.destroyed) return socket;
    return undefined;
  }

  function countWaiting(socket: Socket, change: number): void {
    const count = open.get(socket);
    if (count === undefined) return;
    open.set(socket, count + change);
    waiting += change;
  }

  /** Moves a connection to the end of those that wait for the next request. */
  function use(socket: Socket): void {
    if (!open.has(socket)) return;
    silent.delete(socket);
    idle.delete(socket);
    if (!busy.has(socket)) idle.add(socket);
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
    unread.get(outgoing)?.();
    unread.delete(outgoing);
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
    keepUntilSent(outgoing) {
      const { socket } = outgoing;
      if (socket === null || !open.has(socket)) return;
      idle.delete(socket);
      busy.set(socket, outgoing);
      outgoing.once('close', () => {
        // The next request of the connection may have begun.
        if (busy.get(socket) !== outgoing) return;
        busy.delete(socket);
        use(socket);
      });
    },
    hold(outgoing, caller) {
      const bytes = outgoing.writableLength;
      if (bytes === 0) return;
      unread.set(outgoing, unsent.add(caller, bytes));
      outgoing.once('close', () => release(outgoing));
      for (const first of unread.keys()) {
        if (unsent.left() >= 0 || first === outgoing) break;
        release(first);
        first.destroy();
      }
    },
  };
}
