import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Change } from '../../clients/typescript/src/node.ts';
import { reopenable, type Reopened } from './servers.ts';

/** A secret that the tests use. */
export const secretOf = (number: number) =>
  `whsec_${Buffer.alloc(32, `secret ${number}`).toString('base64')}`;

/** A message that came. */
export interface Received {
  readonly path: string;
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly change: Change;
  /** Of the secrets of the receiver, those that one of the signatures was made with. */
  readonly secrets: readonly string[];
  readonly headers: IncomingMessage['headers'];
}

/**
 * What a receiver answers: a status, or what it does with the connection, which says with `accepted` that a good status
 * was sent before.
 */
export type Answer = number | ((response: ServerResponse) => 'accepted' | void);

/** Receivers of webhooks, each at a path of one server. */
export interface Receivers extends Reopened {
  /** What came to a path, accepted or not, in order. */
  at(path: string): readonly Received[];
  /** What was accepted at a path: answered with a status below 300. */
  accepted(path: string): readonly Received[];
  close(): Promise<void>;
}

/**
 * Starts receivers. They check signatures by the words of Standard Webhooks, with Node's own HMAC. `answer` decides
 * what they answer; 204 if it is not given.
 */
export async function startReceivers(
  answer: (received: Received) => Answer | Promise<Answer> = () => 204,
  secrets: readonly string[] = [secretOf(1)],
): Promise<Receivers> {
  const all: Received[] = [];
  const accepted: Received[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => void pieces.push(piece));
    request.on('end', () => void take(request, Buffer.concat(pieces).toString('utf8'), response));
  });
  async function take(request: IncomingMessage, body: string, response: ServerResponse): Promise<void> {
    const header = (name: string) => String(request.headers[name] ?? '');
    const signatures = header('webhook-signature').split(' ');
    const { type, timestamp, data } = JSON.parse(body) as { type: string; timestamp: string; data: Change };
    const received: Received = {
      path: request.url ?? '',
      id: header('webhook-id'),
      type,
      timestamp,
      change: data,
      secrets: secrets.filter((secret) => {
        const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
        const signed = `${header('webhook-id')}.${header('webhook-timestamp')}.${body}`;
        return signatures.includes(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
      }),
      headers: request.headers,
    };
    all.push(received);
    const answered = await answer(received);
    if (typeof answered === 'function') {
      if (answered(response) === 'accepted') accepted.push(received);
      return;
    }
    if (answered < 300) accepted.push(received);
    response.writeHead(answered).end();
  }
  const opened = await reopenable(server);
  return {
    ...opened,
    at: (path) => all.filter((each) => each.path === path),
    accepted: (path) => accepted.filter((each) => each.path === path),
    close: async () => void (server.listening && (await opened.down())),
  };
}
