import { firstUnsettledDay, inferClock } from '../../../build/edgar/clock.ts';
import { sources } from '../../../build/sources/registry.ts';
import { submissionsFile, toFilings, type Columns } from '../../../build/sources/submissions.ts';
import type { ArchiveRate } from '../rows/archive.ts';

// The archive is of days long past, as most of what upstream's has.
const unsettledFrom = firstUnsettledDay(Date.UTC(2030, 0, 1));

/** Reads a bulk archive from its beginning to its end and makes rows of it, as the ingest does: unpack, check, parse, decide the clock, normalise. */
async function measure(path: string): Promise<ArchiveRate> {
  const cpu = process.cpuUsage();
  const startedAtMs = performance.now();
  const archive = await sources.submissionsArchive.open(path);
  const counts = { rows: 0, refusals: archive.refusals.length };
  for await (const { cik, main, pages, refusals } of archive.read()) {
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
  return { ...counts, entities: archive.entities, seconds: (performance.now() - startedAtMs) / 1000, cpuSeconds: (user + system) / 1e6 };
}

process.send?.({ result: await measure(process.argv[2] ?? '') });
