import { afterAll, describe, expect, it } from 'vitest';
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
  createState,
  readyOf,
  takeContents,
  takeFeed,
  type FollowState,
  type KnownOfListed,
} from '../../build/follow/reading/follow-state.ts';
import { scopeOf } from '../../build/follow/reading/scope.ts';
import type { ContentsName } from '../../src/settings/settings.ts';
import type { AskedContents } from '../../build/ingest/ask-contents.ts';
import { sightingOf } from '../../build/ingest/sightings.ts';
import type { LedgerContents } from '../../build/ledger/contents.ts';
import { readContents } from '../../build/ledger/read.ts';
import { currentFeedFile } from '../../build/sources/current-feed.ts';
import { json, ok, routeTickers, startEdgarDouble, type EdgarDouble } from '../edgar/edgar-double.ts';
import { contents, form4 } from '../support/contents.ts';
import { useDirectories } from '../support/directories.ts';
import { entryXml, feedPage, upstreamEntry } from '../support/feed.ts';
import { followHere } from '../support/following.ts';
import { documentsOf, indexPagePath } from '../support/index-pages.ts';
import { headsOf, refusalsOf } from '../support/heads.ts';
import { cikOf, filing } from '../support/made-up.ts';
import { ownershipFiles, ownershipXml, renderedDocument } from '../support/ownership-documents.ts';
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
const kindsDueOf = (pending: Iterable<Pending>, atMs: number) =>
  dueRequests(pending, atMs).map((request) =>
    request.kind === 'contents' ? request.contents : request.kind,
  );
const kindsDue = (pending: Pending, atMs: number) => kindsDueOf([pending], atMs);
/** A follower of everyone to which the feed lists Forms 4, with what the ledger has of them. */
function admittedOf(
  numbers: readonly number[],
  known: Partial<KnownOfListed>,
): { state: FollowState; pending: Pending[] } {
  const state = createState();
  const filings = takeFeed(state, numbers.map(insider), scopeOf({ kind: 'all' }, [], new Map()));
  const nothing: KnownOfListed = { filings: new Map(), contents: new Map(), kinds: ['ownership'] };
  admit(state, filings, { ...nothing, ...known }, 0, () => false);
  return { state, pending: [...state.pending.values()] };
}
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

const inFile = (number = 1, atMs = 0) => afterFile(listed(), rowOf(number), atMs);
const withAnswer = (pending: Pending, answer: AskedContents, atMs = 0) =>
  afterContents(pending, 'ownership', answer, atMs);
const missed = (answers: number) =>
  [0, 2.5, 7.5].slice(0, answers).reduce((each, at) => withAnswer(each, absent, at * second), inFile());
const backlog = { ...inFile(), isBacklog: true };
const missedPublished = { ...withAnswer(inFile(), absent), isPublished: true };
const wanted = (contents: ContentsName, file: string) => ({
  kind: 'contents',
  contents,
  accessionNo: filing(1).accessionNo,
  file,
});

describe('a filing about ownership', () => {
  it.each<[string, Pending, ...(readonly [number, ReturnType<typeof stateOf>, string])[]]>([
    ['is asked for no document before its file names it', listed(), [0, 'waiting', 'file']],
    [
      'waits for a document that could not be asked for: there are more filings than requests',
      inFile(),
      [0, 'waiting', 'ownership'],
      [8 * second - 1, 'waiting', 'ownership'],
      [8 * second, 'overdue', 'ownership'],
    ],
    [
      'waits longer for a document that is not there yet',
      missed(1),
      [20 * second - 1, 'waiting', 'ownership'],
      [20 * second, 'overdue', 'ownership'],
    ],
    ['is whole with its document', withAnswer(inFile(), read), [0, 'whole', '']],
    ['waits on after two answers that lack it', missed(2), [8 * second, 'waiting', 'ownership']],
    [
      'is published without its document when three answers lacked it',
      missed(3),
      [8 * second, 'overdue', ''],
    ],
    ['is completed when its document comes', missedPublished, [10 * minute, 'waiting', 'ownership']],
    ['and completed is whole', withAnswer(missedPublished, read), [10 * minute, 'whole', '']],
    [
      'of the backlog waits for the first answer about its document',
      backlog,
      [10 * minute, 'waiting', 'ownership'],
    ],
    [
      'of the backlog waits no longer, whatever that is',
      withAnswer(backlog, unanswered),
      [minute, 'overdue', 'ownership'],
    ],
    [
      'with a document that is no XML is asked for none',
      afterFile(listed(), rowOf(1, 'a4.txt'), 0),
      [0, 'whole', ''],
    ],
    [
      'is asked for nothing that nobody wants',
      afterFile(listed({ askedFor: {} }), rowOf(1), 0),
      [0, 'whole', ''],
    ],
    [
      'of another form is asked for none',
      afterFile(
        newPending('a', { feed: sightingOf.feed(feedFiling(1)) }, [cikOf(1)], 0, false, ['ownership']),
        rowOf(1, 'a4.txt'),
        0,
      ),
      [0, 'whole', ''],
    ],
    [
      'saved by an older release is asked for what is wanted now',
      pendingAgain({ ...missed(1), askedFor: undefined } as unknown as Pending, 0, ['ownership']),
      [0, 'waiting', 'ownership'],
    ],
    [
      'that was saved is asked for nothing that nobody wants now',
      pendingAgain(missed(1), 0, []),
      [0, 'whole', ''],
    ],
    [
      'that was saved keeps what was read',
      pendingAgain(withAnswer(missed(1), read), 0, ['ownership']),
      [0, 'whole', ''],
    ],
  ])('%s', (_, pending, ...moments) => {
    for (const [atMs, state, due] of moments)
      expect([atMs, stateOf(pending, atMs), kindsDue(pending, atMs).join(' ')]).toEqual([atMs, state, due]);
  });
  it('its document is asked for by the name in its file, or the full submission while no file names it', () => {
    expect(dueRequests([inFile()], 0)).toEqual([wanted('ownership', `${folder}/doc4.xml`)]);
    const late = afterFile(afterFile(listed(), 'nothing', 0), 'nothing', 3 * second);
    expect(dueRequests([late], 3 * second)).toContainEqual(
      wanted('ownership', `data/1/${filing(1).accessionNo}.txt`),
    );
  });
  it('it is asked for again at growing intervals, and given up after some answers, but not while none comes', () => {
    const asks = (answer: AskedContents) => {
      const times: number[] = [];
      let each: Pending = { ...inFile(), isPublished: true };
      for (let atMs = 0; atMs < 24 * 60 * minute; atMs = nextDueMs([each]) ?? Infinity) {
        expect(kindsDue(each, atMs)).toEqual(['ownership']);
        times.push(atMs / second);
        each = withAnswer(each, answer, atMs);
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
      listedAtMs: number,
      accessionNo: filing(number).accessionNo,
    });
    const pending = [
      of(1, { ...inFile(), isPublished: true }),
      of(2, { isBacklog: true }),
      of(3, inFile()),
      of(4, {}),
    ];
    expect(kindsDueOf(pending, minute)).toEqual(['file', 'header', 'ownership', 'file', 'header']);
  });
  it('a document that cannot be understood is refused once, however often it comes', () => {
    const { state } = admittedOf([1], {});
    const told = [absent, refused, refused].map(
      (answer) => takeContents(state, filing(1).accessionNo, 'ownership', answer, 0).length,
    );
    expect(told).toEqual([0, 1, 0]);
  });
  it('a filing that the ledger has without its contents is completed, one that has them is not', () => {
    const known = {
      filings: new Map([1, 2].map((number) => [filing(number).accessionNo, rowOf(number)])),
      contents: new Map([[filing(2).accessionNo, { ownership: 'document' as const }]]),
    };
    const { pending } = admittedOf([1, 2], known);
    expect(pending).toMatchObject([{ accessionNo: filing(1).accessionNo, isPublished: true }]);
    expect(kindsDueOf(pending, 0)).toEqual(['ownership']);
    expect(admittedOf([1, 2], { ...known, kinds: [] }).pending).toEqual([]);
  });
});

describe('the list of documents of a filing', () => {
  const kinds = ['documents', 'ownership'] as const;
  const both = newPending(
    filing(1).accessionNo,
    { feed: sightingOf.feed(insider(1)) },
    [cikOf(1)],
    0,
    false,
    kinds,
  );
  const list: AskedContents = {
    kind: 'read',
    contents: { accessionNo: filing(1).accessionNo, documents: documentsOf(filing(1)) },
    refusals: [],
  };
  const found = afterFile(both, rowOf(1), second);
  it('it is asked for at once, and last: after the files and the ownership documents of all filings', () => {
    expect(kindsDue(both, 0)).toEqual(['file', 'documents']);
    expect(dueRequests([found], second)).toEqual([
      wanted('ownership', `${folder}/doc4.xml`),
      wanted('documents', indexPagePath(cikOf(1), filing(1).accessionNo)),
    ]);
    const told = { feed: sightingOf.feed(insider(2)) };
    const other = newPending(filing(2).accessionNo, told, [cikOf(1)], 1, false, ['documents']);
    expect(kindsDueOf([found, other], second)).toEqual(['file', 'ownership', 'documents', 'documents']);
  });
  it('a filing waits 8 seconds for its list and is published without, whatever else it waits for', () => {
    const withoutList = withAnswer(found, read, second);
    expect([8 * second - 1, 8 * second].map((atMs) => stateOf(withoutList, atMs))).toEqual([
      'waiting',
      'overdue',
    ]);
    expect(stateOf({ ...withoutList, isBacklog: true }, 8 * second)).toBe('overdue');
    const listRead = afterContents(found, 'documents', list, second);
    expect(stateOf(withAnswer(listRead, absent, second), 8 * second)).toBe('waiting');
  });
  it('what comes after the filing was published is written at once, and once, while the rest is asked for', () => {
    const { state } = admittedOf([1], { kinds });
    const [pending] = [...state.pending.values()] as [Pending];
    afterAppend(state, [], [afterFile(pending, rowOf(1), 0)]);
    takeContents(state, filing(1).accessionNo, 'documents', list, minute);
    const { overdue } = readyOf(state, minute);
    expect(overdue.flatMap(contentsRead)).toEqual([list.contents]);
    afterAppend(state, [], overdue);
    expect(readyOf(state, minute).overdue).toEqual([]);
    expect([...state.pending.values()].map((each) => Object.keys(each.askedFor))).toEqual([['ownership']]);
  });
});

const fresh = useDirectories('follow-contents');
const running: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(running.map((end) => end())));

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

describe.concurrent('a follower that asks for contents:', { tags: ['slow'] }, () => {
  it('a filing is published without a document that is broken, which is refused, and completed after a restart', async () => {
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
});
