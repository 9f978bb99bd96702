import { execFileSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkPublishing } from '../../build/command-settings.ts';
import { publish, readPointer, rollback } from '../../build/snapshot/pointer.ts';
import { createPointerSigner, readSigningKey } from '../../build/snapshot/sign.ts';
import { verifyPointer } from '../../build/verify/verify-pointer.ts';
import { paths, type Pointer } from '../../src/format/snapshot.ts';
import { readRuntimeSettings } from '../../src/settings/settings.ts';
import { openPartFolder, withPartFolder } from '../../src/snapshot/folder.ts';
import { createServedSnapshot } from '../../src/snapshot/served-snapshot.ts';
import { createTrust, keyName, parsePublicKeys } from '../../src/snapshot/trust.ts';
import { createBlockCache } from '../../src/table/block-cache.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { command as runCommand } from '../support/command.ts';
import { closing } from '../support/closing.ts';
import { useDirectories } from '../support/directories.ts';
import { appendNumbered } from '../support/ledgers.ts';
import { buildQuietly } from '../support/snapshots.ts';

const fresh = useDirectories('trust');
const dayMs = 86_400_000;
const startMs = Date.parse('2026-03-02T12:00:00Z');
const [ours, theirs] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];

const ids: string[] = [];
const ledger = fresh();
const built = fresh();
beforeAll(async () => {
  for (let number = 1; number <= 3; number++) {
    await appendNumbered(ledger, number);
    ids.push(await buildQuietly(ledger, built));
  }
});

/**
 * A copy of three snapshots under attack, and a service over it that trusts our key. The clock is set by
 * hand.
 */
function attacked(trusted: readonly KeyObject[] = [ours.publicKey]) {
  const directory = join(fresh(), 'snapshots');
  cpSync(built, directory, { recursive: true });
  const clock = { nowMs: startMs };
  const refused: string[] = [];
  const follower = createServedSnapshot(
    openPartFolder(directory),
    createBlockCache(1024 * 1024),
    (event, { reason }) => void (event === 'snapshot_refused' && refused.push(String(reason))),
    { trust: createTrust(trusted), now: () => clock.nowMs },
  );
  closing(() => follower.close());
  const digest = (id: string) => sha256Of(readFileSync(join(directory, paths.manifest(id))));
  return {
    directory,
    clock,
    refused,
    /** A pointer to a snapshot, before it is signed. */
    bare: (at: number): Pointer => ({
      format: 2,
      snapshotId: ids[at] as string,
      manifestSha256: digest(ids[at] as string),
      previous: [],
    }),
    point: (at: number, key: KeyObject | null = ours.privateKey) =>
      publish(
        directory,
        ids[at] as string,
        digest(ids[at] as string),
        key === null ? null : createPointerSigner(key, () => clock.nowMs, trusted),
      ),
    /** What the service serves after a look; null if nothing. */
    async served() {
      await follower.check();
      return follower.currentId();
    },
    write: (pointer: unknown) => writeFileSync(join(directory, paths.pointer), JSON.stringify(pointer)),
    signature: () => follower.use(async ({ signature }) => signature),
  };
}

describe('a service with TRUSTED_KEY', () => {
  it('a service with TRUSTED_KEY takes each pointer that its key has signed', async () => {
    const { point, served, refused, signature } = attacked();
    await point(0);
    expect(await served()).toBe(ids[0]);
    expect(await signature()).toMatchObject({
      number: startMs / 1000,
      expiresAt: new Date(startMs + 7 * dayMs).toISOString(),
      protection: expect.any(Function) as unknown,
    });
    await point(1);
    expect([await served(), refused]).toEqual([ids[1], []]);
  });
  it('a service takes a snapshot that was signed again as the same one', async () => {
    const { point, served, clock, signature } = attacked();
    await point(0);
    await served();
    clock.nowMs += dayMs;
    await point(0);
    expect(await served()).toBe(ids[0]);
    expect(await signature()).toMatchObject({ number: (startMs + dayMs) / 1000 });
  });

  const attacks: [
    name: string,
    attack: (under: ReturnType<typeof attacked>, pointers: readonly Pointer[]) => unknown,
    reason: string,
  ][] = [
    ['that is not signed', ({ point }) => point(2, null), 'it is not signed'],
    [
      'that another key has signed',
      ({ point }) => point(2, theirs.privateKey),
      'its signature was not made by TRUSTED_KEY',
    ],
    [
      'that was taken from another pointer (mix and match)',
      ({ write }, [, second]) => write({ ...second, snapshotId: ids[2] }),
      'or is of another pointer',
    ],
    [
      'whose manifest is another one',
      ({ write }, [first, second]) => write({ ...second, manifestSha256: first?.manifestSha256 }),
      'or is of another pointer',
    ],
    [
      'whose number was raised',
      ({ write }, [, second]) =>
        write({ ...second, signature: { ...second?.signature, number: 9_999_999_999 } }),
      'or is of another pointer',
    ],
    [
      'whose end was put off',
      ({ write }, [, second]) =>
        write({ ...second, signature: { ...second?.signature, expiresAt: '2099-01-01T00:00:00.000Z' } }),
      'or is of another pointer',
    ],
    [
      'that is older (rollback)',
      ({ write }, [first]) => write(first),
      'it is older than one that was accepted before',
    ],
    [
      'that has the number of another one',
      ({ write, bare }) => write(createPointerSigner(ours.privateKey, () => startMs + 1000)(bare(2), null)),
      'there is another pointer with its number',
    ],
    [
      'that names other snapshots before it',
      ({ write }, [, second]) => write({ ...second, previous: [] }),
      'or is of another pointer',
    ],
    [
      'that has expired (freeze)',
      async ({ point, clock }) => (await point(2), (clock.nowMs += 8 * dayMs)),
      'it expired at 2026-03-09T12:00:',
    ],
    ['that is no pointer', ({ write }) => write({ format: 2 }), 'snapshotId'],
    [
      'with a signature that is none',
      ({ write }, [, second]) => write({ ...second, signature: { ...second?.signature, signature: 'AAAA' } }),
      'its signature was not made by TRUSTED_KEY',
    ],
  ];
  it.each(attacks)(
    'a service with TRUSTED_KEY keeps its snapshot where the pointer is one %s',
    async (_, attack, reason) => {
      const under = attacked();
      const first = await under.point(0);
      expect(await under.served()).toBe(ids[0]);
      const second = await under.point(1);
      expect(await under.served()).toBe(ids[1]);
      await attack(under, [first, second]);
      expect([await under.served(), under.refused]).toEqual([ids[1], [expect.stringContaining(reason)]]);
      // The owner of the key publishes again.
      under.clock.nowMs += 60_000;
      await under.point(2);
      expect(await under.served()).toBe(ids[2]);
    },
  );
  it('a service with TRUSTED_KEY starts only with a signed pointer', async () => {
    const { point, served, refused } = attacked();
    await point(0, null);
    expect([await served(), refused]).toEqual([
      null,
      [expect.stringContaining('it is not signed, and TRUSTED_KEY is set')],
    ]);
    await point(1);
    expect(await served()).toBe(ids[1]);
  });
  it('a service takes a signed rollback', async () => {
    const under = attacked();
    await under.point(0);
    await under.point(1);
    await under.served();
    await withPartFolder(under.directory, (folder) =>
      rollback(
        folder,
        createPointerSigner(ours.privateKey, () => startMs),
      ),
    );
    expect([await under.served(), under.refused]).toEqual([ids[0], []]);
  });
  it('a service takes either of two trusted keys', async () => {
    const under = attacked([ours.publicKey, theirs.publicKey]);
    await under.point(0);
    expect(await under.served()).toBe(ids[0]);
    under.clock.nowMs += 1000;
    await under.point(1, theirs.privateKey);
    expect(await under.served()).toBe(ids[1]);
  });
});

describe('the number of a pointer', () => {
  const bare: Pointer = {
    format: 2,
    snapshotId: '20260302-0123456789abcdef',
    manifestSha256: '0'.repeat(64),
    previous: [],
  };
  it('the number of a pointer grows with the clock, and by one within a second', () => {
    const sign = createPointerSigner(ours.privateKey, () => startMs);
    const first = sign(bare, null);
    const second = sign(bare, first);
    expect([first.signature?.number, second.signature?.number]).toEqual([startMs / 1000, startMs / 1000 + 1]);
    const forged = {
      ...second,
      signature: { ...(second.signature as NonNullable<Pointer['signature']>), number: 8_000_000_000 },
    };
    expect(sign(bare, forged).signature?.number).toBe(startMs / 1000);
    // The number does not fall when the clock is set back.
    expect(createPointerSigner(ours.privateKey, () => startMs - dayMs)(bare, second).signature?.number).toBe(
      startMs / 1000 + 2,
    );
  });
  it('the number of a pointer is greater than those of all known pointers that our keys signed', () => {
    const foreign = createPointerSigner(theirs.privateKey, () => startMs + dayMs)(bare, null);
    const own = createPointerSigner(ours.privateKey, () => startMs + 2 * dayMs)(bare, null);
    const numberOf = (trusted: readonly KeyObject[], ...before: readonly (Pointer | null)[]) =>
      createPointerSigner(ours.privateKey, () => startMs, trusted)(bare, ...before).signature?.number;
    expect(numberOf([], foreign)).toBe(startMs / 1000);
    expect(numberOf([theirs.publicKey], foreign)).toBe((startMs + dayMs) / 1000 + 1);
    for (const before of [[own, foreign, null], [foreign, own], [own]])
      expect(numberOf([theirs.publicKey], ...before)).toBe((startMs + 2 * dayMs) / 1000 + 1);
  });
  it('no number comes twice if the pointer is deleted, its key changes, it is rolled back, and the clock goes back', async () => {
    const { directory, clock, point } = attacked([ours.publicKey, theirs.publicKey]);
    const numbers: number[] = [];
    const numberOf = (pointer: Pointer) => void numbers.push(pointer.signature?.number ?? 0);
    const back = (key: KeyObject) =>
      withPartFolder(directory, (folder) =>
        rollback(
          folder,
          createPointerSigner(key, () => clock.nowMs, [ours.publicKey, theirs.publicKey]),
        ),
      );
    numberOf(await point(0));
    clock.nowMs -= dayMs;
    numberOf(await point(1));
    numberOf(await point(1, theirs.privateKey));
    numberOf(await back(ours.privateKey));
    // What is not signed in between does not make it forget.
    await point(2, null);
    rmSync(join(directory, paths.pointer));
    clock.nowMs -= dayMs;
    numberOf(await point(2));
    expect(numbers).toEqual([0, 1, 2, 3, 4].map((at) => startMs / 1000 + at));
    // What cannot be understood is forgotten; the pointer itself still counts.
    writeFileSync(join(directory, '.published.json'), 'junk');
    expect((await point(0)).signature?.number).toBe(startMs / 1000 + 5);
  });
});

describe('keys', () => {
  const pem = ours.publicKey.export({ format: 'pem', type: 'spki' }) as string;
  const line = (key: KeyObject) => key.export({ format: 'der', type: 'spki' }).toString('base64');
  it('trusted keys are PEM or base64 lines, one or several', () => {
    const names = (text: string) => parsePublicKeys(text).map(keyName);
    expect(names(pem)).toEqual([keyName(ours.publicKey)]);
    expect(names(line(ours.publicKey))).toEqual([keyName(ours.publicKey)]);
    expect(names(`${pem}${theirs.publicKey.export({ format: 'pem', type: 'spki' }) as string}`)).toEqual([
      keyName(ours.publicKey),
      keyName(theirs.publicKey),
    ]);
    expect(names(`${line(ours.publicKey)}, ${line(theirs.publicKey)}`)).toHaveLength(2);
  });
  it.each([
    ['hello', 'must be a public key: its PEM, or the base64 line of it'],
    [
      generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({
        format: 'pem',
        type: 'spki',
      }) as string,
      'must be an Ed25519 key, not rsa',
    ],
  ])('other trusted keys are refused in one line', (text, reason) => {
    expect(() => readRuntimeSettings({ TRUSTED_KEY: text })).toThrow(`TRUSTED_KEY: ${reason}`);
  });
  it('a signing key that others may read is told before it is used', async () => {
    const path = join(fresh(), 'key.pem');
    writeFileSync(path, generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }), {
      mode: 0o600,
    });
    const settings = { SIGNING_KEY_FILE: path, TRUSTED_KEY: null, PLANS_FILE: null };
    const lines: unknown[] = [];
    const log = (line: string, level = 'info') => void lines.push([level, line]);
    await checkPublishing(settings, log);
    expect(lines).toEqual([]);
    chmodSync(path, 0o644);
    await checkPublishing(settings, log);
    expect(lines).toEqual([
      ['warn', expect.stringContaining(`${path}: other users may read it (mode 0644)`)],
    ]);
  });

  it('a wrong signing key is refused in one line', () => {
    const directory = fresh();
    const file = (name: string, content: string) => {
      writeFileSync(join(directory, name), content);
      return join(directory, name);
    };
    expect(() => readSigningKey(join(directory, 'none'))).toThrow(
      /^SIGNING_KEY_FILE: .*none cannot be read: ENOENT/,
    );
    expect(() => readSigningKey(file('text', 'text'))).toThrow('is no private key in PEM');
    expect(() =>
      readSigningKey(
        file(
          'rsa',
          generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({
            format: 'pem',
            type: 'pkcs8',
          }) as string,
        ),
      ),
    ).toThrow('must be an Ed25519 key, not rsa');
  });
});

it('openssl makes keys and checks a pointer as the specification says', {
  tags: ['slow'],
}, async () => {
  const directory = fresh();
  const [privateFile, publicFile] = [join(directory, 'key.pem'), join(directory, 'key.pub')];
  execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', privateFile]);
  execFileSync('openssl', ['pkey', '-in', privateFile, '-pubout', '-out', publicFile]);
  const snapshots = join(directory, 'snapshots');
  const environment = { SNAPSHOTS_DIR: snapshots, SIGNING_KEY_FILE: privateFile };
  expect((await runCommand(['build', '--ledger', ledger], environment)).code).toBe(0);
  const pointer = (await readPointer(snapshots)) as Pointer;
  const { number, madeAt, expiresAt, signature, key } = pointer.signature as NonNullable<
    Pointer['signature']
  >;
  writeFileSync(
    join(directory, 'text'),
    `filing-event-intelligence pointer\n${pointer.snapshotId}\n${pointer.manifestSha256}\n${pointer.previous.join(',')}\n${number}\n${madeAt}\n${expiresAt}\n`,
  );
  writeFileSync(join(directory, 'signature'), Buffer.from(signature, 'base64'));
  const checked = execFileSync('openssl', [
    'pkeyutl',
    '-verify',
    '-pubin',
    '-inkey',
    publicFile,
    '-rawin',
    '-in',
    join(directory, 'text'),
    '-sigfile',
    join(directory, 'signature'),
  ]);
  expect(checked.toString()).toContain('Signature Verified Successfully');
  expect(keyName(createPublicKey(createPrivateKey(readFileSync(privateFile))))).toBe(key);
  const trusted = { SNAPSHOTS_DIR: snapshots, TRUSTED_KEY: readFileSync(publicFile, 'utf8') };
  expect((await runCommand(['verify'], trusted)).stdout).toContain(
    `the pointer is number ${number}, signed by ${key}, and good until ${expiresAt}`,
  );
  expect(
    await runCommand(['verify'], {
      ...trusted,
      TRUSTED_KEY: theirs.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    }),
  ).toMatchObject({ code: 1, stderr: expect.stringContaining('its signature was not made by TRUSTED_KEY') });
  expect(await verifyPointer(snapshots, null, startMs)).toContain(
    'TRUSTED_KEY is not set, so that was not checked',
  );
  expect((await runCommand(['build', '--ledger', ledger], { SNAPSHOTS_DIR: snapshots })).stdout).toContain(
    'the pointer is no longer signed',
  );
});
