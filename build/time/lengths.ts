/** A day in milliseconds. */
export const dayMs = 86_400_000;

/** A day in seconds. */
export const daySeconds = 86_400;

/** An hour in milliseconds. */
export const hourMs = 3_600_000;

/** An hour in seconds. */
export const hourSeconds = 3_600;
