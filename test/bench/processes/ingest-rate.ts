import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { firstUnsettledDay, inferClock } from '../../../build/sources/clock.ts';
import type { Entity } from '../../../build/sources/roles.ts';
import { parseExtraPage, parseSubmissions, toFilings } from '../../../build/sources/submissions.ts';
import { median } from '../row.ts';
import type { IngestRate } from '../rows/ingest.ts';

const warmUps = 2;
const rounds = 7;
// Recorded files are of days long past, as most of what is ingested.
const unsettledFrom = firstUnsettledDay(Date.UTC(2030, 0, 1));

/** One submissions file as it comes from upstream: the main one of an entity, or a further page. */
interface SubmissionsBody {
  readonly cik: string;
  readonly kind: 'main' | 'page';
  readonly name: string;
  readonly body: Buffer;
}

/** Recorded submissions files below a directory. */
function recordedBodies(directory: string): SubmissionsBody[] {
  const shape = /^CIK(\d{10})(-submissions-\d{3})?\.json$/;
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).flatMap((path) => {
    const [name, cik = '', page] = shape.exec(basename(path)) ?? [];
    if (name === undefined || !path.includes('submissions/')) return [];
    const kind = page === undefined ? 'main' : 'page';
    return [{ cik, kind, name, body: readFileSync(join(directory, path)) }];
  });
}

interface Counts {
  files: number;
  filings: number;
  refusals: number;
  undecided: number;
}

/** What the ingest does to each body, once it is there. */
function ingestAll(bodies: readonly SubmissionsBody[], entities: ReadonlyMap<string, Entity>): Counts {
  const counts: Counts = { files: 0, filings: 0, refusals: 0, undecided: 0 };
  for (const { kind, cik, name, body } of bodies) {
    const { entity, columns } =
      kind === 'main'
        ? parseSubmissions(body, cik)
        : { entity: entities.get(cik) as Entity, columns: parseExtraPage(body) };
    const { clock } = inferClock(columns);
    const { filings, refusals } = toFilings(columns, entity, name, { clock, unsettledFrom });
    counts.files++;
    counts.filings += filings.length;
    counts.refusals += refusals.length;
    if (clock === null && filings.length > 0) counts.undecided++;
  }
  return counts;
}

/** The entity of each CIK: pages do not tell it. */
function entitiesOf(bodies: readonly SubmissionsBody[]): Map<string, Entity> {
  const entities = new Map<string, Entity>();
  for (const { cik } of bodies)
    entities.set(cik, {
      cik,
      name: 'unknown',
      tickers: [],
      exchange: null,
      formerNames: [],
      isIssuer: true,
      isOwner: false,
      alone: [cik],
    });
  for (const { kind, cik, body } of bodies)
    if (kind === 'main') entities.set(cik, parseSubmissions(body, cik).entity);
  return entities;
}

function secondsOf(work: () => void): { seconds: number; cpuSeconds: number } {
  const cpu = process.cpuUsage();
  const startedAtMs = performance.now();
  work();
  const { user, system } = process.cpuUsage(cpu);
  return { seconds: (performance.now() - startedAtMs) / 1000, cpuSeconds: (user + system) / 1e6 };
}

function measure(bodies: readonly SubmissionsBody[]): IngestRate {
  const entities = entitiesOf(bodies);
  const times = [];
  const parses = [];
  for (let round = -warmUps; round < rounds; round++) {
    const time = secondsOf(() => void ingestAll(bodies, entities));
    const parse = secondsOf(() => bodies.forEach(({ body }) => void JSON.parse(body.toString())));
    if (round < 0) continue;
    times.push(time);
    parses.push(parse.seconds);
  }
  const { files, filings, refusals, undecided } = ingestAll(bodies, entities);
  // A file without a clock is less work than one with a clock.
  if (undecided * 10 > files) throw new Error(`${undecided} of ${files} files do not tell their clock`);
  const seconds = median(times.map((time) => time.seconds));
  return {
    files,
    filings,
    refusals,
    perSecond: filings / seconds,
    perCpuSecond: filings / median(times.map((time) => time.cpuSeconds)),
    parseShare: median(parses) / seconds,
  };
}

process.send?.({ result: measure(recordedBodies(process.argv[2] ?? '')) });
