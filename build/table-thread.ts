import type { MessagePort } from 'node:worker_threads';
import { CorruptSnapshot } from '../src/files/bytes.ts';
import type { LineLog } from '../src/log/levels.ts';
import { writeStoredTable, type TableWork } from './fold/filing-tables.ts';
import { sumTables, type TablesWork } from './verify/table-sums.ts';
import { answerCalls, openThread, startThread } from './work/thread.ts';

/** What such a thread does: a build lets it write tables, a verification lets it read them. */
type ThreadWork = TableWork & TablesWork;

/**
 * With less memory to take, the garbage collector leaves less garbage: the thread uses less than a quarter of
 * this.
 */
const resourceLimits = { maxOldGenerationSizeMb: 512 };

/** Opens such a thread, which runs the program at `entry` once more. It starts at the first call and ends with this process. */
export function openTableThread(entry: URL, log: LineLog): ThreadWork & { end(): Promise<void> } {
  const { calls, end } = openThread<ThreadWork>({
    does: 'writes and reads tables',
    names: ['writeStoredTable', 'sumTables'],
    start: startThread(entry, { name: 'tables' }, resourceLimits),
    errors: [CorruptSnapshot],
    log,
  });
  return { ...calls, end };
}

/** Does what belongs to such a thread, at the calls that come through `port`. */
export function serveTableThread(port: MessagePort): void {
  answerCalls<ThreadWork>(port, () => ({ writeStoredTable, sumTables }));
}
