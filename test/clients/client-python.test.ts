// @module-tag slow
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clients, clientService, run } from '../support/clients.ts';
import { needs } from '../support/needs.ts';
import { serviceKey } from '../support/service.ts';

const sources = join(clients, 'python/src/filing_events');

// What both clients do is tested with both: see test/support/driven-clients.ts.
it('the tests of the Python client pass against a service', needs('python'), async () => {
  const { address, close } = await clientService(450);
  const { stderr } = await run('python3', ['-W', 'error', '-m', 'unittest', 'discover', 'tests'], {
    cwd: join(clients, 'python'),
    env: { ...process.env, PYTHONPATH: 'src', BASE_URL: address, API_KEY: serviceKey },
  });
  expect(stderr).toMatch(/\nOK/);
  await close();
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
