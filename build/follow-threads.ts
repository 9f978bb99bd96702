import { constants, setPriority } from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import type { LineLog } from '../src/log/levels.ts';
import { withPartFolder } from '../src/snapshot/folder.ts';
import type { EdgarSettings } from './edgar/client.ts';
import type { FollowOptions } from './follow/follower.ts';
import { ledgerWorkNames, openLedgerWork, type LedgerWork } from './follow/common/ledger-work.ts';
import type { LedgerFolders } from './ingest/known.ts';
import { BrokenLedger } from './ledger/batch.ts';
import { snapshotNamed } from './snapshot/pointer.ts';
import { openPreparation, type Preparation } from './snapshot/prepare.ts';
import { keptForMs, prune } from './snapshot/prune.ts';
import type { Progress } from './work/progress.ts';
import { answerCalls, openThread, startThread } from './work/thread.ts';

/**
 * A thread of the follower: `ledger` looks up and appends, `publisher` builds snapshots and prunes, `joiner`
 * prepares joins. So neither waits for another one, and the loop waits for none.
 */
export interface FollowThread {
  readonly name: 'ledger' | 'publisher' | 'joiner';
  readonly folders: LedgerFolders;
  /** Whether somebody reads progress on a terminal. */
  readonly isTerminal: boolean;
}

type Published = Pick<FollowOptions, 'publish' | 'prune'>;
type Joiner = Pick<Preparation, 'prepare'>;

/** The threads of a running follower. */
export interface FollowThreads {
  readonly work: Required<Pick<FollowOptions, 'ledger' | 'publish' | 'prune' | 'prepare'>>;
  /** Ends all of them in the middle of what they do. */
  end(): Promise<void>;
}

/**
 * Opens the threads of a follower. Each runs the program at `entry` once more, from the first call on. They
 * end with this process, however it ends.
 */
export function openFollowThreads(
  entry: URL,
  folders: LedgerFolders,
  isTerminal: boolean,
  log: LineLog,
  signal: AbortSignal,
): FollowThreads {
  const start = (name: FollowThread['name']) =>
    startThread<FollowThread>(entry, { name, folders, isTerminal });
  const common = { errors: [BrokenLedger], log, signal };
  const ledger = openThread<LedgerWork>({
    ...common,
    does: 'looks up filings and appends batches',
    names: ledgerWorkNames,
    start: start('ledger'),
  });
  const publisher = openThread<Published>({
    ...common,
    does: 'publishes',
    names: ['publish', 'prune'],
    start: start('publisher'),
  });
  const joiner = openThread<Joiner>({
    ...common,
    does: 'prepares joins',
    names: ['prepare'],
    start: start('joiner'),
  });
  return {
    work: { ledger: ledger.calls, ...publisher.calls, ...joiner.calls },
    end: async () => void (await Promise.all([ledger.end(), publisher.end(), joiner.end()])),
  };
}

/** What `serveFollowThread` needs. */
export interface Serving {
  readonly settings: () => EdgarSettings;
  /** The clock of this machine, in milliseconds since 1970. */
  readonly now: () => number;
  readonly progress: Progress;
  /** Builds a snapshot of the ledger, without progress. */
  readonly build: (folders: LedgerFolders, log: LineLog, signal: AbortSignal) => Promise<void>;
}

/** Does what belongs to this thread of a follower, at the calls that come through `port`. */
export function serveFollowThread(
  { name, folders }: FollowThread,
  port: MessagePort,
  { settings, now, progress, build }: Serving,
): void {
  const { snapshotsDirectory } = folders;
  switch (name) {
    case 'ledger':
      return answerCalls<LedgerWork>(port, (log, signal) =>
        openLedgerWork({ folders, settings: settings(), now, log, progress, signal }),
      );
    case 'publisher':
      return answerCalls<Published>(port, (log, signal) => ({
        async publish() {
          await build(folders, log, signal);
          const { manifest } = await withPartFolder(snapshotsDirectory, (folder) => snapshotNamed(folder));
          return manifest.newestFiledAt;
        },
        prune: async () =>
          void (await withPartFolder(snapshotsDirectory, (folder) =>
            prune(folder, now(), keptForMs, { signal }),
          )),
      }));
    case 'joiner': {
      // On Linux this is the priority of the thread, elsewhere it would be that of the whole process.
      if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_LOW);
      const { prepare } = openPreparation(snapshotsDirectory);
      return answerCalls<Joiner>(port, () => ({ prepare }));
    }
  }
}
