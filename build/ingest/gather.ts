import { join } from 'node:path';
import { firstUnsettledDay, inferClock } from '../sources/clock.ts';
import { makeStaging } from '../disk/staging.ts';
import { filingOfTuple, tupleOf } from '../ledger/filing-columns.ts';
import type { LedgerFiling, Refusal } from '../ledger/ledger-rows.ts';
import { addClaims, type Claim } from '../ledger/symbols.ts';
import { createRuns } from '../segments/runs.ts';
import { rowOf, type Line } from '../segments/table-files.ts';
import type { Entity } from '../sources/roles.ts';
import { toFilings, type Columns } from '../sources/submissions.ts';

/**
 * Adds the rows of a file of an entity. `asOfMs` is when upstream made the file, in milliseconds since 1970. Rows that an
 * earlier file of the same entity had are left out.
 */
export type TakeRows = (file: string, columns: Columns, asOfMs: number) => void;

/** A filing as the file of one entity lists it. */
export interface FileRow {
  readonly filing: LedgerFiling;
  /**
   * Null if the rows of the file tell its clock. Otherwise the number of the file among such files, and the
   * acceptance time as the file writes it.
   */
  readonly undecided: { readonly file: number; readonly raw: string } | null;
}

/**
 * The rows of one filing in the files that list it, in the order of the CIKs of the entities. `hasUndecided` can
 * be read without decoding any of them.
 */
export interface SeenFiling {
  readonly accessionNo: string;
  readonly hasUndecided: boolean;
  rowsOfFiles(): FileRow[];
}

/**
 * What a run has found so far: filings and entities from any number of files, in any order. They are written
 * to disk and sorted there, so that memory does not grow with their number.
 */
export interface Gathering {
  /**
   * Adds an entity whose main file was read, and returns what adds the rows of its files. If the entity was added
   * before, the new one replaces it.
   */
  takeEntity(entity: Entity): TakeRows;
  /** The numbers of entities and rows that were added. */
  readonly counts: { readonly entities: number; readonly rows: number };
  /** The entity whose file names a folded symbol; of several, the one with the greatest CIK. */
  claimOf(symbol: string): Claim | undefined;
  /**
   * For each file whose own rows do not tell its clock: the first day whose rows do not follow that clock
   * yet.
   */
  readonly undecided: readonly string[];
  /** Ends adding. After it, everything can be read any number of times. */
  finish(): void;
  /** Entities by CIK. */
  entities(): Generator<Entity>;
  /** Filings by accession number. */
  filings(): Generator<SeenFiling>;
  /** Removes the files on disk. */
  close(): Promise<void>;
}

const [rowsTable, entitiesTable] = ['rows', 'entities'];
const direction = 'ascending';
/**
 * The greatest length of a row or entity in characters of JSON. A batch holds none that is longer; a table
 * holds lines of up to 2 MiB.
 */
const textMaximum = 500_000;
/**
 * Characters of rows that are held in memory before they are sorted and written. With this bound, 20 million
 * filings make 300 runs.
 */
const heldMaximumDefault = 24 * 1024 * 1024;
const accessionLength = '0000320193-25-000079'.length;

/**
 * Creates an empty gathering with its files in a staging directory. It takes the rows that were filed on or after `since`,
 * `YYYY-MM-DD`; null takes all. Rows that are too long are refused.
 */
export async function createGathering(
  directory: string,
  refuse: (refusal: Refusal) => void,
  since: string | null,
  heldMaximum = heldMaximumDefault,
): Promise<Gathering> {
  const scratch = await makeStaging(directory);
  const runs = createRuns(join(scratch.path, 'rows'), {
    [rowsTable]: { direction },
    [entitiesTable]: { direction },
  });
  const claims = new Map<string, Claim>();
  const undecided: string[] = [];
  const counts = { entities: 0, rows: 0 };

  function keep(table: string, key: string, text: string, named: Omit<Refusal, 'reason'>): boolean {
    if (text.length > textMaximum) {
      refuse({ ...named, reason: `its texts have ${text.length} characters` });
      return false;
    }
    runs.add(table, '', key, text);
    if (runs.held() > heldMaximum) runs.flush();
    return true;
  }

  return {
    counts,
    undecided,
    claimOf: (symbol) => claims.get(symbol),
    takeEntity(entity) {
      const { cik } = entity;
      counts.entities++;
      addClaims(claims, entity);
      keep(entitiesTable, cik, JSON.stringify(entity), { cik, file: '', accessionNo: '' });
      // If a file lists an accession number under two forms, or two pages list it, the first row is used.
      const seen = new Set<string>();
      return (file, columns, asOfMs) => {
        const unsettledFrom = firstUnsettledDay(asOfMs);
        const { clock } = inferClock(columns, unsettledFrom);
        const { filings, refusals } = toFilings(columns, entity, file, { clock, unsettledFrom });
        const rawOf = clock === null ? rawAcceptances(columns) : null;
        let isUndecided = false;
        for (const filing of filings) {
          const { accessionNo, filedAt } = filing;
          if ((since !== null && filedAt < since) || seen.has(accessionNo)) continue;
          seen.add(accessionNo);
          const raw = rawOf && (rawOf.get(accessionNo) ?? '');
          isUndecided ||= raw !== null;
          const text = encodeRow(filing, raw, undecided.length);
          if (keep(rowsTable, `${accessionNo} ${cik}`, text, { cik, file, accessionNo })) counts.rows++;
        }
        if (isUndecided) undecided.push(unsettledFrom);
        for (const refusal of refusals) refuse(refusal);
      };
    },
    finish: () => runs.flush(),
    *entities() {
      for (const line of runs.lines(entitiesTable)) {
        const entity = JSON.parse(rowOf(line) as string) as Entity;
        yield { ...entity, alone: [entity.cik] };
      }
    },
    *filings() {
      let lines: Line[] = [];
      for (const line of runs.lines(rowsTable)) {
        if (lines[0] && !line.keys.sort.startsWith(lines[0].keys.sort.slice(0, accessionLength))) {
          yield toSeen(lines);
          lines = [];
        }
        lines.push(line);
      }
      if (lines.length > 0) yield toSeen(lines);
    },
    close: () => scratch.remove(),
  };
}

/**
 * Returns the acceptance time of each filing as the file writes it. For a filing that is listed twice, the
 * first row counts.
 */
function rawAcceptances({ accessionNumber, acceptanceDateTime }: Columns): Map<string, string> {
  const raw = new Map<string, string>();
  accessionNumber.forEach(
    (accessionNo, row) => void (raw.has(accessionNo) || raw.set(accessionNo, acceptanceDateTime[row] ?? '')),
  );
  return raw;
}

function toSeen(lines: readonly Line[]): SeenFiling {
  const accessionNo = (lines[0] as Line).keys.sort.slice(0, accessionLength);
  return {
    accessionNo,
    hasUndecided: lines.some(isUndecidedLine),
    rowsOfFiles: () => lines.map((line) => decodeRow(line, accessionNo)),
  };
}

/**
 * Writes the row of a file as its tuple without the accession number, which is in the key. If the file does not
 * tell its clock, the tuple is in a list with the number of the file and the acceptance time as it is written.
 */
function encodeRow(filing: LedgerFiling, raw: string | null, file: number): string {
  const tuple = tupleOf(filing);
  const text = tuple.startsWith(filing.accessionNo) ? tuple.slice(accessionLength) : tuple;
  return raw === null ? text : JSON.stringify([file, raw, text]);
}

const isUndecidedLine = (line: Line) => rowOf(line)?.[0] === '[';

function decodeRow(line: Line, accessionNo: string): FileRow {
  const row = rowOf(line) as string;
  const [file, raw, text] = isUndecidedLine(line)
    ? (JSON.parse(row) as [number, string, string])
    : [-1, '', row];
  return {
    filing: filingOfTuple(text.startsWith('{') ? text : accessionNo + text),
    undecided: file < 0 ? null : { file, raw },
  };
}
