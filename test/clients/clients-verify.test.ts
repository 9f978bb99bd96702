import { generateKeyPairSync, sign } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPointerSigner } from '../../build/snapshot/sign.ts';
import { createClient, verifyFiles, verifySnapshot } from '../../clients/typescript/src/index.ts';
import type { Pointer } from '../../src/format/snapshot.ts';
import { clientService, pythonEnvironment, run, type ClientService } from '../support/clients.ts';
import { useDirectories } from '../support/directories.ts';
import { startFileHost } from '../support/file-host.ts';
import { has, needs } from '../support/needs.ts';
import { serviceKey } from '../support/service.ts';

const directory = useDirectories('verify');
const [ours, theirs] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
const pem = ours.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const base64 = ours.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
let served: ClientService;

beforeAll(async () => {
  served = await clientService(90, {
    logCut: { rowsPerFile: 40, rowsPerMember: 8 },
    sign: createPointerSigner(ours.privateKey, () => Date.now()),
  });
});
afterAll(() => served.close());

interface Verified {
  readonly number: number;
  readonly files: readonly string[];
}

/** Verifies a source. Rejects with the code of the error in its message. */
type Verify = (source: string, trustedKey: string, atLeast?: number) => Promise<Verified>;

const verifyInTypescript: Verify = async (source, trustedKey, atLeast = 0) => {
  const { number, files } = await verifySnapshot(source, { trustedKey, atLeast }).catch(
    (error: { code: string; message: string }) => Promise.reject(new Error(`${error.code} ${error.message}`)),
  );
  return { number, files: files.map(({ sha256 }) => sha256) };
};

const program = `
import json, sys
from filing_events import FilingEventsError, verify_snapshot
source, key, at_least = sys.argv[1:]
try: _, number, files = verify_snapshot(source, key, int(at_least))
except FilingEventsError as error: sys.exit(f"{error.code} {error}")
print(json.dumps({"number": number, "files": [file["sha256"] for file in files]}))`;

const verifyInPython: Verify = async (source, trustedKey, atLeast = 0) => {
  const words = ['-c', program, source, trustedKey, String(atLeast)];
  return JSON.parse((await run('python3', words, { env: pythonEnvironment })).stdout) as Verified;
};

const languages = [
  { language: 'TypeScript', verify: verifyInTypescript },
  { language: 'Python', verify: verifyInPython },
].filter(({ language }) => language !== 'Python' || has('python'));

/** A copy of the snapshots whose pointer was changed. */
function copyWith(change: (pointer: Pointer) => Pointer): string {
  const copy = directory();
  cpSync(served.made.directory, copy, { recursive: true });
  const path = join(copy, 'current.json');
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')) as Pointer)));
  return copy;
}

function unsigned(pointer: Pointer): Pointer {
  const { signature: _signature, ...rest } = pointer;
  return rest;
}

describe.each(languages)('the verification of the client for $language', ({ verify }) => {
  it('a signed pointer proves the digests of the files, in a folder and on a host', async () => {
    const client = createClient({ baseUrl: served.address, apiKey: serviceKey });
    const listed = (await client.listBulkFiles()).data.map(({ sha256 }) => sha256);
    expect(listed.length).toBe(3);
    const host = await startFileHost(served.made.directory);
    for (const [source, key] of [
      [served.made.directory, pem],
      [served.made.directory, base64],
      [host.address, `${pem}\n${pem}`],
    ] as const)
      expect((await verify(source, key)).files).toEqual(listed);
    await host.close();
  });

  it('a pointer that is unsigned, altered, of another key, too old or expired is refused', {
    tags: ['slow'],
  }, async () => {
    const other = theirs.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const { number } = await verify(served.made.directory, pem);
    const late = createPointerSigner(ours.privateKey, () => Date.parse('2026-01-01T00:00:00Z'));
    const cases: readonly [source: string, key: string, atLeast: number, message: RegExp][] = [
      [copyWith(unsigned), pem, 0, /untrusted_pointer.*not signed/],
      [
        copyWith((each) => ({ ...each, previous: ['20260101-0000000000000000'] })),
        pem,
        0,
        /untrusted_pointer.*trusted key/,
      ],
      [served.made.directory, other, 0, /untrusted_pointer.*trusted key/],
      [served.made.directory, pem, number + 1, /untrusted_pointer.*accepted before/],
      [
        copyWith((pointer) => late(unsigned(pointer), null)),
        pem,
        0,
        /untrusted_pointer.*expired at 2026-01-08/,
      ],
    ];
    for (const [source, key, atLeast, message] of cases)
      await expect(verify(source, key, atLeast)).rejects.toThrow(message);
  });

  it('a manifest that is not what the pointer says is refused', async () => {
    const copy = copyWith((pointer) => pointer);
    const [name = ''] = readdirSync(join(copy, 'manifests'));
    writeFileSync(join(copy, 'manifests', name), '{}');
    await expect(verify(copy, pem)).rejects.toThrow(/digest_mismatch/);
  });
});

it('files of a mirror that are missing, cut or damaged are named', async () => {
  const client = createClient({ baseUrl: served.address, apiKey: serviceKey });
  const folder = directory();
  for await (const step of client.mirror(join(folder, 'filings.db'), { folder }).update())
    expect(step.unknown).toEqual([]);
  const { data } = await client.listBulkFiles();
  const states = async () => (await verifyFiles(folder, data)).map(({ state }) => state);
  expect(await states()).toEqual(['ok', 'ok', 'ok']);
  const [first = '', second = '', last = ''] = data.map(({ name }) => join(folder, name));
  const bytes = readFileSync(first);
  writeFileSync(
    first,
    Buffer.concat([bytes.subarray(0, 99), Buffer.from([(bytes[99] ?? 0) ^ 1]), bytes.subarray(100)]),
  );
  writeFileSync(second, readFileSync(second).subarray(0, 50));
  writeFileSync(last, readFileSync(last).subarray(0, 50));
  expect(await states()).toEqual(['damaged', 'damaged', 'older']);
});

it(
  'the Python client accepts the signatures of OpenSSL, and none that is altered',
  needs('python'),
  async () => {
    const cases = Array.from({ length: 20 }, (_, at) => {
      const { privateKey, publicKey } = generateKeyPairSync('ed25519');
      const text = Buffer.from('a text '.repeat(at));
      const signature = sign(null, text, privateKey);
      const altered = Buffer.from(signature);
      altered[at * 3] = (altered[at * 3] ?? 0) ^ 4;
      const key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex');
      return [key, text.toString('hex'), signature.toString('hex'), altered.toString('hex')];
    });
    const check = `
import json, sys
from filing_events._ed25519 import is_signed
for row in json.loads(sys.argv[1]):
    key, text, signature, altered = (bytes.fromhex(each) for each in row)
    assert is_signed(key, text, signature)
    assert not is_signed(key, text, altered)
    assert not is_signed(key, text + b"x", signature)
    assert not is_signed(key[::-1], text, signature)`;
    await run('python3', ['-c', check, JSON.stringify(cases)], { env: pythonEnvironment });
  },
);
