import type { DocumentName, PublicRoute } from '../format/snapshot.ts';
import type { Snapshot } from '../snapshot/open.ts';
import type { Answer } from '../http/http-answer.ts';
import { coverageOf, coverageToTheMinute } from '../snapshot/coverage.ts';
import { fileEtag, ownAnswer, withOwnAddress } from './address.ts';
import { jsonAnswer } from './body.ts';

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

/** The public sample with at most `limit` rows in each of its lists; without a limit, as it was built. */
export function demoAnswer(demo: Answer, limit: number | undefined): Answer {
  if (limit === undefined) return demo;
  const { data, meta } = JSON.parse(demo.body().toString()) as {
    data: { latestFilings: unknown[]; latestInsiderTrades: unknown[] };
    meta: unknown;
  };
  return jsonAnswer([
    JSON.stringify({
      data: {
        ...data,
        latestFilings: data.latestFilings.slice(0, limit),
        latestInsiderTrades: data.latestInsiderTrades.slice(0, limit),
      },
      meta,
    }),
  ]);
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
export function statsAnswer(snapshot: Snapshot, nowMs: number): Answer {
  const { data, meta } = JSON.parse(snapshot.documents.stats.toString()) as { data: unknown; meta: object };
  const { isStale, isSample, fetchedAt, staleAfter } = coverageToTheMinute(snapshot, nowMs);
  return jsonAnswer([
    JSON.stringify({
      data,
      meta: { ...meta, dataFetchedAt: fetchedAt, staleAfter, stale: isStale, sample: isSample },
    }),
  ]);
}

/** The public path of the page that browsers get at `/`, if the snapshot has a site. */
export const landingPath = '/index.html';

/** The public path of the page that browsers get for unknown paths. */
export const notFoundPath = '/404.html';
