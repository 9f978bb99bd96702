import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endpoints, type Endpoint } from '../../src/contract/endpoints.ts';
import { openBucket, type Bucket } from '../../src/remote/bucket.ts';
import { Unavailable } from '../../src/files/bytes.ts';
import { useDirectories } from '../support/directories.ts';
import { folderBucket, ownReads } from '../support/folder-bucket.ts';
import { noJournal } from '../support/journal.ts';
import { sampleService, serviceOver } from '../support/sample.ts';

const fresh = useDirectories('edge-bucket');
const part = 'segments/1-1-0/latest.jsonl.gz';

describe('a bucket', () => {
  it('a bucket gives the pointer when it has changed, and says when there is none', async () => {
    const directory = fresh();
    const store = openBucket(folderBucket(directory), ownReads());
    const none = await store.readIfChanged('current.json', '');
    expect(none).toEqual({ text: null, state: 'none' });
    expect(await store.readIfChanged('current.json', 'none')).toBeNull();
    writeFileSync(join(directory, 'current.json'), '{"a":1}');
    const first = await store.readIfChanged('current.json', 'none');
    expect(first?.text).toBe('{"a":1}');
    expect(await store.readIfChanged('current.json', first?.state ?? '')).toBeNull();
    writeFileSync(join(directory, 'current.json'), '{"a":2}');
    expect((await store.readIfChanged('current.json', first?.state ?? ''))?.text).toBe('{"a":2}');
  });
  it('a bucket says which part it cannot give', async () => {
    await expect(openBucket(folderBucket(fresh()), ownReads()).read(part, 0, 10)).rejects.toThrow(
      `${part}: it is not in the bucket`,
    );
    const broken: Bucket = {
      ...folderBucket(fresh()),
      get: () => Promise.reject(new Error('internal error; please try again')),
    };
    await expect(openBucket(broken, ownReads()).read(part, 0, 10)).rejects.toThrow(Unavailable);
    await expect(openBucket(broken, ownReads()).readIfChanged('current.json', '')).rejects.toThrow(
      'current.json: internal error',
    );
  });

  // A request to a worker may make 50 reads. Lists of a company read its profile, too, for their total.
  const most = { cold: 24, warm: 3 };
  it.each((endpoints as readonly Endpoint[]).filter(({ answer }) => answer.kind !== 'root'))(
    `is read at most ${most.cold} times for a first answer of $id, and ${most.warm} times for another one`,
    async ({ example }) => {
      const { snapshots, close } = await sampleService();
      await close();
      const store = openBucket(folderBucket(snapshots), ownReads());
      const service = await serviceOver(snapshots, noJournal, Date.now, store);
      const opened = store.reads();
      expect((await service.get(example)).status).toBe(200);
      const cold = store.reads();
      expect(
        (await service.get(`${example}${example.includes('?') ? '&' : '?'}limit=7`)).status,
      ).toBeLessThan(500);
      const warm = store.reads();
      await service.close();
      expect([cold - opened <= most.cold, warm - cold <= most.warm]).toEqual([true, true]);
    },
  );
});
