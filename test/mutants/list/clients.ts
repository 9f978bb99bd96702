import type { Mutant } from '../mutant.ts';

/** Mends of the clients. */
export const clientMutants: readonly Mutant[] = [
  {
    name: 'what is published while a list is read in parts comes at once',
    breaks: 'A part that was at its end gives again, and later, what another one gave meanwhile.',
    test: 'test/clients/clients-parts.test.ts',
    edits: [
      {
        file: 'clients/typescript/src/parts.ts',
        from: '.filter((part) => sequenceOf(part) <= end)',
        to: '.filter((part) => sequenceOf(part) < Infinity)',
      },
    ],
  },
  {
    name: 'an archive is rewritten as a text',
    breaks: 'At another address than that of the build, the archive of a client cannot be unpacked.',
    test: 'test/site/trial.test.ts',
    title: 'the archive of each client',
    edits: [{ file: 'src/answers/address.ts', from: 'fatal: true', to: 'fatal: false' }],
  },
  {
    name: 'a change of several parts of a list comes again',
    breaks: 'A filing that names companies of two parts of a long list is given twice.',
    test: 'test/clients/clients-watchlist.test.ts',
    edits: [
      {
        file: 'clients/typescript/src/parts.ts',
        from: 'if (handled.includes(change.sequence)) continue;',
        to: '',
      },
    ],
  },
  {
    name: 'a part of a list without a known company ends all',
    breaks: 'One part of a long list whose companies are all unknown costs the others their changes.',
    test: 'test/clients/clients-watchlist.test.ts',
    edits: [
      {
        file: 'clients/typescript/src/parts.ts',
        from: 'if (unknown.add(part).size === parts.length) throw error;',
        to: 'throw error;',
      },
    ],
  },
  {
    name: 'a refused key is not asked for again',
    breaks: 'A client whose key was changed ends, although a function gives it the new one.',
    test: 'test/clients/clients-key.test.ts',
    edits: [
      {
        file: 'clients/typescript/src/transport.ts',
        from: 'if ((await currentKey(more)) === key) known = null;',
        to: '',
      },
    ],
  },
  {
    name: 'a mirror of an older version keeps its columns',
    breaks: 'A database that an older version made cannot be written any more.',
    test: 'test/clients/clients-mirror.test.ts',
    edits: [
      {
        file: 'clients/typescript/src/mirror/store.ts',
        from: 'if (missing.length > 0) atOnce(() => addColumns(missing));',
        to: '',
      },
    ],
  },
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
  {
    name: 'a full disk is told as a rollback that failed',
    breaks: 'A mirror on a full disk says that there is no transaction, and not that the disk is full.',
    test: 'test/clients/clients-mirror.test.ts',
    title: 'full disk',
    edits: [
      {
        file: 'clients/typescript/src/mirror/store.ts',
        from: "      try {\n        database.exec('ROLLBACK');\n      } catch {\n",
        to: "      database.exec('ROLLBACK');\n      try {\n      } catch {\n",
      },
    ],
  },
  {
    name: 'each request leaves something at the signal of its caller',
    breaks: 'A client that is given one signal for years grows with each request.',
    test: 'test/clients/clients-service.test.ts',
    title: 'leave nothing',
    edits: [
      {
        file: 'clients/typescript/src/pauses.ts',
        from: "leave: () => signal?.removeEventListener('abort', end)",
        to: 'leave: () => {}',
      },
    ],
  },
  {
    name: 'the folder of a mirror that goes on stays as it was',
    breaks: 'A mirror that runs for years lacks the files of the log that were closed since it began.',
    test: 'test/clients/clients-mirror.test.ts',
    title: 'once a day',
    edits: [
      {
        file: 'clients/typescript/src/mirror/mirror.ts',
        from: 'if (startedMs - filesMs >= filesEveryMs) {',
        to: 'if (startedMs - filesMs >= Infinity) {',
      },
    ],
  },
  {
    name: 'what a broken download left stays for ever',
    breaks: 'The folder of the example mirror.py grows by each download of the open file that broke off.',
    test: 'test/answers/bulk-recipes.test.ts',
    title: 'changed meanwhile',
    edits: [
      {
        file: 'site/examples/bulk/mirror.py',
        from: 'for part in folder.glob("changes-*.part"):',
        to: 'for part in folder.glob("nothing"):',
      },
    ],
  },
  {
    name: 'two mirrors of one folder are in the way of each other',
    breaks: 'A mirror that begins while another one fetches the same file ends with ENOENT.',
    test: 'test/clients/clients-mirror.test.ts',
    title: 'keep the same folder',
    edits: [
      {
        file: 'clients/typescript/src/mirror/files.ts',
        from: "if (error.code !== 'ENOENT') throw error;\n    });",
        to: 'throw error;\n    });',
      },
    ],
  },
  {
    name: 'the list of files is read again at once',
    breaks:
      'A mirror of a service with two replicas ends while they differ in what they know of the open file.',
    test: 'test/clients/clients-mirror.test.ts',
    title: 'replicas of the service differ',
    edits: [
      {
        file: 'clients/typescript/src/mirror/files.ts',
        from: 'await sleep(pauseAfter(listings, 0), signal);',
        to: 'await sleep(pauseAfter(listings, 0) * 0, signal);',
      },
    ],
  },
];
