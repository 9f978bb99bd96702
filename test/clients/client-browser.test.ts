import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { clientService, run } from '../support/clients.ts';
import { useDirectories } from '../support/directories.ts';
import { serviceKey } from '../support/service.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = fileURLToPath(new URL('../..', import.meta.url));
const entry = join(root, 'clients/typescript/src/index.ts');
const directory = useDirectories('browser');

/** What browsers, workers, Deno and Bun have alike, and the core uses. */
const web = {
  AbortController,
  AbortSignal,
  Headers,
  TextDecoder,
  URL,
  URLSearchParams,
  clearTimeout,
  console,
  fetch,
  performance,
  setTimeout,
};

/** A program of a browser: it follows the feed, asks for a history and meets an error. */
const program = `(async () => {
  const client = filingEvents.createClient({ baseUrl, apiKey: async () => key });
  const followed = [];
  for await (const { sequence } of client.changes({ since: '2026-01-01', tickers: ['T1'] }).follow()) {
    followed.push(sequence);
    if (followed.length === 3) break;
  }
  const rows = [];
  for await (const { accessionNo } of client.rows('listLatestFilings', {})) rows.push(accessionNo);
  const code = await client.getCompanyProfile({ ticker: 'ZZZZ' }).catch((error) => error.code);
  return { followed, rows: rows.length, code };
})()`;

it('the core of the package for browsers has nothing of Node, and follows the feed with web globals alone', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'filingEvents',
    logLevel: 'silent',
  });
  const inputs = Object.values(metafile.inputs);
  expect(inputs.length).toBeGreaterThan(10);
  expect(inputs.flatMap(({ imports }) => imports.filter(({ external }) => external === true))).toEqual([]);
  const { address, close } = await clientService(5);
  const context = createContext({ ...web, baseUrl: address, key: serviceKey });
  runInContext(outputFiles[0]?.text ?? '', context);
  expect(await runInContext(program, context)).toEqual({
    followed: [1, 2, 3],
    rows: 5,
    code: 'company_not_found',
  });
  await close();
});

it('the types of the core need those of the web, and none of Node', { timeout: 120_000 }, async () => {
  const folder = directory();
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(root, 'clients/typescript/tsconfig.json'),
      compilerOptions: {
        lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
        types: [],
        paths: {},
        noEmit: true,
      },
      include: [],
      files: [entry],
    }),
  );
  const told = await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
  expect(told).toBe('');
});
