import { appendFileSync } from 'node:fs';
import type { Reporter, TestCase } from 'vitest/node';

/** Why a test did not run, in a word or two. */
function reasonOf(test: TestCase): string {
  const { lacks } = test.meta();
  if (lacks !== undefined) return `for want of ${lacks}`;
  const result = test.result();
  if (result.state === 'skipped' && result.note !== undefined) return `for want of ${result.note}`;
  if (test.tags.includes('nightly')) return 'nightly: `npm run test:nightly` runs them';
  return test.tags.includes('slow') ? 'slow: `npm run test:all` runs them' : 'not asked for';
}

/**
 * Ends a run with a line that says how many tests did not run and why, most first. On GitHub the summary of
 * the job has it, too.
 */
export const reportSkipped: Reporter = {
  onTestRunEnd(modules) {
    const counts = new Map<string, number>();
    for (const module of modules)
      for (const test of module.children.allTests('skipped'))
        counts.set(reasonOf(test), (counts.get(reasonOf(test)) ?? 0) + 1);
    const reasons = [...counts].sort(([, a], [, b]) => b - a).map(([reason, count]) => `${count} ${reason}`);
    const line = `Not run: ${reasons.length === 0 ? 'none, every test ran' : reasons.join('; ')}`;
    console.log(`\n${line}`);
    const summary = process.env['GITHUB_STEP_SUMMARY'];
    if (summary) appendFileSync(summary, `${line}\n`);
  },
};
