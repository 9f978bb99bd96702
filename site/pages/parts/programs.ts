import { readFileSync } from 'node:fs';
import { textFile, type PublicFile } from '../../../build/content/public-file.ts';

/** A program for readers to copy. The docs show it, and the site serves it as a file. */
export interface Program {
  readonly language: string;
  /** URL path, e.g. `/examples/poller.py`. */
  readonly path: string;
  readonly text: string;
}

const folder = new URL('../../', import.meta.url);

function program(language: string, path: string): Program {
  return { language, path, text: readFileSync(new URL(`.${path}`, folder), 'utf8') };
}

/** Programs that keep a database in step with the change feed. */
export const pollers = (): readonly Program[] => [
  program('Python', '/examples/poller.py'),
  program('TypeScript', '/examples/poller.ts'),
];

/** The files of all programs, as plain text: a browser shows that, and would save other types. */
export function programFiles(): PublicFile[] {
  return pollers().map(({ path, text }) => textFile(path, text));
}
