type Close = () => Promise<void>;

const opened = new Set<Close>();

/**
 * Makes the function that closes what was just opened, once. Nobody has to call it: what a test opened is closed when the
 * test ends, and what was opened before tests is closed after the last one of the file.
 */
export function closing(close: () => unknown): Close {
  const once = async () => {
    if (opened.delete(once)) await close();
  };
  opened.add(once);
  return once;
}

/** What is open now, oldest first. */
export const whatIsOpen = (): ReadonlySet<Close> => new Set(opened);

/** Closes what is open, the newest first, but for what is left out. */
export async function closeAllBut(left: ReadonlySet<Close>): Promise<void> {
  for (const close of [...opened].toReversed()) if (!left.has(close)) await close();
}
