import type { Mutant } from '../mutant.ts';

/** Mends of deliveries to endpoints. */
export const deliverMutants: readonly Mutant[] = [
  {
    name: 'an endpoint gets everything that is restated and filled in',
    breaks: 'After an update each endpoint rings for a million old filings, and new ones wait behind them.',
    test: 'test/deliver/deliver-parts.test.ts',
    title: 'filters are handed to the feed',
    edits: [
      {
        file: 'src/contract/corrections.ts',
        from: "webhookCorrections = 'source,contents'",
        to: "webhookCorrections = 'all'",
      },
    ],
  },
  {
    name: 'a signing key of webhooks signs another text',
    breaks: 'Receivers that check messages with the public key refuse them all.',
    test: 'test/deliver/deliver-parts.test.ts',
    edits: [
      {
        file: 'build/deliver/post.ts',
        from: 'Buffer.from(`${id}.${seconds}.${body}`)',
        to: 'Buffer.from(`${id}.${body}`)',
      },
    ],
  },
  {
    name: 'an action is done again',
    breaks: 'A replay begins again with each start.',
    test: 'test/deliver/deliver-parts.test.ts',
    title: 'an action of an operator',
    edits: [
      {
        file: 'build/deliver/operator.ts',
        from: 'number > (entry?.action ?? 0)',
        to: 'number >= (entry?.action ?? 0)',
      },
    ],
  },
  {
    name: 'a replay leaves out what was handled',
    breaks: 'A replay sends nothing of the page at which it stands.',
    test: 'test/deliver/deliver-parts.test.ts',
    title: 'an action of an operator',
    edits: [{ file: 'build/deliver/operator.ts', from: '...nothingHandled, ', to: '' }],
  },
  {
    name: 'a wrong key refuses each endpoint',
    breaks: 'After a key was revoked, every endpoint rings as one whose filter is wrong.',
    test: 'test/deliver/deliver-parts.test.ts',
    title: 'only what is wrong with its filter',
    edits: [
      { file: 'build/deliver/feed.ts', from: '&& refusals.has(error.code)', to: '&& !error.isPassing' },
    ],
  },
  {
    name: 'a misspelt company of an endpoint is told to nobody',
    breaks: 'An endpoint never gets the filings of a company that it names, and nothing says so.',
    test: 'test/deliver/deliver-parts.test.ts',
    title: 'a company that the feed does not know',
    edits: [
      {
        file: 'build/deliver/run-endpoint.ts',
        from: "page.unknown.join(', ')",
        to: "page.unknown.slice(0, 0).join(', ')",
      },
    ],
  },
  {
    name: 'a receiver begins without a secret',
    breaks: 'Anybody can sign messages for a receiver whose setting was forgotten.',
    test: 'test/site/example-attacks.test.ts',
    title: 'does not begin without a secret',
    edits: [
      { file: 'site/examples/webhooks/receiver.mjs', from: 'key.length < 24', to: 'key.length < 0' },
      { file: 'site/examples/webhooks/receiver.py', from: 'len(key) < 24', to: 'len(key) < 0' },
    ],
  },
  {
    name: 'pauses between attempts have no bound',
    breaks: 'An endpoint that failed for hours is tried again after days.',
    test: 'test/deliver/deliver-parts.test.ts',
    edits: [
      {
        file: 'build/deliver/run-endpoint.ts',
        from: 'attemptPauses = { firstMs: 3000, longestMs: hourMs }',
        to: 'attemptPauses = { firstMs: 3000, longestMs: 1000 * hourMs }',
      },
    ],
  },
  {
    name: 'an endpoint cannot ask for a pause',
    breaks: 'Retry-After of an endpoint is not heeded.',
    test: 'test/deliver/deliver-parts.test.ts',
    edits: [
      {
        file: 'src/fetch/backoff.ts',
        from: 'Math.max(ownMs * (0.5 + random / 2), retryAfterMs)',
        to: 'Math.max(ownMs * (0.5 + random / 2), 0 * retryAfterMs)',
      },
    ],
  },
  {
    name: 'a letter goes on behind half a line',
    breaks: 'Two dead letters become one line that nobody reads.',
    test: 'test/deliver/deliver-parts.test.ts',
    edits: [
      {
        file: 'build/deliver/delivery-state.ts',
        from: "buffer.toString() === '\\n' ? '' : '\\n'",
        to: "buffer.length > 0 ? '' : '.'",
      },
    ],
  },
  {
    name: 'news go on behind a restored ledger',
    breaks: 'After a restore nobody hears of news.',
    test: 'test/deliver/restored-log.test.ts',
    title: 'news are looked for',
    edits: [{ file: 'build/deliver/feed.ts', from: 'if (isInvalid) end = null;', to: '' }],
  },
  {
    name: 'two programs deliver with one state',
    breaks: 'Each change is delivered twice.',
    test: 'test/deliver/deliver.test.ts',
    edits: [
      {
        file: 'build/deliver/deliver.ts',
        from: 'tryLockFile(lockPath(options.directory));',
        to: 'tryLockFile(lockPath(options.directory)) ?? { release: () => {} };',
      },
    ],
  },
  {
    name: 'the first secret alone signs',
    breaks: 'A receiver with the new secret refuses all until the old one goes.',
    test: 'test/deliver/deliver-parts.test.ts',
    edits: [{ file: 'build/deliver/post.ts', from: 'secrets.map(', to: 'secrets.slice(0, 1).map(' }],
  },
  {
    name: 'the address of a cloud is public',
    breaks: 'A customer lets the program ask the metadata of its machine.',
    test: 'test/deliver/deliver-parts.test.ts',
    edits: [{ file: 'build/deliver/public-addresses.ts', from: "'169.254.0.0/16',", to: '' }],
  },
  {
    name: 'of several addresses the first is looked at',
    breaks: 'A name with a public and a private address leads inside.',
    test: 'test/deliver/deliver-parts.test.ts',
    edits: [
      {
        file: 'build/deliver/public-addresses.ts',
        from: 'found.find(({ address }) => !isPublic(address))',
        to: 'found.slice(0, 1).find(({ address }) => !isPublic(address))',
      },
    ],
  },
  {
    name: 'slow endpoints begin among the quick ones',
    breaks: 'Endpoints that hang take the places of all others after a pause.',
    test: 'test/deliver/attempt-slots.test.ts',
    edits: [
      { file: 'build/deliver/attempt-slots.ts', from: '(isSlow ? slow : quick).enter', to: 'quick.enter' },
    ],
  },
  {
    name: 'an answer of an endpoint turns lines',
    breaks: 'The reason of an endpoint writes lines into the log.',
    test: 'test/deliver/deliver-parts.test.ts',
    edits: [{ file: 'build/deliver/post.ts', from: ".replace(/[\\p{Cc}\\p{Cf}\\s]+/gu, ' ')", to: '' }],
  },
];
