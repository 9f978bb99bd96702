import { eventTypeOfForm } from '../../src/domain/event-types.ts';
import { remembered } from '../../src/domain/remembered.ts';
import { Filing, type Change } from '../../src/contract/records.ts';
import { withEasternOffset } from '../../src/time/eastern.ts';
import { addressesOf } from '../ledger/document-addresses.ts';
import type { Observation } from '../ledger/observation.ts';
import { jsonOf, none, plainOf, textOf } from './json-texts.ts';

// A compact observation is the JSON of a change without what is the same in each or follows from the rest:
// the values of its members as JSON, with tabs between them, and nothing for a value that follows. JSON
// escapes tabs in texts. It is a third as long as the change, and becomes one again by putting texts together,
// without a parser.

/** The members of a change before its filing, in their order. */
const changeMembers = [
  'sequence',
  'changeType',
  'observedAt',
  'revision',
  'corrected',
  'cause',
] as const satisfies (keyof Change)[];
const filingMembers = Object.keys(Filing.shape) as (keyof Filing)[];
const members: readonly (keyof Change | keyof Filing)[] = [...changeMembers, ...filingMembers];
const firstOfFiling = changeMembers.length;

/** Where the value of each member is in a compact observation. */
const at = Object.fromEntries(members.map((name, index) => [name, index])) as Readonly<
  Record<(typeof changeMembers)[number] | keyof Filing, number>
>;
/** What stands before each value in the JSON of a change. */
const before = members.map((name, index) =>
  index === firstOfFiling ? `,"filing":{"${name}":` : `${index === 0 ? '{' : ','}"${name}":`,
);

/** Where members are that a first observation does not have. */
const absentAtFirst: ReadonlySet<number> = new Set([at.corrected, at.cause]);

/** What a compact observation holds. */
export type Observed = Omit<Observation, 'before' | 'told' | 'added'>;

/**
 * The JSON of a change, and its compact observation. `isByRule` says that the present rules gave all values, so
 * that nothing has to be made again to see what follows. A filing with members that this file does not know is
 * not made shorter: then both are the same.
 */
export function changeTexts(
  observation: Observed,
  isByRule = false,
): { readonly change: string; readonly compact: string } {
  const values = valuesOf(observation, isByRule);
  if (Object.keys(observation.filing).length !== filingMembers.length) {
    const change = wholeChange(observation);
    return { change, compact: change };
  }
  const change = joined(values);
  const following = isByRule ? null : followingValues(values);
  for (let index = 0; index < followingAt.length; index++) {
    const place = followingAt[index] as number;
    if (following === null || values[place] === following[index]) values[place] = '';
  }
  if (values[at.ingestedAt] === values[at.observedAt]) values[at.ingestedAt] = '';
  const begin = onlyPartyBegin(values);
  const parties = values[at.parties] as string;
  if (observation.filing.parties.length === 1 && parties.startsWith(begin))
    values[at.parties] = parties.slice(begin.length, -onlyPartyEnd.length);
  return { change, compact: values.join(separator) };
}

/** The values in a compact observation, as JSON; empty where they follow from others. */
const valuesIn = (compact: string): string[] =>
  isWhole(compact) ? valuesOf(observedOf(compact)) : compact.split(separator);

/** The same with those that follow from others. */
export function wholeValuesIn(compact: string): string[] {
  const values = valuesIn(compact);
  if (isWhole(compact)) return values;
  const following = followingValues(values);
  for (let index = 0; index < following.length; index++) {
    const place = followingAt[index] as number;
    if (values[place] === '') values[place] = following[index] as string;
  }
  if (values[at.ingestedAt] === '') values[at.ingestedAt] = values[at.observedAt] as string;
  const parties = values[at.parties] as string;
  if (!parties.startsWith('[')) values[at.parties] = onlyPartyBegin(values) + parties + onlyPartyEnd;
  return values;
}

/** The JSON of the change of a compact observation, whose values `wholeValuesIn` gave. */
export const changeOf = (compact: string, values: readonly string[]): string =>
  isWhole(compact) ? compact : joined(values);

/** Whether an observation was not made shorter. */
const isWhole = (compact: string) => compact.startsWith('{');

function observedOf(change: string): Observed {
  const { corrected = [], cause, ...rest } = JSON.parse(change) as Change;
  return {
    ...rest,
    observedAt: rest.observedAt ?? '',
    corrected: corrected as (keyof Filing)[],
    ...(cause === undefined ? {} : { cause }),
  };
}

function wholeChange({
  filing,
  sequence,
  changeType,
  observedAt,
  revision,
  corrected,
  cause,
}: Observed): string {
  return JSON.stringify({
    sequence,
    changeType,
    observedAt,
    revision,
    ...(revision === 1 ? {} : { corrected: [...corrected], cause }),
    filing,
  } satisfies Change);
}

function joined(values: readonly string[]): string {
  let text = '';
  for (let index = 0; index < values.length; index++)
    if (values[index] !== '' || !absentAtFirst.has(index))
      text += (before[index] as string) + (values[index] as string);
  return `${text}}}`;
}

/** The filing of a compact observation. */
export function filingOf(compact: string): Filing {
  const change = isWhole(compact) ? compact : changeOf(compact, wholeValuesIn(compact));
  return (JSON.parse(change) as Change).filing;
}

/** The value of a member of the filing as JSON. */
export const valueOf = (values: readonly string[], name: keyof Filing): string => values[at[name]] as string;

/** The cause of the change as JSON; empty if it is the first entry of its filing. */
export const causeJsonOf = (values: readonly string[]): string => values[at.cause] as string;

/** One value in a compact observation, as JSON; empty where it follows from others. */
function valueIn(compact: string, name: keyof typeof at): string | undefined {
  if (isWhole(compact)) return valuesIn(compact)[at[name]];
  let from = 0;
  for (let index = 0; index < at[name]; index++) from = compact.indexOf(separator, from) + 1;
  return compact.slice(from, compact.indexOf(separator, from));
}

/** The form of the filing, and when this was observed. */
export function formAndTimeOf(compact: string): Pick<Filing, 'form'> & Pick<Observed, 'observedAt'> {
  return {
    form: textOf(valueIn(compact, 'form')) ?? '',
    observedAt: textOf(valueIn(compact, 'observedAt')) ?? '',
  };
}

const separator = '\t';

/** The JSON before and behind the role of the only party, if that is the company of the filing. */
const onlyPartyBegin = (values: readonly string[]) =>
  `[{"cik":${values[at.cik]},"name":${values[at.companyName]},"role":`;
const onlyPartyEnd = '}]';

/**
 * Where the values are that follow from others by a rule. A value that older rules gave may differ; then it is
 * kept.
 */
const followingAt = [at.eventType, at.detailUrl, at.acceptedAt, at.documentUrl];

/** The values that follow from others, as JSON, in the order of `followingAt`. */
function followingValues(values: readonly string[]): string[] {
  const cik = textOf(values[at.cik]) as string;
  const accessionNo = textOf(values[at.accessionNo]) as string;
  const primaryDocument = textOf(values[at.primaryDocument]);
  const { detailUrl, documentUrl } = addressesOf({ cik, accessionNo, primaryDocument });
  const stamp = textOf(values[at.acceptanceDateTime]);
  return [
    eventTypeJson(values[at.form] as string),
    plainOf(detailUrl),
    plainOf(stamp === null ? null : withEasternOffset(stamp)),
    plainOf(documentUrl),
  ];
}

const eventTypeJson = remembered(1000, (form: string) => plainOf(eventTypeOfForm(textOf(form) as string)));

/** The values of an observation as JSON. */
function valuesOf(
  { sequence, changeType, observedAt, revision, corrected, cause, filing }: Observed,
  isByRule = false,
): string[] {
  const { items } = filing;
  // The present rules give no text that JSON escapes.
  const followingOf = isByRule ? plainOf : jsonOf;
  // In the order of `members`.
  return [
    String(sequence),
    plainOf(changeType),
    plainOf(observedAt),
    String(revision),
    revision === 1 ? '' : JSON.stringify(corrected),
    cause === undefined ? '' : plainOf(cause),
    plainOf(filing.accessionNo),
    jsonOf(filing.companyName),
    jsonOf(filing.ticker),
    jsonOf(filing.form),
    followingOf(filing.eventType),
    items.length === 0 ? none : JSON.stringify(items),
    plainOf(filing.filedAt),
    followingOf(filing.detailUrl),
    plainOf(filing.acceptanceDateTime),
    plainOf(filing.cik),
    jsonOf(filing.sic),
    jsonOf(filing.exchange),
    plainOf(filing.acceptedAt),
    plainOf(filing.reportDate),
    jsonOf(filing.primaryDocument),
    jsonOf(filing.primaryDocDescription),
    followingOf(filing.documentUrl),
    String(filing.size),
    String(filing.isXbrl),
    String(filing.isInlineXbrl),
    plainOf(filing.ingestedAt),
    `[${filing.parties.map(partyJson).join()}]`,
    filing.exhibits === null ? 'null' : JSON.stringify(filing.exhibits),
    filing.ownership === null ? 'null' : JSON.stringify(filing.ownership),
  ];
}

const partyJson = ({ cik, name, role }: Filing['parties'][number]) =>
  `{"cik":"${cik}","name":${jsonOf(name)},"role":${plainOf(role)}}`;
