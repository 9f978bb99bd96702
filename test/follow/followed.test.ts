import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createFollowed } from '../../build/follow/common/followed.ts';
import { parseUniverse } from '../../build/ingest/universe.ts';
import { useDirectories } from '../support/directories.ts';

const fresh = useDirectories('followed');

it('the universe is what its file says, and what it said before while the file is wrong or away', async () => {
  const path = join(fresh(), 'universe');
  const said: string[] = [];
  writeFileSync(path, 'AAPL # a comment');
  const followed = createFollowed(parseUniverse(`@${path}`), path, (line) => void said.push(line));
  const look = async (): Promise<[boolean, string]> => [await followed.hasChanged(), followed.target()];
  expect(await look()).toEqual([false, 'AAPL']);
  writeFileSync(path, 'aapl,\nMSFT');
  expect(await look()).toEqual([true, 'AAPL,MSFT']);
  writeFileSync(path, 'AAPL MSFT # the same');
  expect(await look()).toEqual([false, 'AAPL,MSFT']);
  for (const wrong of ['what?', '', '# nobody']) {
    writeFileSync(path, wrong);
    expect(await look()).toEqual([false, 'AAPL,MSFT']);
  }
  rmSync(path);
  expect(await look()).toEqual([false, 'AAPL,MSFT']);
  expect(said).toHaveLength(4);
  writeFileSync(path, 'AMD');
  expect(await look()).toEqual([true, 'AMD']);
});

it('a universe without a file stays', async () => {
  const followed = createFollowed({ kind: 'listed' }, null, () => {});
  expect([await followed.hasChanged(), followed.target()]).toEqual([false, 'listed']);
});
