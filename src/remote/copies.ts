/**
 * Keeps copies of bytes by name. `get` returns the bytes that were put, or nothing. Nothing here rejects: the
 * caller can fetch the bytes again.
 */
export interface Copies {
  get(name: string): Promise<Buffer | null>;
  /** Keeps bytes, if there is room. They are written later. */
  put(name: string, bytes: Buffer): void;
  /** Whether bytes with this name are there. */
  has(name: string): Promise<boolean>;
  remove(name: string): void;
  /** Keeps these names from being removed for lack of room; replaces the names of the last call. */
  pin(names: readonly string[]): void;
  /** Waits until everything is written. */
  close(): Promise<void>;
}
