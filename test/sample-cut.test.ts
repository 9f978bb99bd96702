import { expect, it } from 'vitest';
import { cutSample } from './support/cut-sample.ts';
import { useDirectories } from './support/directories.ts';
import { sampleLedger } from './support/sample.ts';
import { contentBelow } from './support/snapshots.ts';
import { needs } from './support/needs.ts';

const fresh = useDirectories('sample-cut');

it("the embedded sample is what the project's own ingest makes of the recordings", {
  ...needs('recordings'),
  tags: ['slow'],
  timeout: 120_000,
}, async () => {
  const directory = fresh();
  await cutSample(directory);
  expect(contentBelow(directory)).toEqual(contentBelow(sampleLedger));
});
