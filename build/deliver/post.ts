import { createPublicKey, sign, type KeyObject } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Change } from '../../clients/typescript/src/index.ts';
import { retryAfterMsOf } from '../../src/fetch/backoff.ts';
import { createWire, readBytes, type WireAnswer, type WireGuard } from '../../src/fetch/wire.ts';
import {
  checkLiteral,
  isPublic,
  NotPublic,
  publicOnly,
  type Resolve,
  resolveByServers,
  resolveBySystem,
} from './public-addresses.ts';

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
 * The headers of one attempt, as Standard Webhooks names them. There is a signature for each secret, and one of the
 * private Ed25519 key if there is one: a receiver that can check one of them accepts the message. `atMs` is the time of
 * the attempt.
 */
export function headersOf(
  { id, body }: Message,
  secrets: readonly string[],
  atMs: number,
  signingKey: KeyObject | null = null,
): Readonly<Record<string, string>> {
  const at = new Date(atMs);
  const seconds = String(Math.floor(atMs / 1000));
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, at, body));
  if (signingKey !== null)
    signatures.push(
      `v1a,${sign(null, Buffer.from(`${id}.${seconds}.${body}`), signingKey).toString('base64')}`,
    );
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': signatures.join(' '),
  };
}

/** The public key with which receivers check signatures of a private key, as Standard Webhooks writes it: `whpk_…`. */
export function publicKeyText(signingKey: KeyObject): string {
  const { x = '' } = createPublicKey(signingKey).export({ format: 'jwk' });
  return `whpk_${Buffer.from(x, 'base64url').toString('base64')}`;
}

/** How an attempt ended. */
export type Outcome =
  | { readonly kind: 'accepted'; readonly status: number }
  /** The receiver wants nothing more (410). */
  | { readonly kind: 'gone'; readonly status: number }
  /** `status` is null if no answer came. */
  | {
      readonly kind: 'failed';
      readonly status: number | null;
      readonly reason: string;
      readonly retryAfterMs: number;
    };

/** Sends messages to receivers. */
export interface Poster {
  /** Makes one attempt. Never rejects. */
  post(url: URL, headers: Readonly<Record<string, string>>, body: string): Promise<Outcome>;
  /** Cuts the attempts that run, and closes all connections. */
  close(): Promise<void>;
}

/** How receivers are reached. */
export interface PosterOptions {
  readonly isPrivateAllowed: boolean;
  readonly userAgent: string;
  /** Stands in for the name servers, in tests. */
  readonly resolve?: Resolve;
  /** For one attempt, from the question for the name to the answer. 15 seconds if not set. */
  readonly timeoutMs?: number;
}

const timeoutMsDefault = 15_000;
const connectMs = 10_000;
/** At most this much of an answer is read; whoever sends more is cut off. */
const answerBytesMaximum = 16 * 1024;
/** At most this much of an answer is shown. */
const shownCharacters = 200;

/** Makes a poster. It follows no redirects: they would lead past the checks of addresses. */
export function createPoster(options: PosterOptions): Poster {
  const { isPrivateAllowed, userAgent, timeoutMs = timeoutMsDefault } = options;
  // An endpoint sends one message at a time, so there are never more connections than endpoints.
  const wire = createWire({
    connectMs: Math.min(connectMs, timeoutMs),
    silentMs: timeoutMs,
    headerBytesMaximum: answerBytesMaximum,
    ...(isPrivateAllowed && options.resolve === undefined ? {} : { lookup: lookupOf(resolverOf(options)) }),
    ...(isPrivateAllowed ? {} : { guard: publicHostsOnly }),
  });
  return {
    async post(url, headers, body) {
      try {
        return await wire.send(
          {
            url,
            method: 'POST',
            headers: { 'user-agent': userAgent, accept: '*/*', ...headers },
            body,
            wholeMs: timeoutMs,
            lateReason: `no answer within ${timeoutMs / 1000} seconds`,
          },
          outcomeOf,
        );
      } catch (error) {
        const { cause, message } = error as Error;
        const reason = inOneLine(message || (cause as Error | undefined)?.message || 'no answer');
        return { kind: 'failed', status: null, reason, retryAfterMs: 0 };
      }
    },
    close: wire.close,
  };
}

/** An address in place of a name is not looked up, so it is checked by itself. */
const publicHostsOnly: WireGuard = {
  checkHost: (hostname) => checkLiteral(new URL(`http://${bracketed(hostname)}`)),
  checkPeer(hostname, address) {
    if (!isPublic(address)) throw new NotPublic(`${hostname} is at ${address}, which is no public address`);
  },
};

/**
 * What an answer means. Its status has come already and decides, so a text that is cut off, or too long, is no
 * error.
 */
async function outcomeOf({ status, header, body }: WireAnswer): Promise<Outcome> {
  const { bytes } = await readBytes(body, 0, answerBytesMaximum);
  if (status >= 200 && status < 300) return { kind: 'accepted', status };
  if (status === 410) return { kind: 'gone', status };
  const isRedirect = status >= 300 && status < 400;
  return {
    kind: 'failed',
    status,
    reason: isRedirect
      ? `${status}: redirects are not followed`
      : `${status} ${inOneLine(bytes.toString('utf8'))}`.trim(),
    retryAfterMs: retryAfterMsOf(header('retry-after')),
  };
}

/** Private receivers may have names that only this machine knows, such as `localhost`. */
function resolverOf({ isPrivateAllowed, resolve }: PosterOptions): Resolve {
  return isPrivateAllowed ? (resolve ?? resolveBySystem) : publicOnly(resolve ?? resolveByServers);
}

/** The connection goes to one of the addresses that were checked: nobody asks for the name again. */
function lookupOf(resolve: Resolve): LookupFunction {
  return (hostname, { all, family }, callback) => {
    resolve(hostname).then(
      (found) => {
        const fitting = found.filter(
          (each) => !family || each.family === Number(String(family).replace('IPv', '')),
        );
        const [first] = fitting;
        if (first === undefined) callback(new Error(`the name ${hostname} has no address of this kind`), '');
        else if (all === true) callback(null, [...fitting]);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
}

const bracketed = (hostname: string) =>
  hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname;

const inOneLine = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, shownCharacters);
