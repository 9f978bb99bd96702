// @module-tag slow
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { productVersion } from '../../src/contract/product.ts';
import { clients, clientService, run, type ClientService } from '../support/clients.ts';
import { useDirectories } from '../support/directories.ts';
import { needs } from '../support/needs.ts';
import { serviceKey } from '../support/service.ts';
import { until } from '../support/wait.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const directory = useDirectories('package');
let served: ClientService;
beforeAll(async () => {
  served = await clientService(20);
});
afterAll(() => served.close());

/** Runs the documented loop until it has printed a filing that is published while it waits. */
async function follows(program: string, words: readonly string[], cwd: string): Promise<void> {
  const child = spawn(program, words, {
    cwd,
    env: { ...process.env, PYTHONPATH: '', BASE_URL: served.address, API_KEY: serviceKey },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => void (printed += text.toString()));
  try {
    await until(() => readdirSync(cwd).includes('state'));
    await served.publish(2);
    await until(() => printed.includes('\n'));
    expect(printed).toMatch(/^2026-02-05T16:00:00-05:00 Company 1 .*\.htm\n/);
  } finally {
    child.kill('SIGKILL');
  }
}

// It compiles, packs and installs.
it('the package for Node is installed from its archive, without other packages, and does what its README says', {
  timeout: 900_000,
}, async () => {
  const folder = directory();
  const source = join(clients, 'typescript');
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: source });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [
    { filename: string; version: string; files: { path: string }[] },
  ];
  expect(packed.version).toBe(productVersion);
  const names = packed.files.map(({ path }) => path);
  expect(names).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'CHANGELOG.md', 'dist/index.d.ts']));
  expect(names.filter((name) => !name.startsWith('dist/')).length).toBe(4);
  writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${packed.filename}`], {
    cwd: folder,
  });
  expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    'filing-events',
  ]);

  // The programs of the README compile against the types of the archive, under the strictest rules.
  const readme = readFileSync(join(source, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, block]) => block ?? '');
  expect(blocks.length).toBe(4);
  const [imports, body] = [
    blocks.flatMap((block) => block.match(/^import .*$/gm) ?? []),
    blocks.map((block) => `{\n${block.replace(/^import .*$/gm, '').replace(/^const client = .*$/m, '')}\n}`),
  ];
  const client = /^const client = .*$/m.exec(readme)?.[0];
  writeFileSync(join(folder, 'readme.ts'), [...imports, client, ...body].join('\n'));
  writeFileSync(join(folder, 'follow.ts'), readFileSync(join(root, 'site/examples/follow.ts')));
  symlinkSync(join(root, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  const options = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--target', 'es2023'];
  await run(
    join(root, 'node_modules/.bin/tsc'),
    [...options, '--module', 'nodenext', '--types', 'node', 'readme.ts', 'follow.ts'],
    { cwd: folder },
  ).catch(({ stdout: faults }: { stdout: string }) => expect(faults).toBe(''));

  const bin = join(folder, 'node_modules/.bin/filing-events');
  const settings = { ...process.env, FILING_EVENTS_URL: served.address, FILING_EVENTS_KEY: serviceKey };
  const { stdout: found } = await run(bin, ['filings', 'T1', '--limit', '2'], { env: settings });
  expect(found.split('\n').length).toBe(3);
  await follows(process.execPath, ['--import', import.meta.resolve('tsx'), 'follow.ts'], folder);
});

// It makes two environments.
it('the package for Python is installed from each of its archives, and follows as the docs say', {
  ...needs('python'),
  timeout: 900_000,
}, async () => {
  const archives = directory();
  await run('python3', [join(clients, 'python/packaging/backend.py'), archives]);
  const names = readdirSync(archives).sort();
  expect(names).toEqual([
    `filing_events-${productVersion}-py3-none-any.whl`,
    `filing_events-${productVersion}.tar.gz`,
  ]);
  for (const name of names) {
    const folder = directory();
    await run('python3', ['-m', 'venv', join(folder, 'environment')]);
    const python = join(folder, 'environment/bin/python');
    await run(python, ['-m', 'pip', 'install', '--no-index', '--no-build-isolation', join(archives, name)]);
    const { stdout } = await run(
      python,
      [
        '-c',
        'import filing_events, importlib.metadata as m; print(filing_events.__version__, m.version("filing-events"), m.requires("filing-events"))',
      ],
      { cwd: folder, env: { ...process.env, PYTHONPATH: '' } },
    );
    expect(stdout).toBe(`${productVersion} ${productVersion} None\n`);
    await follows(python, [join(root, 'site/examples/follow.py')], folder);
  }
});
