import {
  intentActions,
  intentPath,
  marketPath,
  samplePath,
  type CatalogIndex,
  type IntentAction,
} from '../contract/catalog.ts';
import { ApiError, shown } from '../contract/errors.ts';
import type { Intent } from '../contract/intents.ts';
import { catalogIndexOf } from '../answers/sample-answer.ts';
import { prefersHtml } from '../http/negotiate.ts';
import { headerOf, queryOf, type Exchange, type HeaderReader, type Reply } from '../http/exchange.ts';
import { commonHeaders, jsonReply } from '../http/send.ts';
import type { Log } from '../log/log.ts';
import type { ServedSnapshot } from '../snapshot/served-snapshot.ts';
import type { Journal } from './journal.ts';

const referrerCharactersMaximum = 300;
const userAgentCharactersMaximum = 200;

/** The services that an intent needs. `now` is in milliseconds since 1970. */
interface IntentServices {
  readonly served: Pick<ServedSnapshot, 'use'>;
  readonly journal: Journal;
  readonly log: Pick<Log, 'event'>;
  readonly now: () => number;
}

/** An intent as its URL names it. */
interface NamedIntent {
  readonly market: string;
  readonly action: IntentAction;
  readonly target: string | null;
  readonly dataset: string;
}

/**
 * Handles `/validate/<market>/<action>?target=`: records an intent and redirects. The intent is written
 * before the answer. People are redirected even if it cannot be counted; programs get an error.
 */
export async function intentReply(
  services: IntentServices,
  exchange: Exchange,
  market: string,
  action: string,
): Promise<Reply> {
  const { method, target } = exchange;
  const header: HeaderReader = (name) => headerOf(exchange, name);
  const { wanted, location } = await services.served.use(async (snapshot) => {
    const found = readIntent(catalogIndexOf(snapshot), market, action, queryOf(target).getAll('target'));
    return { wanted: found, location: locationOf(found, snapshot.manifest.settings.marketplaceUrl) };
  });
  const isPerson = prefersHtml(header('accept'));
  const counted = isCounted(method, header) && (await record(services, header, wanted, isPerson));
  const headers = { 'X-Robots-Tag': 'noindex', Vary: 'Accept' };
  if (isPerson)
    return {
      status: 303,
      headers: { ...commonHeaders, 'Cache-Control': 'no-store', ...headers, Location: location },
      body: null,
    };
  return jsonReply(
    202,
    {
      data: { market, action, target: wanted.target, counted, url: location },
      meta: { intentsKept: services.journal.isKept, notInvestmentAdvice: true },
    },
    headers,
  );
}

/**
 * Reads the URL of an intent. Throws `not_found` for an unknown market, action or target, and
 * `invalid_parameter` for an empty or repeated target.
 */
function readIntent(
  index: CatalogIndex,
  slug: string,
  action: string,
  targets: readonly string[],
): NamedIntent {
  const market = Object.hasOwn(index.markets, slug) ? index.markets[slug] : undefined;
  if (!market)
    throw new ApiError(
      'not_found',
      `no market is called ${shown(slug)}; /markets.json names those that there are`,
    );
  const known = intentActions.find((each) => each === action);
  if (!known)
    throw new ApiError(
      'not_found',
      `no action is called ${shown(action)}; there are ${intentActions.join(', ')}`,
    );
  const [target = null, ...more] = targets;
  if (more.length > 0 || target === '')
    throw new ApiError(
      'invalid_parameter',
      'target: must be given once, the slug of a feed, dataset or workflow',
    );
  if (target !== null && !Object.hasOwn(market.targets, target))
    throw new ApiError('not_found', `market ${slug} has no feed, dataset or workflow ${shown(target)}`);
  return {
    market: slug,
    action: known,
    target,
    dataset: target === null ? market.dataset : (market.targets[target] as string),
  };
}

/** The path or URL to which an intent redirects. */
function locationOf({ market, action, target, dataset }: NamedIntent, marketplaceUrl: string | null): string {
  switch (action) {
    case 'view':
      return marketPath(market, target);
    case 'request':
      return marketPath(market, 'requested');
    case 'demo':
      return samplePath(market, dataset, 'json');
    case 'download':
      return samplePath(market, dataset, 'csv');
    case 'marketplace':
      return marketplaceUrl ?? '/subscribe';
  }
}

/** Words in the names of bots. Phones of the make CUBOT are not bots. */
const declaredBots =
  /(?<!\bcu)bot\b|crawl|spider|slurp|preview|archiver|inspectiontool|monitor|uptime|facebookexternalhit|whatsapp|headlesschrome/i;

/**
 * Whether an intent counts. Not counted are requests for headers only, prefetches, embedded requests, and
 * bots that say so.
 */
function isCounted(method: string, header: HeaderReader): boolean {
  const purpose = `${header('sec-purpose') ?? ''} ${header('purpose') ?? ''} ${header('x-moz') ?? ''}`;
  // A page of another site can make its visitors fetch an image from here, without any intent of theirs.
  const isEmbedded =
    !['document', 'empty', undefined].includes(header('sec-fetch-dest')) ||
    (header('sec-fetch-site') === 'cross-site' && header('sec-fetch-mode') === 'no-cors');
  return (
    method !== 'HEAD' &&
    !isEmbedded &&
    !/prefetch|prerender|preview/i.test(purpose) &&
    !declaredBots.test(header('user-agent') ?? '')
  );
}

/**
 * Writes the intent and returns true. Returns false if intents are not kept. If there is no room or writing
 * fails, returns false for a person and throws for a program.
 */
async function record(
  { journal, log, now }: IntentServices,
  header: HeaderReader,
  wanted: NamedIntent,
  isPerson: boolean,
): Promise<boolean> {
  if (!journal.isKept) return false;
  const nowMs = now();
  if (!journal.hasRoom(nowMs)) {
    if (isPerson) return false;
    throw new ApiError('overloaded', 'Too many intents at once; try again in a minute.', {
      'Retry-After': '60',
    });
  }
  try {
    await journal.append(intentOf(header, wanted, nowMs));
    return true;
  } catch (error) {
    log.event('intent_lost', {
      market: wanted.market,
      action: wanted.action,
      reason: (error as Error).message,
    });
    if (isPerson) return false;
    throw new ApiError('internal_error', 'The intent could not be written; the log says why.');
  }
}

/** The record of an intent. Its path has only the target: the rest of the query may identify a person. */
function intentOf(header: HeaderReader, { market, action, target }: NamedIntent, nowMs: number): Intent {
  return {
    market,
    action,
    target,
    path: intentPath(market, action, target),
    referrer: withoutQuery(header('referer')),
    userAgent: header('user-agent')?.slice(0, userAgentCharactersMaximum) ?? null,
    createdAt: new Date(nowMs).toISOString(),
  };
}

/** The page that led here, without its query, which may identify a person. */
function withoutQuery(referrer: string | undefined): string | null {
  if (referrer === undefined || !URL.canParse(referrer)) return null;
  const { protocol, host, pathname } = new URL(referrer);
  return /^https?:$/.test(protocol)
    ? `${protocol}//${host}${pathname}`.slice(0, referrerCharactersMaximum)
    : null;
}
