import * as z from 'zod';
import { FreshnessMeta } from './envelopes.ts';
import { notInvestmentAdvice } from './list-meta.ts';
import { HealthIngestRun } from './records.ts';
import { count, timestamp } from '../domain/scalars.ts';

/** The answer of `GET /health`. */
export const HealthResponse = z
  .object({
    status: z
      .enum(['ok', 'stale'])
      .describe('`stale` when the data is older than promised; the service works all the same.'),
    version: z.string().regex(/^\d+\.\d+\.\d+$/),
    program: z
      .object({
        release: z.string().describe('Its release, as in `version`.'),
        format: count.describe('The format of snapshots that it reads and makes.'),
        rules: count.describe('The number of the rules by which it derives what is published.'),
        commit: z
          .string()
          .nullable()
          .describe('The commit of its checkout when it was bundled; null where that is not known.'),
      })
      .describe('Which program answers: tells replicas apart while they are updated.'),
    companyCount: count,
    filingCount: count,
    latestIngestRun: HealthIngestRun.nullable(),
    notInvestmentAdvice,
    snapshotId: z.string().describe('The snapshot that is being served.'),
    dataFetchedAt: FreshnessMeta.shape.dataFetchedAt,
    staleAfter: FreshnessMeta.shape.staleAfter,
    stale: FreshnessMeta.shape.stale,
    sample: FreshnessMeta.shape.sample,
    reconciledFrom: FreshnessMeta.shape.reconciledFrom,
    reconciledThrough: FreshnessMeta.shape.reconciledThrough,
    missingFilings: FreshnessMeta.shape.missingFilings,
    openFilings: FreshnessMeta.shape.openFilings,
    withdrawnFilings: FreshnessMeta.shape.withdrawnFilings,
    heartbeat: z
      .object({
        writtenAt: timestamp.describe('When the follower wrote it, UTC.'),
        readAt: timestamp.describe(
          'EDGAR was read without error then, and everything that it listed is served, UTC.',
        ),
        acceptedThrough: timestamp
          .nullable()
          .describe('The newest acceptance that EDGAR has listed, UTC; null if it has told none.'),
        behindSeconds: count.describe('How long ago `readAt` was, in seconds.'),
      })
      .nullable()
      .describe('What the follower says that publishes here; null if there is none.'),
    pointerSignature: z
      .object({
        number: z.int(),
        madeAt: timestamp,
        expiresAt: timestamp,
        expired: z
          .boolean()
          .describe('Whether it has expired: no service takes it then, and a newer snapshot may exist.'),
        checked: z
          .boolean()
          .describe('Whether this service takes only pointers that its trusted key has signed.'),
        rollbackProtection: z
          .enum(['lasting', 'this_process'])
          .nullable()
          .describe(
            'How long this service refuses pointers that are older than one it accepted: `lasting`, or `this_process` if it forgets that when it restarts. Null if it does not check pointers.',
          ),
      })
      .nullable()
      .describe('What the pointer to this snapshot says of itself; null if it is not signed.'),
    unreachableSince: timestamp
      .nullable()
      .describe(
        'Since when the host that holds the snapshots could not be reached, UTC: what is served may not be the newest one. Null while it can, and for snapshots in a folder.',
      ),
  })
  .meta({
    id: 'HealthResponse',
    description: 'Whether the service works, how fresh its data is, and how far it is proven to be complete.',
  });

/** The answer of `GET /livez`. */
export const ProbeResponse = z
  .object({ status: z.literal('ok') })
  .meta({ id: 'ProbeResponse', description: 'The answer is yes. Otherwise there is an error or no answer.' });

/** The answer of `GET /readyz`. */
export const ReadyResponse = z
  .object({
    status: z.literal('ok'),
    pointer: z
      .object({
        madeAt: timestamp.nullable().describe('When it was signed, UTC; null if it is not signed.'),
        ageSeconds: count.nullable().describe('How long ago that was; null if it is not signed.'),
        expired: z
          .boolean()
          .nullable()
          .describe('Whether its signature has expired: the service goes on, but does not start with it.'),
        refusedSince: timestamp
          .nullable()
          .describe(
            'Since when the service has refused the pointer that is there, or could not read it, UTC: what is served may not be the newest. Null while all is well.',
          ),
      })
      .describe('The pointer that names the snapshot.'),
  })
  .meta({
    id: 'ReadyResponse',
    description: 'A snapshot is served. Otherwise there is an error or no answer.',
  });
