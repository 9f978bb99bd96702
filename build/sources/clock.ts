import { remembered } from '../../src/domain/remembered.ts';
import { easternOffsetHours, readDay, readStamp, writeStamp } from '../../src/time/eastern.ts';
import { daySeconds, hourSeconds } from '../../src/time/units.ts';

/**
 * The clock of the acceptance times in a submissions file. All are written `YYYY-MM-DDTHH:MM:SS.000Z`, but
 * some files hold UTC, and others hold Eastern wall-clock time with a `Z` that is wrong. Except for the rows
 * of its last day, a file holds one of the two throughout; when it is fetched again, it may hold the other
 * (measured on recorded answers of 2023 to 2026).
 */
export type Clock = 'eastern' | 'utc';

/** The columns of a submissions file from which its clock is inferred, as upstream gives them. */
export interface ClockColumns {
  readonly accessionNumber: readonly (string | null)[];
  readonly form: readonly (string | null)[];
  readonly filingDate: readonly (string | null)[];
  readonly acceptanceDateTime: readonly (string | null)[];
}

/** The evidence for the clock of a file. */
export interface ClockEvidence {
  /** Rows whose acceptance time can only be the Eastern wall clock. */
  readonly easternOnly: number;
  /** Rows whose acceptance time can only be UTC. */
  readonly utcOnly: number;
  /** Days on which the rows of `easternOnly` were accepted. */
  readonly easternOnlyDays: number;
  /** Days on which the rows of `utcOnly` were accepted. */
  readonly utcOnlyDays: number;
}

/**
 * The fewest days that must vote. Days vote, not rows, because the rows of one day share their accidents,
 * such as an outage for which the SEC lets late filings keep their date. Measured with recorded files cut
 * into pieces of 5 to 1,000 rows and written by either clock: with two days, none of 153,000 pieces was
 * decided wrongly; with one day, or with five rows, some were.
 */
const daysMinimum = 2;

/** The share of votes that must agree, in percent. With fewer than five votes, all must agree. */
const agreementPercent = 80;

/**
 * EDGAR accepts filings from 6:00 to 22:00 Eastern (17 CFR 232.12(c)); some are a few minutes late (measured:
 * 22:05:21).
 */
const opensAt = 6 * hourSeconds;
const closesAt = 22 * hourSeconds + 15 * 60;

/** A filing after 17:30 Eastern gets the date of the next business day (17 CFR 232.13(a)(2)). */
const cutoffAt = 17 * hourSeconds + 30 * 60;

/** A transmission that began before the cutoff keeps its date, even if it is accepted minutes later. */
const graceEndsAt = 18 * hourSeconds;

/**
 * The greatest number of days to the next business day: from Friday to Tuesday, if Monday is a holiday. A
 * later filing date has other reasons.
 */
const nextBusinessDayMaximum = 4;

/**
 * How a form's filing date follows from its acceptance: with the cutoff at 17:30; with the right to keep the
 * date until 22:00; or not at all.
 */
type DateRule = 'cutoff' | 'until_22' | 'none';

/**
 * Forms of 17 CFR 232.13(a)(4), which keep their date until 22:00. Some joined the list late (144 in 2023,
 * 13D and 13G in 2024), so both dates are possible for all of them.
 */
const until22Forms = new Set([
  '3',
  '4',
  '5',
  '144',
  'SC 13D',
  'SC 13G',
  'SCHEDULE 13D',
  'SCHEDULE 13G',
  'SC 14N',
  'SC 14N-S',
  'SCHEDULE 14N',
  'SCHEDULE 14N-S',
]);

/**
 * Documents of the SEC's staff and letters to the staff. They are released long after their date, or accepted
 * when EDGAR is closed.
 */
const undatedForms = new Set([
  'UPLOAD',
  'CORRESP',
  'LETTER',
  'NO ACT',
  'EFFECT',
  'CT ORDER',
  'QUALIF',
  'REVOKED',
  'SEC STAFF ACTION',
  'SEC STAFF LETTER',
]);

const dateRuleOf = remembered(5000, (form: string): DateRule => {
  const family = form.endsWith('/A') ? form.slice(0, -2) : form;
  if (undatedForms.has(family)) return 'none';
  return until22Forms.has(family) || family.endsWith('MEF') ? 'until_22' : 'cutoff';
});

/**
 * Whether the SEC made up an accession number: for paper filings, staff letters and notices of effectiveness.
 * Their two dates are unrelated.
 */
function isPseudoAccession(accessionNo: string): boolean {
  return accessionNo.startsWith('999999999') || accessionNo.startsWith('0000000000');
}

/**
 * Whether EDGAR can have accepted a filing at an Eastern time (seconds since 1970 on the wall clock) and
 * given it a filing date (days since 1970). A calendar of business days would not decide more cases: if both
 * readings of a time are within EDGAR's hours, they are on the same day.
 */
function isPossible(easternSeconds: number, filingDay: number, rule: DateRule): boolean {
  const day = Math.floor(easternSeconds / daySeconds);
  const time = easternSeconds - day * daySeconds;
  const daysLater = filingDay - day;
  if (time < opensAt || time > closesAt) return false;
  if (daysLater === 0) return time <= graceEndsAt || rule === 'until_22';
  return time > cutoffAt && daysLater > 0 && daysLater <= nextBusinessDayMaximum;
}

/**
 * Infers the clock of one file. Each row is read by both clocks and compared with EDGAR's hours and its
 * filing date. If only one reading is possible, the day of the row votes for that clock. Null if fewer than
 * two days vote, or if they contradict each other.
 *
 * Rows with the time 00:00:00 have no time of day and do not vote. In a UTC file such rows say 04:00:00 or
 * 05:00:00, by the season. Read as Eastern, these are outside EDGAR's hours, so they vote for UTC. Rows from
 * `unsettledFrom` on (a day from `firstUnsettledDay`) are Eastern in every file, so they do not vote for Eastern.
 */
export function inferClock(
  columns: ClockColumns,
  unsettledFrom = '9999',
): { clock: Clock | null; evidence: ClockEvidence } {
  const easternDays = new Set<number>();
  const utcDays = new Set<number>();
  let easternOnly = 0;
  let utcOnly = 0;
  for (let row = 0; row < columns.acceptanceDateTime.length; row++) {
    const rule = dateRuleOf(columns.form[row] ?? '');
    if (rule === 'none' || isPseudoAccession(columns.accessionNumber[row] ?? '')) continue;
    const written = readAcceptance(columns.acceptanceDateTime[row] ?? '');
    const filingDay = readDay(columns.filingDate[row] ?? '');
    if (Number.isNaN(written) || Number.isNaN(filingDay) || written % daySeconds === 0) continue;
    const converted = written - easternOffsetHours(written) * hourSeconds;
    const asEastern = isPossible(written, filingDay, rule);
    const asUtc = isPossible(converted, filingDay, rule) || converted === filingDay * daySeconds;
    if (asEastern === asUtc) continue;
    if (asEastern && (columns.acceptanceDateTime[row] ?? '') >= unsettledFrom) continue;
    if (asEastern) easternOnly++;
    else utcOnly++;
    (asEastern ? easternDays : utcDays).add(Math.floor((asEastern ? written : converted) / daySeconds));
  }
  const isEnough = easternDays.size + utcDays.size >= daysMinimum;
  return {
    clock: isEnough ? majority(easternDays.size, utcDays.size) : null,
    evidence: { easternOnly, utcOnly, easternOnlyDays: easternDays.size, utcOnlyDays: utcDays.size },
  };
}

function majority(eastern: number, utc: number): Clock | null {
  const needed = (eastern + utc) * agreementPercent;
  if (eastern * 100 >= needed) return 'eastern';
  return utc * 100 >= needed ? 'utc' : null;
}

/**
 * Reads `YYYY-MM-DDTHH:MM:SS.sssZ` like `readStamp`. NaN for any other ending, which may mean another clock.
 */
function readAcceptance(raw: string): number {
  return raw.length === 24 && raw[19] === '.' && raw[23] === 'Z' ? readStamp(raw) : NaN;
}

/**
 * Returns the first day, `YYYY-MM-DD`, whose rows do not follow the clock of their file yet, for a file that
 * is fetched at an instant (milliseconds since 1970). Upstream adds new rows in Eastern time, and in UTC
 * files it rewrites them in UTC by the next day. (Measured on 19 rows of the day of fetching: one was
 * recorded again 4 months later and had moved by 4 hours; as Eastern times, the other 18 fit the usual hours
 * of their filers better.) Before 6:00, when EDGAR opens, it is the day before.
 */
export function firstUnsettledDay(fetchedAtMs: number): string {
  const utcSeconds = Math.floor(fetchedAtMs / 1000);
  const digits = writeStamp(utcSeconds - easternOffsetHours(utcSeconds) * hourSeconds - opensAt);
  return `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6, 8)}`;
}

/**
 * Returns an acceptance time of a file as Eastern wall-clock time, 14 digits `yyyymmddhhmmss`. Null if the
 * clock of the file is not known, or if the text is not such a time. Null also if it is 00:00:00 as written
 * or in Eastern time: EDGAR is closed then, and upstream writes this if it knows only the day. In a UTC file,
 * times from `unsettledFrom` on (a day from `firstUnsettledDay`) are null, too.
 */
export function easternAcceptance(
  raw: string | null | undefined,
  clock: Clock | null,
  unsettledFrom = '9999',
): string | null {
  if (clock === null || !raw) return null;
  const written = readAcceptance(raw);
  if (Number.isNaN(written) || written % daySeconds === 0) return null;
  if (clock === 'eastern') return writeStamp(written);
  const eastern = written - easternOffsetHours(written) * hourSeconds;
  return eastern % daySeconds === 0 || raw >= unsettledFrom ? null : writeStamp(eastern);
}

/**
 * Returns the clock that a shared filing votes for. `raw` is the time as the file with the unknown clock
 * writes it; `eastern` is the Eastern time from another file. The vote is for Eastern if the two are equal as
 * written, for UTC if they are equal after conversion. Rows from `unsettledFrom` on are Eastern in every file, so
 * they do not vote for Eastern.
 */
export function voteOfSharedFiling(
  raw: string | null | undefined,
  eastern: string,
  unsettledFrom = '9999',
): Clock | null {
  if (easternAcceptance(raw, 'eastern') === eastern) return (raw ?? '') >= unsettledFrom ? null : 'eastern';
  return easternAcceptance(raw, 'utc') === eastern ? 'utc' : null;
}

/**
 * Decides the clock of a file by the votes of the filings that it shares with others. Null if there is no
 * vote, or if the votes contradict each other.
 */
export function clockOfVotes(eastern: number, utc: number): Clock | null {
  return eastern + utc > 0 ? majority(eastern, utc) : null;
}
