/**
 * A copy of a text. A part of a long text keeps all of it in memory: what stays after the long one goes has to
 * be copied.
 */
export const copyOf = (text: string): string => Buffer.from(text).toString();
