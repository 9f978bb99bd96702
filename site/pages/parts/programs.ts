import { readFileSync } from 'node:fs';
import { textFile, type PublicFile } from '../../content/public-file.ts';

/** A program for readers to copy. The docs show it, and the site serves it as a file. */
export interface Program {
  readonly language: string;
  /** URL path, e.g. `/examples/poller.py`. */
  readonly path: string;
  readonly text: string;
}

const folder = new URL('../../', import.meta.url);

function program(language: string, path: string, file = path): Program {
  return { language, path, text: readFileSync(new URL(`.${file}`, folder), 'utf8') };
}

/** Programs that keep a database in step with the change feed. */
export const pollers = (): readonly Program[] => [
  program('Python', '/examples/poller.py'),
  program('TypeScript', '/examples/poller.ts'),
];

/** Programs that follow the change feed, each a loop of the client. */
export const followers = (): readonly Program[] => [
  program('Python', '/examples/follow.py'),
  program('TypeScript', '/examples/follow.ts'),
];

/** Programs that receive webhooks. */
export const receivers = (): readonly Program[] => [
  program('JavaScript', '/examples/receiver.mjs', '/examples/webhooks/receiver.mjs'),
  program('Python', '/examples/receiver.py', '/examples/webhooks/receiver.py'),
];

/** Programs that mirror the bulk files, and find the newest observation of each filing in them. */
export const bulkPrograms = () => ({
  mirror: program('Python', '/examples/mirror.py', '/examples/bulk/mirror.py'),
  duckdb: program('DuckDB', '/examples/newest.sql', '/examples/bulk/newest.sql'),
  pandas: program('pandas', '/examples/newest.py', '/examples/bulk/newest.py'),
  jq: program('jq', '/examples/newest.sh', '/examples/bulk/newest.sh'),
});

/** Questions in SQL to the tables of an export. */
export const warehouseProgram = () =>
  program('SQL', '/examples/questions.sql', '/examples/warehouse/questions.sql');

/** The files of all programs, as plain text: a browser shows that, and would save other types. */
export function programFiles(): PublicFile[] {
  return [
    ...pollers(),
    ...followers(),
    ...receivers(),
    ...Object.values(bulkPrograms()),
    warehouseProgram(),
  ].map(({ path, text }) => textFile(path, text));
}
