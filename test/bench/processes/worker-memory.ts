import { readFileSync } from 'node:fs';
import { openBucket } from '../../../src/edge/bucket.ts';
import { createApp } from '../../../src/http/app.ts';
import { createKeyRing } from '../../../src/keys.ts';
import { createLog } from '../../../src/log.ts';
import { createCaches, createServices } from '../../../src/service.ts';
import { folderBucket, ownReads } from '../../support/folder-bucket.ts';
import { noJournal } from '../../support/journal.ts';

/** Requests between two looks. */
const lookEvery = 25;
const key = 'a-key-of-the-benchmark';

const [snapshots = '', targetsFile = '', blockBytes = '', responseBytes = ''] = process.argv.slice(2);
const targets = JSON.parse(readFileSync(targetsFile, 'utf8')) as string[];
const used = () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};
const before = used();
const log = createLog(() => {}, Date.now);
const services = createServices(
  { BASE_URL: null, TRUSTED_KEY: null, MARKETPLACE_HOST: null, MARKETPLACE_PROXY_SECRETS: [] },
  { store: openBucket(folderBucket(snapshots), ownReads()), keys: createKeyRing([key], null, log.event), journal: noJournal, log, now: Date.now, isLocal: true },
  createCaches(Number(blockBytes), Number(responseBytes)),
);
await services.follower.check();
const app = createApp(services);
const first = used() - before;
let greatest = first;
for (const [at, target] of targets.entries()) {
  const response = await app.request(target, { headers: { 'x-api-key': key } }, {});
  await response.arrayBuffer();
  if (at % lookEvery === 0) greatest = Math.max(greatest, used() - before);
}
process.send?.({ result: { first, greatest } });
