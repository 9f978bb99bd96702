const pauseMs = 20;

/**
 * Waits until a condition holds. Throws a little before the limit of a test, so that the test says what it
 * waited for in vain.
 */
export async function until(holds: () => boolean | Promise<boolean>, withinMs = 100_000): Promise<void> {
  const startedMs = performance.now();
  while (!(await holds())) {
    if (performance.now() - startedMs > withinMs)
      throw new Error(`the condition did not come to hold: ${holds.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
