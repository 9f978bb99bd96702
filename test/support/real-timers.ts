import { afterEach, vi } from 'vitest';

// The files of a worker share its globals (`isolate` is false). A test that fails or hangs with fake timers must not leave
// them to the next one.
afterEach(() => {
  vi.useRealTimers();
});
