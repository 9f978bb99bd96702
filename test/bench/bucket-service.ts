import { openBucket } from '../../src/remote/bucket.ts';
import { createApp } from '../../src/app.ts';
import { createKeyRing } from '../../src/keys/ring.ts';
import { createLog } from '../../src/log/log.ts';
import { createCaches, createServices } from '../../src/service.ts';
import { folderBucket, ownReads } from '../support/folder-bucket.ts';
import { noJournal } from '../support/journal.ts';
import { apiKey } from './service.ts';

/** The memory of the worker as it is deployed. */
const [blockBytes, responseBytes] = [24 * 1024 * 1024, 6 * 1024 * 1024];

/**
 * A service in this process over a bucket that holds a folder of snapshots: what it asks the bucket is
 * counted.
 */
export async function serviceOverBucket(
  snapshots: string,
): Promise<{ readonly count: () => number; ask(target: string): Promise<void> }> {
  const store = openBucket(folderBucket(snapshots), ownReads());
  const log = createLog(() => {}, Date.now);
  const services = createServices(
    {
      BASE_URL: null,
      TRUSTED_KEY: null,
      FRESH_WITHIN: 300,
      MARKETPLACE_HOST: null,
      MARKETPLACE_NAME: 'marketplace',
      MARKETPLACE_PROXY_SECRETS: [],
      MARKETPLACE_LIMITS: null,
      OAUTH_ISSUER: null,
      OAUTH_AUDIENCE: null,
      OAUTH_LIMITS: null,
    },
    {
      store,
      keys: createKeyRing([apiKey], null, log.event),
      journal: noJournal,
      log,
      now: Date.now,
      elapsed: () => performance.now(),
      isLocal: true,
    },
    createCaches(blockBytes, responseBytes),
  );
  await services.served.check();
  const app = createApp(services);
  return {
    count: store.reads,
    async ask(target: string) {
      const response = await app.request(target, { headers: { 'x-api-key': apiKey } }, {});
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`${target}: status ${response.status}`);
    },
  };
}
