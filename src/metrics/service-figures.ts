import type { Server } from 'node:http';
import { coverageOf } from '../snapshot/coverage.ts';
import { serviceBoundsMs } from '../requests/operation-counts.ts';
import type { Services } from '../requests/services.ts';
import type { KeyRing } from '../keys/ring.ts';
import type { Used } from '../keys/usage.ts';
import type { PointerState } from '../snapshot/served-snapshot.ts';
import type { Snapshot } from '../snapshot/open.ts';
import type { BlockCache } from '../table/block-cache.ts';
import { freeBytes } from './free-disk.ts';
import { single, type Figure, type Value } from './figures.ts';

/** The parts of a service that metrics are read from. */
export interface Measured {
  readonly services: Pick<Services, 'counts' | 'responses' | 'held' | 'served' | 'now'>;
  readonly blocks: Pick<BlockCache, 'counts' | 'size'>;
  readonly keys: Pick<KeyRing, 'size'>;
  readonly server: Pick<Server, 'getConnections'>;
  /** How often each event that needs attention came; see `CountingLog`. */
  readonly warnings: ReadonlyMap<string, number>;
  /** The folder that the service writes to; null if it writes to none. */
  readonly folder: string | null;
}

/** The metrics of each caller. The label has the id of a key, `gateway:<buyer>`, or `other`. */
const callerFigures = {
  requests: { name: 'fei_caller_requests_total', help: 'Requests of each key and buyer.' },
  clientErrors: {
    name: 'fei_caller_client_errors_total',
    help: 'Those of these requests that got a status from 400 to 499.',
  },
  bytes: { name: 'fei_caller_bytes_total', help: 'Bytes of the answers to these requests.' },
} as const satisfies Record<keyof Used, { readonly name: string; readonly help: string }>;

/** The metrics of a service. */
export function serviceFigures(measured: Measured): Figure[] {
  return [
    ...requestFigures(measured),
    ...keyFigures(measured),
    ...cacheFigures(measured),
    ...snapshotFigures(measured),
    ...pointerFigures(measured),
    ...surroundingFigures(measured),
  ];
}

function requestFigures({ services: { counts, held }, server }: Measured): Figure[] {
  const operations = () =>
    [...counts.operations].map(([operation, each]) => ({
      labels: { operation: operation || 'none' },
      ...each,
    }));
  return [
    {
      kind: 'counter',
      name: 'fei_requests_total',
      help: 'Requests that were answered, by operation and status. The operation is `none` if they were refused before routing.',
      read: () =>
        operations().flatMap(({ labels, statuses }) =>
          Array.from(statuses).flatMap((value, status) =>
            value === 0 ? [] : [{ labels: { ...labels, status: String(status) }, value }],
          ),
        ),
    },
    {
      kind: 'histogram',
      name: 'fei_request_seconds',
      help: 'Time from the arrival of a whole request to the end of its answer, without the time for which it was held.',
      bounds: serviceBoundsMs.map((ms) => ms / 1000),
      read: () =>
        operations().map(({ labels, times, totalMs }) => ({ labels, counts: times, sum: totalMs / 1000 })),
    },
    {
      kind: 'gauge',
      name: 'fei_requests_in_flight',
      help: 'Requests that are being answered.',
      read: () => single(counts.inFlight),
    },
    {
      kind: 'gauge',
      name: 'fei_requests_held',
      help: 'Requests that wait for a publication, and streams.',
      read: () => single(held.size()),
    },
    {
      kind: 'gauge',
      name: 'fei_connections',
      help: 'Open connections of clients.',
      read: () =>
        new Promise(
          (resolve) => void server.getConnections((error, count) => resolve(error ? [] : single(count))),
        ),
    },
  ];
}

function keyFigures({ services: { counts }, keys }: Measured): Figure[] {
  return [
    {
      kind: 'counter',
      name: 'fei_keys_refused_total',
      help: 'Requests that were refused for their key: it was missing, wrong, or had used up its requests of the minute (`limit`).',
      read: () =>
        Object.entries(counts.keysRefused).map(([reason, value]) => ({ labels: { reason }, value })),
    },
    ...(['requests', 'clientErrors', 'bytes'] as const).map(
      (member): Figure => ({
        kind: 'counter',
        name: callerFigures[member].name,
        help: callerFigures[member].help,
        read: () =>
          [...counts.callers].map(([caller, each]) => ({ labels: { caller }, value: each[member] })),
      }),
    ),
    { kind: 'gauge', name: 'fei_keys', help: 'Keys that open the service.', read: () => single(keys.size()) },
  ];
}

function cacheFigures({ services: { responses }, blocks }: Measured): Figure[] {
  return [
    {
      kind: 'counter',
      name: 'fei_response_cache_hits_total',
      help: 'Answers that the response cache had.',
      read: () => single(responses.counts.hits),
    },
    {
      kind: 'counter',
      name: 'fei_response_cache_misses_total',
      help: 'Answers that were made because the response cache did not have them.',
      read: () => single(responses.counts.misses),
    },
    {
      kind: 'gauge',
      name: 'fei_response_cache_bytes',
      help: 'Bytes that the response cache holds.',
      read: () => single(responses.size()),
    },
    {
      kind: 'counter',
      name: 'fei_block_cache_hits_total',
      help: 'Blocks of tables that were in memory.',
      read: () => single(blocks.counts.hits),
    },
    {
      kind: 'counter',
      name: 'fei_blocks_read_total',
      help: 'Blocks of tables that were read, checked and inflated.',
      read: () => single(blocks.counts.reads),
    },
    {
      kind: 'counter',
      name: 'fei_block_bytes_read_total',
      help: 'Bytes of these blocks, as they are stored.',
      read: () => single(blocks.counts.readBytes),
    },
    {
      kind: 'gauge',
      name: 'fei_block_cache_bytes',
      help: 'Bytes of the blocks that are in memory.',
      read: () => single(blocks.size()),
    },
  ];
}

function snapshotFigures({ services: { served, held, now } }: Measured): Figure[] {
  /** A value of the snapshot that is served; no value while there is none. */
  const ofSnapshot = (read: (snapshot: Snapshot) => number) => (): Promise<Value[]> =>
    served.use(async (snapshot) => single(read(snapshot))).catch(() => []);
  const secondsSince = (instant: string) => Math.max(0, (now() - Date.parse(instant)) / 1000);
  return [
    {
      kind: 'gauge',
      name: 'fei_filings',
      help: 'Filings of the snapshot that is served.',
      read: ofSnapshot(({ manifest }) => manifest.filingCount),
    },
    {
      kind: 'gauge',
      name: 'fei_snapshot_served',
      help: '1 while a snapshot is served, else 0.',
      read: () => single(served.currentId() === null ? 0 : 1),
    },
    {
      kind: 'counter',
      name: 'fei_snapshot_switches_total',
      help: 'How often another snapshot was served than before; the first one counts.',
      read: () => single(held.publication()),
    },
    {
      kind: 'gauge',
      name: 'fei_snapshot_age_seconds',
      help: 'Time since the newest batch of the snapshot that is served was recorded: EDGAR was last asked then.',
      read: ofSnapshot(({ manifest }) => secondsSince(manifest.generatedAt)),
    },
    {
      kind: 'gauge',
      name: 'fei_edgar_read_age_seconds',
      help: "Time since EDGAR was last read without error, by the follower's heartbeat or else by the newest batch.",
      read: ofSnapshot((snapshot) => secondsSince(coverageOf(snapshot, now()).fetchedAt)),
    },
    {
      kind: 'gauge',
      name: 'fei_data_stale',
      help: "1 when the data is older than promised, by the follower's heartbeat or else by EDGAR's business days.",
      read: ofSnapshot((snapshot) => (coverageOf(snapshot, now()).isStale ? 1 : 0)),
    },
  ];
}

function pointerFigures({ services: { served, now } }: Measured): Figure[] {
  const ofPointer = (read: (pointer: PointerState) => number | null): Value[] => {
    const value = read(served.pointer());
    return value === null ? [] : single(value);
  };
  return [
    {
      kind: 'gauge',
      name: 'fei_pointer_age_seconds',
      help: 'Time since the pointer of the snapshot that is served was signed; no value if it is not signed.',
      read: () => ofPointer(({ madeAtMs }) => madeAtMs && Math.max(0, (now() - madeAtMs) / 1000)),
    },
    {
      kind: 'gauge',
      name: 'fei_pointer_expires_seconds',
      help: 'Time until the signature of that pointer expires, negative after that; no value if it is not signed.',
      read: () => ofPointer(({ expiresAtMs }) => expiresAtMs && (expiresAtMs - now()) / 1000),
    },
    {
      kind: 'gauge',
      name: 'fei_pointer_refused',
      help: '1 while the pointer that is there is refused or cannot be read, else 0.',
      read: () => ofPointer(({ refusedSinceMs }) => (refusedSinceMs === null ? 0 : 1)),
    },
    {
      kind: 'counter',
      name: 'fei_pointer_refusals_total',
      help: 'How often a pointer was refused, or could not be read, for a new reason.',
      read: () => ofPointer(({ refusals }) => refusals),
    },
  ];
}

/** What is said in the log, and the disk. */
function surroundingFigures({ warnings, folder }: Measured): Figure[] {
  return [
    {
      kind: 'counter',
      name: 'fei_warnings_total',
      help: 'Events of the log that need attention, by their name.',
      read: () => [...warnings].map(([event, value]) => ({ labels: { event }, value })),
    },
    {
      kind: 'gauge',
      name: 'fei_disk_free_bytes',
      help: 'Free bytes of the disk with the folder that the service writes to.',
      read: () => freeBytes(folder),
    },
  ];
}
