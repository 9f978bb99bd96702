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
      read(): Promise<readonly Value[]>;
    }
  /** `bounds` in seconds, ascending. */
  | {
      readonly kind: 'histogram';
      readonly name: string;
      readonly help: string;
      readonly bounds: readonly number[];
      read(): readonly Distribution[];
    };

/** What a metric without bounds has: values with labels, or one value without; null if it has none. */
type Reading = readonly Value[] | number | null;

/**
 * Metrics by their names, each with its help text and what reads it. Names of counters end with `_total`, as Prometheus
 * wants it; all others are gauges.
 */
export function figures(
  table: Readonly<Record<string, readonly [help: string, read: () => Reading | Promise<Reading>]>>,
): Figure[] {
  return Object.entries(table).map(([name, [help, read]]) => ({
    kind: name.endsWith('_total') ? 'counter' : 'gauge',
    name,
    help,
    async read() {
      const reading = await read();
      if (reading === null) return [];
      return typeof reading === 'number' ? [{ value: reading }] : reading;
    },
  }));
}
