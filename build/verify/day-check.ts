import { isCalendarDate } from '../../src/domain/scalars.ts';
import { remembered } from '../../src/domain/remembered.ts';
import type { Extent } from '../../src/rows/members.ts';

const rememberedMaximum = 100_000;
const [zero, nine, quote, dash] = [0x30, 0x39, 0x22, 0x2d];
/** Each character of a filing date as JSON: a digit, or what has to stand there. */
const dayTemplate = [quote, null, null, null, null, dash, null, null, dash, null, null, quote];

const isDay = remembered(rememberedMaximum, (day: number) => {
  const text = String(day).padStart(8, '0');
  return isCalendarDate(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`);
});
const dayOf = remembered(rememberedMaximum, (filedAt: string) => Number(filedAt.replaceAll('-', '')));

/** The filing date in a row of dates as a number, 20260801; null for a row that is no date. */
export function dayIn({ bytes, from, to }: Extent): number | null {
  if (to - from !== dayTemplate.length) return null;
  let day = 0;
  for (let at = 0; at < dayTemplate.length; at++) {
    const byte = bytes[from + at] as number;
    const wanted = dayTemplate[at];
    if (wanted !== null ? byte !== wanted : byte < zero || byte > nine) return null;
    if (wanted === null) day = day * 10 + byte - zero;
  }
  return isDay(day) ? day : null;
}

/** Holds the rows of dates against the entries of the log. Four bytes are kept for each entry. */
export interface DayCheck {
  /** Takes a row that gives the date of an entry. */
  take(sequence: number, day: number): void;
  /** Gives the date of an entry, after all rows were taken. */
  hold(sequence: number, filedAt: string | null): void;
  /** How the rows differ from the log; null if each one gives the date of its entry. */
  readonly difference: () => string | null;
}

/** Creates the check of a log that ends at a sequence. */
export function createDayCheck(lastSequence: number): DayCheck {
  const days = new Uint32Array(lastSequence + 1);
  let [outside, differ] = [0, 0];
  return {
    take(sequence, day) {
      if (!(sequence >= 1 && sequence <= lastSequence)) outside++;
      else if (days[sequence] === 0) days[sequence] = day;
      else if (days[sequence] !== day) differ++;
    },
    hold(sequence, filedAt) {
      const day = days[sequence];
      if (day !== 0 && day !== (filedAt === null ? 0 : dayOf(filedAt))) differ++;
    },
    difference() {
      if (outside > 0) return `${outside} too many`;
      return differ === 0 ? null : 'as many rows, but not the same';
    },
  };
}
