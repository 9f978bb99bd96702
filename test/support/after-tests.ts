import { afterAll, afterEach, beforeEach, vi, type RunnerTestCase } from 'vitest';
import { closeAllBut, whatIsOpen } from './closing.ts';

const openBefore = new WeakMap<RunnerTestCase, ReturnType<typeof whatIsOpen>>();

beforeEach(({ task }) => void openBefore.set(task, whatIsOpen()));
// The files of a worker share its globals (`isolate` is false). A test that fails or hangs with fake timers must not leave
// them to the next one.
afterEach(async ({ task }) => {
  vi.useRealTimers();
  // Of what tests open that run at once nobody knows whose it is.
  if (task.concurrent !== true) await closeAllBut(openBefore.get(task) ?? new Set());
});
afterAll(() => closeAllBut(new Set()));
