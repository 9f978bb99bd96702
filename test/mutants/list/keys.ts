import type { Mutant } from '../mutant.ts';

/** Mends of keys, limits and trust. */
export const keyMutants: readonly Mutant[] = [
  {
    name: 'a power cut brings a revoked key back',
    breaks: 'The disk has stored the new file of keys, and not yet that it took the name of the old one.',
    test: 'test/publish/power-cut.test.ts',
    edits: [
      {
        file: 'build/disk/directories.ts',
        from: 'await replaceFile(path, content, mode);\n  await syncDirectory(dirname(path));',
        to: 'await replaceFile(path, content, mode);',
      },
    ],
  },
  {
    name: 'a power cut takes the first snapshot away',
    breaks: 'The name of the folder of snapshots was not stored when the first pointer was published.',
    test: 'test/publish/power-cut.test.ts',
    edits: [
      {
        file: 'build/snapshot/build.ts',
        from: 'await makeDirectory(join(snapshotsDirectory, paths.segments));',
        to: "await (await import('node:fs/promises')).mkdir(join(snapshotsDirectory, paths.segments), { recursive: true });",
      },
    ],
  },
  {
    name: 'two different keys in one request are taken',
    breaks: 'A request with two keys passes one off as the other.',
    test: 'test/keys/auth.test.ts',
    edits: [
      {
        file: 'src/keys/authenticator.ts',
        from: 'if (key !== undefined && bearer !== undefined && key !== bearer) return null;',
        to: '',
      },
    ],
  },
  {
    name: 'a wrong key is saved by gateway headers',
    breaks: 'A request with a wrong direct key is let in by its gateway headers.',
    test: 'test/keys/gateway.test.ts',
    edits: [
      {
        file: 'src/keys/authenticator.ts',
        from: "if (header('x-api-key') !== undefined || header('authorization') !== undefined)",
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'gateway headers count without a secret',
    breaks: 'Anyone who sends the headers of the gateway is its buyer.',
    test: 'test/keys/gateway.test.ts',
    edits: [
      { file: 'src/keys/authenticator.ts', from: 'return proven && hostMatches', to: 'return hostMatches' },
    ],
  },
  {
    name: 'limits forget nothing',
    breaks: 'A key that used its limit once is refused for ever.',
    test: 'test/keys/key-limit.test.ts',
    edits: [{ file: 'src/keys/limit.ts', from: 'last.sum -= counted[at] as number;', to: '' }],
  },
  {
    name: 'a refused batch is counted',
    breaks: 'A batch that a limit refused takes the rest of the limit.',
    test: 'test/keys/key-limit.test.ts',
    edits: [
      {
        file: 'src/keys/limit.ts',
        from: 'if (last.sum + requests <= perMinute) {',
        to: 'last.sum += requests; if (last.sum <= perMinute) { last.sum -= requests;',
      },
    ],
  },
  {
    name: 'an older pointer is taken',
    breaks: 'An attacker who has an old pointer takes a service back.',
    test: 'test/snapshot/trust.test.ts',
    edits: [
      {
        file: 'src/snapshot/trust.ts',
        from: 'if (before !== null && number < before.signature.number)',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'two pointers may have one number',
    breaks: 'Of two pointers with one number the second is taken.',
    test: 'test/snapshot/trust.test.ts',
    edits: [
      {
        file: 'src/snapshot/trust.ts',
        from: 'number === before.signature.number &&\n',
        to: 'number === -1 &&\n',
      },
    ],
  },
  {
    name: 'expired pointers are taken',
    breaks: 'A start takes a pointer that expired.',
    test: 'test/snapshot/trust.test.ts',
    edits: [
      {
        file: 'src/snapshot/trust.ts',
        from: 'if (nowMs >= Date.parse(expiresAt)) throw',
        to: 'if (false as boolean) throw',
      },
    ],
  },
  {
    name: 'a pointer of another key is taken',
    breaks: 'A pointer that another key signed is taken.',
    test: 'test/snapshot/trust.test.ts',
    edits: [
      {
        file: 'src/snapshot/trust.ts',
        from: 'keys.find((each) => isSignedBy(pointer, signature, each))',
        to: 'keys[0]',
      },
    ],
  },
  {
    name: 'an accepted pointer is not kept',
    breaks: 'After a restart an older pointer is taken.',
    test: 'test/snapshot/trust-restart.test.ts',
    edits: [
      { file: 'src/snapshot/trust.ts', from: 'await accepted.keep(newest.key, newest.pointer);', to: '' },
    ],
  },
  {
    name: 'a clock that went back brings a revoked key to life',
    breaks: 'A key that expired counts again when the clock is set back.',
    test: 'test/keys/expiry-clock.test.ts',
    edits: [
      {
        file: 'src/requests/expiry-clock.ts',
        from: 'return elapsedMs + Math.max(rememberedMs, differenceMs);',
        to: 'return elapsedMs + differenceMs;',
      },
    ],
  },
  {
    name: 'expired keys count',
    breaks: 'A key is taken after its last day.',
    test: 'test/keys/keys-ring.test.ts',
    edits: [{ file: 'src/keys/ring.ts', from: ' || nowMs >= entry.expiresAtMs', to: '' }],
  },
  {
    name: 'a file of keys that is read again renews limits',
    breaks: 'Each change of the file of keys gives every key its whole limit again.',
    test: 'test/keys/key-limit.test.ts',
    edits: [
      {
        file: 'src/keys/ring.ts',
        from: 'createKeyLimit(perMinute, limited.get(id))',
        to: 'createKeyLimit(perMinute)',
      },
    ],
  },
  {
    name: 'a refusal quotes the file of keys',
    breaks: 'A key that somebody put into the file stands in the log.',
    test: 'test/keys/keys-ring.test.ts',
    edits: [
      {
        file: 'src/keys/ring.ts',
        from: 'must be JSON, as "npm run keys" writes it',
        to: 'must be JSON, not ${text}',
      },
    ],
  },
  {
    name: 'a revoked key stays on its connection',
    breaks: 'A client that keeps its connection keeps a revoked key.',
    test: 'test/keys/auth.test.ts',
    title: 'a connection that was let in',
    edits: [
      {
        file: 'src/requests/caller.ts',
        from: 'const trustedForMs = 1000;',
        to: 'const trustedForMs = 1e12;',
      },
    ],
  },
  {
    name: 'a second credential is not looked at on a known connection',
    breaks: 'A connection that was let in passes off another key.',
    test: 'test/keys/auth.test.ts',
    title: 'a connection that was let in',
    edits: [{ file: 'src/requests/caller.ts', from: " && headers['authorization'] === undefined", to: '' }],
  },
  {
    name: 'a day that comes again begins at zero',
    breaks: 'Totals of a day are lost when the clock goes back.',
    test: 'test/keys/key-usage.test.ts',
    title: 'a clock that is set back',
    edits: [
      {
        file: 'src/keys/usage-files.ts',
        from: "randomBytes(6).toString('hex')",
        to: "randomBytes(0).toString('hex')",
      },
    ],
  },
  {
    name: 'totals that could not be saved are forgotten',
    breaks: 'A full disk loses what customers used.',
    test: 'test/keys/key-usage.test.ts',
    title: 'usage that cannot be written',
    edits: [{ file: 'src/keys/usage-files.ts', from: 'unsaved.add(totals);\n        const', to: 'const' }],
  },
  {
    name: 'files that others may read count as secret',
    breaks: 'An operator is not told that other users may read the keys.',
    test: 'test/work/own-only.test.ts',
    edits: [
      { file: 'src/files/own-only.ts', from: 'const readByOthers = 0o004;', to: 'const readByOthers = 0;' },
    ],
  },
  {
    name: 'a caller has more than it leaves to others',
    breaks: 'One key takes more than half of the places.',
    test: 'test/http/turns.test.ts',
    title: 'holder',
    edits: [
      {
        file: 'src/http/shares.ts',
        from: '(held.get(holder) ?? 0) < left',
        to: '(held.get(holder) ?? 0) <= left',
      },
    ],
  },
  {
    name: 'what is given back counts twice',
    breaks: 'Places grow in number as clients leave.',
    test: 'test/http/turns.test.ts',
    title: 'given back',
    edits: [{ file: 'src/http/shares.ts', from: 'if (isHeld) count(', to: 'count(' }],
  },
  {
    name: 'tokens for others are taken',
    breaks: 'Whoever gets a token that its owner made for another service is its owner here.',
    test: 'test/keys/tokens.test.ts',
    edits: [{ file: 'src/keys/tokens.ts', from: '      audience: audiences(),\n', to: '' }],
  },
  {
    name: 'tokens with any signature that the package knows',
    breaks: 'The issuer is asked for keys, and the service is away, because of tokens that never count.',
    test: 'test/keys/tokens.test.ts',
    edits: [
      {
        file: 'src/keys/tokens.ts',
        from: "return signatureAlgorithms.includes(String(header['alg'])) && payload['iss'] === issuer;",
        to: 'return true;',
      },
    ],
  },
  {
    name: 'tokens outlive a key that was taken back',
    breaks: 'A token that was verified once counts until its end, although the issuer took its key back.',
    test: 'test/keys/tokens.test.ts',
    edits: [
      {
        file: 'src/keys/tokens.ts',
        from: 'if (before !== issuer.keys()?.text) verified.clear();',
        to: 'if (before === undefined) verified.clear();',
      },
    ],
  },
  {
    name: 'a token does not end',
    breaks: 'A token that was verified counts after its end.',
    test: 'test/keys/tokens.test.ts',
    edits: [
      {
        file: 'src/keys/tokens.ts',
        from: 'if (known === undefined || nowMs >= known.expiresAtMs) return null;',
        to: 'if (known === undefined) return null;',
      },
    ],
  },
  {
    name: 'an issuer that is away is asked for each token',
    breaks: 'Each request with a token waits five seconds for an issuer that is away.',
    test: 'test/keys/tokens.test.ts',
    edits: [
      {
        file: 'src/keys/tokens.ts',
        from: 'if (issuer.keys() === null && issuer.readAgoMs() >= retryAfterMs) await readKeys();',
        to: 'if (issuer.keys() === null) await readKeys();',
      },
    ],
  },
  {
    name: 'private tools answer without a key',
    breaks: 'A client that signs in when it connects is never asked to.',
    test: 'test/keys/tokens.test.ts',
    edits: [
      {
        file: 'src/mcp/tool-handler.ts',
        from: 'if (isPrivate && directCaller(services, exchange) === null)',
        to: 'if (false as boolean)',
      },
    ],
  },
];
