import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { useDirectories } from '../support/directories.ts';
import { exchangeVariants, routesOf, storedBytes } from '../support/forged-snapshot.ts';
import { appendNumbered } from '../support/ledgers.ts';
import { buildQuietly } from '../support/snapshots.ts';

const fresh = useDirectories('variants');

/** As another version of this program, or of Node, may have made them. */
const others = (bytes: Buffer) => ({
  br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  gzip: gzipSync(bytes, { level: 1 }),
});

describe('after another version had published', () => {
  it.each([
    ['from the same ledger', false],
    ['from a ledger with one more batch', true],
  ])('a build %s gives the same bytes and names as one from nothing', async (_, isLonger) => {
    const [ledger, snapshots, anew] = [fresh(), fresh(), fresh()];
    await appendNumbered(ledger, 1);
    const first = await buildQuietly(ledger, snapshots);
    const before = exchangeVariants(snapshots, others);
    expect(before).not.toBe(first);
    if (isLonger) await appendNumbered(ledger, 2);
    const id = await buildQuietly(ledger, snapshots);
    expect(id).toBe(await buildQuietly(ledger, anew));
    expect(id === first).toBe(!isLonger);
    let checked = 0;
    for (const { file, br, gzip } of Object.values(routesOf(snapshots, id))) {
      if (!br || !gzip) continue;
      const plain = storedBytes(snapshots, file);
      expect(brotliDecompressSync(storedBytes(snapshots, br)).equals(plain)).toBe(true);
      expect(gunzipSync(storedBytes(snapshots, gzip)).equals(plain)).toBe(true);
      checked++;
    }
    expect(checked).toBeGreaterThan(50);
  });
});
