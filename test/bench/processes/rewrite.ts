import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readdirSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const chunkBytes = 1024 * 1024;

/** Parses each line of a file, and writes it again, hashed and synced as the build does. Returns the bytes written. */
function rewrite(source: string, target: string): number {
  const from = openSync(source, 'r');
  const to = openSync(target, 'w');
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(chunkBytes);
  let held = 0;
  let written = 0;
  for (let read = readSync(from, chunk, held, chunkBytes - held, null); read > 0; read = readSync(from, chunk, held, chunkBytes - held, null)) {
    const filled = held + read;
    const whole = chunk.lastIndexOf(0x0a, filled - 1) + 1;
    if (whole === 0) throw new Error(`${source} has a line longer than ${chunkBytes} bytes`);
    const lines = chunk.toString('utf8', 0, whole - 1).split('\n');
    const bytes = Buffer.from(`${lines.map((line) => JSON.stringify(JSON.parse(line))).join('\n')}\n`);
    hash.update(bytes);
    for (let done = 0; done < bytes.length; ) done += writeSync(to, bytes, done);
    written += bytes.length;
    chunk.copy(chunk, 0, whole, filled);
    held = filled - whole;
  }
  hash.digest();
  fsyncSync(to);
  closeSync(from);
  closeSync(to);
  return written;
}

const [tables = '', target = ''] = process.argv.slice(2);
let bytes = 0;
for (const name of readdirSync(tables)) if (name.endsWith('.jsonl')) bytes += rewrite(join(tables, name), target);
rmSync(target);
process.send?.({ result: bytes });
