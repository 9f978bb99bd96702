/** Texts in memory, by their numbers. */
export interface HeldRecords {
  /** Keeps a text, and returns its number. Throws for one of more than 2.7 million characters. */
  keep(text: string): number;
  /** The text with a number. */
  of(record: number): string;
  /** Bytes of all texts. */
  bytes(): number;
}

/** Memory is taken in pieces. Each is twice as long as the one before, up to a bound. */
const [pieceBytesMinimum, pieceBytesMaximum] = [64 * 1024, 8 * 1024 * 1024];
/** The most bytes that UTF-8 takes for a UTF-16 code unit. */
const bytesPerUnit = 3;

/**
 * Holds texts in buffers outside of the JavaScript heap. On the heap, the garbage collector moved each of them
 * several times, which took longer than to sort and write them.
 */
export function createHeldRecords(): HeldRecords {
  const pieces: Buffer[] = [];
  /** Where each text begins, counting every piece as one of the greatest length; and where it ends. */
  const begins: number[] = [];
  const lengths: number[] = [];
  let offset = 0;
  let bytes = 0;

  return {
    keep(text) {
      const most = text.length * bytesPerUnit;
      if (most > pieceBytesMaximum) throw new Error(`a row has ${text.length} characters`);
      if ((pieces.at(-1)?.length ?? 0) - offset < most) {
        const length = Math.min(pieceBytesMaximum, pieceBytesMinimum * 2 ** pieces.length);
        pieces.push(Buffer.allocUnsafeSlow(Math.max(most, length)));
        offset = 0;
      }
      const record = begins.length;
      begins.push((pieces.length - 1) * pieceBytesMaximum + offset);
      const length = (pieces.at(-1) as Buffer).write(text, offset);
      lengths.push(length);
      offset += length;
      bytes += length;
      return record;
    },
    of(record) {
      const begin = begins[record] as number;
      const from = begin % pieceBytesMaximum;
      const piece = pieces[Math.floor(begin / pieceBytesMaximum)] as Buffer;
      return piece.toString('utf8', from, from + (lengths[record] as number));
    },
    bytes: () => bytes,
  };
}
