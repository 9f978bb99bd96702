import { unprintable } from '../domain/unprintable.ts';

/** Lines that need no look: ASCII without control characters. Most are. */
const plain = /^[ -~\t]*$/;

const unprintableButTabs = new RegExp(`(?!\\t)[${unprintable}]`, 'gu');

/**
 * Writes a line for a terminal. It may have words of filers, of EDGAR, of services and of files, which must not move the
 * cursor, turn the line or begin another one: such characters become escapes as JSON has them, so a line that is JSON
 * stays the same JSON.
 */
export function printable(line: string): string {
  if (plain.test(line)) return line;
  return line.replace(unprintableButTabs, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** Prints a line of a command. */
export function printLine(line: string): void {
  console.log(printable(line));
}

/** Prints what is wrong as one line: messages of libraries may have several. */
export function printProblem(message: string): void {
  console.error(printable(message.replace(/\s*\n\s*/g, ' ')));
}

/** Prints a line of data: as it is, unless a terminal shows it. */
export function printData(line: string): void {
  console.log(process.stdout.isTTY ? printable(line) : line);
}
