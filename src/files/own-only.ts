import { stat } from 'node:fs/promises';
import { whereMissing } from './local.ts';

const readByOthers = 0o004;
const writeByGroup = 0o020;
const writeByOthers = 0o002;

/**
 * Says what other users may do with a file that has secrets in it, or decides who has access; null if they may
 * do nothing. The group of the file may read it: so root gives a file to the user of a service. Example:
 * `'other users may read it (mode 0644); chmod g-w,o= endpoints.json keeps it from them'`.
 */
export async function openToOthers(path: string): Promise<string | null> {
  // Windows has no such modes.
  if (process.platform === 'win32') return null;
  const found = await stat(path).catch(whereMissing(null));
  if (found === null) return null;
  const { mode } = found;
  const may = [
    ...((mode & readByOthers) === 0 ? [] : ['read']),
    ...((mode & (writeByOthers | writeByGroup)) === 0 ? [] : ['change']),
  ];
  if (may.length === 0) return null;
  const octal = (mode & 0o777).toString(8).padStart(4, '0');
  return `other users may ${may.join(' and ')} it (mode ${octal}); chmod g-w,o= ${path} keeps it from them`;
}
