/** A value of a parameter. Example: `const value: Value = ['3', '4']`. */
export type Value =
  | string
  | number
  | boolean
  | readonly string[]
  | Readonly<Record<string, unknown>>
  | undefined;

/** Puts parameters into a path and its query. Example: `fill('/v1/sec/latest', { form: ['3', '4'] })`. */
export function fill(path: string, parameters: Readonly<Record<string, Value>>): string {
  const query = new URLSearchParams();
  let filled = path;
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    const text = Array.isArray(value) ? value.join(',') : String(value);
    if (path.includes(`{${name}}`)) filled = filled.replace(`{${name}}`, () => encodeURIComponent(text));
    else query.set(name, text);
  }
  return query.size > 0 ? `${filled}?${query}` : filled;
}
