import type { Addition } from '../../build/ingest/append.ts';
import { sightingOf } from '../../build/ingest/sightings.ts';
import { filing } from './made-up.ts';
import { headerOf, partyOf } from './told.ts';

/** A source that tells a part of what is published of a filing. */
export type FactSource = 'header' | 'row';
export const factSources: readonly FactSource[] = ['header', 'row'];

/**
 * What one source tells of a filing: the header its subject company and acceptance time, the row of a
 * submissions file its documents.
 */
export function factsTold(source: FactSource, number: number): Addition {
  const sighting =
    source === 'header'
      ? sightingOf.header(headerOf(number, { parties: [partyOf(1), partyOf(2, 'subject')] }))
      : sightingOf.file(filing(number, { form: '8-K', acceptedEastern: null }));
  return {
    target: source,
    createdAt: '2026-03-02T17:00:00.000Z',
    filings: [{ accessionNo: filing(number).accessionNo, sightings: [sighting] }],
    entities: [],
    tickers: [],
    refusals: [],
    days: [],
  };
}
