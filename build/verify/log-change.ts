import { Change } from '../../src/contract/records.ts';
import { readingMembers } from './check-rows.ts';
import type { failAt } from './checked-line.ts';

/** What is compared of an entry of the log with the tables. */
export interface LogChange {
  readonly sequence: number;
  readonly observedAt: string | null;
  readonly revision: number;
  readonly isCorrected: boolean;
  readonly accessionNo: string;
  readonly form: string;
  readonly eventType: string;
  /** As JSON. */
  readonly items: string;
  readonly filedAt: string | null;
  readonly acceptanceDateTime: string | null;
  readonly ingestedAt: string | null;
}

const members = readingMembers(Change, [
  'sequence',
  'observedAt',
  'revision',
  'corrected',
  'filing.accessionNo',
  'filing.form',
  'filing.eventType',
  'filing.items',
  'filing.filedAt',
  'filing.acceptanceDateTime',
  'filing.ingestedAt',
]);

/** Reads an entry of the log, which is a Change. Throws `CorruptSnapshot` if it is not written as one. */
export function readLogChange(entry: Parameters<typeof failAt>[0], text: string): LogChange {
  const [
    ,
    sequence,
    observedAt = null,
    revision,
    corrected,
    accessionNo = '',
    form = '',
    eventType = '',
    items = '[]',
    filedAt = null,
    acceptanceDateTime = null,
    ingestedAt = null,
  ] = members(entry, text);
  return {
    sequence: Number(sequence),
    observedAt,
    revision: Number(revision),
    isCorrected: corrected !== undefined,
    accessionNo,
    form,
    eventType,
    items,
    filedAt,
    acceptanceDateTime,
    ingestedAt,
  };
}
