import { createHash } from 'node:crypto';
import { closeSync, createReadStream, fsyncSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createGunzip, gzipSync } from 'node:zlib';

const pieceBytes = 64 * 1024;

/** Parses each line of a table, and writes it again, compressed, hashed and synced as the build does. Returns the bytes before compression. */
async function rewrite(source: string, target: string): Promise<number> {
  const to = openSync(target, 'w');
  const hash = createHash('sha256');
  let rest = Buffer.alloc(0);
  let written = 0;
  for await (const piece of createReadStream(source).pipe(createGunzip({ chunkSize: pieceBytes })) as AsyncIterable<Buffer>) {
    const bytes = Buffer.concat([rest, piece]);
    const whole = bytes.lastIndexOf(0x0a) + 1;
    rest = bytes.subarray(whole);
    if (whole === 0) continue;
    const lines = bytes.toString('utf8', 0, whole - 1).split('\n');
    const again = Buffer.from(`${lines.map((line) => JSON.stringify(JSON.parse(line))).join('\n')}\n`);
    const stored = gzipSync(again, { level: 1 });
    hash.update(stored);
    for (let done = 0; done < stored.length; ) done += writeSync(to, stored, done);
    written += again.length;
  }
  hash.digest();
  fsyncSync(to);
  closeSync(to);
  return written;
}

const [segments = '', target = ''] = process.argv.slice(2);
let bytes = 0;
const tables = readdirSync(segments, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.jsonl.gz') && !path.endsWith('.index.jsonl.gz')).map((path) => join(segments, path));
// The file of a table without rows is empty.
for (const table of tables) if (statSync(table).size > 0) bytes += await rewrite(table, target);
rmSync(target);
process.send?.({ result: bytes });
