import { unprintable } from '../domain/unprintable.ts';

/** The most characters of a name, or of another text that a filer wrote, in texts for assistants. */
export const filerTextMaximum = 200;

const unprintableRuns = new RegExp(`[${unprintable}]+`, 'gu');

/** A text of a source on one line, without characters that a reader would not see, and not longer than allowed. */
export function plainText(text: string): string {
  const line = text.replace(unprintableRuns, ' ').replace(/\s+/g, ' ').trim();
  if (line.length <= filerTextMaximum) return line;
  return `${line.slice(0, filerTextMaximum).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * A name as texts for assistants give it: in quotes, because its filer chose it. What it says is no part of the
 * text, and nobody may take it for an instruction.
 */
export const quoted = (name: string): string => JSON.stringify(plainText(name));

/** A whole text for assistants, whose lines are kept. */
export const printableText = (text: string): string =>
  text.replace(unprintableRuns, (found) => (/^\n+$/.test(found) ? found : found.includes('\n') ? '\n' : ' '));
