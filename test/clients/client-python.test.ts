// @module-tag slow
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clients, clientService, run } from '../support/clients.ts';
import { startFaultyProxy, type Fault } from '../support/faulty-proxy.ts';
import { needs } from '../support/needs.ts';
import { serviceKey } from '../support/service.ts';

const sources = join(clients, 'python/src/filing_events');

it('the tests of the Python client pass against a service', {
  ...needs('python'),
}, async () => {
  const { address, service, close } = await clientService(450);
  const faults: Fault[] = ['limited', 'cut', 'lost'];
  const proxy = await startFaultyProxy(
    () => service.port,
    () => faults.shift() ?? null,
  );
  const { stderr } = await run(
    'python3',
    ['-W', 'error', '-m', 'unittest', 'tests.test_client', 'tests.test_mirror'],
    {
      cwd: join(clients, 'python'),
      env: {
        ...process.env,
        PYTHONPATH: 'src',
        BASE_URL: address,
        FAULTY_URL: proxy.address,
        API_KEY: serviceKey,
      },
    },
  );
  expect(stderr).toMatch(/\nOK/);
  await proxy.close();
  await close();
});

it('the Python client reads streams whatever becomes of them, and asks with `wait` where there are none', {
  ...needs('python'),
}, async () => {
  const { stderr } = await run('python3', ['-W', 'error', '-m', 'unittest', 'tests.test_streaming'], {
    cwd: join(clients, 'python'),
    env: { ...process.env, PYTHONPATH: 'src' },
  });
  expect(stderr).toMatch(/\nOK/);
});

it('the Python client outlives servers that answer as no service would', {
  ...needs('python'),
}, async () => {
  const { stderr } = await run('python3', ['-W', 'error', '-m', 'unittest', 'tests.test_hostile'], {
    cwd: join(clients, 'python'),
    env: { ...process.env, PYTHONPATH: 'src' },
  });
  expect(stderr).toMatch(/\nOK/);
});

it(
  'the Python client is written for Python 3.10, and takes nothing but the standard library',
  needs('python'),
  async () => {
    const names = readdirSync(sources).filter((name) => name.endsWith('.py'));
    expect(names.length).toBeGreaterThan(5);
    const check =
      'import ast, sys\nfor name in sys.argv[1:]: ast.parse(open(name).read(), feature_version=(3, 10))';
    await run('python3', ['-c', check, ...names.map((name) => join(sources, name))]);
    const { stdout } = await run('python3', ['-c', 'import sys; print(*sys.stdlib_module_names)']);
    const standard = new Set(stdout.trim().split(' '));
    for (const name of names)
      for (const [, imported = ''] of readFileSync(join(sources, name), 'utf8').matchAll(
        /^(?:from|import) ([a-zA-Z_]\w*)/gm,
      ))
        expect(standard.has(imported), `${name} imports ${imported}`).toBe(true);
  },
);
