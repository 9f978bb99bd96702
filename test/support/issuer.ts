import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose';
import { closing } from './closing.ts';
import { closeAll, listen } from './servers.ts';

/** A pair of keys of an issuer, and what it publishes of it. */
export interface IssuerKey {
  readonly secret: CryptoKey;
  readonly published: JWK;
}

/** Makes a pair of keys. Without `kid` nothing names it. */
export async function issuerKey(alg: string, kid?: string): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const named = kid === undefined ? {} : { kid };
  return { secret: privateKey, published: { ...(await exportJWK(publicKey)), ...named, alg, use: 'sig' } };
}

/** An authorisation server of this machine, which publishes keys and does nothing else. */
export interface TestIssuer {
  readonly address: string;
  /** How many requests it got. */
  readonly asked: () => number;
  /** What it answers with in place of its documents; null for these. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | null;
  keys: readonly JWK[];
  readonly server: Server;
  close(): Promise<void>;
}

/** Starts an issuer that publishes keys; with `path`, it is below a path of its host. */
export async function startIssuer(keys: readonly JWK[], path = ''): Promise<TestIssuer> {
  let asked = 0;
  const server = createServer((request, response) => {
    asked++;
    if (issuer.answer) return issuer.answer(request, response);
    const documents: Record<string, object> = {
      [`/.well-known/oauth-authorization-server${path}`]: {
        issuer: issuer.address,
        jwks_uri: `${issuer.address}/keys`,
      },
      [`${path}/keys`]: { keys: issuer.keys },
    };
    const document = documents[request.url ?? ''];
    response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? {}));
  });
  await listen([server]);
  const issuer: TestIssuer = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    asked: () => asked,
    answer: null,
    keys,
    server,
    close: closing(() => closeAll([server])),
  };
  return issuer;
}

/** Signs a token. Its header names the key and its algorithm, unless `header` says something else. */
export function signedToken(
  claims: JWTPayload,
  { secret, published }: IssuerKey,
  header: Record<string, unknown> = {},
): Promise<string> {
  const { alg = '', kid } = published;
  return new SignJWT(claims)
    .setProtectedHeader({ alg, ...(kid === undefined ? {} : { kid }), typ: 'at+jwt', ...header } as never)
    .sign(secret);
}
