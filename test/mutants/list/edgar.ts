import type { Mutant } from '../mutant.ts';

/** Mends of requests to EDGAR and copies of its answers. */
export const edgarMutants: readonly Mutant[] = [
  {
    name: 'a damaged copy is read',
    breaks: 'A file with a wrong byte goes into the ledger.',
    test: 'test/edgar/edgar-cache.test.ts',
    edits: [
      {
        file: 'src/fetch/disk-cache.ts',
        from: "sha256Of(content) === file.toString('latin1', 0, hexCharacters)",
        to: 'content.length > 0',
      },
    ],
  },
  {
    name: 'a copy of another address is read',
    breaks: 'A file that was moved by hand is taken for another company.',
    test: 'test/edgar/edgar-cache.test.ts',
    edits: [{ file: 'build/edgar/cache.ts', from: 'if (header.url !== url) return undefined;', to: '' }],
  },
  {
    name: 'a mark of another copy counts',
    breaks: 'An old copy looks as if it was just compared.',
    test: 'test/edgar/edgar-cache.test.ts',
    edits: [
      {
        file: 'build/edgar/cache.ts',
        from: 'digest === sha256Of(content) &&',
        to: 'digest !== undefined &&',
      },
    ],
  },
  {
    name: 'a page in place of a file is the file',
    breaks: 'A page about maintenance is kept as the archive.',
    test: 'test/edgar/edgar-block.test.ts',
    edits: [
      {
        file: 'build/edgar/outcome.ts',
        from: 'if (status === 200 && isDownload && answer.body.length > 0)',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'any refusal means that a file is absent',
    breaks: 'A block of this address makes filings look withdrawn.',
    test: 'test/edgar/edgar-faults.test.ts',
    edits: [
      {
        file: 'build/edgar/outcome.ts',
        from: '/<Code>(AccessDenied|NoSuchKey)<\\/Code>/.test(page)',
        to: 'page.length >= 0',
      },
    ],
  },
  {
    name: 'requests come faster than the limit',
    breaks: 'EDGAR blocks the address.',
    test: 'test/edgar/edgar-rate-limiter.test.ts',
    edits: [
      { file: 'build/edgar/rate-limiter.ts', from: 'const windowMs = 1010;', to: 'const windowMs = 500;' },
    ],
  },
  {
    name: 'a clock that goes back holds requests up',
    breaks: 'After a correction of the clock nothing is asked for an hour.',
    test: 'test/edgar/edgar-rate-limiter.test.ts',
    edits: [
      { file: 'build/edgar/rate-limiter.ts', from: 'Math.max(0, reading - latest)', to: 'reading - latest' },
    ],
  },
  {
    name: 'a blocked program asks again at once',
    breaks: 'EDGAR extends the block of the address.',
    test: 'test/edgar/edgar-faults.test.ts',
    edits: [{ file: 'build/edgar/retry.ts', from: 'Math.max(pauseMs, coolDownMs)', to: 'pauseMs' }],
  },
  {
    name: 'a pause of a day is waited for',
    breaks: 'One answer holds a program up for a day.',
    test: 'test/edgar/edgar-faults.test.ts',
    title: 'a throttle of hours',
    edits: [{ file: 'build/edgar/retry.ts', from: 'if (waitMs > longestMs)', to: 'if (false as boolean)' }],
  },
  {
    name: 'each program has the whole limit',
    breaks: 'Several programs together ask more than EDGAR allows.',
    test: 'test/edgar/edgar-share.test.ts',
    edits: [{ file: 'build/edgar/client.ts', from: 'limit / share.clients()', to: 'limit' }],
  },
  {
    name: 'a pause is forgotten with its program',
    breaks: 'A program that starts during a block asks on.',
    test: 'test/edgar/edgar-block.test.ts',
    edits: [
      {
        file: 'build/edgar/kept-pause.ts',
        from: 'if (leftOf(read(path)) < kept.pauseMs) write(path, kept);',
        to: 'if (leftOf(read(path)) < 0) write(path, kept);',
      },
    ],
  },
  {
    name: 'a pause of a clock that was ahead is kept',
    breaks: 'A machine whose clock was set back asks nothing for days.',
    test: 'test/edgar/edgar-block.test.ts',
    edits: [
      {
        file: 'build/edgar/kept-pause.ts',
        from: 'passedMs < -clockDifferenceMs ? 0',
        to: 'passedMs < -Infinity ? 0',
      },
    ],
  },
  {
    name: 'a download without a validator makes progress for ever',
    breaks: 'An archive without ETag and date that breaks off each time is asked for without end.',
    test: 'test/edgar/edgar-download.test.ts',
    title: 'a download gives up where each attempt breaks off',
    edits: [
      { file: 'build/edgar/download.ts', from: 'farthest, reached, received', to: 'farthest, received' },
    ],
  },
];
