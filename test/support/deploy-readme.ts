import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { clearedSettings } from './command.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The commands that a section of deploy/README.md shows, block by block. */
export function commandsOf(heading: string): string[] {
  const readme = readFileSync(join(root, 'deploy/README.md'), 'utf8');
  const section = readme.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^ *```sh\n([^]*?)^ *```$/gm)].map(([, text]) => text as string);
}

/** Runs commands of the text as an operator does, in the root of a program. */
export function follow(
  commands: string,
  environment: Readonly<Record<string, string>>,
  program = root,
): Promise<{ stdout: string }> {
  return promisify(execFile)('sh', ['-euc', commands], {
    cwd: program,
    env: { ...process.env, ...clearedSettings, ...environment },
  });
}
