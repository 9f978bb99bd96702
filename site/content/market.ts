/** One value of a row of a sample dataset. */
export type SampleValue = string | number | boolean | null;

/** One field of a sample dataset. */
export interface SampleField {
  readonly name: string;
  /**
   * The Frictionless type. A `date` is a text `YYYY-MM-DD`; a `year` is a number. An `integer` or a `number`
   * counts or measures something. A name or code is a `string`, also if it has digits only.
   */
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date' | 'year';
  /** What the field means, with its unit. */
  readonly description: string;
}

/**
 * Whether a field counts or measures something. Only such numbers are shown with commas between thousands.
 */
export function isAmount({ type }: SampleField): boolean {
  return type === 'integer' || type === 'number';
}

/** Rows that show what a data product would hold. */
export interface SampleDataset {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly fields: readonly SampleField[];
  /** Values in the order of the fields. */
  readonly rows: readonly (readonly SampleValue[])[];
  /** The same for spreadsheets, where these read other values; left out where they do not. */
  readonly sheetRows?: readonly (readonly SampleValue[])[];
}

/** A feed that a market would have. */
export interface DataFeed {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  /** How often it would have new rows, e.g. `daily`. */
  readonly cadence: string;
  /** Slug of the dataset that shows its rows. */
  readonly dataset: string;
}

/** A parameter of a sample-only path. Its value is checked and has no effect: the sample stays the same. */
export interface SampleParameter {
  readonly name: string;
  readonly type: 'text' | 'date';
  readonly description: string;
  readonly example: string;
}

/** A task that the data of a market would help somebody to do. */
export interface Workflow {
  readonly slug: string;
  readonly name: string;
  readonly headline: string;
  readonly description: string;
  /** The path of its sample, below `/v1/`. Each workflow has a path of its own. */
  readonly path: string;
  readonly parameters: readonly SampleParameter[];
  /** Slug of the dataset that the path answers with. */
  readonly dataset: string;
}

/**
 * A candidate product. Each market is one file in `site/catalog/markets/` and one line in
 * `site/catalog/markets.ts`.
 */
export interface Market {
  readonly slug: string;
  readonly name: string;
  readonly headline: string;
  /** What the product would be, who would use it, and which public source it would come from. */
  readonly description: string;
  /** `validation-only`: a demand test. `live`: it exists. */
  readonly stage: 'validation-only' | 'live';
  /** The demand at which it would be built. */
  readonly buildGate: string;
  readonly source: { readonly name: string; readonly url: string };
  readonly dataFeeds: readonly DataFeed[];
  readonly sampleDatasets: readonly SampleDataset[];
  readonly workflows: readonly Workflow[];
}
