import { readFileSync } from 'node:fs';
import { serviceOverBucket } from '../bucket-service.ts';

/** Requests between two looks. */
const lookEvery = 25;

const [snapshots = '', targetsFile = ''] = process.argv.slice(2);
const targets = JSON.parse(readFileSync(targetsFile, 'utf8')) as string[];
const used = () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};
const before = used();
const { ask } = await serviceOverBucket(snapshots);
const first = used() - before;
let greatest = first;
for (const [at, target] of targets.entries()) {
  await ask(target);
  if (at % lookEvery === 0) greatest = Math.max(greatest, used() - before);
}
process.send?.({ result: { first, greatest } });
