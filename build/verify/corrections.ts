import { feedOrder } from '../../src/format/snapshot.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import type { PartFolder } from '../../src/snapshot/folder.ts';
import { createSpill } from '../fold/spill.ts';
import type { FeedEntry } from './expected.ts';

/** All that the tables say of the revisions of one filing. */
export interface Revisions {
  readonly accessionNo: string;
  /** The revision in the note of its summary; 1 if it has none. */
  readonly shown: number;
  /** Its entries in the feed, in the order of their sequences. */
  readonly entries: readonly FeedEntry[];
}

/**
 * Collects what the tables say of corrected filings, and sorts it by filing. Summaries are sorted by filing,
 * the feed is not. So summaries are read first: `addNote` takes the revision of each one that was corrected.
 * Then the feed is read once, and `addEntry` takes its entries of such filings. Memory does not grow with
 * their number: what is too much is sorted on the disk.
 */
export interface Corrections {
  addNote(accessionNo: string, revision: number): void;
  /**
   * Whether the entries of a filing have to be added, because it has a note. It may also be true for a few
   * filings without one; to add their entries does no harm.
   */
  mayHaveNote(accessionNo: string): boolean;
  addEntry(accessionNo: string, entry: FeedEntry): void;
  /** Gives the filings with a note or an entry. Call it once, at the end. */
  byFiling(): Iterable<Revisions>;
}

/** The number of notes and entries that are in memory together, by default. They take some 30 MB. */
const inMemoryDefault = 50_000;
/** Each note sets one of so many bits: with two million notes, 1.5 % of other filings share a bit with one. */
const bits = 2 ** 27;
const cacheBytes = 1024 * 1024;

/** Digests are written as base64. */
type StoredEntry = Omit<FeedEntry, 'line'> & { readonly line: string };

interface Stored {
  readonly accessionNo: string;
  readonly of: number | StoredEntry;
}

/**
 * Creates an empty collection. `scratch` is an empty directory. `inMemoryMaximum` counts notes and entries.
 */
export function createCorrections(scratch: PartFolder, inMemoryMaximum = inMemoryDefault): Corrections {
  // The note of a filing comes before its entries.
  const keyOf = ({ accessionNo, of }: Stored) =>
    typeof of === 'number' ? accessionNo : `${accessionNo} ${feedOrder(of.sequence)}`;
  const spill = createSpill(
    scratch,
    scratch.directory,
    'corrections',
    createBlockCache(cacheBytes),
    { keyOf, encode: (value: Stored) => JSON.stringify(value), decode: (text) => JSON.parse(text) as Stored },
    inMemoryMaximum,
  );
  const marked = new Uint8Array(bits / 8);

  return {
    addNote(accessionNo, revision) {
      const bit = bitOf(accessionNo);
      marked[bit >> 3] = (marked[bit >> 3] as number) | (1 << (bit & 7));
      spill.add({ accessionNo, of: revision });
    },
    mayHaveNote(accessionNo) {
      const bit = bitOf(accessionNo);
      return ((marked[bit >> 3] as number) & (1 << (bit & 7))) !== 0;
    },
    addEntry(accessionNo, { line, ...entry }) {
      spill.add({ accessionNo, of: { ...entry, line: line.toString('base64') } });
    },
    *byFiling() {
      let [accessionNo, shown] = ['', 1];
      let entries: FeedEntry[] = [];
      for (const { accessionNo: next, of } of spill.sorted()) {
        if (next !== accessionNo) {
          if (accessionNo !== '') yield { accessionNo, shown, entries };
          [accessionNo, shown, entries] = [next, 1, []];
        }
        if (typeof of === 'number') shown = of;
        else entries.push({ ...of, line: Buffer.from(of.line, 'base64') });
      }
      if (accessionNo !== '') yield { accessionNo, shown, entries };
    },
  };
}

/** The bit of an accession number (FNV-1a). */
function bitOf(accessionNo: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < accessionNo.length; at++)
    hash = Math.imul(hash ^ accessionNo.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % bits;
}
