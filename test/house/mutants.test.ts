import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { edited } from '../mutants/copy.ts';
import { mutants } from '../mutants/list/all.ts';
import { mutants as simulated } from '../simulate/mutants.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The edits of all mutants that change nothing, by the names of the mutants. */
const idle = [...mutants, ...simulated].flatMap(({ name, edits }) =>
  edits.flatMap((each) => {
    try {
      edited(root, each);
      return [];
    } catch (error) {
      return [`${name}: ${(error as Error).message}`];
    }
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
