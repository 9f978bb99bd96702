import * as crypto from 'node:crypto';
import type { Random } from '../random.ts';

type KeyObject = crypto.KeyObject;

/** The public half of each key that was used: to derive and export it takes as long as to sign. */
const publics = new WeakMap<KeyObject, KeyObject>();
const secrets = new WeakMap<KeyObject, Buffer>();

function publicOf(key: KeyObject): KeyObject {
  const known = publics.get(key);
  if (known) return known;
  const made = key.type === 'public' ? key : crypto.createPublicKey(key);
  const der = made.export({ format: 'der', type: 'spki' });
  const exported = made.export.bind(made);
  const remembered = (options: crypto.KeyExportOptions<'der'>) =>
    options.format === 'der' ? der : exported(options as never);
  Object.defineProperty(made, 'export', { value: remembered });
  publics.set(key, made);
  publics.set(made, made);
  secrets.set(made, der);
  return made;
}

/** What stands for a signature: only the key that made it verifies it, as in earnest, and it takes a tenth of the time. */
function signatureOf(text: Uint8Array, key: KeyObject): Buffer {
  return crypto
    .createHash('sha512')
    .update(secrets.get(publicOf(key)) ?? '')
    .update(text)
    .digest();
}

/** A random UUID. */
export const uuidOf = (random: Random) =>
  random
    .bytes(16)
    .toString('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.*)$/, '$1-$2-4$3-8$4-$5');

/** `node:crypto` whose chance the seed decides. Digests are as they are. */
export function cryptoModule(random: Random) {
  return {
    ...crypto,
    randomBytes: random.bytes,
    randomUUID: () => uuidOf(random),
    createPublicKey: (from: KeyObject | string | crypto.PublicKeyInput) =>
      publicOf(from instanceof crypto.KeyObject ? from : crypto.createPublicKey(from)),
    sign: (_: unknown, text: Uint8Array, key: KeyObject) => signatureOf(text, key),
    verify: (_: unknown, text: Uint8Array, key: KeyObject, signature: Uint8Array) =>
      signatureOf(text, key).equals(signature),
  };
}
