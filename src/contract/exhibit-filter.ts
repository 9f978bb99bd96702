import { foldFilterValue } from './company-filters.ts';
import { filterValuesMaximum } from './fact-filters.ts';
import type { FilingFilter } from './filing-filters.ts';

/** Longer types cannot be asked for. */
const charactersMaximum = 40;
/** Nor can those with quotes or other rare characters: filers invent types. Such as `EX-99.4(A)` can. */
const askable = /^[A-Z0-9][A-Z0-9 .&/()_#:-]*$/;

/** The filter of filings by the types of their exhibits. */
export const exhibitFilter = {
  name: 'exhibit',
  member: 'exhibits',
  word: 'exhibit',
  description: `Types of exhibits, up to ${filterValuesMaximum} with commas between: filings with an exhibit of any of these types, such as \`EX-99.1\`, which press releases mostly have. A type matches whole; case is folded. Filers invent types, so one that no filing has gives an empty list. Filings whose list of documents was not read are left out.`,
  brief: 'Exhibit types: any of these; `EX-99.1` is mostly a press release.',
  allowed: `1 to ${filterValuesMaximum} types of exhibits of at most ${charactersMaximum} characters with commas between, for example EX-99.1`,
  example: 'EX-99.1',
  charactersMaximum,
  fold: foldFilterValue,
  isByPartition: true,
  valuesOf: (values) => {
    const types = values.map((value) => foldFilterValue(typeof value === 'string' ? value : value.type));
    return [...new Set(types.filter((type) => type.length <= charactersMaximum && askable.test(type)))];
  },
  // Whatever filers invent, a block has few labels.
  labelled: (type) => /^EX-\d{1,3}(?!\d)/.exec(type)?.[0] ?? 'of another kind',
} as const satisfies FilingFilter;
