import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { addressOf, jsonFile, type PublicFile, type PublicInput } from './public-file.ts';

/** An archive of a client, and where it is served. */
export interface ClientPackage extends PublicFile {
  readonly name: string;
  /** In hexadecimal digits. */
  readonly sha256: string;
  /** SHA-512, as lock files of npm have it. */
  readonly integrity: string;
}

/** The archives of both clients. */
export interface ClientPackages {
  readonly npm: ClientPackage;
  readonly wheel: ClientPackage;
}

const folder = new URL('../../clients/packed/', import.meta.url);
let packed: ClientPackages | undefined;

/** The archives of the clients, which `npm run clients` made. They are read once. */
export function clientPackages(): ClientPackages {
  packed ??= {
    npm: readPackage('.tgz', 'application/gzip'),
    wheel: readPackage('.whl', 'application/zip'),
  };
  return packed;
}

function readPackage(extension: string, contentType: string): ClientPackage {
  const name = readdirSync(folder).find((each) => each.endsWith(extension)) ?? `no archive${extension}`;
  const bytes = readFileSync(new URL(name, folder));
  return {
    name,
    path: `/clients/${name}`,
    contentType,
    bytes,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
  };
}

/** The archives of the clients, and a list of them with their digests. */
export function clientPackageFiles({ settings }: PublicInput): PublicFile[] {
  const packages = Object.values(clientPackages());
  const data = packages.map(({ name, path, bytes, sha256, integrity }) => ({
    name,
    url: addressOf(settings, path),
    bytes: bytes.length,
    sha256,
    integrity,
  }));
  return [jsonFile('/clients/index.json', { data, meta: { count: data.length } }), ...packages];
}
