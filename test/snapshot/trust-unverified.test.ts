import { generateKeyPairSync, sign as signText, type KeyObject } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { publish, readPublished, renewPointer, rollback } from '../../build/snapshot/pointer.ts';
import { createPointerSigner } from '../../build/snapshot/sign.ts';
import { verifyPointer } from '../../build/verify/verify-pointer.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { smallFilesIn } from '../../src/files/small-files.ts';
import { paths, type Pointer, type PointerSignature } from '../../src/format/snapshot.ts';
import { acceptedFolder, createAcceptedPointers } from '../../src/snapshot/accepted.ts';
import { withPartFolder } from '../../src/snapshot/folder.ts';
import { createTrust, keyName, signedText } from '../../src/snapshot/trust.ts';
import { useDirectories } from '../support/directories.ts';
import { exchangeVariants } from '../support/forged-snapshot.ts';
import { appendNumbered } from '../support/ledgers.ts';
import { buildQuietly } from '../support/snapshots.ts';

const fresh = useDirectories('trust-unverified');
const [ours, theirs] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
const startMs = Date.parse('2026-03-02T12:00:00Z');
const dayMs = 86_400_000;
const greatest = Number.MAX_SAFE_INTEGER;
const ahead = 1_000_000;

const ledger = fresh();
const built = fresh();
const ids: string[] = [];
beforeAll(async () => {
  for (const number of [1, 2]) {
    await appendNumbered(ledger, number);
    ids.push(await buildQuietly(ledger, built));
  }
});

/** A copy of the snapshots, with a clock that is set by hand. */
function folder({ trusted = [] as readonly KeyObject[], key = ours.privateKey } = {}) {
  const directory = join(fresh(), 'snapshots');
  cpSync(built, directory, { recursive: true });
  const clock = { nowMs: startMs };
  const sign = createPointerSigner(key, () => clock.nowMs, trusted);
  const digest = (id: string) => sha256Of(readFileSync(join(directory, paths.manifest(id))));
  const read = () => JSON.parse(readFileSync(join(directory, paths.pointer), 'utf8')) as Pointer;
  const write = (pointer: unknown) => writeFileSync(join(directory, paths.pointer), JSON.stringify(pointer));
  const said: string[] = [];
  return {
    directory,
    clock,
    sign,
    read,
    write,
    said,
    publish: (at = 1) => publish(directory, ids[at] as string, digest(ids[at] as string), sign),
    build: () =>
      buildQuietly(ledger, directory, { sign, now: () => clock.nowMs, log: (text) => void said.push(text) }),
    /** Somebody without any key changes the signature of the pointer that is there. */
    forge: (members: Partial<PointerSignature>) =>
      write({ ...read(), signature: { ...read().signature, signature: 'AAAA', ...members } }),
    /** A service with our key over this folder. */
    trust: () =>
      createTrust([ours.publicKey], {
        accepted: createAcceptedPointers(smallFilesIn(join(directory, acceptedFolder))),
      }),
  };
}

/** Signs a pointer with any number, as older versions did. */
function signedWith(pointer: Pointer, number: number, key = ours): Pointer & { signature: PointerSignature } {
  const claims = {
    key: keyName(key.publicKey),
    number,
    madeAt: new Date(startMs).toISOString(),
    expiresAt: new Date(startMs + 7 * dayMs).toISOString(),
  };
  const { signature: _, ...plain } = pointer;
  const signature = signText(null, signedText(plain, claims), key.privateKey).toString('base64');
  return { ...plain, signature: { ...claims, signature } };
}

describe('numbers that nobody signed', () => {
  it.each([
    ['another key', { key: 'f'.repeat(16) }, greatest - 1],
    ['no key', { key: '0'.repeat(16) }, 4_000_000_000],
    ['our key', { key: keyName(ours.publicKey) }, greatest],
  ])('a pointer that somebody wrote in the name of %s tells no number', async (_, members, number) => {
    const under = folder();
    const service = under.trust();
    await service.accept(await under.publish(), startMs);
    under.forge({ ...members, number });
    await expect(service.accept(under.read(), startMs)).rejects.toThrow('its signature was not made by');
    for (const seconds of [10, 20]) {
      under.clock.nowMs = startMs + seconds * 1000;
      const pointer = await under.publish();
      expect(pointer.signature?.number).toBe(startMs / 1000 + seconds);
      await service.accept(pointer, under.clock.nowMs);
    }
  });

  it('what somebody wrote into .published.json tells no number', async () => {
    const remembered = [
      { format: 1, number: greatest - 1, left: [] },
      { format: 1, number: greatest - 1, left: [], newest: 'forged' },
      { format: 1, number: greatest - 1, left: [], newest: 'theirs' },
    ];
    for (const each of remembered) {
      const under = folder();
      const pointer = await under.publish();
      const newest =
        each.newest === 'forged'
          ? { ...pointer, signature: { ...pointer.signature, number: startMs / 1000 + 5000 } }
          : each.newest === 'theirs'
            ? signedWith(pointer, startMs / 1000 + 5000, theirs)
            : undefined;
      writeFileSync(join(under.directory, '.published.json'), JSON.stringify({ ...each, newest }));
      expect((await under.publish()).signature?.number).toBe(startMs / 1000 + 1);
    }
  });

  it('a build without a key does not take a forged pointer for the newest one', async () => {
    const under = folder();
    const { number = 0 } = (await under.publish()).signature ?? {};
    under.forge({ number: number + 5000 });
    await publish(under.directory, ids[0] as string, under.read().manifestSha256, null);
    expect((await readPublished(under.directory)).newest?.signature?.number).toBe(number);
    under.clock.nowMs -= dayMs;
    expect((await under.publish()).signature?.number).toBe(number + 1);
  });
});

describe('a number beyond the time of its pointer', () => {
  it('is refused by a service, also at its bound, and by verify', async () => {
    const under = folder();
    const pointer = await under.publish();
    const bound = startMs / 1000 + ahead;
    await under.trust().check(signedWith(pointer, bound), startMs);
    for (const number of [bound + 1, greatest]) {
      const burnt = signedWith(pointer, number);
      await expect(under.trust().accept(burnt, startMs)).rejects.toThrow(
        `its number is ${number}, and one that was made at 2026-03-02T12:00:00.000Z has at most ${bound}`,
      );
      under.write(burnt);
      for (const keys of [null, [ours.publicKey]])
        await expect(verifyPointer(under.directory, keys, startMs)).rejects.toThrow(
          `its number is ${number}, and`,
        );
    }
  });

  it('a folder that an older version burnt heals with the next build, and so does the service', async () => {
    const under = folder();
    const burnt = signedWith(await under.publish(), greatest);
    under.write(burnt);
    writeFileSync(
      join(under.directory, '.published.json'),
      JSON.stringify({ format: 1, number: greatest, left: [] }),
    );
    // An older version of the service had accepted it.
    const accepted = join(under.directory, acceptedFolder);
    mkdirSync(accepted, { recursive: true });
    const name = `${keyName(ours.publicKey)}-${String(greatest).padStart(16, '0')}.json`;
    writeFileSync(join(accepted, name), JSON.stringify(burnt));
    under.clock.nowMs += 1000;
    await under.build();
    expect(under.read().signature?.number).toBe(startMs / 1000 + 1);
    await under.trust().accept(under.read(), under.clock.nowMs);
    // It is kept: a service that starts later refuses the older one.
    expect(readdirSync(accepted)).toHaveLength(2);
    const older = signedWith(under.read(), startMs / 1000);
    await expect(under.trust().accept(older, under.clock.nowMs)).rejects.toThrow('it is older than one');
    under.clock.nowMs += 1000;
    await under.build();
    expect(under.read().signature?.number).toBe(startMs / 1000 + 2);
    await under.trust().accept(under.read(), under.clock.nowMs);
  });

  it('a clock that was set back by a year does not stop publications', async () => {
    const under = folder();
    const service = under.trust();
    under.clock.nowMs = startMs + 365 * dayMs;
    await service.accept(await under.publish(), under.clock.nowMs);
    under.clock.nowMs = startMs;
    for (const more of [1, 2, 3]) {
      const { signature } = await under.publish();
      expect(signature?.number).toBe(startMs / 1000 + 365 * 86_400 + more);
      expect(signature?.expiresAt).toBe(new Date(startMs + 7 * dayMs).toISOString());
      await service.accept(under.read(), startMs);
      await under.trust().check(under.read(), startMs);
    }
  });
});

describe('what an unverified pointer names', () => {
  it('does not come under the signature of the next build', async () => {
    const under = folder();
    await under.publish();
    const garbage = Buffer.from('garbage');
    const forged = exchangeVariants(under.directory, () => ({ br: garbage, gzip: garbage }));
    expect(under.read()).toMatchObject({ snapshotId: forged, signature: expect.anything() as unknown });
    const id = await under.build();
    expect(id).toBe(ids[1]);
    expect(under.read()).toMatchObject({ snapshotId: id, previous: [] });
    expect(under.said.join()).toContain('nothing of its snapshot is taken over');
  });

  it('is neither signed again nor left by a rollback that names nothing', async () => {
    const under = folder();
    const pointer = await under.publish();
    under.write({ ...pointer, previous: [ids[0]] });
    await expect(renewPointer(under.directory, under.sign)).rejects.toThrow(
      'has no pointer that SIGNING_KEY',
    );
    const back = (name?: string) =>
      withPartFolder(under.directory, (parts) => rollback(parts, under.sign, { name }));
    await expect(back()).rejects.toThrow('name the snapshot');
    expect(await back(ids[0])).toMatchObject({ snapshotId: ids[0], previous: [] });
  });

  it('an unsigned folder is taken over by a build without a key, and made again by one that begins to sign', async () => {
    const under = folder();
    const quiet: string[] = [];
    await buildQuietly(ledger, under.directory, { log: (text) => void quiet.push(text) });
    expect(quiet.join()).not.toContain('made again');
    expect(await under.build()).toBe(ids[1]);
    expect(under.said.join()).toContain('no pointer that SIGNING_KEY_FILE or TRUSTED_KEY signed');
    under.said.length = 0;
    await under.build();
    expect(under.said.join()).not.toContain('made again');
  });

  it('while a key is changed, a build with both keys goes on from what the old one signed', async () => {
    const old = folder({ key: theirs.privateKey });
    old.clock.nowMs += dayMs;
    await old.publish();
    const said: string[] = [];
    const number = old.read().signature?.number ?? 0;
    const withKeys = (trusted: readonly KeyObject[]) =>
      buildQuietly(ledger, old.directory, {
        sign: createPointerSigner(ours.privateKey, () => startMs, trusted),
        log: (text) => void said.push(text),
      });
    await withKeys([theirs.publicKey, ours.publicKey]);
    expect(old.read().signature).toMatchObject({ key: keyName(ours.publicKey), number: number + 1 });
    expect(said.join()).not.toContain('made again');
  });
});
