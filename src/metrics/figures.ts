/** A value of a metric, told from its others by its labels. */
export interface Value {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * How often something took how long: counts for each bound of `bounds` and behind them, none of which
 * includes another.
 */
export interface Distribution {
  readonly labels: Readonly<Record<string, string>>;
  readonly counts: ArrayLike<number>;
  readonly sum: number;
}

/**
 * What a metric is called, what it says, and how its values are read when somebody asks. Nothing of it costs
 * anything before that.
 */
export type Figure =
  | {
      readonly kind: 'counter' | 'gauge';
      readonly name: string;
      readonly help: string;
      read(): readonly Value[] | Promise<readonly Value[]>;
    }
  /** `bounds` in seconds, ascending. */
  | {
      readonly kind: 'histogram';
      readonly name: string;
      readonly help: string;
      readonly bounds: readonly number[];
      read(): readonly Distribution[];
    };

/** The one value of a metric without labels. */
export function single(value: number): Value[] {
  return [{ value }];
}
