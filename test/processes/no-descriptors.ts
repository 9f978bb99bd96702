import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { appendBatch } from '../../build/ledger/batch.ts';
import { addKey, revokeKey } from '../../build/keys.ts';
import { keysFileAt } from '../../src/keys/file.ts';
import { createKeyRing } from '../../src/keys/ring.ts';
import type { LogLevel } from '../../src/log/levels.ts';
import { openPartFolder } from '../../src/snapshot/folder.ts';
import { createServedSnapshot } from '../../src/snapshot/served-snapshot.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { makeSnapshot } from '../support/snapshot.ts';

/** Takes descriptors until only so many are left to the process. Gives back a function that releases them. */
function leaveDescriptors(count: number): () => void {
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EMFILE') throw error;
  }
  for (const descriptor of taken.splice(0, count)) closeSync(descriptor);
  return () => taken.forEach((descriptor) => closeSync(descriptor));
}

// A service is at work; then a key is revoked and a snapshot published while descriptors are scarce. The
// results are printed.
const made = await makeSnapshot({ filings: 40, companies: 3, batches: 1 });
const keysFile = join(made.directory, 'keys.json');
const events: string[] = [];
const log = (event: string, _: unknown, level?: LogLevel) => {
  if (level !== 'debug') events.push(event);
};
const ring = createKeyRing([], keysFileAt(keysFile), log);
const follower = createServedSnapshot(openPartFolder(made.directory), createBlockCache(1024 * 1024), log);
const look = async () => void (await Promise.all([ring.refresh(), follower.check()]));
const results: unknown[] = [];
for (const [at, descriptors] of [0, 1, 2].entries()) {
  const { key, entry } = await addKey(keysFile, 'one', null, 0);
  await look();
  const before = follower.currentId();
  await revokeKey(keysFile, entry.id);
  await appendBatch(made.ledgerDirectory, {
    run: {
      target: 't',
      status: 'success',
      message: null,
      createdAt: new Date(Date.UTC(2026, 5, 1 + at)).toISOString(),
    },
    filings: [],
    companies: [],
    refusals: [],
  });
  const published = await made.build();
  events.length = 0;
  const release = leaveDescriptors(descriptors);
  for (let round = 0; round < 5; round++) await look();
  const meanwhile = {
    keyOpens: ring.find(key, 0) !== null,
    isOldServed: follower.currentId() === before,
    events: [...events],
  };
  release();
  await look();
  results.push({
    descriptors,
    meanwhile,
    after: { keyOpens: ring.find(key, 0) !== null, isNewServed: follower.currentId() === published },
  });
}
await follower.close();
// A handle that nobody closed is told of when it is collected.
global.gc?.();
await made.remove();
console.log(JSON.stringify(results));
