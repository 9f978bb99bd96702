import { createPrivateKey, createPublicKey } from 'node:crypto';

/** A pair of keys that sign pointers, in PEM. */
export interface KeyPair {
  readonly privatePem: string;
  readonly publicPem: string;
}

/** The pair of keys with a number: the same in each run. */
export function keyPair(number: number): KeyPair {
  const der = Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    Buffer.alloc(32, 7 + number),
  ]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return {
    privatePem: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
    publicPem: createPublicKey(privateKey).export({ format: 'pem', type: 'spki' }) as string,
  };
}
