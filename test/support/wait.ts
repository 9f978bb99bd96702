const pauseMs = 20;
const roundsMaximum = 3000;

/** Waits until a condition holds. Throws after a minute, so that a test that will never pass ends. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let round = 0; round < roundsMaximum; round++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  throw new Error('the condition did not come to hold');
}
