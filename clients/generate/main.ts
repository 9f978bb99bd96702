// Writes what is generated of the clients: `npm run clients`. It is not committed: `npm ci` makes it, and so does whatever
// checks or tests the clients.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from './description.ts';
import { npmPackage, pythonPackage } from './packages.ts';
import { pythonSource } from './python.ts';
import { typescriptSource } from './typescript.ts';

const folder = fileURLToPath(new URL('..', import.meta.url));
const typescript = join(folder, 'typescript');
const python = join(folder, 'python');
/** The archives that the service serves, and the digest of what they were made of. */
const packed = join(folder, 'packed');
const digestPath = join(packed, 'sources.sha256');

/** Writes the types and operations of both clients, and their archives. A file that is right already keeps its time. */
export async function generateClients(): Promise<void> {
  const description = describe();
  for (const [file, text] of [
    [join(typescript, 'src/generated.ts'), typescriptSource(description)],
    [join(python, 'src/filing_events/_generated.py'), pythonSource(description)],
  ] as const)
    if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
  const sources = sourcesDigest();
  if (!existsSync(digestPath) || readFileSync(digestPath, 'utf8') !== sources) await writePackages(sources);
}

/** What changes with everything that archives are made of. */
function sourcesDigest(): string {
  const digest = createHash('sha256');
  for (const below of [join(folder, 'generate'), typescript, python])
    for (const name of readdirSync(below, { recursive: true, encoding: 'utf8' }).sort())
      if (/\.(ts|json|md|py|toml)$|LICENSE$/.test(name))
        digest.update(`${name}\n`).update(readFileSync(join(below, name)));
  return digest.digest('hex');
}

async function writePackages(sources: string): Promise<void> {
  const packages = [await npmPackage(typescript), pythonPackage(python)];
  rmSync(packed, { recursive: true, force: true });
  mkdirSync(packed, { recursive: true });
  for (const { name, bytes } of packages) writeFileSync(join(packed, name), bytes);
  writeFileSync(digestPath, sources);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await generateClients();
