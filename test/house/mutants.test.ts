import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { mutants } from '../mutants/list/all.ts';
import { mutants as simulated } from '../simulate/mutants.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The edits of all mutants that change nothing, by the names of the mutants. */
const idle = [...mutants, ...simulated].flatMap(({ name, edits }) =>
  edits.flatMap(({ file, from }) => {
    const path = join(root, file);
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    return text.replace(from, '') === text ? [`${name}: ${file} has no ${String(from)}`] : [];
  }),
);

describe('the list of mutants', () => {
  it('each mutant changes the program, and names a test that exists', () => {
    expect(mutants.length).toBeGreaterThan(50);
    expect(idle).toEqual([]);
    expect(mutants.filter(({ test }) => !existsSync(join(root, test))).map(({ name }) => name)).toEqual([]);
    const names = [...mutants, ...simulated].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
