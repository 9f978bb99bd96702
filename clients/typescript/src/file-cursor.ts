import { open, readFile, rename } from 'node:fs/promises';
import type { CursorStore } from './cursor.ts';

/**
 * Keeps the cursor in a file, which is replaced as a whole: a kill or a power cut leaves the old text or the new one.
 * Only one program at a time may use a file. Example: `fileCursor('state')`.
 */
export function fileCursor(path: string): CursorStore {
  return {
    async load() {
      try {
        return (await readFile(path, 'utf8')).trim() || null;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    async save(text) {
      const aside = `${path}.new`;
      const file = await open(aside, 'w');
      try {
        await file.writeFile(`${text}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(aside, path);
    },
  };
}
