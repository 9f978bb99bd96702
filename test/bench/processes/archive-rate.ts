import { firstUnsettledDay, inferClock } from '../../../build/sources/clock.ts';
import { sources } from '../../../build/sources/registry.ts';
import { submissionsFile, toFilings, type Columns } from '../../../build/sources/submissions.ts';
import type { ArchiveRate } from '../rows/archive.ts';

// The archive is of days long past, as most of what upstream's has.
const unsettledFrom = firstUnsettledDay(Date.UTC(2030, 0, 1));

/**
 * Upstream's archive is ten times as long: what the compiler needs at the beginning counts for nothing there.
 */
const warmUpEntities = 5000;

/**
 * Reads a bulk archive from its beginning, up to so many entities, and makes rows of it as the ingest does:
 * unpack, check, parse, decide the clock, normalise.
 */
async function read(path: string, entitiesMaximum: number): Promise<ArchiveRate> {
  const cpu = process.cpuUsage();
  const startedAtMs = performance.now();
  const archive = await sources.submissionsArchive.open(path);
  const counts = { entities: 0, rows: 0, refusals: archive.refusals.length };
  for await (const { cik, main, pages, refusals } of archive.read()) {
    if (++counts.entities > entitiesMaximum) break;
    counts.refusals += refusals.length;
    if (main === null) continue;
    const take = (columns: Columns, file: string) => {
      const rows = toFilings(columns, main.entity, file, { clock: inferClock(columns).clock, unsettledFrom });
      counts.rows += rows.filings.length;
      counts.refusals += rows.refusals.length;
    };
    take(main.columns, submissionsFile(cik));
    for (const { columns, file } of pages) take(columns, file);
  }
  await archive.close();
  const { user, system } = process.cpuUsage(cpu);
  return { ...counts, seconds: (performance.now() - startedAtMs) / 1000, cpuSeconds: (user + system) / 1e6 };
}

const path = process.argv[2] ?? '';
await read(path, warmUpEntities);
process.send?.({ result: await read(path, Infinity) });
