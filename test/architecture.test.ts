import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = ['src', 'build']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((name) => name.endsWith('.ts'));
const sources = new Map(files.map((name) => [name, readFileSync(join(root, name), 'utf8')]));

interface Import {
  readonly target: string;
  readonly isType: boolean;
}

/** What a file imports: paths from the root for our own files, names for packages. */
function importsOf(name: string): Import[] {
  const found = [
    ...(sources.get(name) ?? '').matchAll(/^(?:import|export)\s+(type\s)?[^;]*?\bfrom '([^']+)'/gm),
  ];
  return found.map(([, isType, target = '']) => ({
    target: target.startsWith('.') ? relative(root, join(root, dirname(name), target)) : target,
    isType: isType !== undefined,
  }));
}

/** Files that others import, themselves included, without what they import for its types alone. */
function reachedFrom(names: readonly string[], reached = new Set<string>()): Set<string> {
  for (const name of names) {
    if (reached.has(name)) continue;
    if (!sources.has(name)) throw new Error(`there is no file ${name}`);
    reached.add(name);
    reachedFrom(
      importsOf(name)
        .filter(({ isType, target }) => !isType && target.startsWith('src/'))
        .map(({ target }) => target),
      reached,
    );
  }
  return reached;
}

/**
 * Files of a folder. Fails for a folder without files: it has moved, and a rule about it would check
 * nothing.
 */
function filesIn(folder: string): string[] {
  const found = files.filter((name) => name.startsWith(folder));
  expect(found, `files in ${folder}`).not.toEqual([]);
  return found;
}

const offenders = (folder: string, isAllowed: (target: string, each: Import) => boolean) =>
  filesIn(folder).flatMap((name) =>
    importsOf(name)
      .filter((each) => !isAllowed(each.target, each))
      .map(({ target }) => `${name} imports ${target}`),
  );

describe('architecture', () => {
  it('the parser of imports finds those of src/server.ts', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(importsOf('src/server.ts').map(({ target }) => target)).toContain('src/http/server.ts');
  });
  it('src never imports build', () =>
    expect(offenders('src/', (target) => !target.startsWith('build/'))).toEqual([]));
  it('the contract imports zod alone', () =>
    expect(
      offenders('src/contract/', (target) => target === 'zod' || target.startsWith('src/contract/')),
    ).toEqual([]));
  it('documents and pages are made of an overview, which one file alone reads from segments; examples are what the runtime answers', () => {
    const isData = (target: string) =>
      [
        'src/segments/',
        'src/snapshot/',
        'src/answers/',
        'build/segments/',
        'build/fold/',
        'build/ledger/',
      ].some((folder) => target.startsWith(folder));
    const made = ['build/documents/', 'build/public/', 'build/site/', 'build/catalog/'].flatMap((folder) =>
      offenders(folder, (target, { isType }) => isType || !isData(target)),
    );
    expect([...new Set(made.map((each) => each.split(' ')[0]))]).toEqual([
      'build/documents/read-overview.ts',
      'build/public/examples.ts',
    ]);
  });
  it('only the build imports its packages, and one file of the runtime imports undici', () => {
    expect(
      offenders('src/', (target) => !['undici', 'papaparse', 'yauzl', 'fast-xml-parser'].includes(target)),
    ).toEqual(['src/remote/wire.ts imports undici']);
  });
  it('the application, a service and a key ring need no file system, no threads and no sockets of their own', () => {
    const reached = reachedFrom([
      'src/edge.ts',
      'src/http/app.ts',
      'src/service.ts',
      'src/keys.ts',
      'src/settings.ts',
      'src/log.ts',
    ]);
    expect(reached.size).toBeGreaterThan(60);
    expect(
      [...reached]
        .flatMap((name) =>
          importsOf(name)
            .filter(({ isType, target }) => !isType && target.startsWith('node:'))
            .map(({ target }) => target),
        )
        .filter((target) => !['node:async_hooks', 'node:crypto', 'node:zlib', 'node:util'].includes(target)),
    ).toEqual([]);
  });
  it('at most one file imports the MCP SDK', () => {
    expect(
      files.filter((name) =>
        importsOf(name).some(({ target }) => target.startsWith('@modelcontextprotocol/')),
      ).length,
    ).toBeLessThanOrEqual(1);
  });
  it('only the entries read the environment or the clock', () => {
    const readers = files.filter((name) =>
      /process\.env|Date\.now|new Date\(\)/.test(sources.get(name) ?? ''),
    );
    expect(readers.sort()).toEqual(['build/main.ts', 'src/edge.ts', 'src/server.ts']);
  });
  it('no file is longer than 400 lines, those of content aside', () => {
    const long = files.filter((name) => (sources.get(name) ?? '').split('\n').length > 400);
    expect(long.filter((name) => !name.startsWith('build/catalog/markets/'))).toEqual([]);
  });
  it('every exported thing has a docstring', () => {
    const bare = files.flatMap((name) => {
      const lines = (sources.get(name) ?? '').split('\n');
      return lines.flatMap((line, at) =>
        /^export (async )?(function|const|interface|type \w|class)\b/.test(line) &&
        !/\*\/\s*$/.test(lines[at - 1] ?? '')
          ? [`${name}:${at + 1} ${line.slice(0, 60)}`]
          : [],
      );
    });
    expect(bare).toEqual([]);
  });
});
