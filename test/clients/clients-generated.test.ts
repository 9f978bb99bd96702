import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { generatedFiles } from '../../clients/generate/main.ts';

it('the generated files of the clients are those of the present OpenAPI document', () => {
  expect(generatedFiles.length).toBe(2);
  for (const { path, text } of generatedFiles)
    expect(readFileSync(path, 'utf8') === text, `${path} is older: npm run clients`).toBe(true);
});
