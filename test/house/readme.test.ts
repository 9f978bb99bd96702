import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { useSample } from '../support/sample.ts';

const fileText = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const text = fileText('README.md');
const shown = [
  ...text.matchAll(/```sh\ncurl "http:\/\/127\.0\.0\.1:8787([^"]+)"[^\n]*\n```\n\n```json\n([^`]+)```/g),
].map(([, path = '', body = '']) => ({ path, body }));

const service = useSample();

describe('the README', () => {
  it('the README shows requests with their answers', () => expect(shown.length).toBeGreaterThan(2));
  it.each(shown)('$path gives the answer that the README shows', async ({ path, body }) => {
    expect(await (await service.get(path)).json()).toEqual(JSON.parse(body));
  });
  it('the README is shorter than 150 lines', () => expect(text.split('\n').length).toBeLessThan(150));
  it('the README links to files that exist', () => {
    const links = [...text.matchAll(/\]\(([^):]+)\)/g)];
    expect(links.length).toBeGreaterThan(3);
    for (const [, path = ''] of links)
      expect([path, existsSync(new URL(`../../${path}`, import.meta.url))]).toEqual([path, true]);
  });
  it('CONTRIBUTING.md names files that exist', () => {
    const named = [
      ...fileText('CONTRIBUTING.md').matchAll(
        /`((?:src|build|site|test|deploy|clients|snapshots)\/[\w./-]+\.\w+)`/g,
      ),
    ];
    expect(named.length).toBeGreaterThan(50);
    for (const [, path = ''] of named)
      expect([path, existsSync(new URL(`../../${path}`, import.meta.url))]).toEqual([path, true]);
  });
  it('deploy/README.md names every command of package.json', () => {
    const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      scripts: Record<string, string>;
    };
    for (const name of Object.keys(scripts).filter(
      (each) => !['prepare', 'start', 'test', 'check', 'format', 'clients'].includes(each),
    ))
      expect(fileText('deploy/README.md')).toContain(`npm run ${name}`);
  });
});
