import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closing } from './closing.ts';
import { closeAll, listen } from './servers.ts';

/** A subscription that a buyer has at the marketplace. */
export interface Subscription {
  readonly user: string;
  readonly plan: string;
}

/** A gateway as RapidAPI documents its own, in front of one service. */
export interface Marketplace {
  readonly server: Server;
  readonly port: number;
  /** The host under which buyers know the service. */
  readonly host: string;
}

/**
 * Starts a gateway. It knows buyers by their keys, takes only requests with its host, and passes them on with
 * its secret, the buyer and the plan. It does not pass on such headers from buyers. The names of its headers
 * are those that RapidAPI documents (https://docs.rapidapi.com/docs/additional-request-headers).
 */
export async function startMarketplace(
  upstream: string,
  secret: string,
  subscriptions: ReadonlyMap<string, Subscription>,
): Promise<Marketplace> {
  const host = 'filings.p.rapidapi.com';
  const server = createServer((incoming, outgoing) => {
    const { 'x-rapidapi-key': key = '', 'x-rapidapi-host': asked, ...rest } = incoming.headers;
    const buyer = subscriptions.get(String(key));
    if (asked !== host || buyer === undefined) {
      outgoing.writeHead(403, { 'x-rapidapi-proxy-response': 'true', 'content-type': 'application/json' });
      return void outgoing.end('{"message":"You are not subscribed to this API."}');
    }
    const { host: _host, connection: _connection, ...passed } = rest;
    const forwarded = request(
      new URL(incoming.url as string, upstream),
      {
        method: incoming.method as string,
        headers: {
          ...Object.fromEntries(Object.entries(passed).filter(([name]) => !name.startsWith('x-rapidapi-'))),
          'x-rapidapi-key': String(key),
          'x-rapidapi-host': host,
          'x-rapidapi-proxy-secret': secret,
          'x-rapidapi-user': buyer.user,
          'x-rapidapi-subscription': buyer.plan,
          'x-rapidapi-version': '1.2.8',
          'x-forwarded-for': '203.0.113.7, 10.0.0.1',
          'x-forwarded-host': host,
        },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode as number, {
          ...answer.headers,
          'x-ratelimit-requests-limit': '500000',
          'x-ratelimit-requests-remaining': '499999',
          'x-rapidapi-region': 'AWS - us-east-1',
        });
        answer.pipe(outgoing);
      },
    );
    forwarded.once('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  await listen([server]);
  closing(() => closeAll([server]));
  return { server, port: (server.address() as AddressInfo).port, host };
}
