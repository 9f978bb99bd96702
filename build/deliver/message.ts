import { Webhook } from 'standardwebhooks';
import type { Change } from '../../clients/typescript/src/index.ts';

/** What is sent: the same bytes and the same id in each attempt. */
export interface Message {
  readonly id: string;
  readonly body: string;
}

/** Makes the message of a change. Each revision of a filing has an id of its own. */
export function messageOf(change: Change): Message {
  const { changeType, observedAt, revision, filing } = change;
  return {
    id: `${filing.accessionNo}.${revision}`,
    body: JSON.stringify({
      type: `filing.${changeType}`,
      timestamp: observedAt ?? filing.ingestedAt,
      data: change,
    }),
  };
}

/**
 * The headers of one attempt, as Standard Webhooks names them. There is a signature for each secret: a
 * receiver that knows one of them accepts the message. `atMs` is the time of the attempt.
 */
export function headersOf(
  { id, body }: Message,
  secrets: readonly string[],
  atMs: number,
): Readonly<Record<string, string>> {
  const at = new Date(atMs);
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(atMs / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}
