import { bundleProgram, type Edit } from './machine/bundle.ts';
import type { Release } from './world.ts';

/** Newer rules: a form gets another family, so that lists, profiles and corrections change. */
const newerRules = (number: number): readonly Edit[] => [
  {
    file: 'src/contract/rules.ts',
    from: /rulesNumber = (\d+)/,
    to: `rulesNumber = 10${number}`,
  },
];

/** Loads the releases of the programs, older first, all with the same edits. */
export async function loadReleases(edits: readonly Edit[]): Promise<Release[]> {
  const releases: Release[] = [];
  for (const rules of [[], newerRules(1), newerRules(2), newerRules(3)]) {
    const all = [...edits, ...rules];
    const [build, service] = await Promise.all([
      bundleProgram('build/main.ts', all),
      bundleProgram(
        'test/simulate/programs/service.ts',
        all.filter(({ file }) => file.startsWith('src/')),
      ),
    ]);
    releases.push({ build, service });
  }
  return releases;
}
