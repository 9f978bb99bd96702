import type { Heartbeat } from '../../../src/format/heartbeat-file.ts';
import type { ContentsName } from '../../../src/settings/settings.ts';
import type { AskingEdgar } from '../../edgar/client.ts';
import type { LedgerFolders } from '../../ingest/known.ts';
import type { Universe } from '../../ingest/universe.ts';
import type { Clock } from '../../time/told-clock.ts';
import type { Progress } from '../../work/progress.ts';
import type { Connection } from './connection.ts';
import type { Errors } from './follower-errors.ts';
import type { Followed } from './followed.ts';
import type { LedgerWork } from './ledger-work.ts';
import type { Schedule } from './schedule.ts';

/** What the parts of a follower need. */
export interface PartOptions extends AskingEdgar {
  readonly universe: Universe;
  /** The file of the universe, which may change; left out if it has none. */
  readonly universeFile?: string | null;
  /** Time from the beginning of one reading of the feed to the beginning of the next, in milliseconds. */
  readonly intervalMs: number;
  /** What is asked for beside the metadata of filings; nothing if left out. */
  readonly contents?: readonly ContentsName[];
  readonly folders: LedgerFolders;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /** Looks up and appends. If left out, this thread does that itself. `follow` closes it. */
  readonly ledger?: LedgerWork;
  /** Builds a snapshot of the ledger and returns the newest filing date of the snapshot. */
  readonly publish: () => Promise<string | null>;
  /** Makes joins of segments that later publications want. None are made if left out. Calls may overlap. */
  readonly prepare?: () => Promise<unknown>;
  /** Leaves the heartbeat where services find it. None is left if left out. */
  readonly beat?: (heartbeat: Heartbeat) => Promise<void>;
  /** How often it is left, in milliseconds; tests lower it. */
  readonly heartbeatMs?: number;
  /** Removes old snapshots and files that no snapshot needs. */
  readonly prune: () => Promise<void>;
  /** How long the loop of this thread stood still at most, in milliseconds. */
  readonly stoodStillMs?: () => number;
  /** Shows the progress of the first fill of a ledger. */
  readonly progress: Progress;
  /** Shows the status line, many times a minute. `isMinute` is true about once a minute. */
  readonly showStatus: (line: string, isMinute: boolean) => void;
  readonly signal: AbortSignal;
  /** How long the feed has to fail before the submissions files are polled, in milliseconds. */
  readonly pollAfterMs?: number;
  /** How long the end may take, in milliseconds; what is not done then is left for the next start. */
  readonly endingMs?: number;
  /** The fewest rows of a complete ticker file; tests lower it. */
  readonly tickerRowsMinimum?: number | undefined;
}

/** What the parts of a follower share. Each member changes by its own functions alone. */
export interface Shared {
  readonly options: PartOptions;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly errors: Errors;
  readonly connection: Connection;
  readonly ledger: LedgerWork;
  readonly followed: Followed;
}
