import * as z from 'zod';
import type { Parameter } from './parameter.ts';
import { changeCauses, type ChangeCause } from './records.ts';

/** What the parameter says for all corrections, and for none. */
const [all, none] = ['all', 'none'] as const;

/** Which corrections a request for changes gets beside first entries. */
export const corrections: Parameter = {
  name: 'corrections',
  in: 'query',
  description: `Which corrections (entries of revision 2 and more) come beside the first entries of filings: \`${all}\`, \`${none}\`, or those with any of the causes that are named with commas between (\`cause\` of a change says what each is). The cursor goes on behind those that are left out. All come if it is left out.`,
  brief: `Corrections: \`${all}\` (default), \`${none}\`, or any of these causes.`,
  allowed: `${all}, ${none}, or causes with commas between: ${changeCauses.join(', ')}`,
  parse: z
    .string()
    .max(100)
    .transform((text) => text.split(',').map((each) => each.trim().toLowerCase()))
    .transform((values, context) => causesOf(values) ?? (context.addIssue('no causes'), z.NEVER)),
  schema: { type: 'string', minLength: 1, maxLength: 100 },
  example: 'source,contents',
  isList: true,
  valuesMaximum: changeCauses.length,
  values: [all, none, ...changeCauses],
};

/** The causes that values of the parameter name, in the order of `changeCauses`; null if they name something else. */
function causesOf(values: readonly string[]): ChangeCause[] | null {
  const [only] = values;
  if (values.length === 1 && only === all) return [...changeCauses];
  if (values.length === 1 && only === none) return [];
  const causes = changeCauses.filter((cause) => values.includes(cause));
  return values.every((each) => (causes as string[]).includes(each)) ? causes : null;
}

/**
 * The causes of the corrections that a request gets; undefined if it gets all corrections. `named` are those that it
 * names.
 */
export const causesWanted = (
  named: readonly ChangeCause[] | undefined,
): readonly ChangeCause[] | undefined => (named?.length === changeCauses.length ? undefined : named);

/** The parameter as `meta` says it: null if all corrections come. */
export function correctionsText(named: readonly ChangeCause[] | undefined): string | null {
  const wanted = causesWanted(named);
  return wanted === undefined ? null : wanted.length === 0 ? none : wanted.join(',');
}

/** The corrections that an endpoint of webhooks gets if it does not say which. */
export const webhookCorrections = 'source,contents';

/**
 * The partition of `change-dates` with the changes of a cause, and the label of a block with such a change. Without a
 * cause: of first entries.
 */
export const causePartition = (cause: ChangeCause | undefined): string =>
  cause === undefined ? 'first entries' : `cause ${cause}`;

/** The partitions with the changes that a request gets: first entries, and corrections with the causes that it wants. */
export const causePartitions = (wanted: readonly ChangeCause[]): string[] =>
  [undefined, ...wanted].map(causePartition);
