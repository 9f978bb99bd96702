import type { PublishedChange } from '../clients.ts';
import { easternStamp } from '../edgar/time.ts';
import { factsAt, type Truth } from '../edgar/truth.ts';

/** The members that a correction may name, and the values that it compares. */
const comparable = [
  'form',
  'filedAt',
  'items',
  'reportDate',
  'acceptanceDateTime',
  'primaryDocument',
  'size',
] as const;

const filingsOf = new WeakMap<Truth, Map<string, Truth['filings'][number]>>();

/** A filing of the truth by its accession number. */
export function trueFiling(truth: Truth, accessionNo: string) {
  let map = filingsOf.get(truth);
  if (!map) {
    map = new Map(truth.filings.map((filing) => [filing.accessionNo, filing]));
    filingsOf.set(truth, map);
  }
  return map.get(accessionNo);
}

/** What is wrong with an entry of the feed: values that nobody could know, and corrections that change nothing. */
export function faultsOfChange(
  truth: Truth,
  nowMs: number,
  { filing, corrected, revision }: PublishedChange,
  before: PublishedChange | null,
): string[] {
  const known = trueFiling(truth, filing.accessionNo);
  if (!known) return ['EDGAR has no such filing'];
  const faults: string[] = [];
  if (known.acceptedMs > nowMs) faults.push('EDGAR has not accepted it yet');
  const versions = [known, factsAt(known, nowMs)];
  const among = <Value>(name: string, value: Value, possible: readonly Value[]) => {
    if (!possible.includes(value))
      faults.push(`its ${name} is ${JSON.stringify(value)}, EDGAR says ${JSON.stringify(possible[0])}`);
  };
  for (const name of ['form', 'filedAt'] as const) {
    const possible: readonly (string | null)[] = versions.map((each) => each[name]);
    among(name, filing[name], possible);
  }
  among('acceptanceDateTime', filing.acceptanceDateTime, [easternStamp(known.acceptedMs), null]);
  among('reportDate', filing.reportDate, [known.reportDate, null]);
  among('primaryDocument', filing.primaryDocument, [known.primaryDocument, null]);
  among('size', filing.size, [known.size, null]);
  among('items', filing.items.join(), [known.items.join(), '']);
  for (const { cik, name, role } of filing.parties) {
    const roles = versions.flatMap(({ parties }) =>
      parties.filter((party) => party.cik === cik).map((party) => party.role),
    );
    if (roles.length === 0) faults.push(`it names ${cik}, EDGAR does not`);
    else if (role !== null && !roles.includes(role as (typeof roles)[number]))
      faults.push(`${cik} has the role ${role}, EDGAR says ${roles[0]}`);
    const names = truth.entities.get(cik)?.names.filter(({ fromMs }) => fromMs <= nowMs) ?? [];
    if (name !== null && !names.some((each) => each.name === name))
      faults.push(`${cik} has the name ${name}, EDGAR says ${names.map((each) => each.name).join(' and ')}`);
  }
  if (revision > 1 && (corrected ?? []).length === 0) faults.push('it corrects nothing');
  for (const member of comparable) {
    const isOther =
      before !== null && JSON.stringify(before.filing[member]) !== JSON.stringify(filing[member]);
    if (isOther && !corrected?.includes(member))
      faults.push(`its ${member} has changed without a correction`);
  }
  return faults;
}
