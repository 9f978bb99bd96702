import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { appendCorrected, correctedCauses } from '../support/corrected.ts';
import { deliveriesOf, firstCursor, type Deliveries } from '../support/delivering.ts';
import { useDirectories } from '../support/directories.ts';
import { secretOf, startReceivers, type Receivers } from '../support/receivers.ts';
import { listeningService, type ListeningService } from '../support/service.ts';
import { buildQuietly } from '../support/snapshots.ts';

const fresh = useDirectories('deliver-corrections');

describe('corrections at an endpoint', () => {
  let service: ListeningService;
  let receivers: Receivers;
  let deliveries: Deliveries;
  beforeAll(async () => {
    const [ledger, snapshots] = [fresh(), fresh()];
    await appendCorrected(ledger);
    await buildQuietly(ledger, snapshots);
    service = await listeningService(snapshots);
  });
  afterAll(() => service.close());
  afterEach(async () => {
    await deliveries.stop();
    await receivers.close();
  });

  it('what is filled in of older filings comes only where it is asked for, so that new filings do not wait behind it', async () => {
    const address = `http://127.0.0.1:${service.port}`;
    receivers = await startReceivers();
    deliveries = deliveriesOf(() => address, fresh());
    const cursor = await firstCursor(address);
    const endpoint = (name: string, corrections?: string) => ({
      name,
      url: `${receivers.address}/${name}`,
      secrets: [secretOf(1)],
      cursor,
      ...(corrections === undefined ? {} : { corrections }),
    });
    deliveries.write([endpoint('usual'), endpoint('none', 'none'), endpoint('every', 'all')]);
    await deliveries.start();
    const behindFirst = correctedCauses.slice(1);
    const wanted = {
      usual: behindFirst.filter((cause) => cause !== 'history'),
      none: behindFirst.filter((cause) => cause === null),
      every: behindFirst,
    };
    for (const [name, causes] of Object.entries(wanted)) {
      await expect.poll(() => receivers.accepted(`/${name}`).length).toBe(causes.length);
      expect(receivers.at(`/${name}`).map(({ change }) => change.cause ?? null)).toEqual(causes);
    }
  });
});
