import { acceptanceLagDays } from '../format/list-rows.ts';
import type { FilterValues } from '../contract/filing-filters.ts';
import { firstYear, lastYear, withEasternOffset, writeEastern } from '../time/eastern.ts';
import { dayFrom } from '../time/units.ts';

const [firstMs, lastMs] = [Date.UTC(firstYear, 0, 2), Date.UTC(lastYear, 11, 1)];

/** What a request asks of the acceptance of a filing. */
export interface AcceptanceBounds {
  /** Whether an acceptance, as EDGAR's 14 digits, is between the bounds; the empty text is none. */
  readonly has: (stamp: string) => boolean;
  /** Between these filing dates, inclusive, are all filings that match and are not accepted oddly. */
  readonly since: string | undefined;
  readonly until: string | undefined;
}

/** The bounds of the acceptance in a request; null if it has none. */
export function acceptanceBounds({ acceptedSince, acceptedUntil }: FilterValues): AcceptanceBounds | null {
  const [least, most] = [acceptedSince?.[0], acceptedUntil?.[0]].map((text) =>
    text === undefined ? undefined : { ms: Date.parse(text), day: easternDay(Date.parse(text)) },
  );
  if (least === undefined && most === undefined) return null;
  return {
    has(stamp) {
      if (stamp === '') return false;
      const day = `${stamp.slice(0, 4)}-${stamp.slice(4, 6)}-${stamp.slice(6, 8)}`;
      // Only times of the days of the bounds are compared as instants.
      if ((least && day < least.day) || (most && day > most.day)) return false;
      if (day !== least?.day && day !== most?.day) return true;
      const atMs = Date.parse(withEasternOffset(stamp));
      return (least === undefined || atMs >= least.ms) && (most === undefined || atMs <= most.ms);
    },
    since: least?.day,
    until: most && dayFrom(most.day, acceptanceLagDays),
  };
}

/** The Eastern day of an instant; of one that is before or behind all filings, any day that is so. */
function easternDay(ms: number): string {
  const bounded = Math.min(Math.max(ms, firstMs), lastMs);
  const stamp = writeEastern(Math.floor(bounded / 1000));
  return `${stamp.slice(0, 4)}-${stamp.slice(4, 6)}-${stamp.slice(6, 8)}`;
}
