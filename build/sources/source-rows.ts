import type { PartyRole } from '../../src/contract/records.ts';
import { dayFrom } from '../../src/time/units.ts';
import { remembered } from '../../src/domain/remembered.ts';
import { isAccessionNo, isCalendarDate, isForm } from '../../src/domain/scalars.ts';

/** An entity that a filing names. */
export interface Party {
  readonly cik: string;
  readonly name: string;
  readonly role: PartyRole;
}

/** A row that was not understood, and the reason. The accession number is empty if the row has none. */
export interface RefusedRow {
  readonly accessionNo: string;
  readonly reason: string;
}

/** Some ten thousand days cover every filing: each is checked once. */
const rememberedMaximum = 50_000;

/**
 * A filing date is at most a few days after EDGAR has the filing: nine, on 274,000 recorded rows. This is more
 * than that, in days.
 */
const laterDaysMaximum = 31;

/**
 * Returns the reason why a row cannot become a filing: its accession number, its form (from `normalizeForm`)
 * or its filing date is wrong. Null if it can. `hadOn` is a day or an instant, `YYYY-MM-DD…`, when EDGAR had
 * the filing, by the same source; null if the source does not tell. One filing of a far future would be the
 * newest one for everybody, so a date that contradicts this day or the year of the accession number is wrong.
 */
export function refusalReason(
  accessionNo: string,
  form: string,
  filedAt: string,
  hadOn: string | null | undefined = null,
): string | null {
  if (!isAccessionNo(accessionNo)) return `accession number ${JSON.stringify(accessionNo.slice(0, 40))}`;
  if (!isForm(form)) return `form ${JSON.stringify(form.slice(0, 60))}`;
  if (!isDay(filedAt)) return `filing date ${JSON.stringify(filedAt.slice(0, 40))}`;
  // EDGAR numbers a filing when it is submitted; the next business day may be in the next year.
  const year = yearOfAccession(accessionNo);
  if (Number(filedAt.slice(0, 4)) > year + 1)
    return `filing date ${JSON.stringify(filedAt)} of a filing that was numbered in ${year}`;
  if (hadOn && filedAt > hadOn && isDay(hadOn.slice(0, 10))) {
    const day = hadOn.slice(0, 10);
    if (filedAt > dayFrom(day, laterDaysMaximum))
      return `filing date ${JSON.stringify(filedAt)} of a filing that EDGAR had on ${day}`;
  }
  return null;
}

/** The year in which a filing was numbered. EDGAR began in 1993. */
function yearOfAccession(accessionNo: string): number {
  const digits = Number(accessionNo.slice(11, 13));
  return digits < 90 ? 2000 + digits : 1900 + digits;
}

/** Whether a text is a day that exists, `YYYY-MM-DD`. */
export const isDay = remembered(rememberedMaximum, isCalendarDate);

/** Returns the day of eight digits `yyyymmdd` as `YYYY-MM-DD`; null if there is no such day. */
export function dayOfDigits(digits: string): string | null {
  const day = digits.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
  return isDay(day) ? day : null;
}

/** Parties, each role of each entity once, in the order in which they were first named. */
export function distinctParties(parties: Iterable<Party>): Party[] {
  return [
    ...new Map([...parties].toReversed().map((party) => [`${party.cik} ${party.role}`, party])).values(),
  ].toReversed();
}
