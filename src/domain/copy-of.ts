/**
 * A copy of a text. A part of a long text keeps all of it in memory: what stays after the long one goes has to
 * be copied. Numbers and null are returned as they are.
 */
export const copyOf = <Value extends string | number | null>(value: Value): Value =>
  JSON.parse(JSON.stringify(value)) as Value;
