/** One line of the table: what was measured, what it must hold, and whether it does. */
export interface Row {
  readonly what: string;
  readonly measured: string;
  readonly bound: string;
  readonly holds: boolean;
}

/** What a figure must hold. */
export interface Bound {
  readonly text: string;
  readonly holds: boolean;
}

/** What stands behind a number, or writes it. */
type Unit = string | ((value: number) => string);

const written = (value: number, unit: Unit) =>
  typeof unit === 'string' ? `${decimal(value, Number.isInteger(value) ? 0 : 2)}${unit}` : unit(value);

/** A figure is less than a limit. */
export const below = (value: number, limit: number, unit: Unit): Bound => ({
  text: `< ${written(limit, unit)}`,
  holds: value < limit,
});
/** A figure is not above a limit. */
export const atMost = (value: number, limit: number, unit: Unit): Bound => ({
  text: `<= ${written(limit, unit)}`,
  holds: value <= limit,
});
/** A figure is not below a limit. */
export const atLeast = (value: number, limit: number, unit: Unit): Bound => ({
  text: `>= ${written(limit, unit)}`,
  holds: value >= limit,
});

/** Makes a row whose bounds hold all together; without one it only says what was measured. */
export function row(what: string, measured: string, ...bounds: readonly Bound[]): Row {
  return {
    what,
    measured,
    bound: bounds.map(({ text }) => text).join(', '),
    holds: bounds.every(({ holds }) => holds),
  };
}

/** The middle value; the mean of the two in the middle of an even number. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2;
}

/** The least value that a share of all values does not pass. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

/** The greatest value. */
export const greatest = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, value), -Infinity);

/** Bytes as text, in MB of a million. */
export function megabytes(bytes: number, digits = 0): string {
  return `${(bytes / 1e6).toFixed(digits)} MB`;
}

/** A number as text, with so many digits behind the point and thousands apart. */
export function decimal(value: number, digits = 0): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Rows as a table with aligned columns, and the line that sums it up. */
export function printTable(rows: readonly Row[]): string {
  const lines = [
    ['what', 'measured', 'bound', 'holds'],
    ...rows.map(({ what, measured, bound, holds }) => [what, measured, bound, holds ? 'yes' : 'NO']),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const text = lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  text.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  ') + '  -----');
  return `${text.join('\n')}\n\n${rows.filter(({ holds }) => holds).length} of ${rows.length} bounds hold`;
}
