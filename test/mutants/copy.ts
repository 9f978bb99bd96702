import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, type Edit } from '../simulate/machine/bundle.ts';

/**
 * Copies what Git tracks, and what it does not know yet, into a folder that tests can run in. Packages are those of the
 * checkout.
 */
export function copyCheckout(directory: string): void {
  const names = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
    .split('\0')
    .filter((name) => name !== '');
  for (const name of names) {
    const target = join(directory, name);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(root, name), target);
  }
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
}

/**
 * Edits files of a copy. Returns a function that puts the files of the checkout back. Throws if an edit changes nothing:
 * then the mend has moved, and the list has to follow.
 */
export function edit(directory: string, edits: readonly Edit[]): () => void {
  const restore = () => {
    for (const { file } of edits) {
      rmSync(join(directory, file));
      copyFileSync(join(root, file), join(directory, file));
    }
  };
  try {
    for (const each of edits) writeFileSync(join(directory, each.file), edited(directory, each));
  } catch (error) {
    restore();
    throw error;
  }
  return restore;
}

/** The text of a file in a folder with one edit. Throws if the edit changes nothing, or its file is not there. */
export function edited(directory: string, { file, from, to }: Edit): string {
  const text = readFileSync(join(directory, file), 'utf8');
  const changed = text.replace(from, () => to);
  if (changed === text) throw new Error(`${file} has no ${String(from)}`);
  return changed;
}
