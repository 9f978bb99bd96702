const unwritable = /[\p{Cc}\p{Cs}]/u;

/** A text in one line, without spaces around. Halves of surrogate pairs go, too: no file can hold them. */
export function clean(value: string): string {
  return unwritable.test(value) ? value.replace(/[\p{Cc}\p{Cs}]+/gu, ' ').trim() : value.trim();
}
