import { describe, expect, it } from 'vitest';
import { createProgress } from '../../build/work/progress.ts';

/** Progress on a clock that the test sets, whose timers run when it passes them. */
function shown(isTTY: boolean) {
  const written: string[] = [];
  const timers = new Set<{ pauseMs: number; nextAt: number; look: () => void }>();
  let nowMs = 1_000_000;
  const progress = createProgress(
    { isTTY, write: (text) => written.push(text) },
    {
      now: () => nowMs,
      every(pauseMs, look) {
        const timer = { pauseMs, nextAt: nowMs + pauseMs, look };
        timers.add(timer);
        return () => timers.delete(timer);
      },
    },
  );
  return {
    written,
    progress,
    timers,
    /** Time in which the process waits: its timers run. */
    wait(ms: number) {
      for (const endMs = nowMs + ms; nowMs < endMs; ) {
        nowMs = Math.min(endMs, ...[...timers].map(({ nextAt }) => nextAt));
        for (const timer of timers)
          if (timer.nextAt <= nowMs) [timer.nextAt] = [nowMs + timer.pauseMs, timer.look()];
      }
    },
    /** Time in which the process computes: no timer runs. */
    compute(ms: number) {
      nowMs += ms;
    },
  };
}

describe('progress', () => {
  it('progress in a log is a line every ten seconds, with rate and time left', () => {
    const { written, progress, compute } = shown(false);
    progress.begin('fetching', 'files', 100);
    for (let steps = 0; steps < 9; steps++) {
      compute(1000);
      progress.step();
    }
    expect(written).toEqual([]);
    compute(1000);
    progress.step();
    expect(written).toEqual(['fetching: 10 of 100 files, 1.0 a second, 1 min 30 s left\n']);
    compute(10_000);
    progress.step(40);
    expect(written.at(-1)).toBe('fetching: 50 of 100 files, 2.5 a second, 20 s left\n');
    progress.stop();
    expect(written.length).toBe(2);
  });

  it('progress says every ten seconds that nothing happens', () => {
    const { written, progress, wait } = shown(false);
    progress.begin('fetching', 'files', 6);
    wait(25_000);
    expect(written).toEqual(Array.from({ length: 2 }, () => 'fetching: 0 of 6 files\n'));
    progress.step();
    wait(5000);
    expect(written.slice(2)).toEqual(['fetching: 1 of 6 files, 0.0 a second, 2 min 30 s left\n']);
  });

  it('progress counts ten seconds through works that follow each other', () => {
    const { written, progress, compute, wait } = shown(false);
    for (const name of ['one', 'two', 'three']) {
      progress.begin(name, 'rows');
      compute(4000);
      progress.step(8000);
    }
    expect(written).toEqual(['three: 8,000 rows, 2,000 a second\n']);
    progress.stop();
    wait(60_000);
    progress.begin('four', 'rows');
    compute(9000);
    progress.step();
    expect(written.length).toBe(1);
  });

  it('progress gives a growing total as a minimum', () => {
    const { written, progress, compute } = shown(false);
    progress.begin('fetching', 'files');
    progress.expect(6, false);
    compute(10_000);
    progress.step(5);
    progress.expect(70, false);
    compute(10_000);
    progress.step(5);
    progress.expect(0, true);
    compute(10_000);
    progress.step(5);
    expect(written).toEqual([
      'fetching: 5 of at least 6 files, 0.5 a second, at least 2 s left\n',
      'fetching: 10 of at least 76 files, 0.5 a second, at least 2 min 12 s left\n',
      'fetching: 15 of 76 files, 0.5 a second, 2 min 2 s left\n',
    ]);
  });

  it('progress copes with more than was expected', () => {
    const { written, progress, compute } = shown(false);
    progress.begin('writing', 'rows');
    progress.expect(10, false);
    compute(10_000);
    progress.step(12);
    expect(written).toEqual(['writing: 12 of at least 12 rows, 1.2 a second, at least 0 s left\n']);
  });

  it('progress on a terminal is one line that changes, and goes', () => {
    const { written, progress, compute, wait, timers } = shown(true);
    const line = '\r\u001b[K';
    progress.begin('fetching', 'files', 2);
    compute(100);
    progress.step();
    expect(written).toEqual([`${line}fetching: 0 of 2 files`]);
    wait(100);
    progress.step();
    progress.stop();
    progress.stop();
    expect(written.slice(1)).toEqual([`${line}fetching: 1 of 2 files, 5.0 a second, 0 s left`, line]);
    expect(timers.size).toBe(0);
  });

  it.each([
    [6, '50 s'],
    [7, '1 min 0 s'],
    [360, '59 min 50 s'],
    [361, '1 h 0 min'],
    [800, '2 h 13 min'],
  ])('of %i that take ten seconds each says %s after the first', (total, left) => {
    const { written, progress, compute } = shown(false);
    progress.begin('fetching', 'files', total);
    compute(10_000);
    progress.step();
    expect(written).toEqual([`fetching: 1 of ${total} files, 0.1 a second, ${left} left\n`]);
  });

  it('progress says nothing before it begins', () => {
    const { written, progress, wait } = shown(false);
    progress.step();
    progress.expect(5, true);
    wait(60_000);
    progress.stop();
    expect(written).toEqual([]);
  });
});
