import { describe, expect, it } from 'vitest';
import { createProgress } from '../build/ingest/progress.ts';

function shown(isTTY: boolean) {
  const clock = { nowMs: 1_000_000 };
  const written: string[] = [];
  const progress = createProgress({ isTTY, write: (text: string) => written.push(text) }, () => clock.nowMs);
  const step = (pauseMs: number) => {
    clock.nowMs += pauseMs;
    progress.step();
  };
  return { clock, written, progress, step };
}

describe('progress', () => {
  it('in a log is a line every ten seconds, with rate and time left', () => {
    const { written, progress, step } = shown(false);
    progress.start(100, 'companies');
    for (let steps = 0; steps < 9; steps++) step(1000);
    expect(written).toEqual([]);
    step(1000);
    expect(written).toEqual(['10 of 100 companies, 1.0 a second, 1 min 30 s left\n']);
    for (let steps = 0; steps < 10; steps++) step(1000);
    expect(written.length).toBe(2);
    progress.stop();
    expect(written.length).toBe(2);
  });

  it('on a terminal is one line that changes, and goes', () => {
    const { written, progress, step } = shown(true);
    progress.start(2, 'companies');
    step(100);
    expect(written).toEqual([]);
    step(100);
    progress.stop();
    progress.stop();
    expect(written).toEqual(['\r\u001b[K2 of 2 companies, 10.0 a second, 0 s left', '\r\u001b[K']);
  });

  it.each([[6, '50 s'], [7, '1 min 0 s'], [360, '59 min 50 s'], [361, '1 h 0 min'], [800, '2 h 13 min']])('of %i that take ten seconds each says %s after the first', (total, left) => {
    const { written, progress, step } = shown(false);
    progress.start(total, 'companies');
    step(10_000);
    expect(written).toEqual([`1 of ${total} companies, 0.1 a second, ${left} left\n`]);
  });

  it('says nothing before it begins, and does not divide by nothing', () => {
    const { written, progress, step } = shown(false);
    step(60_000);
    progress.start(0, 'companies');
    progress.stop();
    step(60_000);
    expect(written).toEqual([]);
    progress.start(5, 'companies');
    step(10_000_000_000);
    expect(written).toEqual(['1 of 5 companies, 0.0 a second, 11111 h 6 min left\n']);
  });
});
