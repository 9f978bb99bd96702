import type { Change, Filing } from '../../src/contract/records.ts';
import { isAccessionNo } from '../../src/domain/scalars.ts';
import type { Observation } from './observation.ts';
import type { RowCodec } from './ledger-rows.ts';

/** The members of an entry of the log that older rules gave other values than newer ones. */
export interface Former {
  readonly changeType?: Change['changeType'];
  readonly corrected?: readonly (keyof Filing)[];
  readonly filing?: Partial<Filing>;
}

/**
 * What older rules had said about a row of a batch. A restatement keeps it, because the newer rules say
 * something else, and published entries of the log never change.
 */
export interface FormerRow {
  /** The batch that has the row of the filing. */
  readonly batch: number;
  /** The sequence of its entry, or the one that the entry would have had. */
  readonly sequence: number;
  readonly accessionNo: string;
  /** Null if the older rules made no entry. */
  readonly former: Former | null;
}

/** The files with former values: at most 50,000 rows each, in the order in which a fold comes to them. */
export const formerFile = /^former-\d+\.csv$/;

/** Former values as CSV. They are a JSON object; the empty text stands for no entry. */
export const formerCodec: RowCodec<FormerRow> = {
  columns: ['batch', 'sequence', 'accessionNo', 'former'],
  encode: ({ batch, sequence, accessionNo, former }) => [
    String(batch),
    String(sequence),
    accessionNo,
    former === null ? '' : JSON.stringify(former),
  ],
  decode([batch = '', sequence = '', accessionNo = '', former = '']) {
    if (!/^[1-9]\d*$/.test(batch) || !/^[1-9]\d*$/.test(sequence) || !isAccessionNo(accessionNo))
      throw new Error(`no former value: ${batch} ${sequence} ${accessionNo}`);
    return {
      batch: Number(batch),
      sequence: Number(sequence),
      accessionNo,
      former: former === '' ? null : (JSON.parse(former) as Former),
    };
  },
};

/** Returns an observation with the values that older rules had given it. */
export function withFormer(observation: Observation, { changeType, corrected, filing }: Former): Observation {
  return {
    ...observation,
    ...(changeType === undefined ? {} : { changeType }),
    ...(corrected === undefined ? {} : { corrected }),
    ...(filing === undefined ? {} : { filing: overlaid(observation.filing, filing) }),
  };
}

/** The members keep the order of the record. A member that records no longer have is left out. */
function overlaid(filing: Filing, former: Partial<Filing>): Filing {
  const entries = Object.entries(filing).map(([name, value]) => [
    name,
    Object.hasOwn(former, name) ? former[name as keyof Filing] : value,
  ]);
  return Object.fromEntries(entries) as Filing;
}

/** Returns the members of a published entry whose values an observation does not have; null if it has all. */
export function formerOf(published: Change, observation: Observation): Former | null {
  const { changeType, corrected, filing } = observation;
  const members = Object.entries(published.filing).filter(
    ([name, value]) => Object.hasOwn(filing, name) && !says(value, filing[name as keyof Filing]),
  );
  const former: Former = {
    ...(published.changeType === changeType ? {} : { changeType: published.changeType }),
    ...(says(published.corrected ?? [], corrected)
      ? {}
      : { corrected: published.corrected as (keyof Filing)[] }),
    ...(members.length === 0 ? {} : { filing: Object.fromEntries(members) as Partial<Filing> }),
  };
  return Object.keys(former).length === 0 ? null : former;
}

/**
 * Whether a value has everything that a published one has. It may have further members, which are new in the
 * record.
 */
function says(published: unknown, value: unknown): boolean {
  if (published === value) return true;
  if (typeof published !== 'object' || typeof value !== 'object' || published === null || value === null)
    return false;
  if (Array.isArray(published))
    return (
      Array.isArray(value) &&
      published.length === value.length &&
      published.every((each, at) => says(each, value[at]))
    );
  return Object.entries(published).every(([name, each]) =>
    says(each, (value as Record<string, unknown>)[name]),
  );
}
