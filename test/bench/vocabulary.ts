import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { StatsResponse } from '../../src/contract/envelopes.ts';
import type { Filing } from '../../src/contract/records.ts';
import { paths, type Manifest, type SearchRow, type SymbolRow } from '../../src/contract/snapshot.ts';
import type { z } from 'zod';

/** What can be asked of a snapshot: values that it knows. */
export interface Vocabulary {
  readonly manifest: Manifest;
  /** Folded ticker symbols and CIKs. */
  readonly symbols: readonly string[];
  /** Names of companies. */
  readonly names: readonly string[];
  /** Every form and event family, rare ones and frequent ones once each. */
  readonly forms: readonly string[];
  readonly eventTypes: readonly string[];
  /** Filings from all over the history. */
  readonly filings: readonly Filing[];
}

const filingsSampled = 1000;

/** Reads what a snapshot knows from its files. `random` gives numbers in [0, 1). */
export function readVocabulary(directory: string, manifest: Manifest, random: () => number): Vocabulary {
  const text = (path: string) => readFileSync(join(directory, path), 'utf8');
  const records = <Record>(path: string) => text(path).trimEnd().split('\n').map((line) => JSON.parse(line) as Record);
  const stats = JSON.parse(text(paths.document('stats'))) as Pick<z.infer<typeof StatsResponse>, 'data'>;
  return {
    manifest,
    symbols: records<SymbolRow>(paths.table('symbols')).map(({ symbol }) => symbol),
    names: records<SearchRow>(paths.table('companies')).map(({ company }) => company.name),
    forms: stats.data.forms.map(({ form }) => form),
    eventTypes: stats.data.eventTypes.map(({ eventType }) => eventType),
    filings: sampleFilings(join(directory, paths.table('latest')), random),
  };
}

/** Filings at random places of a table that is too long to be read as a whole. */
function sampleFilings(path: string, random: () => number): Filing[] {
  const descriptor = openSync(path, 'r');
  const { size } = fstatSync(descriptor);
  const window = Buffer.alloc(8192);
  const filings: Filing[] = [];
  while (filings.length < filingsSampled) {
    const read = readSync(descriptor, window, 0, window.length, Math.floor(random() * (size - window.length)));
    const [, line] = window.toString('utf8', 0, read).split('\n', 3);
    if (line !== undefined) filings.push(JSON.parse(line) as Filing);
  }
  closeSync(descriptor);
  return filings;
}
