import type { FilterName } from '../../src/contract/filing-filters.ts';
import type { Section16Ownership } from '../../src/contract/ownership.ts';
import type { ChangeCause, Filing } from '../../src/contract/records.ts';
import { withEasternOffset } from '../../src/time/eastern.ts';

/** Values that are asked for: texts with commas between, as requests have them, or a list. */
type Given = string | readonly string[] | undefined;

/** What is asked of a list of filings. A member that is left out does not restrict. */
export type ModelFilter = { readonly [Name in FilterName | 'since' | 'until' | 'corrections']?: Given } & {
  /** The CIK of any company of the chain. */
  readonly company?: string | undefined;
};

const folded = (text: string) => text.trim().replace(/\s+/g, ' ').toUpperCase();
/** The values that are given, folded. */
const valuesOf = (given: NonNullable<Given>) => [given].flat().flatMap((text) => text.split(',').map(folded));

/** What a Form 4 or 5 says that was read; null for other filings. */
export const reportOf = ({
  form,
  ownership,
}: Pick<Filing, 'form' | 'ownership'>): Section16Ownership | null =>
  ['4', '4/A', '5', '5/A'].includes(form) && ownership?.kind === 'section_16' ? ownership : null;

/** The name of an exchange or state in capitals; null if it is none that a request can have. */
export function askedName(text: string | null): string | null {
  const name = folded(text ?? '');
  return /^[A-Z0-9]([A-Z0-9 .&/-]*[A-Z0-9])?$/.test(name) && name.length <= 40 ? name : null;
}

/** The types of exhibits that a request can have, in capitals, each once. */
export const exhibitsOf = ({ exhibits }: Pick<Filing, 'exhibits'>): string[] =>
  [...new Set((exhibits ?? []).map(({ type }) => folded(type)))].filter(
    (type) => type.length <= 40 && /^[A-Z0-9][A-Z0-9 .&/()_#:-]*$/.test(type),
  );

/** When EDGAR accepted a filing, in milliseconds; no number if that is not known. */
const acceptedMs = ({ acceptanceDateTime: stamp }: Filing) =>
  stamp === null ? Number.NaN : Date.parse(withEasternOffset(stamp));

/** The values that are asked for, folded, by the names of filters. */
type Wanted = { readonly [Name in FilterName | 'since' | 'until']?: readonly string[] };

/** Whether one transaction of a filing has any of the codes and the least value that are asked for. */
const isTraded = (filing: Filing, { transactionCode: codes, minValue: [least] = [] }: Wanted): boolean =>
  (reportOf(filing)?.transactions ?? []).some(
    ({ code, value }) =>
      (codes === undefined || codes.includes(code ?? 'none')) &&
      (least === undefined || (value !== null && value >= Number(least))),
  );

/** What a filing has to meet that any of these values are asked of. */
const means: {
  readonly [Name in FilterName | 'since' | 'until']: (
    filing: Filing,
    values: readonly string[],
    wanted: Wanted,
  ) => boolean;
} = {
  form: ({ form }, values) => values.includes(form),
  eventType: ({ eventType }, values) => values.includes(eventType.toUpperCase()),
  items: ({ items }, values) => values.some((item) => items.includes(item)),
  // One transaction has to meet both.
  transactionCode: (filing, _, wanted) => isTraded(filing, wanted),
  minValue: (filing, _, wanted) => isTraded(filing, wanted),
  sic: ({ sic }, values) => values.includes(sic ?? ''),
  exchange: ({ exchange }, values) => values.includes(askedName(exchange) ?? ''),
  listed: ({ ticker }, [value]) => String(ticker !== null).toUpperCase() === value,
  acceptedSince: (filing, [from = '']) => acceptedMs(filing) >= Date.parse(from),
  acceptedUntil: (filing, [to = '']) => acceptedMs(filing) <= Date.parse(to),
  exhibit: (filing, values) => exhibitsOf(filing).some((type) => values.includes(type)),
  since: ({ filedAt }, [first = '']) => (filedAt ?? '') >= first,
  until: ({ filedAt }, [last = '']) => (filedAt ?? '') <= last,
};

/** The test whether a filing meets all that is asked of it itself: of its companies it is not asked here. */
export function meets(asked: ModelFilter): (filing: Filing) => boolean {
  const values = (Object.keys(means) as (keyof Wanted)[]).flatMap((name) => {
    const given = asked[name];
    return given === undefined ? [] : [[name, valuesOf(given)] as const];
  });
  const wanted: Wanted = Object.fromEntries(values);
  return (filing) => values.every(([name, own]) => means[name](filing, own, wanted));
}

/** The test whether the change feed gives an entry with a cause; first entries have none, and always come. */
export function isWanted({ corrections = 'all' }: ModelFilter): (cause: ChangeCause | undefined) => boolean {
  const wanted = valuesOf(corrections);
  return (cause) => cause === undefined || wanted.includes('ALL') || wanted.includes(cause.toUpperCase());
}
