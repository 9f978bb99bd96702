/** A minute in milliseconds. */
export const minuteMs = 60_000;

/** An hour in milliseconds. */
export const hourMs = 3_600_000;

/** A day in milliseconds. */
export const dayMs = 86_400_000;

/** An hour in seconds. */
export const hourSeconds = 3_600;

/** A day in seconds. */
export const daySeconds = 86_400;

/** The day in UTC, `YYYY-MM-DD`, of an instant in milliseconds since 1970. */
export function dayAt(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

/** The day that lies `days` after another one, or before it if negative, both `YYYY-MM-DD`. */
export function dayFrom(day: string, days: number): string {
  return dayAt(Date.parse(day) + days * dayMs);
}
