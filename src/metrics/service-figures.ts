import type { Server } from 'node:http';
import { coverageOf } from '../snapshot/coverage.ts';
import { serviceBoundsMs } from '../requests/operation-counts.ts';
import type { Services } from '../requests/services.ts';
import type { KeyRing } from '../keys/ring.ts';
import type { Used } from '../keys/usage.ts';
import type { PointerState } from '../snapshot/served-snapshot.ts';
import type { Snapshot } from '../snapshot/open.ts';
import type { BlockCache } from '../table/block-cache.ts';
import { freeDiskFigures } from './free-disk.ts';
import { figures, type Figure } from './figures.ts';

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
    ...figures({
      fei_requests_total: [
        'Requests that were answered, by operation and status. The operation is `none` if they were refused before routing.',
        () =>
          operations().flatMap(({ labels, statuses }) =>
            Array.from(statuses).flatMap((value, status) =>
              value === 0 ? [] : [{ labels: { ...labels, status: String(status) }, value }],
            ),
          ),
      ],
      // Without labels it is there from the start, so that the first failure is an increase, too.
      fei_requests_failed_total: [
        'Those of these requests that got a status of 500 or more.',
        () => operations().reduce((sum, { statuses }) => sum + failuresIn(statuses), 0),
      ],
    }),
    {
      kind: 'histogram',
      name: 'fei_request_seconds',
      help: 'Time from the arrival of a whole request to the end of its answer, without the time for which it was held.',
      bounds: serviceBoundsMs.map((ms) => ms / 1000),
      read: () =>
        operations().map(({ labels, times, totalMs }) => ({ labels, counts: times, sum: totalMs / 1000 })),
    },
    ...figures({
      fei_requests_in_flight: ['Requests that are being answered.', () => counts.inFlight],
      fei_requests_held: ['Requests that wait for a publication, and streams.', () => held.size()],
      fei_connections: [
        'Open connections of clients.',
        () =>
          new Promise(
            (resolve) => void server.getConnections((error, count) => resolve(error ? null : count)),
          ),
      ],
    }),
  ];
}

const failuresIn = (statuses: Float64Array) => statuses.subarray(500).reduce((sum, each) => sum + each, 0);

function keyFigures({ services: { counts }, keys }: Measured): Figure[] {
  const ofCallers = (member: keyof Used) => () =>
    [...counts.callers].map(([caller, each]) => ({ labels: { caller }, value: each[member] }));
  return figures({
    fei_keys_refused_total: [
      'Requests that were refused for their key: it was missing, wrong, or had used up its requests of the minute (`limit`).',
      () => Object.entries(counts.keysRefused).map(([reason, value]) => ({ labels: { reason }, value })),
    ],
    // The label has the id of a key, `gateway:<buyer>`, or `other`.
    fei_caller_requests_total: ['Requests of each key and buyer.', ofCallers('requests')],
    fei_caller_client_errors_total: [
      'Those of these requests that got a status from 400 to 499.',
      ofCallers('clientErrors'),
    ],
    fei_caller_bytes_total: ['Bytes of the answers to these requests.', ofCallers('bytes')],
    fei_keys: ['Keys that open the service.', () => keys.size()],
  });
}

function cacheFigures({ services: { responses }, blocks }: Measured): Figure[] {
  return figures({
    fei_response_cache_hits_total: ['Answers that the response cache had.', () => responses.counts.hits],
    fei_response_cache_misses_total: [
      'Answers that were made because the response cache did not have them.',
      () => responses.counts.misses,
    ],
    fei_response_cache_bytes: ['Bytes that the response cache holds.', () => responses.size()],
    fei_block_cache_hits_total: ['Blocks of tables that were in memory.', () => blocks.counts.hits],
    fei_blocks_read_total: [
      'Blocks of tables that were read, checked and inflated.',
      () => blocks.counts.reads,
    ],
    fei_block_bytes_read_total: ['Bytes of these blocks, as they are stored.', () => blocks.counts.readBytes],
    fei_block_cache_bytes: ['Bytes of the blocks that are in memory.', () => blocks.size()],
  });
}

function snapshotFigures({ services: { served, held, now } }: Measured): Figure[] {
  /** A value of the snapshot that is served; no value while there is none. */
  const ofSnapshot = (read: (snapshot: Snapshot) => number) => () =>
    served.use(async (snapshot) => read(snapshot)).catch(() => null);
  const secondsSince = (instant: string) => Math.max(0, (now() - Date.parse(instant)) / 1000);
  return figures({
    fei_filings: [
      'Filings of the snapshot that is served.',
      ofSnapshot(({ manifest }) => manifest.filingCount),
    ],
    fei_snapshot_served: [
      '1 while a snapshot is served, else 0.',
      () => (served.currentId() === null ? 0 : 1),
    ],
    fei_snapshot_switches_total: [
      'How often another snapshot was served than before; the first one counts.',
      () => held.publication(),
    ],
    fei_snapshot_age_seconds: [
      'Time since the newest batch of the snapshot that is served was recorded: EDGAR was last asked then.',
      ofSnapshot(({ manifest }) => secondsSince(manifest.generatedAt)),
    ],
    fei_edgar_read_age_seconds: [
      "Time since EDGAR was last read without error, by the follower's heartbeat or else by the newest batch.",
      ofSnapshot((snapshot) => secondsSince(coverageOf(snapshot, now()).fetchedAt)),
    ],
    fei_data_stale: [
      "1 when the data is older than promised, by the follower's heartbeat or else by EDGAR's business days.",
      ofSnapshot((snapshot) => (coverageOf(snapshot, now()).isStale ? 1 : 0)),
    ],
  });
}

function pointerFigures({ services: { served, now } }: Measured): Figure[] {
  const ofPointer = (read: (pointer: PointerState) => number | null) => () => read(served.pointer());
  return figures({
    fei_pointer_age_seconds: [
      'Time since the pointer of the snapshot that is served was signed; no value if it is not signed.',
      ofPointer(({ madeAtMs }) => madeAtMs && Math.max(0, (now() - madeAtMs) / 1000)),
    ],
    fei_pointer_expires_seconds: [
      'Time until the signature of that pointer expires, negative after that; no value if it is not signed.',
      ofPointer(({ expiresAtMs }) => expiresAtMs && (expiresAtMs - now()) / 1000),
    ],
    fei_pointer_refused: [
      '1 while the pointer that is there is refused or cannot be read, else 0.',
      ofPointer(({ refusedSinceMs }) => (refusedSinceMs === null ? 0 : 1)),
    ],
    fei_pointer_refusals_total: [
      'How often a pointer was refused, or could not be read, for a new reason.',
      ofPointer(({ refusals }) => refusals),
    ],
  });
}

/** What is said in the log, and the disk. */
function surroundingFigures({ warnings, folder }: Measured): Figure[] {
  return [
    ...figures({
      fei_warnings_total: [
        'Events of the log that need attention, by their name.',
        () => [...warnings].map(([event, value]) => ({ labels: { event }, value })),
      ],
    }),
    ...freeDiskFigures('fei', 'the disk with the folder that the service writes to', () => folder),
  ];
}
