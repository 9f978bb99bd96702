/**
 * Bytes that are kept for a later time, by name. What is read back is what was put there, or nothing. Nothing
 * here rejects: whoever keeps bytes has them from elsewhere, too.
 */
export interface Kept {
  get(name: string): Promise<Buffer | null>;
  /** Keeps bytes sooner or later, if there is room. */
  put(name: string, bytes: Buffer): void;
  remove(name: string): void;
  /** From now on these stay, whatever else has to go; those that were named before need not any more. */
  pin(names: readonly string[]): void;
  /** Waits for what is being written. */
  close(): Promise<void>;
}
