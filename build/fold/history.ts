import type { Change } from '../../src/contract/records.ts';
import { formerOf, withFormer, type Former, type FormerRow } from '../ledger/former.ts';
import { isCorrection, type Observation } from '../ledger/observation.ts';
import type { LedgerFiling } from '../ledger/ledger-rows.ts';
import type { RunTable } from '../segments/run-line.ts';
import type { Runs } from '../segments/runs.ts';
import { changeTexts } from './compact-observation.ts';

/**
 * What was published of the log by older rules. A fold asks it about every row, so that published entries
 * keep their places and their values, whatever the present rules say.
 */
export interface History {
  /** Tells which batch is folded next. Its first observation gets `firstSequence`. */
  begin(batch: number, firstSequence: number, isRestated: boolean): void;
  /**
   * Returns the observation of a row as the log has it, given what the present rules make of the row; null if
   * the log has none.
   */
  settle(row: LedgerFiling, derived: Observation): Observation | null;
}

/** The log of the current snapshot, which older rules made. */
export interface PublishedLog {
  /** Its entries as JSON, in the order of their sequences. */
  readonly entries: Iterator<string>;
  /** The last sequence of a batch, given its first one; null if the snapshot lacks the batch. */
  lastSequenceOf(batch: number, firstSequence: number): number | null;
}

/**
 * The tables of runs in which a restatement is collected: former values; the rows of published filings that
 * say something else now, by accession number; and for filings that batches behind the published ones carry
 * again, what that changes.
 */
export const restatementTables = {
  former: { direction: 'ascending' },
  restated: { direction: 'ascending' },
  superseded: { direction: 'ascending' },
} as const satisfies Record<string, RunTable>;

/**
 * A filing that an unpublished batch carries again: its row there; null if that row makes an entry by the
 * present rules, so that nothing is left to restate.
 */
export interface Superseded {
  readonly row: LedgerFiling | null;
}

/** A log that is held against the rules, and where the differences are collected. */
export interface Comparison {
  readonly published: PublishedLog;
  readonly differences: Runs;
}

/** Bytes of differences in memory before they are written as a run. */
const heldMaximum = 16 * 1024 * 1024;

/**
 * Makes the history of a fold. `kept` are the former values of each restatement of the ledger, oldest first.
 * With a `comparison`, the published log is held against the present rules, too: it collects what they would
 * say otherwise.
 */
export function createHistory(
  kept: readonly Iterator<FormerRow>[],
  comparison: Comparison | null = null,
): History {
  const former = kept.map(createCursor);
  let [batch, isRestated] = [0, false];
  /** The last published sequence of the batch; null if the batch is not published. */
  let publishedTo: number | null = null;
  let entry = comparison?.published.entries.next();

  /** What the ledger keeps of older rules about a row: of several restatements, the oldest first. */
  function keptOf({ sequence, filing: { accessionNo } }: Observation): readonly (Former | null)[] {
    return former.flatMap((cursor) => {
      const next = cursor.peek();
      const isOfRow = next?.batch === batch && next.sequence === sequence && next.accessionNo === accessionNo;
      return isOfRow ? [(cursor.advance(), next.former)] : [];
    });
  }

  function byLedger(derived: Observation): { readonly observation: Observation; readonly isMade: boolean } {
    const rows = keptOf(derived);
    const last = rows.at(-1);
    if (last === null) return { observation: derived, isMade: false };
    const observation = rows.reduce<Observation>(
      (said, each) => (each ? withFormer(said, each) : said),
      derived,
    );
    return {
      observation,
      isMade: rows.length > 0 || derived.before === null || isCorrection(derived, isRestated),
    };
  }

  function byLog(
    { published, differences }: Comparison,
    row: LedgerFiling,
    { observation, isMade }: ReturnType<typeof byLedger>,
  ): Observation | null {
    const { sequence, filing } = observation;
    const text = sequence <= (publishedTo ?? 0) && entry?.done === false ? entry.value : null;
    const isThere = text !== null && accessionIn(text) === filing.accessionNo;
    let said: Former | null = null;
    if (isThere) {
      if (changeTexts(observation).change !== text) said = formerOf(JSON.parse(text) as Change, observation);
      entry = published.entries.next();
    }
    if (isThere !== isMade || said)
      note(differences, 'former', `${padded(batch)} ${padded(sequence)} ${filing.accessionNo}`, {
        batch,
        sequence,
        accessionNo: filing.accessionNo,
        former: isThere ? (said ?? {}) : null,
      } satisfies FormerRow);
    const isOther = isThere ? said?.filing !== undefined : isMade;
    // A later row of a filing may say the same by both rules.
    if (isOther || observation.before !== null)
      note(differences, 'restated', filing.accessionNo, isOther ? row : null);
    if (!isThere) return null;
    return said ? withFormer(observation, said) : observation;
  }

  return {
    begin(number, firstSequence, restated) {
      if (publishedTo !== null && firstSequence !== publishedTo + 1)
        throw new Error(
          `batch ${batch} was published up to sequence ${publishedTo}; the present rules refuse rows of it`,
        );
      [batch, isRestated] = [number, restated];
      for (const cursor of former)
        for (let next = cursor.peek(); next && next.batch < number; next = cursor.peek()) cursor.advance();
      publishedTo = comparison?.published.lastSequenceOf(number, firstSequence) ?? null;
    },
    settle(row, derived) {
      const said = byLedger(derived);
      if (comparison && publishedTo !== null) return byLog(comparison, row, said);
      if (comparison && derived.before !== null)
        note(comparison.differences, 'superseded', row.accessionNo, {
          row: said.isMade ? null : row,
        } satisfies Superseded);
      return said.isMade ? said.observation : null;
    },
  };
}

/** Reads ahead by one row. */
function createCursor(rows: Iterator<FormerRow>) {
  let next = rows.next();
  return {
    peek: () => (next.done === true ? null : next.value),
    advance: () => void (next = rows.next()),
  };
}

function note(
  differences: Runs,
  table: keyof typeof restatementTables,
  key: string,
  value: object | null,
): void {
  differences.add(table, '', key, value && JSON.stringify(value));
  if (differences.held() > heldMaximum) differences.flush();
}

/** Keys of former values have to sort in the order in which a fold comes to them. */
const padded = (number: number) => String(number).padStart(12, '0');

/** The accession number of an entry: nothing before it in the JSON has this spelling. */
function accessionIn(text: string): string {
  const from = text.indexOf(accessionNeedle) + accessionNeedle.length;
  return text.slice(from, from + accessionLength);
}

const accessionNeedle = '"filing":{"accessionNo":"';
const accessionLength = '0000320193-25-000079'.length;
