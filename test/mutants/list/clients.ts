import type { Mutant } from '../mutant.ts';

/** Mends of the clients. */
export const clientMutants: readonly Mutant[] = [
  {
    name: 'clients take a number far beyond its time',
    breaks: 'A burnt number shuts a client out of later pointers.',
    test: 'test/clients/clients-verify.test.ts',
    edits: [
      {
        file: 'clients/typescript/src/pointer.ts',
        from: 'if (number > Date.parse(madeAt) / 1000 + numbersAhead)',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'clients take expired pointers',
    breaks: 'A client verifies a pointer that expired.',
    test: 'test/clients/clients-verify.test.ts',
    edits: [
      {
        file: 'clients/typescript/src/pointer.ts',
        from: 'if (now >= Date.parse(expiresAt))',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'a follower goes on behind a bare sequence',
    breaks: 'A client skips changes after a restore.',
    test: 'test/clients/positions.test.ts',
    edits: [{ file: 'clients/typescript/src/cursor.ts', from: ' && changeKey(found) === change', to: '' }],
  },
  {
    name: 'clients read answers of any length',
    breaks: 'A hostile service takes all memory of a client.',
    test: 'test/clients/client-hostile.test.ts',
    edits: [
      {
        file: 'clients/typescript/src/answers.ts',
        from: 'isWhole = length + piece.length <= bytesMaximum;',
        to: 'isWhole = true;',
      },
    ],
  },
  {
    name: 'clients wait as long as they are told',
    breaks: 'A proxy holds a client up for a year.',
    test: 'test/clients/client-hostile.test.ts',
    edits: [{ file: 'clients/typescript/src/answers.ts', from: 'return boundedSeconds(', to: 'return (' }],
  },
  {
    name: 'a file of a list may say any length',
    breaks: 'A mirror reads a file that never ends.',
    test: 'test/clients/clients-lists.test.ts',
    edits: [{ file: 'clients/typescript/src/bulk-list.ts', from: ' || bytes > usualBytesMaximum', to: '' }],
  },
];
