import type { Mutant } from '../mutant.ts';

/** Mends of the feed, its cursors and streams. */
export const feedMutants: readonly Mutant[] = [
  {
    name: 'a feed with some corrections reads all of them',
    breaks: 'A client that wants none waits while the service reads a restatement of a million filings.',
    test: 'test/answers/corrections.test.ts',
    title: 'passes it with a few reads',
    edits: [
      {
        file: 'src/answers/read-feed.ts',
        from: 'wanted: both(causeLabels(request), dateRange(withAcceptance(request))),',
        to: 'wanted: dateRange(withAcceptance(request)),',
      },
    ],
  },
  {
    name: 'instants of any year are days',
    breaks: 'An instant at the end of the calendar is no day that can be compared.',
    test: 'test/answers/acceptance.test.ts',
    title: 'of filings accepted in 1993, 2026 and 2098',
    edits: [
      {
        file: 'src/answers/acceptance.ts',
        from: 'Math.min(Math.max(ms, firstMs), lastMs)',
        to: 'ms',
      },
    ],
  },
  {
    name: 'labels of a company tell no causes',
    breaks: 'The feed of a company reads each block of a restatement.',
    test: 'test/answers/corrections.test.ts',
    title: 'passes it with a few reads',
    edits: [
      {
        file: 'src/answers/read-feed.ts',
        from: 'both(causeLabels(filter), acceptanceRange(filter))',
        to: 'acceptanceRange(filter)',
      },
    ],
  },
  {
    name: 'the feed looks for odd acceptances by their filing dates',
    breaks: 'A filing that EDGAR accepted after its filing date is not among those accepted since then.',
    test: 'test/answers/lists.test.ts',
    title: 'accepted oddly',
    edits: [
      {
        file: 'src/answers/read-feed.ts',
        from: 'const page = accepted\n',
        to: 'const page = leastValue === -1\n',
      },
    ],
  },
  {
    name: 'histories look for odd acceptances by their filing dates',
    breaks: 'The list of all filings leaves out what EDGAR accepted after its filing date.',
    test: 'test/answers/lists.test.ts',
    title: 'accepted oddly',
    edits: [
      {
        file: 'src/answers/read-history.ts',
        from: 'if (!accepted) return own;',
        to: 'if (most > 0) return own;',
      },
    ],
  },
  {
    name: 'labels of a company tell no odd acceptance',
    breaks: 'The feed of a company leaves out what EDGAR accepted long after its filing date.',
    test: 'test/answers/lists.test.ts',
    title: 'accepted oddly',
    edits: [
      {
        file: 'src/answers/row-filter.ts',
        from: 'inDates(entry, isOldest) || entry.labels === undefined || entry.labels.includes(oddAcceptance)',
        to: 'inDates(entry, isOldest)',
      },
    ],
  },
  {
    name: 'an instant may have a year of five digits',
    breaks:
      'Accepted until the last instant of the year 9999, in a zone behind UTC, is refused as before all others.',
    test: 'test/contract/query.test.ts',
    title: 'acceptedSince',
    edits: [
      {
        file: 'src/contract/parameter.ts',
        from: 'Math.min(Math.max(Date.parse(written), firstMs), lastMs)',
        to: 'Math.max(Date.parse(written), firstMs) + 0 * lastMs',
      },
    ],
  },
  {
    name: 'an offset of hours alone is refused',
    breaks: 'A timestamp as some databases write it is refused as the beginning of a feed.',
    test: 'test/contract/query.test.ts',
    title: 'is read as',
    edits: [{ file: 'src/contract/parameter.ts', from: '(:?[0-5]\\d)?)?$/i', to: ':?[0-5]\\d)?$/i' }],
  },
  {
    name: 'a page of the feed reads on until it is full',
    breaks: 'Filters that rarely match together take seconds among a million filings.',
    test: 'test/answers/ended-early.test.ts',
    title: 'is empty, says so',
    edits: [
      {
        file: 'src/answers/lists.ts',
        from: 'readFeed(snapshot, request, rowsLeftOut)',
        to: 'readFeed(snapshot, request, Infinity)',
      },
    ],
  },
  {
    name: 'a page that ended early goes on behind the snapshot',
    breaks: 'A client that follows the cursor loses what a page did not look at.',
    test: 'test/answers/ended-early.test.ts',
    title: 'is empty, says so',
    edits: [
      {
        file: 'src/answers/lists.ts',
        from: 'const reached = endedEarly\n',
        to: 'const reached = limit < 0\n',
      },
    ],
  },
  {
    name: 'a page that ended early is held',
    breaks: 'A client with wait is told a minute later that there is more behind an empty page.',
    test: 'test/answers/ended-early.test.ts',
    title: 'is not held',
    edits: [{ file: 'src/answers/lists.ts', from: 'count === 0 && !endedEarly', to: 'count === 0' }],
  },
  {
    name: 'a page that ended early is the end for clients',
    breaks: 'A loop over all changes ends at an empty page, and leaves out those behind it.',
    test: 'test/answers/ended-early.test.ts',
    title: 'both clients',
    edits: [
      {
        file: 'clients/typescript/src/source.ts',
        from: 'data.length < pageRows && meta.endedEarly !== true',
        to: 'data.length < pageRows',
      },
    ],
  },
  {
    name: 'a page that ended early is the end for webhooks',
    breaks: 'An endpoint waits for the next publication, although there are changes for it.',
    test: 'test/deliver/restored-log.test.ts',
    title: 'ended early',
    edits: [
      {
        file: 'build/deliver/feed.ts',
        from: 'if (place === undefined && endedEarly) return [];',
        to: '',
      },
    ],
  },
  {
    name: 'a part of a month is counted as the whole month',
    breaks: 'A list since the middle of a month tells too many filings.',
    test: 'test/answers/counts.test.ts',
    edits: [
      {
        file: 'src/answers/kept-counts.ts',
        from: "if (since !== undefined && !since.endsWith('-01')) return null;",
        to: '',
      },
    ],
  },
  {
    name: 'a correction of any cause comes by its form',
    breaks: 'A feed with a form gives corrections that the client did not ask for.',
    test: 'test/answers/corrections.test.ts',
    title: 'only first entries and the named causes come',
    edits: [
      {
        file: 'src/answers/read-feed.ts',
        from: 'isTold && corrections === undefined ? undefined : tests',
        to: 'isTold ? undefined : tests',
      },
    ],
  },
  {
    name: 'a cursor of a ledger that continued differently is taken',
    breaks: 'After a restored ledger a client skips changes without a word.',
    test: 'test/contract/cursor.test.ts',
    edits: [
      {
        file: 'src/query/cursor.ts',
        from: 'if (expected !== null && expected !== furthest.batch)',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'a cursor of another ledger is taken',
    breaks: 'A cursor of another service leads to changes of this one.',
    test: 'test/contract/cursor.test.ts',
    edits: [
      {
        file: 'src/query/cursor.ts',
        from: 'if (parts[1] !== ledgerId.slice(0, digits))',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'a cursor may be altered',
    breaks: 'A cursor with other numbers is taken for one that was given out.',
    test: 'test/contract/cursor.test.ts',
    edits: [
      {
        file: 'src/query/cursor.ts',
        from: 'if (encode(parts) !== text || parts[0] !== kind)',
        to: 'if (parts[0] !== kind)',
      },
    ],
  },
  {
    name: 'a rollback forgets what was seen',
    breaks: 'After a rollback a new cursor is refused once the snapshots are back.',
    test: 'test/contract/cursor.test.ts',
    edits: [
      {
        file: 'src/query/cursor.ts',
        from: 'batch === null && seen ? seen.furthest : {',
        to: 'false ? (seen as FeedCursor).furthest : {',
      },
    ],
  },
  {
    name: 'an unknown entry costs the others their changes',
    breaks: 'One symbol that was delisted ends the feed of 249 other companies.',
    test: 'test/answers/changes-of-several.test.ts',
    edits: [
      {
        file: 'src/answers/company-answers.ts',
        from: 'if (unknown.length === symbols.length)',
        to: 'if (unknown.length > 0)',
      },
    ],
  },
  {
    name: 'a watchlist stream loses the second event of a change',
    breaks: 'A change that belongs to two companies of a watchlist is told for one of them after a resume.',
    test: 'test/answers/stream.test.ts',
    edits: [
      {
        file: 'src/answers/watchlist.ts',
        from: 'Math.max(readUpTo(chain, seen), untold.has(chain) ? reached - 1 : reached),',
        to: 'Math.max(readUpTo(chain, seen), reached),',
      },
    ],
  },
  {
    name: 'held requests miss a publication in between',
    breaks: 'A request with wait sleeps although a publication came while its page was read.',
    test: 'test/answers/held.test.ts',
    edits: [{ file: 'src/requests/held.ts', from: 'if (published > publication) return true;', to: '' }],
  },
  {
    name: 'a stream goes on without its key',
    breaks: 'A key that was revoked still gets its stream.',
    test: 'test/answers/stream.test.ts',
    edits: [
      {
        file: 'src/rest/stream.ts',
        from: /await requireKeyStill\(services, exchange\);\s+if \(quietMs/,
        to: 'if (quietMs',
      },
      {
        file: 'src/rest/stream.ts',
        from: /await requireKeyStill\(services, exchange\);\s+const reading/,
        to: 'const reading',
      },
    ],
  },
  {
    name: 'pages of a stream do not count for its key',
    breaks: 'A stream reads past the limit of its key.',
    test: 'test/answers/stream.test.ts',
    edits: [
      {
        file: 'src/rest/stream.ts',
        from: 'isWhole ? commentEveryMs : untilAllowedMs(services, exchange)',
        to: 'isWhole ? commentEveryMs : 0',
      },
    ],
  },
  {
    name: 'proxies hold events back',
    breaks: 'Behind nginx an event comes minutes late.',
    test: 'test/answers/stream.test.ts',
    edits: [{ file: 'src/rest/stream.ts', from: "'X-Accel-Buffering': 'no',", to: '' }],
  },
  {
    name: 'a date of the far future moves the window',
    breaks: 'One filing with a wrong date empties the watchlists of all.',
    test: 'test/answers/watchlist.test.ts',
    title: 'a filing with a date of the far future',
    edits: [
      {
        file: 'src/answers/watchlist.ts',
        from: 'filed > dayFrom(recorded, laterDaysMaximum) ? recorded : filed',
        to: 'filed',
      },
    ],
  },
  {
    name: 'two names of a company are two buckets',
    breaks: 'A company that is asked for by symbol and CIK is told twice.',
    test: 'test/answers/watchlist.test.ts',
    title: 'a watchlist has one bucket',
    edits: [
      {
        file: 'src/answers/watchlist.ts',
        from: 'if (known) known.entries.push(entry);',
        to: 'if (known && known.entries.length < 0) known.entries.push(entry);',
      },
    ],
  },
  {
    name: 'a stream misses a publication in between',
    breaks: 'A stream sleeps although a publication came while its page was read.',
    test: 'test/answers/stream.test.ts',
    title: 'a publication that comes while a page is read',
    edits: [
      { file: 'src/rest/stream.ts', from: 'const publication = held.publication();', to: '' },
      {
        file: 'src/rest/stream.ts',
        from: 'isWhole, publication };',
        to: 'isWhole, publication: held.publication() };',
      },
    ],
  },
  {
    name: 'a stream that looks for its first change tells no place',
    breaks: 'A client that is cut off meanwhile begins again, each time.',
    test: 'test/answers/ended-early.test.ts',
    title: 'without a change moves the place',
    edits: [
      {
        file: 'src/render/events.ts',
        from: 'if (rows.length === 0 && !isWhole)',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'streams that nobody reads take the room of others',
    breaks: 'One key with thousands of streams that it does not read lets everybody get 503.',
    test: 'test/answers/stream.test.ts',
    title: 'streams that nobody reads take no more room',
    edits: [
      { file: 'src/rest/stream.ts', from: 'if (!services.unsent.hasRoom(exchange.caller)) return;', to: '' },
    ],
  },
];
