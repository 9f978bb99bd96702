// @module-tag slow
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { clients, run } from '../support/clients.ts';
import { useDirectories } from '../support/directories.ts';
import { needs } from '../support/needs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const examples = join(root, 'site/examples');
const checkers = join(root, '.cache/python/bin');
const directory = useDirectories('types');

/** What a program says that reads a history: each row and page has its type. */
const typesOfHistories = `
from typing import Optional

from filing_events import Client, Company, Filing, FilingListResponse


def newest(client: Client) -> Optional[Filing]:
    filings: list[Filing] = list(client.rows("list_latest_filings", form=["10-K", "10-Q"], limit=5))
    companies: list[Company] = list(client.rows("list_companies", exchange="NYSE"))
    pages: list[FilingListResponse] = list(client.pages("list_company_filings", "AAPL", since="2026-01-01"))
    print([company["name"] for company in companies], [page["meta"]["nextCursor"] for page in pages])
    return filings[0] if filings else None
`;

/** The programs of a README, in one module: each block goes on with the client of the one before. */
function readmeProgram(): string {
  const readme = readFileSync(join(clients, 'python/README.md'), 'utf8');
  const blocks = [...readme.matchAll(/```python\n(.*?)```/gs)].map(([, block = '']) => block);
  expect(blocks.length).toBeGreaterThan(3);
  return blocks.join('\n');
}

/** A folder with all examples in Python that need no other package, and the package installed beside them. */
let folder: string;
beforeAll(async () => {
  folder = directory();
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  for (const each of ['', 'bulk', 'webhooks'])
    for (const name of readdirSync(join(examples, each)).filter((found) => found.endsWith('.py')))
      cpSync(join(examples, each, name), join(programs, name));
  writeFileSync(join(programs, 'readme.py'), readmeProgram());
  writeFileSync(join(programs, 'histories.py'), typesOfHistories);
  await run('python3', ['-m', 'venv', '--without-pip', join(folder, 'environment')]);
  const [version = ''] = readdirSync(join(folder, 'environment/lib'));
  symlinkSync(
    join(clients, 'python/src/filing_events'),
    join(folder, 'environment/lib', version, 'site-packages/filing_events'),
  );
});

const python = () => join(folder, 'environment/bin/python');
/** Both checkers print what is wrong, and fail. */
const faultsOf = (program: string, words: readonly string[], cwd: string) =>
  run(join(checkers, program), words, { cwd }).then(
    () => '',
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
/** It needs pandas, whose types are a package of their own. */
const isChecked = (name: string) => name !== 'newest.py';

it('mypy finds nothing in the Python examples and the package, in strict mode', {
  ...needs('checkers'),
  timeout: 300_000,
}, async () => {
  const names = readdirSync(join(folder, 'programs')).filter(isChecked);
  expect(names.length).toBeGreaterThan(5);
  const strict = ['--strict', '--python-version', '3.10', '--cache-dir', join(folder, 'cache')];
  const all = ['--python-executable', python(), ...names];
  expect(await faultsOf('mypy', [...strict, ...all], join(folder, 'programs'))).toBe('');
  const sources = join(clients, 'python/src');
  expect(await faultsOf('mypy', [...strict, '-p', 'filing_events'], sources)).toBe('');
});

it('pyright finds nothing in the Python examples, in strict mode', {
  ...needs('checkers'),
  timeout: 300_000,
}, async () => {
  const include = readdirSync(join(folder, 'programs')).filter(isChecked);
  writeFileSync(
    join(folder, 'programs/pyrightconfig.json'),
    JSON.stringify({ include, typeCheckingMode: 'strict', pythonVersion: '3.10' }),
  );
  expect(await faultsOf('pyright', ['--pythonpath', python()], join(folder, 'programs'))).toBe('');
});
