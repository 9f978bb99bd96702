/**
 * Counts requests of one caller without end, and writes them after each thousand: a minute of its own clock.
 * Prints how many it has counted and how many of them are written.
 */
import { createKeyUsage } from '../../src/keys/usage-files.ts';

const usage = createKeyUsage(process.argv[2] as string, () => {});
const nowMs = Date.parse('2026-05-01T12:00:00Z');
for (let minute = 0; ; minute++) {
  for (let request = 0; request < 1000; request++) usage.count('a', nowMs, 200, 10);
  await usage.save(minute * 60_000);
  process.stdout.write(`${(minute + 1) * 1000} ${(minute + 1) * 1000}\n`);
}
