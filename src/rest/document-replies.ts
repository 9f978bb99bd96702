import { landingPath, notFoundPath, publicAnswer } from '../answers/document-answers.ts';
import { isSamplePath, sampleAnswer } from '../answers/sample-answer.ts';
import { sharedAnswer } from '../answers/shared-pages.ts';
import { endpoints, type Endpoint } from '../contract/endpoints.ts';
import { ApiError } from '../contract/errors.ts';
import { keyHeaderNames } from '../contract/gateway.ts';
import { metadataPathOf, resourcePaths } from '../contract/tools.ts';
import { headerOf, pathOf, queryOf, type Exchange, type Reply } from '../http/exchange.ts';
import { failureReply } from '../http/failures.ts';
import { prefersHtml } from '../http/negotiate.ts';
import { preparePart } from '../http/range.ts';
import { commonHeaders, negotiatedCaching, prepare, publicCaching } from '../http/send.ts';
import { admit } from '../requests/caller.ts';
import type { Services } from '../requests/services.ts';
import { operationReply } from './operations.ts';

/** The name of sample-only paths in metrics. */
const sampleOperation = 'getSample';

const reads = 'GET, HEAD, OPTIONS';
const preflightHeaders = {
  ...commonHeaders,
  'Access-Control-Max-Age': '86400',
} as const;

/** Answers `GET /`: the landing page for browsers, JSON for all others. */
export async function rootReply(services: Services, endpoint: Endpoint, exchange: Exchange): Promise<Reply> {
  if (!prefersHtml(headerOf(exchange, 'accept')))
    return withVary(await operationReply(services, endpoint, exchange, () => undefined));
  const page = await services.served.use((snapshot) => publicAnswer(snapshot, landingPath));
  return page
    ? (preparePart(exchange, page, negotiatedCaching) ?? prepare(exchange, page, negotiatedCaching))
    : withVary(await operationReply(services, endpoint, exchange, () => undefined));
}

function withVary(reply: Reply): Reply {
  return { ...reply, headers: { ...reply.headers, Vary: 'Accept, Accept-Encoding' } };
}

/** Where the page that follows the feed was, and where it is. */
const [formerLivePath, livePagePath] = ['/live', '/filings'];

/** Paths of intents, which also take POST. */
const intentPattern = /^\/validate\/[^/]+\/[^/]+$/;
const endpointPatterns = endpoints.map(
  ({ path }) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
);

/** Where the metadata of resources is, if tokens are taken. */
const metadataPaths = resourcePaths.map(metadataPathOf);

/**
 * Answers requests that match no operation: public documents, samples, preflight requests, methods that are
 * not allowed, and unknown paths.
 */
export async function otherReply(services: Services, exchange: Exchange, path: string): Promise<Reply> {
  const { method } = exchange;
  const isRead = method === 'GET' || method === 'HEAD';
  const allowed = intentPattern.test(path) ? 'GET, HEAD, POST, OPTIONS' : reads;
  if (method === 'OPTIONS')
    return {
      status: 204,
      headers: {
        ...preflightHeaders,
        Allow: allowed,
        'Access-Control-Allow-Methods': allowed,
        'Access-Control-Allow-Headers': `Content-Type, If-None-Match, If-Range, Last-Event-ID, Range, X-Request-Id, ${keyHeaderNames(services.gateway)}`,
      },
      body: null,
    };
  return services.served.use(async (snapshot) => {
    const found = (await publicAnswer(snapshot, path)) ?? (await sharedAnswer(snapshot, path));
    const isSample = !found && isSamplePath(snapshot, path);
    if (
      !isRead &&
      (found ||
        isSample ||
        intentPattern.test(path) ||
        (services.tokens !== null && metadataPaths.includes(path)) ||
        endpointPatterns.some((pattern) => pattern.test(path)))
    ) {
      return failureReply(
        exchange,
        new ApiError('method_not_allowed', `${method} is not allowed here; allowed are ${allowed}`),
        { Allow: allowed },
      );
    }
    if (isRead && found) {
      return preparePart(exchange, found, publicCaching) ?? prepare(exchange, found, publicCaching);
    }
    if (isSample) {
      exchange.operation = sampleOperation;
      admit(services, exchange);
      const sample = await sampleAnswer(snapshot, path, queryOf(exchange.target));
      if (sample) return prepare(exchange, sample, services.keyed);
    }
    if (
      isRead &&
      path.endsWith('/') &&
      (await publicAnswer(snapshot, path.slice(0, -1)))?.contentType.startsWith('text/html')
    )
      return movedTo(`${path.slice(0, -1)}${exchange.target.slice(pathOf(exchange.target).length)}`);
    if (isRead && path === formerLivePath)
      return movedTo(`${livePagePath}${exchange.target.slice(pathOf(exchange.target).length)}`);
    const nothing = new ApiError(
      'not_found',
      `Nothing is at ${JSON.stringify(pathOf(path).slice(0, 200))}; GET / names what there is.`,
    );
    const page =
      isRead && prefersHtml(headerOf(exchange, 'accept')) ? await publicAnswer(snapshot, notFoundPath) : null;
    if (!page) throw nothing;
    const { status, headers } = failureReply(exchange, nothing);
    return {
      status,
      headers: {
        ...headers,
        ...page.headers,
        'Content-Type': page.contentType,
        'Content-Length': String(page.body().length),
      },
      body: page.body(),
    };
  });
}

/** Redirects to another path: from `/docs/` to `/docs`, because static hosts serve a page at both paths. */
function movedTo(target: string): Reply {
  return {
    status: 308,
    headers: { ...commonHeaders, Location: target, 'Cache-Control': 'public, max-age=3600' },
    body: null,
  };
}
