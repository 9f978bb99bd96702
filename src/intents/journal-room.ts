import { dayMs, minuteMs } from '../time/units.ts';
import type { Journal } from './journal.ts';

/** The most bytes of an intent. Appends up to this long are never divided by those of another process. */
export const lineBytesMaximum = 4000;

/** Limits of one process, or of one isolate of a worker. */
export interface JournalBounds {
  readonly intentsPerMinute: number;
  readonly bytesPerDay: number;
}

/** People send far fewer intents; the limits stop a flood. */
export const journalBoundsDefault: JournalBounds = {
  intentsPerMinute: 6000,
  bytesPerDay: 256 * 1024 * 1024,
};

/** What a journal took in the present minute and on the present day (UTC). */
export interface JournalRoom extends Pick<Journal, 'hasRoom'> {
  /** Counts the bytes of an intent that is kept. */
  add(bytes: number): void;
}

/** Makes the counts by which a journal keeps to its limits. */
export function createJournalRoom(
  { intentsPerMinute, bytesPerDay }: JournalBounds,
  log: (event: string, details: Record<string, unknown>) => void,
): JournalRoom {
  let minute = { number: -1, taken: 0, toldOf: false };
  let day = { number: -1, bytes: 0 };
  return {
    hasRoom(nowMs) {
      const [minuteNumber, dayNumber] = [Math.floor(nowMs / minuteMs), Math.floor(nowMs / dayMs)];
      if (minute.number !== minuteNumber) minute = { number: minuteNumber, taken: 0, toldOf: false };
      if (day.number !== dayNumber) day = { number: dayNumber, bytes: 0 };
      if (minute.taken < intentsPerMinute && day.bytes + lineBytesMaximum <= bytesPerDay) {
        minute.taken++;
        return true;
      }
      if (!minute.toldOf) log('intents_refused', { intentsPerMinute, bytesPerDay, bytesToday: day.bytes });
      minute.toldOf = true;
      return false;
    },
    add: (bytes) => void (day.bytes += bytes),
  };
}
