// @module-tag slow
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { productVersion } from '../../src/contract/product.ts';
import { clients, clientService, run, type ClientService } from '../support/clients.ts';
import { useDirectories } from '../support/directories.ts';
import { needs } from '../support/needs.ts';
import { startProgram } from '../support/programs.ts';
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
  const { printed, kill } = startProgram(program, words, {
    cwd,
    env: { PYTHONPATH: '', BASE_URL: served.address, API_KEY: serviceKey },
  });
  const said = () => printed.stdout + printed.stderr;
  try {
    await until(() => readdirSync(cwd).includes('state'));
    await served.publish(2);
    await until(() => said().includes('\n'));
    expect(said()).toMatch(/^2026-02-05T16:00:00-05:00 Company 1 .*\.htm\n/);
  } finally {
    await kill();
  }
}

interface Listed {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly integrity: string;
  readonly url: string;
}

/** What the service lists of its archives. */
async function listed(): Promise<readonly Listed[]> {
  const answer = await fetch(`${served.address}/clients/index.json`);
  const { data } = (await answer.json()) as { data: readonly Listed[] };
  return data.map((each) => ({ ...each, url: served.address + new URL(each.url).pathname }));
}

it('the service serves an archive of each client, whose digests it lists, to everybody', async () => {
  const packages = await listed();
  expect(packages.map(({ name }) => name)).toEqual([
    `filing-events-${productVersion}.tgz`,
    `filing_events-${productVersion}-py3-none-any.whl`,
  ]);
  for (const { name, bytes, sha256, integrity, url } of packages) {
    expect(url).toBe(`${served.address}/clients/${name}`);
    const body = Buffer.from(await (await fetch(url)).arrayBuffer());
    expect(body.length).toBe(bytes);
    expect(createHash('sha256').update(body).digest('hex')).toBe(sha256);
    expect(`sha512-${createHash('sha512').update(body).digest('base64')}`).toBe(integrity);
    expect((await fetch(url, { method: 'HEAD' })).headers.get('content-encoding')).toBeNull();
  }
});

// It installs and compiles.
it('the package for Node is installed from the service, without other packages, and does what its README says', {
  timeout: 900_000,
}, async () => {
  const folder = directory();
  const [npm] = await listed();
  writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}');
  // No registry is asked for anything.
  const registry = '--registry=http://127.0.0.1:9';
  await run('npm', ['install', registry, '--no-audit', '--no-fund', npm?.url ?? ''], { cwd: folder });
  expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    'filing-events',
  ]);
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string; integrity?: string }>;
  };
  const { version, integrity } = lock.packages['node_modules/filing-events'] ?? {};
  expect({ version, integrity }).toEqual({ version: productVersion, integrity: npm?.integrity });

  // The programs of the README compile against the types of the archive, under the strictest rules.
  const readme = readFileSync(join(folder, 'node_modules/filing-events/README.md'), 'utf8');
  const blocks = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, block]) => block ?? '');
  expect(blocks.length).toBe(4);
  const [imports, body] = [
    blocks.flatMap((block) => block.match(/^import .*$/gm) ?? []),
    blocks.map((block) => `{\n${block.replace(/^import .*$/gm, '').replace(/^const client = .*$/m, '')}\n}`),
  ];
  const client = /^const client = .*$/m.exec(readme)?.[0];
  writeFileSync(join(folder, 'readme.ts'), [...imports, client, ...body].join('\n'));
  for (const name of ['follow.ts', 'poller.ts'])
    writeFileSync(join(folder, name), readFileSync(join(root, 'site/examples', name)));
  symlinkSync(join(root, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  const options = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--target', 'es2023'];
  await run(
    join(root, 'node_modules/.bin/tsc'),
    [...options, '--module', 'nodenext', '--types', 'node', 'readme.ts', 'follow.ts', 'poller.ts'],
    { cwd: folder },
  ).catch(({ stdout: faults }: { stdout: string }) => expect(faults).toBe(''));

  const bin = join(folder, 'node_modules/.bin/filing-events');
  const settings = { ...process.env, FILING_EVENTS_URL: served.address, FILING_EVENTS_KEY: serviceKey };
  const { stdout: found } = await run(bin, ['filings', 'T1', '--limit', '2'], { env: settings });
  expect(found.split('\n').length).toBe(3);
  await follows(process.execPath, ['--import', import.meta.resolve('tsx'), 'follow.ts'], folder);
});

/** Installs an archive of the Python client into an environment of its own, and runs the documented loop there. */
async function installs(archive: string, more: readonly string[] = []): Promise<void> {
  const folder = directory();
  await run('python3', ['-m', 'venv', join(folder, 'environment')]);
  const python = join(folder, 'environment/bin/python');
  await run(python, ['-m', 'pip', 'install', '--no-index', ...more, archive]);
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

// It makes an environment.
it(
  'the package for Python is installed from the service, and follows as the docs say',
  {
    ...needs('python'),
    timeout: 900_000,
  },
  async () => installs((await listed())[1]?.url ?? ''),
);

it('flit makes the same wheel of the Python client as the service has, and a source archive', {
  ...needs('checkers'),
  timeout: 300_000,
}, async () => {
  const folder = directory();
  await run(
    join(root, '.cache/python/bin/python'),
    [
      '-c',
      'import sys, flit_core.buildapi as b; b.build_wheel(sys.argv[1]); b.build_sdist(sys.argv[1])',
      folder,
    ],
    { cwd: join(clients, 'python') },
  );
  const wheel = `filing_events-${productVersion}-py3-none-any.whl`;
  expect(readdirSync(folder).sort()).toEqual([wheel, `filing_events-${productVersion}.tar.gz`]);
  const read = `
import email.parser, hashlib, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
names = sorted(archive.namelist())
metadata = email.parser.Parser().parsestr(archive.read(next(name for name in names if name.endswith("/METADATA"))).decode())
# Flit says a newer version of the format, and beside it what is imported.
told = sorted((name, value) for name, value in metadata.items() if name not in ("Metadata-Version", "Import-Name"))
contents = [archive.read(name) for name in names if name.startswith("filing_events/")]
print(names, told, metadata.get_payload().strip(), hashlib.sha256(b"".join(contents)).hexdigest())`;
  const [ours, flits] = await Promise.all(
    [join(clients, 'packed', wheel), join(folder, wheel)].map((path) => run('python3', ['-c', read, path])),
  );
  expect(flits?.stdout).toBe(ours?.stdout);
});
