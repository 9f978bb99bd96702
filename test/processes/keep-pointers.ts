import { readFileSync } from 'node:fs';
import { smallFilesIn } from '../../src/files/small-files.ts';
import { createAcceptedPointers, type SignedPointer } from '../../src/snapshot/accepted.ts';
import { parsePublicKeys } from '../../src/snapshot/trust.ts';

// Keeps signed pointers, each second one once more, and prints each number that is kept
// for sure. Arguments: the folder, a file with the key and the pointers, and at which of them to begin.
const [, , directory = '', input = '', first = '0'] = process.argv;
const { key: line, pointers } = JSON.parse(readFileSync(input, 'utf8')) as {
  key: string;
  pointers: SignedPointer[];
};
const [key] = parsePublicKeys(line);
const accepted = createAcceptedPointers(smallFilesIn(directory));
for (let at = Number(first); at < pointers.length && key !== undefined; at++) {
  const pointer = pointers[at % 2 === 0 ? at : at - 1] as SignedPointer;
  await accepted.keep(key, pointer);
  process.stdout.write(`${pointer.signature.number}\n`);
}
