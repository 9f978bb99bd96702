import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = ['src', 'build', 'site']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  // Scripts run in a browser, and examples are what readers copy: neither is a part of the program.
  .filter((name) => name.endsWith('.ts') && !/^site\/(scripts|examples)\//.test(name));
const sources = new Map(files.map((name) => [name, readFileSync(join(root, name), 'utf8')]));

interface Import {
  readonly target: string;
  readonly isType: boolean;
}

/** What a text imports at once and later: paths from the root for our own files, names for packages. */
function importsIn(name: string, text: string): Import[] {
  const found = [
    ...text.matchAll(/^(?:import|export)\s+(type\s)?[^;]*?\bfrom '([^']+)'/gm),
    ...text.matchAll(/^import(\s)'([^']+)'/gm),
    ...text.matchAll(/\b(typeof )?import\(\s*'([^']+)'\s*\)/g),
  ];
  return found.map(([, before, target = '']) => ({
    target: target.startsWith('.') ? relative(root, join(root, dirname(name), target)) : target,
    isType: (before ?? '').trim() !== '',
  }));
}

function importsOf(name: string): Import[] {
  return importsIn(name, sources.get(name) ?? '');
}

/** Folders with files that put the others together: each of these counts as a folder of its own. */
const roots: readonly string[] = ['src', 'build', 'site'];

/** The folder of a file. One that lies in a root itself counts as a folder of its own. */
function folderOf(name: string): string {
  return roots.includes(dirname(name)) ? name : dirname(name);
}

/**
 * Which folders each folder imports from, types included, by pairs of files of which one imports the other.
 */
function graphOf(pairs: readonly (readonly [from: string, to: string])[]): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const [from, to] of pairs.map(([a, b]) => [folderOf(a), folderOf(b)] as const)) {
    graph.set(to, graph.get(to) ?? new Set());
    graph.set(from, (graph.get(from) ?? new Set()).add(to));
  }
  return graph;
}

/** Folders that stand in a circle or lead into one: what is left when no folder can be taken away that leads nowhere. */
function inCircles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const left = new Set(graph.keys());
  const leadsNowhere = (folder: string) =>
    [...(graph.get(folder) ?? [])].every((next) => next === folder || !left.has(next));
  for (let found = [...left]; found.length > 0; found = [...left].filter(leadsNowhere))
    for (const folder of found.filter(leadsNowhere)) left.delete(folder);
  return [...left].sort();
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
    const imported = importsOf('src/server.ts').map(({ target }) => target);
    // One that is imported at once, and one that is imported when it is needed.
    expect(imported).toEqual(expect.arrayContaining(['src/node-server.ts', 'src/remote/host.ts']));
  });
  it('folders form no circle of imports', () => {
    const pairs = files.flatMap((name) =>
      importsOf(name).flatMap(({ target }) => (sources.has(target) ? [[name, target] as const] : [])),
    );
    expect(pairs.length).toBeGreaterThan(900);
    expect(inCircles(graphOf(pairs))).toEqual([]);
  });
  it('sees a circle of folders, also through a file of a root and an import that comes later', () => {
    const text = `import type { A } from '../b/a.ts';\nconst later = () => import('./later.ts');\nimport 'zod';\n`;
    expect(importsIn('src/a/one.ts', text)).toEqual([
      { target: 'src/b/a.ts', isType: true },
      { target: 'zod', isType: false },
      { target: 'src/a/later.ts', isType: false },
    ]);
    const straight = [
      ['src/main.ts', 'src/a/one.ts'],
      ['src/a/one.ts', 'src/b/two.ts'],
      ['src/a/one.ts', 'src/a/other.ts'],
    ] as const;
    const found = (from: string, to: string) => inCircles(graphOf([...straight, [from, to]]));
    expect(found('src/b/two.ts', 'src/c/three.ts')).toEqual([]);
    expect(found('src/b/four.ts', 'src/a/five.ts')).toEqual(['src/a', 'src/b', 'src/main.ts']);
    expect(found('src/b/two.ts', 'src/main.ts')).toEqual(['src/a', 'src/b', 'src/main.ts']);
  });
  it('pages are made of the contract and of what they are given', () => {
    const given = ['contract', 'domain', 'format', 'time'].map((folder) => `src/${folder}/`);
    given.push('site/pages/', 'site/content/');
    expect(
      offenders(
        'site/pages/',
        (target) =>
          given.some((folder) => target.startsWith(folder)) ||
          ['zod', 'node:fs', 'node:zlib'].includes(target),
      ),
    ).toEqual([]);
  });
  it('what documents and pages are made of is handed over as objects: two files read rows, no other parses JSON', () => {
    expect(
      files.filter(
        (name) => /^(site|build\/overview)\//.test(name) && (sources.get(name) ?? '').includes('JSON.parse'),
      ),
    ).toEqual(['build/overview/ask-examples.ts', 'build/overview/read-overview.ts']);
  });
  it('the site lies between src and build: it imports src, and only build imports it', () => {
    const packages = ['zod', 'papaparse', 'node:fs', 'node:zlib', 'node:crypto'];
    expect(
      offenders(
        'site/',
        (target) => packages.includes(target) || target.startsWith('site/') || target.startsWith('src/'),
      ),
    ).toEqual([]);
    expect(offenders('src/', (target) => !target.startsWith('site/'))).toEqual([]);
  });
  it('the part of the follower that reads changes its state alone', () => {
    const users = files.filter((each) => sources.get(each)?.includes('ReadingPart'));
    expect(users.length).toBeGreaterThan(2);
    expect(users.filter((each) => !each.startsWith('build/follow/reading/'))).toEqual([]);
  });
  it('directly in build are the commands alone', () => {
    const entries = files.filter((name) => /^build\/[^/]+$/.test(name));
    expect(
      files
        .filter((name) => !entries.includes(name))
        .filter((name) => importsOf(name).some(({ target }) => entries.includes(target))),
    ).toEqual([]);
  });
  it('one file reads and writes the CSV of the ledger, one writes that of spreadsheets', () => {
    expect(files.filter((name) => importsOf(name).some(({ target }) => target === 'papaparse'))).toEqual([
      'build/csv/csv.ts',
      'site/content/csv-file.ts',
    ]);
  });
  it('what lies in src itself puts parts together: no folder imports it', () => {
    const isTop = (name: string) => dirname(name) === 'src';
    const found = offenders('src/', (target) => !isTop(target)).filter(
      (each) => !isTop(each.split(' ')[0] ?? ''),
    );
    expect(found).toEqual([]);
  });
  it('the HTTP toolkit knows nothing of what it carries', () => {
    const allowed = ['contract', 'domain', 'files', 'http', 'json-rpc', 'log'].map(
      (folder) => `src/${folder}/`,
    );
    expect(
      offenders(
        'src/http/',
        (target) => !target.startsWith('src/') || allowed.some((folder) => target.startsWith(folder)),
      ),
    ).toEqual([]);
  });
  it('no two files have the same name', () => {
    const names = files.map((name) => basename(name));
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });
  it('the build imports of the client what its package exports', () =>
    expect(
      offenders(
        'build/',
        (target) => !target.startsWith('clients/') || target === 'clients/typescript/src/index.ts',
      ),
    ).toEqual([]));
  it('src never imports build', () =>
    expect(offenders('src/', (target) => !target.startsWith('build/'))).toEqual([]));
  it('the domain imports zod alone, the interface the domain, and the format both', () => {
    const below = ['src/domain/', 'src/contract/', 'src/format/'];
    for (const [at, folder] of below.entries())
      expect(
        offenders(
          folder,
          (target) => target === 'zod' || below.slice(0, at + 1).some((each) => target.startsWith(each)),
        ),
      ).toEqual([]);
  });
  it('documents and pages are made of an overview, which one file alone reads from segments; examples are what the runtime answers', () => {
    const data = [
      'src/table/',
      'src/snapshot/',
      'src/answers/',
      'build/segments/',
      'build/fold/',
      'build/ledger/',
    ];
    const made = ['site/', 'build/overview/'].flatMap((folder) =>
      offenders(folder, (target, { isType }) => isType || !data.some((each) => target.startsWith(each))),
    );
    expect([...new Set(made.map((each) => each.split(' ')[0]))].sort()).toEqual([
      'build/overview/ask-examples.ts',
      'build/overview/read-overview.ts',
    ]);
  });
  it('only the build imports its packages, and one file of the runtime imports undici', () => {
    expect(
      offenders(
        'src/',
        (target) => !['undici', 'papaparse', 'yauzl', 'fast-xml-parser', 'saxes'].includes(target),
      ),
    ).toEqual(['src/fetch/wire.ts imports undici']);
  });
  it('the application, a service and a key ring need no file system, no threads and no sockets of their own', () => {
    const reached = reachedFrom([
      'src/edge.ts',
      'src/app.ts',
      'src/service.ts',
      'src/keys/ring.ts',
      'src/settings/settings.ts',
      'src/log/log.ts',
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
  it('CONTRIBUTING says of each package why it is there', () => {
    const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
    const { dependencies, devDependencies } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    ) as Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>>>;
    const packages = Object.keys({ ...dependencies, ...devDependencies });
    expect(packages.filter((name) => !name.startsWith('@types/') && !text.includes(`\`${name}\``))).toEqual(
      [],
    );
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
  it('what programs print passes one function, which takes out what moves the cursor of a terminal', () => {
    const printers = files.filter((name) => /\bconsole\./.test(sources.get(name) ?? ''));
    expect(printers).toEqual(['src/log/printable.ts']);
    // Logs and progress are printable already; the line of `follow` is made so as it is written.
    const writers = files.filter((name) => /process\.std(out|err)\.write/.test(sources.get(name) ?? ''));
    expect(writers.sort()).toEqual([
      'build/deliver-command.ts',
      'build/follow-command.ts',
      'build/main.ts',
      'src/server.ts',
    ]);
    const client = join(root, 'clients/typescript/src');
    const clientPrinters = readdirSync(client, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      // Examples of docstrings print what they like.
      .filter((name) => /^(?! *(\/\*)?\*).*\bconsole\./m.test(readFileSync(join(client, name), 'utf8')));
    expect(clientPrinters).toEqual(['tell.ts']);
  });
  it('no file is longer than 400 lines, those of content aside', () => {
    const long = files.filter((name) => (sources.get(name) ?? '').split('\n').length > 400);
    expect(long.filter((name) => !name.startsWith('site/catalog/markets/'))).toEqual([]);
  });
  it('every exported thing has a docstring; the type of a schema has that of the schema', () => {
    const bare = files.flatMap((name) => {
      const text = sources.get(name) ?? '';
      const lines = text.split('\n');
      const isOfSchema = (line: string) =>
        text.includes(`\nexport const ${/^export type (\w+)/.exec(line)?.[1]} = `);
      return lines.flatMap((line, at) =>
        /^export (async )?(function|const|interface|type \w|class)\b/.test(line) &&
        !/\*\/\s*$/.test(lines[at - 1] ?? '') &&
        !isOfSchema(line)
          ? [`${name}:${at + 1} ${line.slice(0, 60)}`]
          : [],
      );
    });
    expect(bare).toEqual([]);
  });
  it('the client for TypeScript imports nothing but Node and itself, in short files whose exports have an example', () => {
    const folder = 'clients/typescript/src';
    const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && name !== 'generated.ts')
      .map((name) => join(folder, name));
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) {
      const text = readFileSync(join(root, name), 'utf8');
      const lines = text.split('\n');
      expect(lines.length, name).toBeLessThan(401);
      for (const { target } of importsIn(name, text))
        expect(/^(node:|clients\/typescript\/src\/)/.test(target), `${name} imports ${target}`).toBe(true);
      for (const [, comment = '', exported] of text.matchAll(
        /(\/\*\*(?:(?!\*\/)[^])*\*\/)?\n(export (?:async )?(?:function|const|interface|type \w|class).*)/g,
      ))
        expect(/Example: /.test(comment), `${name}: ${exported}`).toBe(true);
    }
  });
});
