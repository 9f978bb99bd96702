import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseOwnership } from '../../build/contents/ownership-file.ts';
import { needs, recordings } from '../support/needs.ts';
import { documentOfTruth } from '../support/recorded-truth.ts';

const root = join(recordings, 'ownership');
const filesIn = (folder: string) => readdirSync(join(root, folder)).map((name) => join(root, folder, name));
const truthOf = (name: string) =>
  documentOfTruth(JSON.parse(readFileSync(join(root, 'truth', `${name}.json`), 'utf8')));

function readingOf(path: string): unknown {
  try {
    return parseOwnership(readFileSync(path));
  } catch {
    return null;
  }
}

describe('recorded documents', needs('recordings'), () => {
  it.each([
    ['filings', '', 400],
    ['144', '', 3],
    ['13dg', '', 8],
    ['official', 'official--', 13],
  ])('every value of each document in %s is that of the independent reading', (folder, prefix, fewest) => {
    const files = filesIn(folder);
    expect(files.length).toBeGreaterThanOrEqual(fewest);
    for (const path of files) {
      const name = basename(path, '.xml');
      const expected = truthOf(prefix + name);
      expect(readingOf(path), name).toEqual(expected && { document: expected, refused: [] });
    }
  });

  it('a full submission gives the same document as its XML', () => {
    const files = filesIn('submissions');
    expect(files.length).toBeGreaterThan(70);
    const read = files.map((path) => [basename(path, '.txt'), readingOf(path)] as const);
    for (const [name, reading] of read) {
      expect(existsSync(join(root, 'truth', `${name}.json`)), name).toBe(true);
      expect(reading, name).toEqual({ document: truthOf(name), refused: [] });
    }
  });
});
