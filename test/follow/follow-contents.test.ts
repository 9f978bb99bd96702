import { afterEach, describe, expect, it } from 'vitest';
import { parseOwnership } from '../../build/contents/ownership-file.ts';
import { afterContents, contentsRead } from '../../build/follow/reading/asked-for.ts';
import {
  afterFile,
  dueRequests,
  newPending,
  nextDueMs,
  pendingAgain,
  stateOf,
  type Pending,
} from '../../build/follow/reading/pending.ts';
import {
  admit,
  afterAppend,
  emptyState,
  readyOf,
  takeContents,
  takeFeed,
} from '../../build/follow/reading/follow-state.ts';
import type { AskedContents } from '../../build/ingest/ask-contents.ts';
import { sightingOf } from '../../build/ingest/sightings.ts';
import type { LedgerContents } from '../../build/ledger/contents.ts';
import { readContents } from '../../build/ledger/read.ts';
import { currentFeedFile } from '../../build/sources/current-feed.ts';
import { json, ok, routeTickers, startEdgarDouble, status, type EdgarDouble } from '../edgar/edgar-double.ts';
import { contents, form4 } from '../support/contents.ts';
import { useDirectories } from '../support/directories.ts';
import { entryXml, feedPage, upstreamEntry } from '../support/feed.ts';
import { followHere } from '../support/following.ts';
import { documentsOf, indexPage, indexPagePath } from '../support/index-pages.ts';
import { headsOf, refusalsOf } from '../support/heads.ts';
import { cikOf, filing } from '../support/made-up.ts';
import {
  fullSubmission,
  ownershipFiles,
  ownershipXml,
  renderedDocument,
} from '../support/ownership-documents.ts';
import { submissionsOf, upstreamRow } from '../support/submissions.ts';
import { feedFiling, partyOf } from '../support/told.ts';
import { until } from '../support/wait.ts';

const second = 1000;
const minute = 60 * second;
const parties = [partyOf(1, 'issuer'), partyOf(2, 'reporting_owner')];
const insider = (number: number) => feedFiling(number, { form: '4', parties, items: [] });
const rowOf = (number: number, primaryDocument = 'xslF345X06/doc4.xml') =>
  filing(number, { form: '4', subjectCik: cikOf(1), filerCiks: [cikOf(2)], primaryDocument });
const listed = (members: Partial<Pending> = {}): Pending => ({
  ...newPending(filing(1).accessionNo, { feed: sightingOf.feed(insider(1)) }, [cikOf(1)], 0, false, [
    'ownership',
  ]),
  ...members,
});
const kindsDue = (pending: Pending, atMs: number) =>
  dueRequests([pending], atMs).map((request) =>
    request.kind === 'contents' ? request.contents : request.kind,
  );
const folder = `data/1/${filing(1).accessionNo.replaceAll('-', '')}`;
const read: AskedContents = {
  kind: 'read',
  contents: contents(filing(1).accessionNo, form4([2])),
  refusals: [],
};
const absent: AskedContents = { kind: 'lost', cause: 'absent', reason: 'not there (404)' };
const unanswered: AskedContents = { kind: 'lost', cause: 'failed', reason: 'reset' };
const refused: AskedContents = {
  kind: 'refused',
  refusals: [{ cik: '', file: 'f', accessionNo: filing(1).accessionNo, reason: 'it is not XML' }],
};

describe('a filing about ownership', () => {
  it('its document is asked for as soon as the submissions file names it, and then it is whole', () => {
    expect(kindsDue(listed(), 0)).toEqual(['file']);
    const found = afterFile(listed(), rowOf(1), second);
    expect(dueRequests([found], second)).toEqual([
      {
        kind: 'contents',
        contents: 'ownership',
        accessionNo: filing(1).accessionNo,
        file: `${folder}/doc4.xml`,
      },
    ]);
    expect(stateOf(found, second)).toBe('waiting');
    expect(stateOf(afterContents(found, 'ownership', read, second), second)).toBe('whole');
  });
  it('the full submission is asked for while no submissions file names the document', () => {
    const late = afterFile(afterFile(listed(), 'nothing', 0), 'nothing', 3 * second);
    expect(dueRequests([late], 3 * second)).toContainEqual({
      kind: 'contents',
      contents: 'ownership',
      accessionNo: filing(1).accessionNo,
      file: `data/1/${filing(1).accessionNo}.txt`,
    });
  });
  it('it waits 20 seconds for its document, is published without it, and completed when it comes', () => {
    const found = afterContents(afterFile(listed(), rowOf(1), second), 'ownership', absent, second);
    expect(stateOf(found, 20 * second - 1)).toBe('waiting');
    expect(stateOf(found, 20 * second)).toBe('overdue');
    const published = { ...found, isPublished: true };
    expect(stateOf(published, 10 * minute)).toBe('waiting');
    expect(kindsDue(published, 10 * minute)).toEqual(['ownership']);
    expect(stateOf(afterContents(published, 'ownership', read, 10 * minute), 10 * minute)).toBe('whole');
  });
  it('it waits 8 seconds for a document that could not be asked for, because there are more filings than requests', () => {
    const found = afterFile(listed(), rowOf(1), second);
    expect([8 * second - 1, 8 * second].map((atMs) => stateOf(found, atMs))).toEqual(['waiting', 'overdue']);
  });
  it('it is published without its document when three answers lacked it', () => {
    const [once, twice, thrice] = [0, 2.5, 7.5].reduce<Pending[]>(
      (before, at) => [
        ...before,
        afterContents(before.at(-1) ?? afterFile(listed(), rowOf(1), 0), 'ownership', absent, at * second),
      ],
      [],
    );
    const states = [once, twice, thrice].map((each) => stateOf(each as Pending, 8 * second));
    expect(states).toEqual(['waiting', 'waiting', 'overdue']);
  });
  it('one of the backlog waits for the first answer about its document, whatever it is', () => {
    const found = afterFile(listed({ isBacklog: true }), rowOf(1), second);
    expect(stateOf(found, 10 * minute)).toBe('waiting');
    expect(stateOf(afterContents(found, 'ownership', unanswered, minute), minute)).toBe('overdue');
  });
  it('it is asked for again at growing intervals, and given up after some answers, but not while none comes', () => {
    const asks = (answer: AskedContents) => {
      const times: number[] = [];
      let each: Pending = { ...afterFile(listed(), rowOf(1), 0), isPublished: true };
      for (let atMs = 0; atMs < 24 * 60 * minute; atMs = nextDueMs([each]) ?? Infinity) {
        expect(kindsDue(each, atMs)).toEqual(['ownership']);
        times.push(atMs / second);
        each = afterContents(each, 'ownership', answer, atMs);
      }
      return { times, state: stateOf(each, 24 * 60 * minute) };
    };
    for (const answer of [absent, refused]) {
      const { times, state } = asks(answer);
      expect(times.slice(0, 6)).toEqual([0, 2.5, 7.5, 17.5, 37.5, 77.5]);
      expect([times.length, state]).toEqual([16, 'lost']);
    }
    const { times, state } = asks(unanswered);
    expect(times.length).toBeGreaterThan(90);
    expect(state).toBe('waiting');
  });
  it('documents are asked for after the files of all filings that wait alike, and before those of the backlog', () => {
    const of = (number: number, members: Partial<Pending>) => ({
      ...newPending(filing(number).accessionNo, {}, [cikOf(number)], number, false, ['ownership']),
      ...members,
    });
    const due = dueRequests(
      [
        of(1, { ...afterFile(listed(), rowOf(1), 0), isPublished: true }),
        of(2, { isBacklog: true }),
        of(3, afterFile(listed(), rowOf(1), 0)),
        of(4, {}),
      ].map((each, at) => ({ ...each, listedAtMs: at, accessionNo: filing(at + 1).accessionNo })),
      minute,
    );
    expect(due.map((request) => (request.kind === 'contents' ? request.contents : request.kind))).toEqual([
      'file',
      'header',
      'ownership',
      'file',
      'header',
    ]);
  });
  it.each([
    [
      'another form',
      newPending('a', { feed: sightingOf.feed(feedFiling(1)) }, [cikOf(1)], 0, false, ['ownership']),
    ],
    ['a document that is no XML', afterFile(listed(), rowOf(1, 'a4.txt'), 0)],
    [
      'contents that nobody wants',
      newPending('a', { feed: sightingOf.feed(insider(1)) }, [cikOf(1)], 0, false),
    ],
  ])('%s is asked for no document', (_, pending) => {
    const found = afterFile(pending, { ...rowOf(1), primaryDocument: 'a4.txt' }, 0);
    expect([kindsDue(found, minute), stateOf(found, 0)]).toEqual([[], 'whole']);
  });
  it('a filing that was saved is asked for again, by what is wanted now, and keeps what was read', () => {
    const found = afterContents(afterFile(listed(), rowOf(1), 0), 'ownership', absent, 0);
    const { askedFor: _, ...older } = found;
    const again = pendingAgain(older, minute, ['ownership']);
    expect(kindsDue(again, minute)).toEqual(['ownership']);
    expect(stateOf(pendingAgain(found, minute, []), minute)).toBe('whole');
    expect(
      stateOf(pendingAgain(afterContents(found, 'ownership', read, 0), minute, ['ownership']), minute),
    ).toBe('whole');
  });
  it('a document that cannot be understood is refused once, however often it comes', () => {
    const { state, listed: news } = takeFeed(emptyState, [insider(1)], new Set(), {
      universe: { kind: 'all' },
      isWanted: () => true,
      members: null,
      unknown: [],
      tickers: [],
    });
    const none = { filings: new Map(), contents: new Map(), kinds: ['ownership'] as const };
    let after = admit(state, news, none, 0, () => false).state;
    const told = [absent, refused, refused].map((answer) => {
      const taken = takeContents(after, filing(1).accessionNo, 'ownership', answer, 0);
      after = taken.state;
      return taken.refusals.length;
    });
    expect(told).toEqual([0, 1, 0]);
  });
  it('a filing that the ledger has without its contents is completed, one that has them is not', () => {
    const { state, listed: news } = takeFeed(emptyState, [insider(1), insider(2)], new Set(), {
      universe: { kind: 'all' },
      isWanted: () => true,
      members: null,
      unknown: [],
      tickers: [],
    });
    const filings = new Map([1, 2].map((number) => [filing(number).accessionNo, rowOf(number)]));
    const contentsOf2 = new Map([[filing(2).accessionNo, { ownership: 'document' as const }]]);
    const known = { filings, contents: contentsOf2, kinds: ['ownership'] as const };
    const { pending } = admit(state, news, known, 0, () => false).state;
    expect([...pending.values()]).toMatchObject([{ accessionNo: filing(1).accessionNo, isPublished: true }]);
    expect(kindsDue([...pending.values()][0] as Pending, 0)).toEqual(['ownership']);
    expect(admit(state, news, { ...known, kinds: [] }, 0, () => false).state.pending.size).toBe(0);
  });
});

describe('the list of documents of a filing', () => {
  const both = (members: Partial<Pending> = {}): Pending => ({
    ...newPending(filing(1).accessionNo, { feed: sightingOf.feed(insider(1)) }, [cikOf(1)], 0, false, [
      'documents',
      'ownership',
    ]),
    ...members,
  });
  const list: AskedContents = {
    kind: 'read',
    contents: { accessionNo: filing(1).accessionNo, documents: documentsOf(filing(1)) },
    refusals: [],
  };
  it('it is asked for at once, and last: after the files and the ownership documents of all filings', () => {
    expect(kindsDue(both(), 0)).toEqual(['file', 'documents']);
    const found = afterFile(both(), rowOf(1), second);
    expect(dueRequests([found], second)).toEqual([
      {
        kind: 'contents',
        contents: 'ownership',
        accessionNo: filing(1).accessionNo,
        file: `${folder}/doc4.xml`,
      },
      {
        kind: 'contents',
        contents: 'documents',
        accessionNo: filing(1).accessionNo,
        file: indexPagePath(cikOf(1), filing(1).accessionNo),
      },
    ]);
    const other = newPending(
      filing(2).accessionNo,
      { feed: sightingOf.feed(insider(2)) },
      [cikOf(1)],
      1,
      false,
      ['documents'],
    );
    expect(
      dueRequests([found, other], second).map((each) =>
        each.kind === 'contents' ? each.contents : each.kind,
      ),
    ).toEqual(['file', 'ownership', 'documents', 'documents']);
  });
  it('a filing waits 8 seconds for its list and is published without, whatever else it waits for', () => {
    const found = afterContents(afterFile(both(), rowOf(1), second), 'ownership', read, second);
    expect([8 * second - 1, 8 * second].map((atMs) => stateOf(found, atMs))).toEqual(['waiting', 'overdue']);
    const old = { ...found, isBacklog: true };
    expect(stateOf(old, 8 * second)).toBe('overdue');
    const listRead = afterContents(afterFile(both(), rowOf(1), second), 'documents', list, second);
    expect(stateOf(afterContents(listRead, 'ownership', absent, second), 8 * second)).toBe('waiting');
  });
  it('what comes after the filing was published is written at once, and once, while the rest is asked for', () => {
    const { state, listed: news } = takeFeed(emptyState, [insider(1)], new Set(), {
      universe: { kind: 'all' },
      isWanted: () => true,
      members: null,
      unknown: [],
      tickers: [],
    });
    const none = { filings: new Map(), contents: new Map(), kinds: ['ownership', 'documents'] as const };
    const admitted = admit(state, news, none, 0, () => false).state;
    const [pending] = [...admitted.pending.values()] as [Pending];
    const published = afterAppend(admitted, [], [afterFile(pending, rowOf(1), 0)]);
    const listedLate = takeContents(published, filing(1).accessionNo, 'documents', list, minute).state;
    const { overdue } = readyOf(listedLate, minute);
    expect(overdue.flatMap(contentsRead)).toEqual([list.contents]);
    const after = afterAppend(listedLate, [], overdue);
    expect(readyOf(after, minute).overdue).toEqual([]);
    expect([...after.pending.values()].map((each) => Object.keys(each.askedFor))).toEqual([['ownership']]);
  });
});

const fresh = useDirectories('follow-contents');
const running: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of running.splice(0).reverse()) await end();
});

const told = (number: number) => ({
  accessionNo: `0000000001-26-${String(number).padStart(6, '0')}`,
  form: '4',
  issuer: { cik: cikOf(1), name: 'Made Up Inc.' },
  others: [{ cik: cikOf(2), name: 'Doe Jane' }],
  on: '2026-03-02',
  number,
});
const archives = '/www.sec.gov/Archives/edgar/';

/** An EDGAR whose feed lists Forms 4 with these numbers; submissions files name the documents of those in `inFiles`. */
async function edgarWith(
  numbers: readonly number[],
  inFiles: readonly number[],
  inFilesLater = inFiles,
): Promise<EdgarDouble> {
  const edgar = await startEdgarDouble();
  running.push(() => edgar.close());
  routeTickers(edgar);
  const entries = numbers.flatMap((number) =>
    [
      { cik: cikOf(1), role: 'Issuer' },
      { cik: cikOf(2), role: 'Reporting' },
    ].map((party) => entryXml(upstreamEntry({ accessionNo: told(number).accessionNo, form: '4', ...party }))),
  );
  edgar.route(`/www.sec.gov/cgi-bin/${currentFeedFile(0)}`, ok(feedPage(entries), { etag: false }));
  const file = (listed: readonly number[]) =>
    json(
      submissionsOf(
        cikOf(1),
        listed.map((number) =>
          upstreamRow(number, {
            accessionNumber: told(number).accessionNo,
            filingDate: '2026-03-02',
            acceptanceDateTime: '2026-03-02T21:00:00.000Z',
            form: '4',
            primaryDocument: renderedDocument('4'),
            fileNumber: '',
          }),
        ),
      ),
    );
  edgar.route(
    `/data.sec.gov/submissions/CIK${cikOf(1)}.json`,
    file(inFiles),
    file(inFiles),
    file(inFilesLater),
  );
  return edgar;
}

async function contentsOf(ledger: string): Promise<Map<string, { batch: number; contents: LedgerContents }>> {
  const found = new Map<string, { batch: number; contents: LedgerContents }>();
  for (const { head } of await headsOf(ledger))
    for await (const { rows } of readContents(ledger, head))
      for (const each of rows) {
        expect(found.has(each.accessionNo), 'contents come once').toBe(false);
        found.set(each.accessionNo, { batch: head.number, contents: each });
      }
  return found;
}
const documentOf = (number: number) => parseOwnership(Buffer.from(ownershipXml(told(number)))).document;

it('the follower writes what documents say beside their filings, from the document and from the full submission', {
  tags: ['slow'],
}, async () => {
  const edgar = await edgarWith([1, 2], [1], [1, 2]);
  const [xml] = ownershipFiles(told(1));
  const [, submission] = ownershipFiles(told(2));
  edgar.route(`${archives}${xml}`, status(404), ok(ownershipXml(told(1))));
  edgar.route(`${archives}${submission}`, ok(fullSubmission(told(2))));
  const { ledger, end } = followHere(running, edgar, '0000000001', fresh(), { contents: ['ownership'] });
  await until(async () => (await contentsOf(ledger)).size === 2);
  await end();
  const found = await contentsOf(ledger);
  for (const number of [1, 2])
    expect(found.get(told(number).accessionNo)?.contents).toEqual({
      accessionNo: told(number).accessionNo,
      source: 'document',
      ownership: documentOf(number),
    });
  // The feed is read many times, and a document that is there is read once.
  const asked = edgar.requests.filter(
    ({ path }) => path.startsWith(`${archives}data/`) && !path.endsWith('.sgml'),
  );
  expect(asked.map(({ path }) => path.slice(archives.length)).sort()).toEqual([submission, xml, xml].sort());
});

it('a filing is published without a document that is broken, which is refused, and completed after a restart', {
  tags: ['slow'],
}, async () => {
  const edgar = await edgarWith([1], [1]);
  const [xml] = ownershipFiles(told(1));
  edgar.route(`${archives}${xml}`, ok('<ownershipDocument>'));
  const ledger = fresh();
  const first = followHere(running, edgar, '0000000001', ledger, { contents: ['ownership'] });
  await until(async () => first.lines.some((line) => line.startsWith('batch 1: 1 new filings')));
  await first.end();
  expect((await contentsOf(ledger)).size).toBe(0);
  expect(await refusalsOf(ledger)).toMatchObject([
    {
      accessionNo: told(1).accessionNo,
      file: xml,
      reason: expect.stringMatching(/^it is not XML: /) as string,
    },
  ]);
  edgar.route(`${archives}${xml}`, ok(ownershipXml(told(1))));
  const second = followHere(running, edgar, '0000000001', ledger, { contents: ['ownership'] });
  await until(async () => (await contentsOf(ledger)).size === 1);
  await second.end();
  expect(second.lines).toContain('batch 2: 0 new filings, 0 corrected, contents of 1');
  expect((await contentsOf(ledger)).get(told(1).accessionNo)?.contents.ownership).toEqual(documentOf(1));
});

it('a list that comes late completes a filing that was published, with the cause of contents', {
  tags: ['slow'],
}, async () => {
  const edgar = await edgarWith([1], [1]);
  const { accessionNo } = told(1);
  const page = ok(indexPage(cikOf(1), accessionNo, documentsOf(told(1))));
  edgar.route(
    `${archives}${indexPagePath(cikOf(1), accessionNo)}`,
    ...Array<typeof page>(4).fill(status(404)),
    page,
  );
  const ledger = fresh();
  const { end, lines } = followHere(running, edgar, '0000000001', ledger, { contents: ['documents'] });
  await until(async () => (await contentsOf(ledger)).size === 1, 60_000);
  await end();
  expect(lines.filter((line) => line.startsWith('batch '))).toEqual([
    'batch 1: 1 new filings, 0 corrected',
    'batch 2: 0 new filings, 0 corrected, contents of 1',
  ]);
  expect((await contentsOf(ledger)).get(accessionNo)).toEqual({
    batch: 2,
    contents: { accessionNo, documents: documentsOf(told(1)) },
  });
});
