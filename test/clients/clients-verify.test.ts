// @module-tag slow
import { generateKeyPairSync, sign } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPointerSigner } from '../../build/snapshot/sign.ts';
import { createClient, type BulkFile, type FilingEventsError } from '../../clients/typescript/src/node.ts';
import type { Pointer } from '../../src/format/snapshot.ts';
import { signedText } from '../../src/snapshot/trust.ts';
import { clientService, pythonEnvironment, run, type ClientService } from '../support/clients.ts';
import { useDirectories } from '../support/directories.ts';
import { drivenLanguages } from '../support/driven-clients.ts';
import { startFileHost } from '../support/file-host.ts';
import { needs } from '../support/needs.ts';
import { reopenable } from '../support/servers.ts';
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

/** A copy of the snapshots whose pointer was changed. */
function copyWith(change: (pointer: Pointer) => Pointer): string {
  const copy = directory();
  cpSync(served.made.directory, copy, { recursive: true });
  const path = join(copy, 'current.json');
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')) as Pointer)));
  return copy;
}

/** Signs what the builder never would. */
function resign(pointer: Pointer, times: object = {}): Pointer {
  const claims = {
    key: '0000000000000000',
    number: Math.floor(Date.now() / 1000),
    madeAt: new Date().toISOString(),
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
    ...times,
  };
  const signature = sign(null, signedText(pointer, claims), ours.privateKey).toString('base64');
  return { ...pointer, signature: { ...claims, signature } };
}

function unsigned(pointer: Pointer): Pointer {
  const { signature: _signature, ...rest } = pointer;
  return rest;
}

describe.each(drivenLanguages)(
  'files that are compared with a list by the client for $language',
  ({ open }) => {
    const compare = (folders: readonly string[], isFetched: boolean) =>
      open({ baseUrl: growing.address }).verifyFiles(folders, files, isFetched);
    let growing: ClientService;
    let files: readonly BulkFile[];
    /** Files as they were before: two closed ones, and an open one. */
    let before: string;
    beforeAll(async () => {
      growing = await clientService(90, { logCut: { rowsPerFile: 40, rowsPerMember: 8 } });
      before = directory();
      const client = createClient({ baseUrl: growing.address, apiKey: serviceKey });
      const keep = async ({ name }: BulkFile) =>
        writeFileSync(join(before, name), await client.getBulkFile({ file: name }));
      for (const file of (await client.listBulkFiles()).data) await keep(file);
      await growing.publish(35);
      files = (await client.listBulkFiles()).data;
      await keep(files[3] as BulkFile);
      await growing.publish(2);
      files = (await client.listBulkFiles()).data;
    });
    afterAll(() => growing.close());

    const rowsOf = (name: string) => gunzipSync(readFileSync(join(before, name))).toString();

    it('an older copy is proven by its rows, whether the listed file is closed by now or open', async () => {
      expect(files.map(({ rows, closed }) => [rows, closed])).toEqual([
        [40, true],
        [40, true],
        [40, true],
        [7, false],
      ]);
      expect(await compare([before], true)).toEqual([['ok', 'ok', 'older', 'older']]);
      // Without the listed files nothing can be proven.
      expect(await compare([before], false)).toEqual([['ok', 'ok', 'unproven', 'unproven']]);
    });

    it('what is not the beginning of the listed file is not older, whatever it is', async () => {
      const [closed = '', open = ''] = [files[2]?.name, files[3]?.name];
      const copies: Readonly<Record<string, (name: string) => Buffer>> = {
        garbage: () => Buffer.from('garbage'),
        empty: () => Buffer.alloc(0),
        'no rows': () => gzipSync(''),
        cut: (name) => readFileSync(join(before, name)).subarray(0, 60),
        flipped: (name) => flipped(readFileSync(join(before, name))),
        'another row': (name) => gzipSync(rowsOf(name).replace('"revision":1', '"revision":2')),
        'a row less at the beginning': (name) => gzipSync(rowsOf(name).replace(/^.*\n/, '')),
        'half a row': (name) => gzipSync(rowsOf(name).slice(0, -20)),
        'bytes behind it': (name) => Buffer.concat([readFileSync(join(before, name)), Buffer.alloc(30)]),
        'too many rows': (name) => gzipSync(`${rowsOf(name)}${rowsOf(name)}`),
      };
      const folders = Object.values(copies).map((copy) => {
        const folder = directory();
        cpSync(before, folder, { recursive: true });
        for (const name of [closed, open]) writeFileSync(join(folder, name), copy(name));
        return folder;
      });
      const known = await compare(folders, true);
      for (const [at, what] of Object.keys(copies).entries())
        expect(known[at], what).toEqual(['ok', 'ok', 'damaged', 'unproven']);
      const alone = await compare(folders, false);
      for (const [at, what] of Object.keys(copies).entries())
        expect(alone[at]?.filter((state) => state === 'ok' || state === 'older').length, what).toBe(2);
      rmSync(join(folders[0] ?? '', closed));
      expect((await compare(folders.slice(0, 1), true))[0]?.[2]).toBe('missing');
    });
  },
);

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy[30] = (copy[30] ?? 0) ^ 1;
  return copy;
}

describe.each(drivenLanguages)('the verification of the client for $language', ({ open }) => {
  const verify = (source: string, trustedKey: string, atLeast = 0) =>
    open({ baseUrl: served.address })
      .verifySnapshot(source, trustedKey, atLeast)
      .catch(({ code, message }: FilingEventsError) => Promise.reject(new Error(`${code} ${message}`)));

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

  it('a pointer that is unsigned, altered, of another key, too old or expired is refused', async () => {
    const other = theirs.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
      .publicKey.export({ type: 'spki', format: 'pem' })
      .toString();
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
      [served.made.directory, 'key.pem', 0, /untrusted_pointer.*no Ed25519/],
      [served.made.directory, rsa, 0, /untrusted_pointer.*no Ed25519/],
      ['http://127.0.0.1:1', pem, 0, /connection_failed no answer from http:\/\/127.0.0.1:1/],
    ];
    for (const [source, key, atLeast, message] of cases)
      await expect(verify(source, key, atLeast)).rejects.toThrow(message);
  });

  it('a pointer that is none, or has a number far beyond its time, is refused', async () => {
    const seconds = Math.floor(Date.now() / 1000);
    const numbered = (number: number) => copyWith((pointer) => resign(unsigned(pointer), { number }));
    expect((await verify(numbered(seconds + 999_000), pem)).number).toBe(seconds + 999_000);
    const altered = (members: object) => copyWith((pointer) => ({ ...pointer, ...members }));
    const resigned = (members: object) => copyWith((pointer) => resign({ ...unsigned(pointer), ...members }));
    const times = { madeAt: '2026-08-01T00:00:00Z', expiresAt: 'never' };
    for (const source of [
      numbered(seconds + 1_001_000),
      numbered(Number.MAX_SAFE_INTEGER - 1),
      altered({ signature: { ...times, number: 'many', signature: '' } }),
      altered({ signature: 7 }),
      altered({ previous: 'none' }),
      resigned({ snapshotId: '../../outside' }),
      resigned({ manifestSha256: '../../outside' }),
      resigned({ previous: ['20260101-0000000000000000,20260101-0000000000000001'] }),
      copyWith((pointer) => resign(unsigned(pointer), times)),
    ])
      await expect(verify(source, pem)).rejects.toThrow(/untrusted_pointer/);
  });

  it('what has no end is refused: a pointer on a host and in a folder, and what is no JSON', async () => {
    const folder = directory();
    for (const text of ['[', '7', '{"previous":'.padEnd(70_000), `${' '.repeat(70_000)}{}`]) {
      writeFileSync(join(folder, 'current.json'), text);
      await expect(verify(folder, pem)).rejects.toThrow(/unexpected_answer/);
    }
    const endless = createServer((_, answer) => {
      answer.writeHead(200);
      const send = () => answer.write(' '.repeat(65_536), () => answer.destroyed || setImmediate(send));
      send();
    });
    const { address, down } = await reopenable(endless);
    await expect(verify(address, pem)).rejects.toThrow(/answer_too_long/);
    await down();
  });

  it('a manifest that is not what the pointer says is refused', async () => {
    const copy = copyWith((pointer) => pointer);
    const [name = ''] = readdirSync(join(copy, 'manifests'));
    writeFileSync(join(copy, 'manifests', name), '{}');
    await expect(verify(copy, pem)).rejects.toThrow(/digest_mismatch/);
  });
});

it('the Python client accepts the signatures of OpenSSL, and none that is altered', {
  ...needs('python'),
}, async () => {
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
});
