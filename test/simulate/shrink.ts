import type { Happening, History } from './history.ts';

/**
 * Returns the shortest history that still fails: first without halves of what happens, then without quarters, down to
 * single happenings. `fails` lives through a history; it is called at most `triesMaximum` times.
 */
export async function shrink(
  history: History,
  fails: (history: History) => Promise<boolean>,
  triesMaximum: number,
): Promise<History> {
  let left: readonly Happening[] = history.happenings;
  let tries = 0;
  for (
    let size = Math.ceil(left.length / 2);
    size >= 1 && left.length > 0;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let from = 0; from < left.length && tries < triesMaximum; ) {
      const without = [...left.slice(0, from), ...left.slice(from + size)];
      tries++;
      if (await fails({ ...history, happenings: without })) left = without;
      else from += size;
    }
  }
  return { ...history, happenings: left };
}
