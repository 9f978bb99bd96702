import type { Mutant } from '../mutant.ts';

/** Mends of the HTTP layer and of answers. */
export const httpMutants: readonly Mutant[] = [
  {
    name: 'scripts may not send the last id of a stream',
    breaks: 'A page of another address cannot go on with a stream that broke off.',
    test: 'test/http/http.test.ts',
    edits: [
      { file: 'src/rest/document-replies.ts', from: 'If-Range, Last-Event-ID, Range', to: 'If-Range, Range' },
    ],
  },
  {
    name: 'every entry of a header is read',
    breaks: 'A header of 16 KB takes milliseconds of every request, while others wait.',
    test: 'test/http/http.test.ts',
    edits: [{ file: 'src/http/negotiate.ts', from: "split(',', entriesMaximum)", to: "split(',')" }],
  },
  {
    name: 'rows that hide are shown',
    breaks: 'A filing that moved to another company stays in the list of the first.',
    test: 'test/table/table.test.ts',
    edits: [
      {
        file: 'src/table/merged-walk.ts',
        from: 'return isHidingBehind(first.block, first.line, first.sortTo) ? undefined : first;',
        to: 'return first;',
      },
    ],
  },
  {
    name: 'held requests have no share',
    breaks: 'One key takes all places of waiting requests.',
    test: 'test/answers/held.test.ts',
    title: 'a caller holds',
    edits: [
      { file: 'src/requests/held.ts', from: 'if (!places.hasRoom(caller))', to: 'if (false as boolean)' },
    ],
  },
  {
    name: 'held requests outlast the service',
    breaks: 'A service that stops waits for its held requests.',
    test: 'test/answers/held.test.ts',
    title: 'a caller holds',
    edits: [{ file: 'src/requests/held.ts', from: 'for (const release of held) release(false);', to: '' }],
  },
  {
    name: 'doubled hosts are taken',
    breaks: 'A request with two hosts is read differently by a proxy and by us.',
    test: 'test/house/conventions.test.ts',
    title: 'requests that are not in order',
    edits: [{ file: 'src/http/request-refusals.ts', from: "hosts > 1 ? 'Host'", to: "hosts > 9 ? 'Host'" }],
  },
  {
    name: 'backslashes are part of a path',
    breaks: 'A path with a backslash is read differently by a proxy and by us.',
    test: 'test/service/pipeline.test.ts',
    title: 'requests that no client library would send',
    edits: [{ file: 'src/http/request-refusals.ts', from: " || pathOf(target).includes('\\\\')", to: '' }],
  },
  {
    name: 'weak comparison takes another variant',
    breaks: 'A client that has other bytes gets 304.',
    test: 'test/http/http.test.ts',
    title: 'If-None-Match',
    edits: [
      {
        file: 'src/http/send.ts',
        from: "(/-(br|gzip)$/, '') === plain",
        to: "(/-(br|gzip)$/, '').length === plain.length",
      },
    ],
  },
  {
    name: 'a merged row is hidden by an older one',
    breaks: 'A list shows a filing twice that two tables have.',
    test: 'test/table/table.test.ts',
    edits: [
      {
        file: 'src/table/merged-walk.ts',
        from: 'also && compareSorts(also, first) === 0;',
        to: 'also && compareSorts(also, first) > 0;',
      },
    ],
  },
  {
    name: 'the first block of each company is read at once',
    breaks:
      'A page of a watchlist reads a block of each company in each segment: three times as many as it needs.',
    test: 'test/table/table.test.ts',
    title: 'no block is read',
    edits: [
      {
        file: 'src/table/merged-walk.ts',
        from: "direction === 'descending' && filedTo",
        to: 'false && filedTo',
      },
    ],
  },
  {
    name: 'the index of each table is read at once',
    breaks: 'A page of a watchlist reads the indexes of old segments, of which it needs no row.',
    test: 'test/table/table.test.ts',
    title: 'no block is read',
    edits: [{ file: 'src/table/merged-walk.ts', from: 'goBeforeIndex() || ', to: '' }],
  },
  {
    name: 'dates of the block of the index before a company bound its rows',
    breaks: 'A list of several companies is out of order.',
    test: 'test/table/table.test.ts',
    title: 'the first row may be in the block of the index',
    edits: [
      {
        file: 'src/table/merged-walk.ts',
        from: 'following?.partition === partition ? following : undefined',
        to: 'undefined',
      },
    ],
  },
  {
    name: 'dates of the block before a company bound its rows',
    breaks: 'A list of several companies shows a filing twice, and others out of order.',
    test: 'test/table/table.test.ts',
    title: 'the first row may be in the block behind',
    edits: [
      { file: 'src/table/merged-walk.ts', from: 'return following && ', to: 'return false && following && ' },
    ],
  },
  {
    name: 'what was done once is done again',
    breaks: 'A long watchlist that gives others their turn does its work twice.',
    test: 'test/table/passes.test.ts',
    title: 'what a pass has done once',
    edits: [{ file: 'src/table/passes.ts', from: 'if (known) return known.result;', to: '' }],
  },
  {
    name: 'a pass that goes on has twice the time',
    breaks: 'Whoever asks for little waits for twice as long with each pause of a long watchlist.',
    test: 'test/table/passes.test.ts',
    title: 'as short as that one',
    edits: [{ file: 'src/table/passes.ts', from: 'passes.kept.size > keptBefore ? passMs : ', to: '' }],
  },
  {
    name: 'a pass that ends looks for more',
    breaks: 'A long watchlist whose blocks are in memory gives nobody a turn.',
    test: 'test/table/passes.test.ts',
    title: 'as short as that one',
    edits: [{ file: 'src/table/passes.ts', from: ' || isPaused()) throw error;', to: ') throw error;' }],
  },
  {
    name: 'unknown parameters are ignored',
    breaks: 'A misspelt filter gives everything in place of an error.',
    test: 'test/contract/query.test.ts',
    edits: [
      {
        file: 'src/query/target.ts',
        from: "if (endpoint.access === 'keyed') refuseUnknown(endpoint, given);",
        to: '',
      },
    ],
  },
  {
    name: 'of repeated parameters the first counts',
    breaks: 'A second value of a parameter is dropped without a word.',
    test: 'test/contract/query.test.ts',
    edits: [{ file: 'src/query/checks.ts', from: 'if (values.length > 1)', to: 'if (values.length > 9)' }],
  },
  {
    name: 'callers take no turns',
    breaks: 'One caller with much work keeps all others waiting.',
    test: 'test/http/turns.test.ts',
    title: 'callers take turns',
    edits: [
      {
        file: 'src/requests/turns.ts',
        from: 'waiting.delete(caller);\n      if (works.length > 0) waiting.set(caller, works);',
        to: 'if (works.length === 0) waiting.delete(caller);',
      },
    ],
  },
  {
    name: 'work begins before all that arrived was looked at',
    breaks: 'A short request waits for the long work of each one that arrived before it.',
    test: 'test/http/turns.test.ts',
    title: 'are all looked at',
    edits: [
      { file: 'src/requests/turns.ts', from: 'hasTime() && arrived.length === 0 &&', to: 'hasTime() &&' },
    ],
  },
  {
    name: 'work that pauses goes behind new work',
    breaks: 'A long answer never ends while others ask.',
    test: 'test/http/turns.test.ts',
    title: 'pauses',
    edits: [
      {
        file: 'src/requests/turns.ts',
        from: 'paused.shift() ?? nextWaiting()',
        to: 'nextWaiting() ?? paused.shift()',
      },
    ],
  },
  {
    name: 'bodies that arrive have no bound',
    breaks: 'Clients that send slowly take all memory.',
    test: 'test/service/bounds.test.ts',
    title: 'slow bodies do not block',
    edits: [
      {
        file: 'src/http/bodies.ts',
        from: '(arriving.size <= countMaximum && held <= bytesMaximum) || oldest',
        to: '(arriving.size >= 0) || oldest',
      },
    ],
  },
  {
    name: 'connections that sent nothing stay longest',
    breaks: 'Silent connections shut out clients with requests.',
    test: 'test/service/bounds.test.ts',
    title: 'a connection beyond the bound closes a silent one',
    edits: [
      {
        file: 'src/http/connections.ts',
        from: 'for (const each of [silent, idle, busy])\n      for',
        to: 'for (const each of [busy, idle, silent])\n      for',
      },
    ],
  },
  {
    name: 'answers that nobody reads stay',
    breaks: 'Clients that read nothing take all memory.',
    test: 'test/service/bounds.test.ts',
    title: 'answers that clients do not take are dropped',
    edits: [
      {
        file: 'src/http/connections.ts',
        from: 'if (unsent.left() >= 0 || first === outgoing) break;',
        to: 'break;',
      },
    ],
  },
  {
    name: 'a range of another version is sent',
    breaks: 'A download that is resumed has pieces of two documents.',
    test: 'test/site/catalog.test.ts',
    title: 'a sample is a download',
    edits: [
      {
        file: 'src/http/range.ts',
        from: '(ifRange !== undefined && ifRange !== answer.etag)',
        to: '(false as boolean)',
      },
    ],
  },
  {
    name: 'an encoding is sent to who refuses it',
    breaks: 'A client that cannot read gzip gets gzip.',
    test: 'test/http/http.test.ts',
    edits: [{ file: 'src/http/negotiate.ts', from: 'Number(weight) || 0', to: 'Number(weight) || 1' }],
  },
  {
    name: 'compressed answers are not counted',
    breaks: 'The cache of answers takes more memory than its bound.',
    test: 'test/http/response-cache.test.ts',
    edits: [{ file: 'src/http/response-cache.ts', from: '{ size: size + bytes.length }', to: '{ size }' }],
  },
  {
    name: 'answers of an older snapshot are given',
    breaks: 'After a publication a request gets the answer of before.',
    test: 'test/http/response-cache.test.ts',
    edits: [
      {
        file: 'src/http/response-cache.ts',
        from: "return `${snapshotId ?? ''} ${asked}`;",
        to: "return snapshotId === '' ? '' : asked;",
      },
    ],
  },
  {
    name: 'all answers wait for compression',
    breaks: 'A burst of long answers takes memory without a bound.',
    test: 'test/http/response-cache.test.ts',
    edits: [
      {
        file: 'src/http/response-cache.ts',
        from: 'compressingBytes > 0 && compressingBytes + body.length > compressingBytesMaximum',
        to: '(false as boolean)',
      },
    ],
  },
  {
    name: 'cached answers keep larger buffers',
    breaks: 'An answer of a kilobyte keeps a block of a megabyte.',
    test: 'test/http/response-cache.test.ts',
    edits: [
      {
        file: 'src/http/response-cache.ts',
        from: 'if (bytes.buffer.byteLength === bytes.length) return bytes;',
        to: 'if (bytes.length >= 0) return bytes;',
      },
    ],
  },
  {
    name: 'intents of a minute have no bound',
    breaks: 'A script fills the journal of intents.',
    test: 'test/intents/intents.test.ts',
    title: 'a journal takes no more',
    edits: [{ file: 'src/intents/journal-room.ts', from: 'minute.taken < intentsPerMinute &&', to: '' }],
  },
  {
    name: 'intents of a day have no bound',
    breaks: 'A script fills the disk with intents.',
    test: 'test/intents/intents.test.ts',
    title: 'a journal takes no more',
    edits: [
      {
        file: 'src/intents/journal-room.ts',
        from: ' && day.bytes + lineBytesMaximum <= bytesPerDay',
        to: '',
      },
    ],
  },
  {
    name: 'an intent may be of any length',
    breaks: 'A long referrer makes lines that are not written at once.',
    test: 'test/intents/intents.test.ts',
    title: 'a journal writes lines',
    edits: [
      {
        file: 'src/intents/journal.ts',
        from: 'return line.length <= lineBytesMaximum',
        to: 'return line.length > 0',
      },
    ],
  },
  {
    name: 'a sample names a domain that somebody may have',
    breaks: 'The catalog sends visitors to a stranger.',
    test: 'test/site/catalog-content.test.ts',
    edits: [
      {
        file: 'site/catalog/markets/domain-registrations.ts',
        from: "'pebblewíck.example'",
        to: "'pebblewíck.com'",
      },
    ],
  },
  {
    name: 'a data package describes what is written for spreadsheets',
    breaks: 'Programs read ="0000320193" as the CIK of a sample.',
    test: 'test/site/catalog.test.ts',
    title: 'whose values are as it says',
    edits: [
      { file: 'site/catalog/data-package.ts', from: '/${dataset.slug}.json`)', to: '/${dataset.slug}.csv`)' },
      {
        file: 'site/catalog/data-package.ts',
        from: 'path: `${dataset.slug}.json`',
        to: 'path: `${dataset.slug}.csv`',
      },
    ],
  },
  {
    name: 'CSV for spreadsheets has no byte order mark',
    breaks: 'Excel shows each letter that is not of ASCII as two characters.',
    test: 'test/site/catalog.test.ts',
    title: 'CSV is safe in a spreadsheet',
    edits: [{ file: 'site/content/csv-file.ts', from: '=> sheetMark + csvOf(', to: '=> csvOf(' }],
  },
  {
    name: 'an entry of the changelog ends at any hyphen',
    breaks: 'Commands with arguments are cut in two on the page of the changelog.',
    test: 'test/site/site.test.ts',
    title: 'entry of the changelog',
    edits: [{ file: 'site/pages/docs/changelog.ts', from: ".split('\\n- ')", to: ".split('- ')" }],
  },
];
