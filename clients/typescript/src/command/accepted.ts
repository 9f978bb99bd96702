import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FilingEventsError } from '../errors.ts';
import { readOrNull } from '../mirror/files.ts';

const fileName = 'accepted-pointer.txt';
const bytesMaximum = 32;

/**
 * The greatest number of a pointer that was accepted for a mirror; 0 if there is none. Throws `untrusted_pointer` if the
 * file does not say: then an older pointer cannot be told from a newer one. Example: `await readAccepted('filings')`.
 */
export async function readAccepted(folder: string): Promise<number> {
  const path = join(folder, fileName);
  const bytes = await readOrNull(path, bytesMaximum);
  if (bytes === null) return 0;
  const text = new TextDecoder().decode(bytes).trim();
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw new FilingEventsError(
    `${path} does not have the number of the pointer that was accepted last: make sure that the pointer is right, then remove this file`,
    { code: 'untrusted_pointer' },
  );
}

/** Keeps the number of a pointer that was accepted. Example: `await keepAccepted('filings', 1795702942)`. */
export async function keepAccepted(folder: string, number: number): Promise<void> {
  if (number <= (await readAccepted(folder))) return;
  const path = join(folder, fileName);
  await writeFile(`${path}.new`, `${number}\n`);
  await rename(`${path}.new`, path);
}
