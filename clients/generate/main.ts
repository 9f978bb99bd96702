// Writes the files of the clients that are generated: `npm run clients`.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe } from './description.ts';
import { pythonSource } from './python.ts';
import { typescriptSource } from './typescript.ts';

const description = describe();
/** Each generated file and what belongs into it. A test compares them. */
export const generatedFiles: readonly { readonly path: string; readonly text: string }[] = [
  { path: '../typescript/src/generated.ts', text: typescriptSource(description) },
  { path: '../python/src/filing_events/_generated.py', text: pythonSource(description) },
].map(({ path, text }) => ({ path: fileURLToPath(new URL(path, import.meta.url)), text }));

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const { path, text } of generatedFiles) writeFileSync(path, text);
