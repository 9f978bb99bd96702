import { bulkContentType, bulkPath } from '../contract/bulk.ts';
import { ApiError } from '../contract/errors.ts';
import type { DocumentName, PublicRoute } from '../format/snapshot.ts';
import { bulkListOf, type Snapshot } from '../snapshot/open.ts';
import { program } from '../format/program.ts';
import type { Answer } from '../http/http-answer.ts';
import { coverageOf, coverageToTheMinute } from '../snapshot/coverage.ts';
import { fileEtag, ownAnswer, withOwnAddress } from './address.ts';
import { jsonAnswer } from '../render/json.ts';
import { numbersInTurn, firstOf, pageOfOne, pageOfRecords, type Page } from '../render/page.ts';

/** A public document by its URL path, with the address of this service; null if the snapshot has none. */
export async function publicAnswer(snapshot: Snapshot, urlPath: string): Promise<Answer | null> {
  const { routes } = snapshot;
  const route: PublicRoute | undefined = Object.hasOwn(routes, urlPath) ? routes[urlPath] : undefined;
  if (!route) return null;
  const { contentType, file, br, gzip, headers } = route;
  const bytes = await snapshot.file(file);
  return ownAnswer(snapshot, urlPath, {
    contentType,
    etag: fileEtag(file.sha256),
    body: () => bytes,
    ...(headers ? { headers } : {}),
    ...(br ? { br: () => snapshot.file(br) } : {}),
    ...(gzip ? { gzip: () => snapshot.file(gzip) } : {}),
  });
}

/** `GET /`, with links to the descriptions of the service for clients that start there. */
export function rootAnswer(snapshot: Snapshot): Answer {
  return {
    ...documentAnswer(snapshot, 'root'),
    headers: {
      Link: '</openapi.json>; rel="service-desc", </docs>; rel="service-doc", </.well-known/api-catalog>; rel="api-catalog"',
    },
  };
}

/** A keyed document as it was built, with the address of this service. */
export function documentAnswer(snapshot: Snapshot, name: DocumentName): Answer {
  return jsonAnswer([withOwnAddress(snapshot, snapshot.documents[name]).toString()]);
}

/**
 * A file of the change feed, which is compressed already. Its name tells its range and not its content: after a
 * ledger was restored from a backup, a closed file may be another one. So caches ask again, by its ETag. Throws
 * `not_found`.
 */
export async function bulkFileAnswer(snapshot: Snapshot, name: string): Promise<Answer> {
  const file = bulkListOf(snapshot.documents).data.find((each) => each.name === name);
  if (!file) throw new ApiError('not_found', `there is no file ${name}; ${bulkPath} lists all`);
  const bytes = await snapshot.longFile(file);
  return {
    contentType: bulkContentType,
    etag: `"${file.sha256.slice(0, 32)}"`,
    body: () => bytes,
    headers: {
      'Accept-Ranges': 'bytes',
      'Content-Disposition': `attachment; filename="${name}"`,
      'Repr-Digest': `sha-256=:${Buffer.from(file.sha256, 'hex').toString('base64')}:`,
    },
  };
}

/**
 * The public sample with at most `limit` rows in each of its lists. An answer that is too long for all of them
 * keeps the first row of each list, then the second of each, and so on. Who reads it does not see where it comes
 * from: links that are paths are given with the address of the service, if that is known.
 */
export function demoPage(
  demo: Answer,
  limit: number | undefined,
  { address }: Pick<Snapshot, 'address'>,
): Page {
  const { data, meta: built } = JSON.parse(demo.body().toString()) as {
    data: { latestFilings: unknown[]; latestInsiderTrades: unknown[] };
    meta: { docsUrl: string; subscribeUrl: string };
  };
  const whole = (link: string) => (link.startsWith('/') ? `${address() ?? ''}${link}` : link);
  const meta = { ...built, docsUrl: whole(built.docsUrl), subscribeUrl: whole(built.subscribeUrl) };
  const lists = [data.latestFilings.slice(0, limit), data.latestInsiderTrades.slice(0, limit)];
  const [filings = [], insiderTrades = []] = numbersInTurn(lists.map(({ length }) => length));
  const records: unknown[] = [];
  for (const [at, numbers] of [filings, insiderTrades].entries())
    for (const [index, number] of numbers.entries()) records[number] = lists[at]?.[index];
  const page = pageOfRecords(records, (count) => ({
    envelope: {
      data: {
        ...data,
        latestFilings: firstOf(filings, count),
        latestInsiderTrades: firstOf(insiderTrades, count),
      },
      meta,
    },
    end: null,
  }));
  return { ...page, least: lists.filter(({ length }) => length > 0).length };
}

/** The answer of `GET /livez`. */
export const probeAnswer = jsonAnswer(['{"status":"ok"}']);

/** The answer of `GET /readyz`: how old the pointer is at `nowMs`, and whether the one that is there is refused. */
export function readyAnswer(
  { signature, pointerRefusedSince }: Pick<Snapshot, 'signature' | 'pointerRefusedSince'>,
  nowMs: number,
): Answer {
  const refusedSinceMs = pointerRefusedSince();
  const pointer = {
    madeAt: signature?.madeAt ?? null,
    ageSeconds:
      signature === null ? null : Math.max(0, Math.floor((nowMs - Date.parse(signature.madeAt)) / 1000)),
    expired: signature === null ? null : nowMs >= Date.parse(signature.expiresAt),
    refusedSince: refusedSinceMs === null ? null : new Date(refusedSinceMs).toISOString(),
  };
  return jsonAnswer([JSON.stringify({ status: 'ok', pointer })]);
}

/**
 * `GET /health`: the document that was built, with what only the service knows at `nowMs`: the id of the
 * snapshot, whether it is a sample, when EDGAR was last read and whether the data is stale, the heartbeat of
 * the follower, the signature of its pointer, and since when the store has been unreachable.
 */
export function healthAnswer(snapshot: Snapshot, nowMs: number): Answer {
  const built = JSON.parse(snapshot.documents.health.toString()) as object;
  const { isStale, isSample, fetchedAt, staleAfter } = coverageOf(snapshot, nowMs);
  const unreachableMs = snapshot.unreachableSince();
  const { writtenAt, readAt, acceptedThrough } = snapshot.heartbeat()?.heartbeat ?? {};
  const heartbeat =
    readAt === undefined
      ? null
      : {
          writtenAt,
          readAt,
          acceptedThrough,
          behindSeconds: Math.max(0, Math.floor((nowMs - Date.parse(readAt)) / 1000)),
        };
  const pointerSignature =
    snapshot.signature === null
      ? null
      : {
          number: snapshot.signature.number,
          madeAt: snapshot.signature.madeAt,
          expiresAt: snapshot.signature.expiresAt,
          expired: nowMs >= Date.parse(snapshot.signature.expiresAt),
          checked: snapshot.signature.protection !== null,
          rollbackProtection: snapshot.signature.protection?.() ?? null,
        };
  return jsonAnswer([
    JSON.stringify({
      status: isStale ? 'stale' : 'ok',
      ...built,
      program,
      snapshotId: snapshot.id,
      dataFetchedAt: fetchedAt,
      staleAfter,
      stale: isStale,
      sample: isSample,
      heartbeat,
      pointerSignature,
      unreachableSince: unreachableMs === null ? null : new Date(unreachableMs).toISOString(),
    }),
  ]);
}

/**
 * `GET /v1/sec/stats`: the document that was built, with whether it is a sample, when EDGAR was last read, to
 * the minute, and whether its data is stale at `nowMs`.
 */
export function statsPage(snapshot: Snapshot, nowMs: number): Page {
  const { data, meta } = JSON.parse(snapshot.documents.stats.toString()) as { data: unknown; meta: object };
  const { isStale, isSample, fetchedAt, staleAfter } = coverageToTheMinute(snapshot, nowMs);
  return pageOfOne(data, { ...meta, dataFetchedAt: fetchedAt, staleAfter, stale: isStale, sample: isSample });
}

/** How to subscribe: the document that was built, with the address of this service. */
export function subscriptionPage(snapshot: Snapshot): Page {
  const { data, meta } = JSON.parse(withOwnAddress(snapshot, snapshot.documents.subscription).toString()) as {
    data: unknown;
    meta: object;
  };
  return pageOfOne(data, meta);
}

/** The public path of the page that browsers get at `/`, if the snapshot has a site. */
export const landingPath = '/index.html';

/** The public path of the page that browsers get for unknown paths. */
export const notFoundPath = '/404.html';
