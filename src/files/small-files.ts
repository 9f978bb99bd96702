import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, replaceFile, whereMissing } from './local.ts';

/** A few small files in one place, which several processes share: a folder, or a prefix of a bucket. */
export interface SmallFiles {
  /** The name of a file in messages: its path. */
  nameOf(name: string): string;
  /** The names of all files; none if there is no such folder. */
  names(): Promise<string[]>;
  /** The text of a file; null if there is none. */
  read(name: string): Promise<string | null>;
  /** Writes a file: others see it whole or not at all. */
  write(name: string, text: string): Promise<void>;
  /** Removes a file, if there is one. */
  remove(name: string): Promise<void>;
}

/** The small files in a folder, which is created with the first one. Its functions reject as `node:fs` does. */
export function smallFilesIn(directory: string): SmallFiles {
  const nameOf = (name: string) => join(directory, name);
  return {
    nameOf,
    names: () => readdir(directory).catch(whereMissing([])),
    read: (name) => readFile(nameOf(name), 'utf8').catch(whereMissing(null)),
    async write(name, text) {
      await makeFolder(directory);
      await replaceFile(nameOf(name), text);
    },
    remove: (name) => rm(nameOf(name), { force: true }),
  };
}
