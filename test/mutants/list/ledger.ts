import type { Mutant } from '../mutant.ts';

/** Mends of sources, ledger and layout. */
export const ledgerMutants: readonly Mutant[] = [
  {
    name: 'a list has no history',
    breaks: 'A follower of a list serves only what is filed from now on.',
    test: 'test/follow/follow-histories.test.ts',
    title: 'its history comes from submissions files',
    edits: [
      {
        file: 'build/follow/reading/ask.ts',
        from: '  startHistories(part, atMs, atOnce);\n',
        to: '',
      },
    ],
  },
  {
    name: 'histories are read before the feed',
    breaks:
      'What the feed still lists comes from a submissions file first, and again as a correction with its roles.',
    test: 'test/follow/follow-histories.test.ts',
    title: 'they are read as soon as the feed was read',
    edits: [
      {
        file: 'build/follow/reading/reading-part.ts',
        from: 'state.feed.seen.size > 0 ||',
        to: 'true ||',
      },
    ],
  },
  {
    name: 'filings of these days come without a header',
    breaks:
      'A filing that is in a submissions file and not in the feed is published without acceptance and parties.',
    test: 'test/follow/follow-histories.test.ts',
    title: 'a filing of these days that the feed does not list waits for its header',
    edits: [
      {
        file: 'build/follow/reading/take.ts',
        from: 'const older = others.filter((row) => newestDayOf(row) < main.from);',
        to: 'const older = others;',
      },
    ],
  },
  {
    name: 'a file tells nothing of what the ledger has of these days',
    breaks:
      'A filing of two members of a list that the file of the first one told never names the second one.',
    test: 'test/follow/follow-state.test.ts',
    title: 'a submissions file adds its company to a filing of the ledger',
    edits: [
      {
        file: 'build/follow/reading/follow-state.ts',
        from: 'if (!sameFiling(held, merged)) corrections',
        to: 'if (feed !== null && !sameFiling(held, merged)) corrections',
      },
    ],
  },
  {
    name: 'a pending filing keeps the row of one file',
    breaks: 'A filing of two members of a list whose header is lost names one of them for ever.',
    test: 'test/follow/follow-state.test.ts',
    title: 'the files of several companies of a pending filing count together',
    edits: [
      {
        file: 'build/ingest/sightings.ts',
        from: 'return isTold ? told : { ...told, [`file ${cik}`]: sighting };',
        to: 'return told;',
      },
    ],
  },
  {
    name: 'a history is complete with its main file',
    breaks: 'A follower that stops before it has read the pages with older filings never reads them.',
    test: 'test/follow/follow-histories.test.ts',
    title: 'a history is complete with its last page',
    edits: [
      {
        file: 'build/follow/reading/histories.ts',
        from: 'main?.pages.length === 0',
        to: 'main !== null',
      },
    ],
  },
  {
    name: 'the feed is not read again for who is new',
    breaks:
      'A filing that the feed listed before its company came on the list waits for the index of its day.',
    test: 'test/follow/follow-histories.test.ts',
    title: 'the file of a list is read again when it changes',
    edits: [
      {
        file: 'build/follow/reading/take.ts',
        from: 'if (isNew) part.state.feed = { ...part.state.feed, seen: new Set() };',
        to: '',
      },
    ],
  },
  {
    name: 'a history that was saved counts although the ledger lacks it',
    breaks: 'A ledger that was restored from an older backup never gets the histories that came after it.',
    test: 'test/follow/follow-histories.test.ts',
    title: 'a ledger that is older than what was saved',
    edits: [
      {
        file: 'build/follow/reading/take.ts',
        from: 'members.filter((cik) => known.get(cik)?.facts === undefined)',
        to: 'members.filter((cik) => !complete.has(cik))',
      },
    ],
  },
  {
    name: 'the file of a universe is read once',
    breaks: 'A company that is added to the list is followed only after a restart.',
    test: 'test/follow/followed.test.ts',
    edits: [
      {
        file: 'build/follow/common/followed.ts',
        from: 'universe = listIn(text, universe);',
        to: 'listIn(text, universe);',
      },
    ],
  },
  {
    name: 'a data set replaces a document',
    breaks: 'What a filing itself says gives way to what a data set repeats of it.',
    test: 'test/publish/contents.test.ts',
    edits: [
      {
        file: 'build/fold/contents-rows.ts',
        from: "row === undefined || sourceOfRow(row) !== 'document'",
        to: "row === undefined || row !== ''",
      },
    ],
  },
  {
    name: 'lists of documents of another filing are taken',
    breaks: 'A page that answers for another filing gives its documents to this one.',
    test: 'test/contents/index-page.test.ts',
    edits: [
      {
        file: 'build/contents/index-page.ts',
        from: "if (!page.includes(accessionNo)) throw new Error('it is not about the filing');",
        to: '',
      },
    ],
  },
  {
    name: 'a list of documents that was cut off counts',
    breaks: 'Exhibits behind the place where a page broke off never come.',
    test: 'test/contents/index-page.test.ts',
    edits: [
      {
        file: 'build/contents/index-page.ts',
        from: "if (!/filerDiv|companyInfo/.test(page.slice(read))) throw new Error('it is cut off');",
        to: '',
      },
    ],
  },
  {
    name: 'a document may be in any folder',
    breaks: 'A link to another folder becomes an address of the filing that leads nowhere.',
    test: 'test/contents/index-page.test.ts',
    edits: [
      {
        file: 'build/contents/index-page.ts',
        from: 'return folderOfFile === folder ? name : null;',
        to: 'return folderOfFile === undefined ? null : name;',
      },
    ],
  },
  {
    name: 'cells of a list have no bound',
    breaks: 'A hostile page decides the length of what a batch has to hold.',
    test: 'test/contents/index-page.test.ts',
    edits: [
      {
        file: 'build/contents/index-page.ts',
        from: 'html.length > cellMaximum',
        to: 'html.length > 100 * cellMaximum',
      },
    ],
  },
  {
    name: 'a list that comes late waits for the rest',
    breaks: 'What was read of a published filing is written only when everything else has come, or never.',
    test: 'test/follow/follow-contents.test.ts',
    edits: [
      {
        file: 'build/follow/reading/pending.ts',
        from: "if (pending.isPublished && contentsRead(pending).length > 0) return 'overdue';",
        to: '',
      },
    ],
  },
  {
    name: 'what was written of a filing is written again',
    breaks: 'A published filing that waits for one kind of contents makes a batch at each moment.',
    test: 'test/follow/follow-contents.test.ts',
    edits: [
      {
        file: 'build/follow/reading/asked-for.ts',
        from: 'contents === null || !written.includes(contents)',
        to: 'contents === null || written.length >= 0',
      },
    ],
  },
  {
    name: 'a filing waits for its list as long as for what it says',
    breaks: 'Lists delay filings.',
    test: 'test/follow/follow-contents.test.ts',
    edits: [
      { file: 'build/follow/reading/asked-for.ts', from: 'documents: 8000,', to: 'documents: 20_000,' },
    ],
  },
  {
    name: 'contents of one kind replace those of another',
    breaks: 'A list of documents makes the ledger forget what the filing says, or the other way round.',
    test: 'test/ingest/ingest-contents.test.ts',
    edits: [
      {
        file: 'build/ledger/contents.ts',
        from: '{ ...joined.get(each.accessionNo), ...each }',
        to: 'each',
      },
    ],
  },
  {
    name: 'types of exhibits are compared in the case of filers',
    breaks: 'A filing whose exhibit is `ex-99.1` is not among those with EX-99.1.',
    test: 'test/answers/lists.test.ts',
    title: 'filter exhibit',
    edits: [
      {
        file: 'src/contract/fact-filters.ts',
        from: "foldFilterValue(typeof value === 'string' ? value : value.type)",
        to: "(typeof value === 'string' ? value : value.type)",
      },
    ],
  },
  {
    name: 'contents do not wait for their filing',
    breaks: 'Contents that came before their filing are never served.',
    test: 'test/publish/contents.test.ts',
    edits: [
      {
        file: 'build/fold/fold-batch.ts',
        from: '{ accessionNo, ...waitingContents(before), ...own }',
        to: 'own',
      },
    ],
  },
  {
    name: 'persons of a document stay with the row',
    breaks: 'Whom an older document named stays a party for ever.',
    test: 'test/publish/contents.test.ts',
    edits: [
      {
        file: 'build/ledger/observation.ts',
        from: 'added === true ? at === 0 : added === undefined || !added.includes(cik)',
        to: 'at >= 0 || added === undefined || !added.includes(cik)',
      },
    ],
  },
  {
    name: 'a new industry of a company corrects its old filings',
    breaks: 'One changed SIC code tells thousands of old filings again.',
    test: 'test/fold/observations.test.ts',
    edits: [{ file: 'build/ledger/observation.ts', from: "  'sic',\n", to: '' }],
  },
  {
    name: 'a filing of a listed predecessor has no exchange',
    breaks: 'Filings of a company that succeeded another have a ticker, and no exchange.',
    test: 'test/fold/observations.test.ts',
    edits: [
      {
        file: 'build/ledger/observation.ts',
        from: '(isListed(listed) ? listed : company)?.exchange',
        to: 'company?.exchange',
      },
    ],
  },
  {
    name: 'a symbol goes back to an older claim',
    breaks: 'A reconcile that reads an old file gives a symbol back to its old holder.',
    test: 'test/ledger/symbols.test.ts',
    edits: [{ file: 'build/ledger/symbols.ts', from: 'claim.asOfMs > Date.parse(holder.at)', to: 'true' }],
  },
  {
    name: 'of two ticker files the first row counts',
    breaks: 'A symbol moves between companies as files are read in another order.',
    test: 'test/ledger/symbols.test.ts',
    edits: [
      {
        file: 'build/ledger/symbols.ts',
        from: 'cik !== undefined && byFiles.includes(cik)',
        to: 'cik !== undefined && cik === byFiles[0]',
      },
    ],
  },
  {
    name: 'one day decides the clock',
    breaks: 'A single filing decides whether the times of a file are Eastern.',
    test: 'test/sources/clock.test.ts',
    edits: [{ file: 'build/sources/clock.ts', from: 'const daysMinimum = 2;', to: 'const daysMinimum = 1;' }],
  },
  {
    name: 'a bare majority decides the clock',
    breaks: 'Times of a file with contradicting rows are guessed.',
    test: 'test/sources/clock.test.ts',
    edits: [
      {
        file: 'build/sources/clock.ts',
        from: 'const agreementPercent = 80;',
        to: 'const agreementPercent = 51;',
      },
    ],
  },
  {
    name: 'forms that are filed until ten are dated like others',
    breaks: 'Forms 4 of the evening tell a wrong clock.',
    test: 'test/sources/clock.test.ts',
    edits: [
      {
        file: 'build/sources/clock.ts',
        from: "return time <= graceEndsAt || rule === 'until_22';",
        to: 'return time <= graceEndsAt;',
      },
    ],
  },
  {
    name: 'an acceptance of midnight is a time',
    breaks: 'A row without a time is published as accepted at midnight.',
    test: 'test/sources/clock.test.ts',
    edits: [
      {
        file: 'build/sources/clock.ts',
        from: 'if (Number.isNaN(written) || written % daySeconds === 0) return null;',
        to: 'if (Number.isNaN(written)) return null;',
      },
    ],
  },
  {
    name: 'what is lacking is not filled from other sources',
    breaks: 'A document that one source knows is lost when another is read.',
    test: 'test/ledger/merge.test.ts',
    edits: [
      {
        file: 'build/ledger/merge-filing.ts',
        from: "(!same(value, empty) || teller === 'ownEvenEmpty')",
        to: '(true as boolean)',
      },
    ],
  },
  {
    name: 'sizes do not count as a correction',
    breaks: 'A corrected size is never told.',
    test: 'test/ledger/merge.test.ts',
    edits: [
      {
        file: 'build/ledger/filing-columns.ts',
        from: 'column.same(a[column.name], b[column.name])',
        to: "column.name === 'sizeBytes' || column.same(a[column.name], b[column.name])",
      },
    ],
  },
  {
    name: 'joins of segments wait for ever',
    breaks: 'Segments grow in number with each batch.',
    test: 'test/table/segments.test.ts',
    edits: [
      {
        file: 'build/segments/layout.ts',
        from: 'older.rows < growth * newer.rows',
        to: 'older.rows < newer.rows',
      },
    ],
  },
  {
    name: 'a request without an answer is an answer',
    breaks: 'A filing is given up while EDGAR is away.',
    test: 'test/follow/follow-pending.test.ts',
    edits: [
      {
        file: 'build/follow/reading/asked-for.ts',
        from: 'asked: isAnswer ? asked + 1 : asked,',
        to: 'asked: asked + 1,',
      },
    ],
  },
  {
    name: 'pauses grow without a bound',
    breaks: 'A filing is asked for again after days.',
    test: 'test/follow/follow-pending.test.ts',
    edits: [
      {
        file: 'build/follow/reading/asked-for.ts',
        from: 'backoff(asked + unanswered + 1, pauses)',
        to: 'backoff(asked + unanswered + 1, { ...pauses, longestMs: Infinity })',
      },
    ],
  },
  {
    name: 'an overdue filing waits',
    breaks: 'A filing whose file never comes is not published.',
    test: 'test/follow/follow-pending.test.ts',
    edits: [
      {
        file: 'build/follow/reading/pending.ts',
        from: "if (!pending.isPublished && isTold && (!mayCome || atMs >= overdueAtMs(pending))) return 'overdue';",
        to: '',
      },
    ],
  },
  {
    name: 'back-dated filings of a submissions file are passed over',
    breaks:
      'A filing with an old date that no index lists and that is accepted in a gap of the feed is never found.',
    test: 'test/follow/follow-state.test.ts',
    edits: [
      {
        file: 'build/follow/reading/follow-state.ts',
        from: 'newestDayOf(row) >= from',
        to: 'row.filedAt >= from',
      },
    ],
  },
  {
    name: 'the backlog goes first',
    breaks: 'New filings wait for those of before the start.',
    test: 'test/follow/follow-pending.test.ts',
    edits: [
      {
        file: 'build/follow/reading/pending.ts',
        from: '(isPublished ? 2 : isBacklog ? 1 : 0)',
        to: '(isPublished ? 2 : isBacklog ? 0 : 1)',
      },
    ],
  },
  {
    name: 'a filing waits long for its contents',
    breaks: 'A Form 4 whose document comes late is not published.',
    test: 'test/follow/follow-contents.test.ts',
    edits: [
      {
        file: 'build/follow/reading/asked-for.ts',
        from: 'ownership: 20_000,',
        to: 'ownership: 2_000_000,',
      },
    ],
  },
  {
    name: 'a document that is not there yet is given up',
    breaks: 'A Form 4 whose document comes after its listing never gets its contents.',
    test: 'test/follow/follow-contents.test.ts',
    edits: [
      { file: 'build/follow/reading/pending.ts', from: 'answersMaximum: 16,', to: 'answersMaximum: 1,' },
    ],
  },
  {
    name: 'documents are asked for before the files of others',
    breaks: 'In a rush contents delay filings.',
    test: 'test/follow/follow-contents.test.ts',
    edits: [
      {
        file: 'build/follow/reading/pending.ts',
        from: 'turn: 1 + contentsInOrder',
        to: 'turn: 0 * contentsInOrder',
      },
    ],
  },
  {
    name: 'a day is proven without contents',
    breaks: 'A Form 4 whose document the follower did not get never gets its contents.',
    test: 'test/reconcile/look-contents.test.ts',
    edits: [
      {
        file: 'build/reconcile/look.ts',
        from: 'return asksSources || lackingOf(row ?? null).length > 0 ?',
        to: 'return asksSources ?',
      },
    ],
  },
  {
    name: 'a data set replaces what the document says',
    breaks: 'Contents lose what data sets do not have.',
    test: 'test/ingest/ingest-contents.test.ts',
    edits: [
      {
        file: 'build/ingest/fill-contents.ts',
        from: "(held.ownership === 'data_set' && source === 'document')",
        to: 'held.ownership !== source',
      },
    ],
  },
  {
    name: 'answers of a killed run are asked for again',
    breaks: 'Whoever stops and starts ingest --contents asks EDGAR for the same documents again.',
    test: 'test/ingest/ingest-contents.test.ts',
    edits: [{ file: 'build/ingest/ingest-contents.ts', from: 'freshSince: anyTime', to: 'freshSince: null' }],
  },
  {
    name: 'forms are not compared with the index',
    breaks: 'A day with another form in the index counts as proven.',
    test: 'test/reconcile/compare.test.ts',
    edits: [
      {
        file: 'build/reconcile/compare.ts',
        from: 'isFormOther: !listed.forms.includes(held.form)',
        to: 'isFormOther: false',
      },
    ],
  },
  {
    name: 'dates are not compared with the index',
    breaks: 'A day with another date in the index counts as proven.',
    test: 'test/reconcile/compare.test.ts',
    edits: [
      {
        file: 'build/reconcile/compare.ts',
        from: 'isDateOther: listed.filedAt !== held.filedAt',
        to: 'isDateOther: false',
      },
    ],
  },
  {
    name: 'a change of 8-K with exhibits alone is a material event',
    breaks: 'An 8-K whose only item is 9.01 rings as a material event.',
    test: 'test/domain/rules.test.ts',
    edits: [
      {
        file: 'src/domain/change-type.ts',
        from: "items.some((code) => code !== '9.01')",
        to: 'items.length > 0',
      },
    ],
  },
  {
    name: 'a chain of companies begins in its middle',
    breaks: 'A list of a successor lacks the filings of its predecessors.',
    test: 'test/domain/successors.test.ts',
    edits: [
      {
        file: 'src/domain/successors.ts',
        from: 'next: string | undefined = newestCikOf(cik)',
        to: 'next: string | undefined = cik',
      },
    ],
  },
  {
    name: 'a batch may be out of order',
    breaks: 'Readers that merge miss filings.',
    test: 'test/ledger/ledger-batch.test.ts',
    edits: [
      {
        file: 'build/ledger/batch.ts',
        from: 'if (accessionNo < last) throw',
        to: 'if (false as boolean) throw',
      },
    ],
  },
  {
    name: 'a batch may have the number of another',
    breaks: 'A batch that was copied twice is read twice.',
    test: 'test/ledger/ledger-batch.test.ts',
    title: 'under the number of another',
    edits: [
      { file: 'build/ledger/batch.ts', from: 'if (head.number !== number)', to: 'if (false as boolean)' },
    ],
  },
  {
    name: 'batches have no fence',
    breaks: 'A batch is missing for who reads while others append.',
    test: 'test/ledger/ledger-folders.test.ts',
    edits: [{ file: 'build/ledger/batch.ts', from: 'await raiseFence(ledgerDirectory);', to: '' }],
  },
  {
    name: 'a subject goes away with another sighting',
    breaks: 'A filing leaves the list of the company that it is about.',
    test: 'test/ingest/sightings.test.ts',
    edits: [
      {
        file: 'build/ledger/merge-filing.ts',
        from: 'if (before !== null && told.has(before)) return before;',
        to: '',
      },
    ],
  },
  {
    name: 'roles that a header told are dropped',
    breaks: 'A filer becomes a party without a role.',
    test: 'test/ingest/sightings.test.ts',
    edits: [{ file: 'build/ledger/merge-filing.ts', from: '...(roles ? { roles } : {})', to: '' }],
  },
  {
    name: 'a company known by name keeps its first name',
    breaks: 'Owners and filers without a file of their own have their old name for ever.',
    test: 'test/ingest/named-companies.test.ts',
    edits: [
      {
        file: 'build/ingest/fill-batch.ts',
        from: 'filedAt > easternTime(Date.parse(updatedAt)).day ? { ...known, name } : null',
        to: 'null',
      },
    ],
  },
  {
    name: 'a Saturday at the end of a quarter belongs to no day',
    breaks: 'A filing of that date that no daily index lists is never asked for.',
    test: 'test/reconcile/reconcile.test.ts',
    title: 'on a Saturday that ends it',
    edits: [
      {
        file: 'build/reconcile/quarter.ts',
        from: 'quarterOf(next) === quarter ? next : filingDayFrom(day, -1)',
        to: 'next',
      },
    ],
  },
  {
    name: 'a filing that moves into another quarter is withdrawn',
    breaks: 'A filing whose date was corrected is said to be withdrawn by EDGAR.',
    test: 'test/reconcile/reconcile.test.ts',
    title: 'corrected into another quarter',
    edits: [
      {
        file: 'build/reconcile/reconcile.ts',
        from: 'row !== undefined && quarterOf(row.filedAt) === quarter',
        to: 'row !== undefined',
      },
    ],
  },
  {
    name: 'a broken index withdraws filings',
    breaks: 'An index that lacks half of its rows marks thousands of filings as withdrawn.',
    test: 'test/reconcile/reconcile.test.ts',
    title: 'a broken or absent index',
    edits: [
      {
        file: 'build/reconcile/withdrawn.ts',
        from: 'if (goneRows > Math.max(withdrawnAlways, rows * withdrawnShareMaximum))',
        to: 'if (goneRows < 0 * withdrawnAlways * rows * withdrawnShareMaximum)',
      },
    ],
  },
  {
    name: 'the index of a quarter is read each time',
    breaks: 'A reconciliation fetches hundreds of megabytes at each look.',
    test: 'test/reconcile/reconcile.test.ts',
    title: 'withdrawn filings are looked for once',
    edits: [
      {
        file: 'build/reconcile/withdrawn.ts',
        from: 'Date.parse(quarterReadAt) < rebuiltMs',
        to: 'Date.parse(quarterReadAt) > 0',
      },
    ],
  },
  {
    name: 'texts of a summary may look like placeholders',
    breaks: 'A name with braces is replaced by other members.',
    test: 'test/fold/compact-observation.test.ts',
    edits: [{ file: 'build/fold/summary-row.ts', from: "!formAndItems.includes('{') &&", to: '' }],
  },
  {
    name: 'values that other rules made follow from the present ones',
    breaks: 'A summary of older rules has other values than its entry.',
    test: 'test/fold/compact-observation.test.ts',
    edits: [
      {
        file: 'build/fold/summary-row.ts',
        from: '(isByRule || hasValuesByRule(filing))',
        to: '(isByRule || filing.form.length > 0)',
      },
    ],
  },
  {
    name: 'a killed follower leaves its half state for ever',
    breaks: 'The folder of the ledger, and each backup of it, gathers what killed followers were writing.',
    test: 'test/follow/follow-state.test.ts',
    title: 'what killed programs left beside the state',
    edits: [
      {
        file: 'build/follow/reading/saved.ts',
        from: 'if (nowMs - writtenMs > minuteMs)',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'what is remembered keeps the texts that its keys were cut from',
    breaks: 'A large build takes 300 MB more, and more with longer blocks.',
    test: 'test/domain/remembered.test.ts',
    edits: [{ file: 'src/domain/remembered.ts', from: 'copyOf(key)', to: 'key' }],
  },
];
