import { open } from 'node:fs/promises';
import { join } from 'node:path';

/** A change that was given up. */
export interface DeadLetter {
  readonly endpoint: string;
  readonly at: string;
  readonly attempts: number;
  readonly reason: string;
  /** `npm run deliver -- replay NAME --cursor` takes it: deliveries begin again with this change. */
  readonly cursor: string;
  readonly id: string;
  /** What was sent. */
  readonly message: unknown;
}

/** Appends a dead letter to the file in a folder, and waits until it is on the disk. */
export async function addDeadLetter(directory: string, letter: DeadLetter): Promise<void> {
  const file = await open(join(directory, 'dead-letters.jsonl'), 'a+', 0o600);
  try {
    const { size } = await file.stat();
    const { buffer } =
      size === 0 ? { buffer: Buffer.from('\n') } : await file.read(Buffer.alloc(1), 0, 1, size - 1);
    // A kill or a full disk may have left a part of a line, whose change is given up again.
    const begin = buffer.toString() === '\n' ? '' : '\n';
    await file.appendFile(`${begin}${JSON.stringify(letter)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}
