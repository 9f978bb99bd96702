import type { Progress } from '../../build/work/progress.ts';

/** What was said of one kind of work: every total that was known in its course, and what was done of it. */
export interface WorkSeen {
  readonly name: string;
  readonly totals: number[];
  isAll: boolean;
  done: number;
}

/** Progress that keeps what it is told. */
export function seenProgress(): { progress: Progress; works: WorkSeen[] } {
  const works: WorkSeen[] = [];
  return {
    works,
    progress: {
      begin: (name, _, total) =>
        void works.push({
          name,
          totals: total === undefined ? [] : [total],
          isAll: total !== undefined,
          done: 0,
        }),
      expect(count, isAll) {
        const work = works.at(-1) as WorkSeen;
        work.totals.push((work.totals.at(-1) ?? 0) + count);
        work.isAll = isAll;
      },
      step(count = 1) {
        (works.at(-1) as WorkSeen).done += count;
      },
      stop() {},
    },
  };
}
