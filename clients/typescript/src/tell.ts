/** Controls, what turns or hides text (bidi, zero width), halves of characters, and separators of lines. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Writes a line for a terminal. What a filer or a service says must not move the cursor, turn the line or begin another
 * one: such characters become escapes as JSON has them, so a line that is JSON stays the same JSON.
 * Example: `printable('a\u001b[2J')` is `a\\u001b[2J`.
 */
export function printable(line: string): string {
  return line.replace(unprintable, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** Tells a person something in one line, beside the rows. Example: `tell('waiting for changes')`. */
export function tell(text: string): void {
  console.error(printable(text.replace(/\s+/g, ' ')));
}
