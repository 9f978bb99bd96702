// Writes the files of the clients that are generated: `npm run clients`. They are not committed: `npm ci` makes them,
// and so does whatever checks, tests or packs the clients.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from './description.ts';
import { pythonSource } from './python.ts';
import { typescriptSource } from './typescript.ts';

/** Writes the generated files of the clients that are there. A file that is right already keeps its time. */
export function generateClients(): void {
  const description = describe();
  for (const [path, text] of [
    ['../typescript/src/generated.ts', typescriptSource(description)],
    ['../python/src/filing_events/_generated.py', pythonSource(description)],
  ] as const) {
    const file = fileURLToPath(new URL(path, import.meta.url));
    // An installation of the service has the client for TypeScript alone.
    if (!existsSync(dirname(file)) || (existsSync(file) && readFileSync(file, 'utf8') === text)) continue;
    writeFileSync(file, text);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) generateClients();
