/** A value of a metric; its labels tell it from other values of the metric. */
export interface Value {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * A distribution of times: `counts` has one number for each bound and one for slower ones. A time is counted
 * only in one of them.
 */
export interface Distribution {
  readonly labels: Readonly<Record<string, string>>;
  readonly counts: ArrayLike<number>;
  readonly sum: number;
}

/**
 * The name and help text of a metric, and a function that reads its values. The function is called only when
 * metrics are asked for.
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
