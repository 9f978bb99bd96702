import type { PartyRole } from '../../src/contract/records.ts';
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
 * Returns the reason why a row cannot become a filing: its accession number, its form (from `normalizeForm`)
 * or its filing date is wrong. Null if it can.
 */
export function refusalReason(accessionNo: string, form: string, filedAt: string): string | null {
  if (!isAccessionNo(accessionNo)) return `accession number ${JSON.stringify(accessionNo.slice(0, 40))}`;
  if (!isForm(form)) return `form ${JSON.stringify(form.slice(0, 60))}`;
  if (!isDay(filedAt)) return `filing date ${JSON.stringify(filedAt.slice(0, 40))}`;
  return null;
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
