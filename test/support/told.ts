import type { FeedEntry, FeedFiling, FeedPage } from '../../build/sources/current-feed.ts';
import type { Header } from '../../build/sources/header.ts';
import type { Party } from '../../build/sources/source-rows.ts';
import { cikOf, filing } from './made-up.ts';

/** Noon of the day of made-up feeds, in milliseconds since 1970: 2026-03-02, 12:00 in New York. */
export const noonMs = Date.parse('2026-03-02T12:00:00-05:00');

/** A party of an invented company. */
export function partyOf(number: number, role: Party['role'] = 'filer'): Party {
  return { cik: cikOf(number), name: `Company ${number}`, role };
}

/** What the feed says of an invented 8-K, accepted so many seconds after noon. */
export function feedFiling(
  number: number,
  members: Partial<FeedFiling> & { readonly secondsAfterNoon?: number } = {},
): FeedFiling {
  const { secondsAfterNoon = number, ...others } = members;
  const atMs = noonMs + secondsAfterNoon * 1000;
  const eastern = new Date(atMs - 5 * 3_600_000).toISOString().slice(0, 19).replace(/\D/g, '');
  return {
    accessionNo: filing(number).accessionNo,
    form: '8-K',
    filedAt: '2026-03-02',
    accepted: { written: '', atMs, eastern },
    items: ['8.01'],
    parties: [partyOf(1)],
    ...others,
  };
}

/** The entries that a feed has for filings, newest first as they are given. */
export function entriesOf(filings: readonly FeedFiling[]): FeedEntry[] {
  return filings.flatMap(({ parties, ...rest }) => parties.map((party) => ({ ...rest, party })));
}

/** A page of entries, made some seconds after noon. */
export function pageOf(entries: readonly FeedEntry[], secondsAfterNoon = 3600): FeedPage {
  return { madeAtMs: noonMs + secondsAfterNoon * 1000, entries: [...entries], refused: [] };
}

/** The header of an invented filing. */
export function headerOf(number: number, members: Partial<Header> = {}): Header {
  return {
    accessionNo: filing(number).accessionNo,
    form: '8-K',
    filedAt: '2026-03-02',
    reportDate: '2026-02-27',
    acceptedEastern: '20260302120000',
    items: ['8.01'],
    parties: [partyOf(1)],
    ...members,
  };
}
