import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { here, runProgram } from './program.ts';
import type { Check } from './main.ts';
import type { RunningService } from './service.ts';

const bin = (...path: string[]) => join('node_modules', ...path);

/** The schema documents: of the service, and of the samples of the catalog. */
const documents = ['openapi.json', 'openapi-samples.json'] as const;

/** Writes a document of the service into the scratch directory and returns its path. */
async function saved({ address, scratch }: RunningService, path: string, name: string): Promise<string> {
  const response = await fetch(`${address}${path}`);
  assert.equal(response.status, 200);
  const file = join(scratch, name);
  writeFileSync(file, await response.text());
  return file;
}

/** Lets a linter read each of the documents; `words` are its words before the file. */
async function lint(
  service: RunningService,
  words: readonly string[],
  expected: RegExp,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  for (const name of documents) {
    const file = await saved(service, `/${name}`, name);
    const output = await runProgram([...words, file], environment);
    assert.match(output, expected);
    assert.doesNotMatch(output, /You have \d+ warning/);
  }
}

/** The service runs on this machine here, which a published description should not name. */
function redocly(service: RunningService): Promise<void> {
  const program = bin('@redocly', 'cli', 'bin', 'cli.js');
  return lint(
    service,
    [program, 'lint', '--skip-rule', 'no-server-example.com'],
    /Your API description is valid/,
    { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  );
}

function spectral(service: RunningService): Promise<void> {
  const rules = join(service.scratch, 'spectral.yml');
  writeFileSync(rules, 'extends: ["spectral:oas"]\n');
  const program = bin('@stoplight', 'spectral-cli', 'dist', 'index.js');
  return lint(service, [program, 'lint', '--fail-severity', 'hint', '-r', rules], /No results/);
}

/** The compiler looks for packages from where a program lies. */
const generated = join(here, 'generated');

/** Compiles a program that uses what a generator made: with the wrong member it must not compile. */
async function compileExample(name: string, ...options: readonly string[]): Promise<void> {
  const program = join(generated, name);
  cpSync(join(here, name), program);
  const always = '--noEmit --strict --target es2022 --allowImportingTsExtensions --skipLibCheck'.split(' ');
  await runProgram([bin('typescript', 'bin', 'tsc'), ...always, ...options, program]);
}

/** Types made from the description, and a program that uses them. */
async function generatedTypes(service: RunningService): Promise<void> {
  const source = await saved(service, '/openapi.json', 'openapi.json');
  await runProgram([bin('openapi-typescript', 'bin', 'cli.js'), source, '-o', join(generated, 'types.ts')]);
  await compileExample('client-example.ts', '--module', 'nodenext');
}

/** Clients that two generators make from the description, and a program that uses both. */
async function generatedClients(service: RunningService): Promise<void> {
  const source = await saved(service, '/openapi.json', 'openapi.json');
  const heyApi = bin('@hey-api', 'openapi-ts', 'bin', 'run.js');
  await runProgram([heyApi, '-i', source, '-o', join(generated, 'hey-api')]);
  const [orval, target] = [bin('orval', 'dist', 'bin', 'orval.mjs'), join(generated, 'orval', 'client.ts')];
  await runProgram([orval, '--input', source, '--output', target, '--client', 'fetch']);
  // Their files import each other without the endings of names.
  await compileExample('generated-example.ts', '--module', 'esnext', '--moduleResolution', 'bundler');
}

async function newman(service: RunningService): Promise<void> {
  const collection = await saved(service, '/postman.json', 'postman.json');
  const variables = [`baseUrl=${service.address}`, `apiKey=${service.key}`].flatMap((each) => [
    '--env-var',
    each,
  ]);
  const words = ['run', collection, ...variables, '--color', 'off', '--reporter-cli-no-banner'];
  const output = await runProgram([bin('newman', 'bin', 'newman.js'), ...words]);
  assert.match(output, /assertions\s*│\s*\d+\s*│\s*0/);
}

/** What describes the service to programs, with the programs that read it. */
export const descriptionChecks: readonly Check[] = [
  { name: 'the schema documents in Redocly', run: redocly },
  { name: 'the schema documents in Spectral', run: spectral },
  { name: 'types made from the schema document', run: generatedTypes },
  { name: 'clients made from the schema document', run: generatedClients },
  { name: 'the collection in newman', run: newman },
];
