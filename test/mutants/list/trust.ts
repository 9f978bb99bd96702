import type { Mutant } from '../mutant.ts';

/** Mends of what other parties may write, send or ask for. */
export const trustMutants: readonly Mutant[] = [
  {
    name: 'numbers that nobody of ours signed are counted',
    breaks: 'One write to the pointer without a key burns the numbers of signed pointers.',
    test: 'test/snapshot/trust-unverified.test.ts',
    edits: [
      {
        file: 'build/snapshot/sign.ts',
        from: 'isOurs(each) ? (each?.signature?.number ?? 0) : 0',
        to: 'each?.signature?.number ?? 0',
      },
    ],
  },
  {
    name: 'a number far beyond its time is taken',
    breaks: 'A burnt number is accepted and shuts out all later pointers.',
    test: 'test/snapshot/trust-unverified.test.ts',
    edits: [
      {
        file: 'src/snapshot/trust.ts',
        from: 'if (!isNumberPossible(signature)) throw new ContentError(impossibleNumber(signature));',
        to: '',
      },
    ],
  },
  {
    name: 'a kept pointer with a burnt number counts',
    breaks: 'After a restart a burnt number shuts out all pointers.',
    test: 'test/snapshot/trust-unverified.test.ts',
    edits: [
      {
        file: 'src/snapshot/accepted.ts',
        from: 'if (isNumberPossible(pointer.signature)) return { name, pointer };',
        to: 'return { name, pointer };',
      },
    ],
  },
  {
    name: 'changes of a shared file take no turns',
    breaks: 'A revoked key is valid again when a key is added beside.',
    test: 'test/work/change-file.test.ts',
    edits: [
      {
        file: 'build/disk/change-file.ts',
        from: 'return withLock(`${path}.lock`, async () => {',
        to: 'return (async (_lock: string, work: () => Promise<void>) => work())(`${path}.lock`, async () => {',
      },
    ],
  },
  {
    name: 'locks follow links',
    breaks: 'Root makes a file where another user put a link.',
    test: 'test/work/lock.test.ts',
    edits: [{ file: 'build/disk/lock.ts', from: ' | (constants.O_NOFOLLOW ?? 0)', to: '' }],
  },
  {
    name: 'a shared folder may be open to others',
    breaks: 'The EDGAR client takes a folder into which others write.',
    test: 'test/edgar/edgar-share.test.ts',
    edits: [
      { file: 'build/edgar/share.ts', from: '(found.mode & 0o077) !== 0', to: '(found.mode & 0o077) < 0' },
    ],
  },
  {
    name: 'names of mirrored files are joined as they come',
    breaks: 'A hostile service writes any file through a mirror.',
    test: 'test/clients/clients-lists.test.ts',
    edits: [
      {
        file: 'clients/typescript/src/bulk-list.ts',
        from: 'if (name !== nameOf(firstSequence)) return',
        to: "if (typeof name !== 'string') return",
      },
    ],
  },
  {
    name: 'keys follow a redirect to another origin',
    breaks: 'The key of a customer is sent to whatever host a redirect names.',
    test: 'test/clients/client-hostile.test.ts',
    edits: [
      {
        file: 'clients/typescript/src/answers.ts',
        from: 'if (target.origin !== new URL(at).origin)',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'pauses of others go to the timer as they come',
    breaks: 'A long Retry-After becomes a pause of a millisecond.',
    test: 'test/deliver/deliver-parts.test.ts',
    edits: [
      {
        file: 'src/fetch/backoff.ts',
        from: 'return pauseMs > 0 ? Math.min(pauseMs, hourMs) : 0;',
        to: 'return pauseMs;',
      },
    ],
  },
  {
    name: 'full-width signs begin no formula',
    breaks: 'A spreadsheet runs a name that begins with a full-width equals sign.',
    test: 'test/site/catalog.test.ts',
    edits: [{ file: 'site/content/sheet.ts', from: "text.normalize('NFKC')", to: 'text' }],
  },
  {
    name: 'names reach a terminal as they are',
    breaks: 'A name of a filer moves the cursor of the operator.',
    test: 'test/commands/main.test.ts',
    edits: [
      {
        file: 'src/log/printable.ts',
        from: 'if (plain.test(line)) return line;',
        to: "if (line !== '') return line;",
      },
    ],
  },
  {
    name: 'texts for assistants quote nothing',
    breaks: 'A name of a filer reads like an instruction.',
    test: 'test/answers/filer-text.test.ts',
    edits: [{ file: 'src/render/filer-text.ts', from: 'JSON.stringify(plainText(name))', to: 'name' }],
  },
  {
    name: 'the documented receiver reads bodies without an end',
    breaks: 'One request without a secret ends the receiver that people copied.',
    test: 'test/site/example-attacks.test.ts',
    edits: [{ file: 'site/examples/webhooks/receiver.mjs', from: '> bytesMaximum', to: '> Infinity' }],
  },
  {
    name: 'texts of a source are kept as they come',
    breaks: 'Escape sequences go from EDGAR into the texts of tools.',
    test: 'test/sources/source-text.test.ts',
    edits: [
      {
        file: 'build/sources/source-text.ts',
        from: 'return mayBeUnwritable ? writableValue(value) : value;',
        to: 'return mayBeUnwritable && value === undefined ? writableValue(value) : value;',
      },
    ],
  },
  {
    name: 'JSON of a source may be of any depth',
    breaks: 'Sixty kilobytes of gzip take three gigabytes.',
    test: 'test/sources/source-text.test.ts',
    edits: [
      {
        file: 'build/sources/source-text.ts',
        from: 'if (++depth > jsonBounds.depth)',
        to: 'if (++depth < 0)',
      },
    ],
  },
  {
    name: 'the words about tools come before the title',
    breaks: 'A page about the request rate ends the follower.',
    test: 'test/edgar/edgar-block.test.ts',
    edits: [
      { file: 'build/edgar/outcome.ts', from: "if (rateWords.test(text)) return 'throttled';\n", to: '' },
    ],
  },
  {
    name: 'a cell that begins with a formula is left as it is',
    breaks: 'A spreadsheet runs a name that begins with an equals sign.',
    test: 'test/site/catalog.test.ts',
    title: 'CSV is safe',
    edits: [
      {
        file: 'site/content/sheet.ts',
        from: "isFormula(value) ? `'${value}`",
        to: 'isFormula(value) ? `${value}`',
      },
    ],
  },
  {
    name: 'every filing counts as one of the public sample',
    breaks: 'The page of a filing tells any filing without a key.',
    test: 'test/answers/shared-pages.test.ts',
    edits: [
      {
        file: 'src/answers/shared-pages.ts',
        from: 'const isOpen = await isInSample(snapshot, accessionNo);',
        to: 'const isOpen = (await isInSample(snapshot, accessionNo)) || true;',
      },
    ],
  },
];
