import type { LedgerContents } from '../ledger/contents.ts';
import type { BatchFile } from '../ledger/batch.ts';
import { filingOfTuple, tupleOf } from '../ledger/filing-columns.ts';
import type { LedgerFiling, Refusal } from '../ledger/ledger-rows.ts';
import { readContents, readFilings } from '../ledger/read.ts';

/** What a batch has of a filing: its row, or what its document says, or both. */
export interface Arrival {
  readonly accessionNo: string;
  readonly row: LedgerFiling | null;
  readonly contents: LedgerContents | null;
}

/** A filing of a batch, with or without what its document says. */
export interface ArrivedFiling extends Arrival {
  readonly row: LedgerFiling;
}

const separator = '\t';

/** Writes an arrival as a text on one line, and reads it again. It was checked before. */
export const arrivalCodec = {
  encode: ({ row, contents }: Arrival): string =>
    (contents ? JSON.stringify(contents) : '') + separator + (row ? tupleOf(row) : ''),
  decode(text: string): Arrival {
    const end = text.indexOf(separator);
    const contents = end === 0 ? null : (JSON.parse(text.slice(0, end)) as LedgerContents);
    const row = end + 1 === text.length ? null : filingOfTuple(text.slice(end + 1));
    return { accessionNo: (row ?? contents)?.accessionNo ?? '', row, contents };
  },
};

/** Arrivals that are held together, at most. */
const arrivalsAtOnce = 2000;

/**
 * Reads the filings and contents of a batch together, sorted by accession number, each accession number once, some
 * thousand at a time. Throws `BrokenLedger`.
 */
export async function* readArrivals(
  ledgerDirectory: string,
  head: BatchFile,
): AsyncGenerator<{ readonly arrivals: readonly Arrival[]; readonly refusals: readonly Refusal[] }> {
  const reading = readContents(ledgerDirectory, head);
  let waiting: readonly LedgerContents[] = [];
  let at = 0;
  let isAtEnd = false;
  let [arrivals, refusals]: [Arrival[], Refusal[]] = [[], []];

  /** Reads on. Returns whether there are more contents. */
  async function readOn(): Promise<boolean> {
    while (!isAtEnd && at === waiting.length) {
      const next = await reading.next();
      if (next.done === true) isAtEnd = true;
      else {
        [waiting, at] = [next.value.rows, 0];
        refusals.push(...next.value.refusals);
      }
    }
    return at < waiting.length;
  }
  function taken() {
    const part = { arrivals, refusals };
    [arrivals, refusals] = [[], []];
    return part;
  }

  for await (const part of readFilings(ledgerDirectory, head)) {
    refusals.push(...part.refusals);
    for (const row of part.rows) {
      const { accessionNo } = row;
      let contents: LedgerContents | null = null;
      // Nothing is awaited for most rows.
      while (at < waiting.length || (!isAtEnd && (await readOn()))) {
        const next = waiting[at] as LedgerContents;
        if (next.accessionNo > accessionNo) break;
        at++;
        if (next.accessionNo === accessionNo) contents = next;
        else arrivals.push({ accessionNo: next.accessionNo, row: null, contents: next });
        if (arrivals.length >= arrivalsAtOnce) yield taken();
      }
      arrivals.push({ accessionNo, row, contents });
    }
    yield taken();
  }
  while (await readOn()) {
    for (const contents of waiting.slice(at))
      arrivals.push({ accessionNo: contents.accessionNo, row: null, contents });
    at = waiting.length;
    if (arrivals.length >= arrivalsAtOnce) yield taken();
  }
  yield taken();
}
