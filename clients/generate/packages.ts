import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmArchive, sha256Of, zipArchive, type Entry } from './archives.ts';

/** An archive of a client. */
export interface Package {
  /** The name of its file, which pip and npm understand. */
  readonly name: string;
  readonly bytes: Buffer;
}

const read = (folder: string, name: string): Entry => ({ name, bytes: readFileSync(join(folder, name)) });

/** The files of a folder and of the folders in it, in the order of their names. */
const namesBelow = (folder: string, extension: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(extension))
    .sort();

/**
 * Makes the archive of the client for Node from its folder: each source becomes a module and its declarations, made from
 * the file alone.
 */
export async function npmPackage(folder: string): Promise<Package> {
  const { isolatedDeclarationSync, transformSync } = await import('oxc-transform');
  const sources = namesBelow(join(folder, 'src'), '.ts');
  const entries = sources.flatMap((name): Entry[] => {
    const text = readFileSync(join(folder, 'src', name), 'utf8');
    const path = `dist/${name.slice(0, -'.ts'.length)}`;
    return [
      {
        file: `${path}.js`,
        made: transformSync(name, text, {
          target: 'es2023',
          typescript: { onlyRemoveTypeImports: true, rewriteImportExtensions: 'rewrite' },
        }),
      },
      { file: `${path}.d.ts`, made: isolatedDeclarationSync(name, text) },
    ].map(({ file, made }) => {
      const [problem] = made.errors;
      if (problem) throw new Error(`${name}: ${problem.message}`);
      // In declarations the compiler leaves the names of sources.
      const output = made.code.replace(/(from "\.[^"]*)\.ts"/g, '$1.js"');
      return { name: file, bytes: Buffer.from(output), isExecutable: output.startsWith('#!') };
    });
  });
  const settings = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
  // The folder itself cannot be published: it has no modules.
  const { private: _, ...published } = settings;
  return {
    name: `filing-events-${String(settings['version'])}.tgz`,
    bytes: npmArchive([
      { name: 'package.json', bytes: Buffer.from(`${JSON.stringify(published, null, 2)}\n`) },
      ...['README.md', 'CHANGELOG.md', 'LICENSE'].map((name) => read(folder, name)),
      ...entries,
    ]),
  };
}

/** Makes the wheel of the client for Python from its folder, with the metadata that `pyproject.toml` has. */
export function pythonPackage(folder: string): Package {
  const project = readFileSync(join(folder, 'pyproject.toml'), 'utf8');
  const setting = <Value>(name: string): Value => {
    const [, value] = new RegExp(`^${name} = (.*)$`, 'm').exec(project) ?? [];
    if (value === undefined) throw new Error(`pyproject.toml has no ${name}`);
    return JSON.parse(value) as Value;
  };
  const version = setting<string>('version');
  const information = `filing_events-${version}.dist-info`;
  const metadata = [
    'Metadata-Version: 2.4',
    `Name: ${setting<string>('name')}`,
    `Version: ${version}`,
    `Summary: ${setting<string>('description')}`,
    `License-Expression: ${setting<string>('license')}`,
    ...setting<string[]>('license-files').map((name) => `License-File: ${name}`),
    `Requires-Python: ${setting<string>('requires-python')}`,
    `Keywords: ${setting<string[]>('keywords').join(',')}`,
    ...setting<string[]>('classifiers').map((each) => `Classifier: ${each}`),
    'Description-Content-Type: text/markdown',
  ];
  const sources = join(folder, 'src');
  const files: Entry[] = [
    ...[...namesBelow(sources, '.py'), ...namesBelow(sources, 'py.typed')].map((name) => read(sources, name)),
    {
      name: `${information}/METADATA`,
      bytes: Buffer.from(`${metadata.join('\n')}\n\n${readFileSync(join(folder, 'README.md'), 'utf8')}`),
    },
    {
      name: `${information}/WHEEL`,
      bytes: Buffer.from(
        'Wheel-Version: 1.0\nGenerator: filing-events\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
      ),
    },
    { name: `${information}/licenses/LICENSE`, bytes: readFileSync(join(folder, 'LICENSE')) },
  ];
  const record = files.map(
    ({ name, bytes }) => `${name},sha256=${sha256Of(bytes, 'base64url')},${bytes.length}\n`,
  );
  const recordName = `${information}/RECORD`;
  return {
    name: `filing_events-${version}-py3-none-any.whl`,
    bytes: zipArchive([
      ...files,
      { name: recordName, bytes: Buffer.from(`${record.join('')}${recordName},,\n`) },
    ]),
  };
}
