import { FilingSummary, type Change } from '../../src/contract/records.ts';
import { allPartition } from '../../src/contract/snapshot.ts';
import { rowExtent } from '../../src/segments/line.ts';
import { rowBytes } from '../../src/segments/table.ts';
import type { Chunk } from '../../src/table/chunk.ts';
import { CorruptSnapshot } from '../../src/table/file.ts';
import { companiesOf, type FeedNote, type SummaryNote } from '../fold/rows.ts';
import { storedTable } from '../segments/segment.ts';
import { readLines, type Line } from '../segments/table-files.ts';
import { createBalance, digestOf, digestUnder, replacedPart, type Balance } from './balance.ts';
import type { MergedSegments } from './verify-merge.ts';
import { parseText } from './verify-rows.ts';
import { failAt, type CheckedLine } from './verify-table.ts';

/** What summaries are held against. */
export interface Revisions {
  /** Entries of the feed that are corrections. */
  readonly corrections: number;
  /** What the feeds of companies have to hold: the digest of each entry under the CIK of its company. Those of first revisions are in it. */
  readonly companyChanges: Balance;
  /** The filings of `latest`, without those that the feed has in revision 1. */
  readonly newestInFeed: Balance;
  /** The filings of `latest`. */
  readonly inSummaries: Balance;
}

/** A filing that was corrected, and how far its revisions were seen in the feed. */
interface Corrected {
  readonly revision: number;
  seen: number;
  /** What the last one that was seen said. */
  form: string;
  companies: readonly string[];
  ingestedAt: string | null;
  /** Its segment, and the digest of its filing. */
  segment: number;
  digest: Buffer | null;
}

/** Corrected filings that are looked for in one pass over the feed: as many as fit into some ten megabytes. */
export const correctedAtOnce = 100_000;

const filingNeedle = Buffer.from(',"filing":');
const summaryNeedle = Buffer.from(',"summary":');
const accessionNeedle = Buffer.from('"accessionNo":"');
const accessionLength = '0000320193-26-000001'.length;
const summaryTail = FilingSummary.pick({ summary: true, itemTitles: true, links: true, notInvestmentAdvice: true });

/** The bytes of the filing in a row but for its last brace, which a summary goes on behind. */
export function filingInRow({ chunk, rowFrom, rowTo }: CheckedLine): Buffer {
  return chunk.bytes.subarray(rowFrom, rowTo - 1);
}

/** The same in an entry of the feed. */
export function filingInChange(chunk: Chunk, line: number): Buffer {
  const { from, to } = rowExtent(chunk, line);
  return chunk.bytes.subarray(chunk.bytes.indexOf(filingNeedle, from) + filingNeedle.length, to - 2);
}

/**
 * Checks the summaries, whose notes tell how often each filing was corrected, and with them the revisions in the feed: those of
 * a filing count from 1 without gap, and the last one says what `latest` holds. The feed is not sorted by filing. So its first
 * revisions are taken for the last ones until the notes tell which filings have more; those are looked for in a pass of its own,
 * so many at a time. Throws `CorruptSnapshot`.
 */
export function checkSummaries(merged: MergedSegments, revisions: Revisions, atOnce: number): void {
  // What a segment that is not the last one of a filing says of it, with the revision that it was at then.
  const replaced = createBalance();
  let corrected = new Map<string, Corrected>();
  let named = 0;
  const replacedSummary = (line: CheckedLine) => {
    const filing = filingInSummary(line);
    revisions.inSummaries.take(line.table.segment, replacedPart, filing);
    replaced.take(line.table.segment, '', digestAt(revisionOf(line), filing));
  };
  for (const line of merged.lines('summaries', replacedSummary)) {
    revisions.inSummaries.take(line.table.segment, '', filingInSummary(line));
    const revision = revisionOf(line);
    if (revision === 1) continue;
    named += revision - 1;
    corrected.set(line.keys.partition, { revision, seen: 0, form: '', companies: [], ingestedAt: null, segment: -1, digest: null });
    if (corrected.size < atOnce) continue;
    checkCorrected(merged, corrected, revisions, replaced);
    corrected = new Map();
  }
  if (corrected.size > 0) checkCorrected(merged, corrected, revisions, replaced);
  if (named !== revisions.corrections) {
    throw new CorruptSnapshot(`${merged.path(merged.segments.length - 1, 'summaries')}: the notes of all summaries name ${named} corrections, the feed holds ${revisions.corrections}`);
  }
  replaced.settle((segment, _, difference) => `${merged.path(segment, 'summaries')} does not hold what the feed says of filings that newer segments correct: ${difference}`);
}

/** Checks the summary in a row; its filing is compared with others by its digest, which is returned. */
function filingInSummary(line: CheckedLine): Buffer {
  const { chunk, rowFrom, rowTo, keys } = line;
  const summaryAt = chunk.bytes.lastIndexOf(summaryNeedle, rowTo);
  const isOfKey = chunk.bytes.toString('latin1', rowFrom + 1, rowFrom + 1 + accessionNeedle.length + accessionLength) === `${accessionNeedle.toString()}${keys.partition}`;
  if (summaryAt < rowFrom || !isOfKey || keys.sort !== '') failAt(line, 'is not the summary of the filing that its keys name');
  parseText(summaryTail, line, `{${chunk.bytes.toString('utf8', summaryAt + 1, rowTo)}`);
  return digestOf(chunk.bytes.subarray(rowFrom, summaryAt));
}

const digestAt = (revision: number, filing: Buffer) => digestUnder(String(revision), filing);

function revisionOf(line: CheckedLine): number {
  const { note } = line;
  if (note === null) return 1;
  const revision = Number(/^\{"revision":([1-9]\d{0,8})\}$/.exec(note)?.[1] ?? 0);
  if (revision < 2 || note !== JSON.stringify({ revision } satisfies SummaryNote)) failAt(line, `has the note ${note}`);
  return revision;
}

/** Looks for every revision of some filings in the feed, which was checked before. */
function checkCorrected(merged: MergedSegments, corrected: ReadonlyMap<string, Corrected>, revisions: Revisions, replaced: Balance): void {
  merged.segments.forEach(({ name, head }, segment) => {
    const table = { rows: merged.path(segment, 'changes') };
    for (const line of readLines(storedTable(merged.directory, name, head, 'changes'))) {
      if (line.keys.partition !== allPartition) break;
      const { bytes } = line.chunk;
      const at = bytes.indexOf(accessionNeedle, rowExtent(line.chunk, line.line).from) + accessionNeedle.length;
      const filing = corrected.get(bytes.toString('latin1', at, at + accessionLength));
      if (!filing) continue;
      if (filing.digest && filing.segment !== segment) replaced.add(filing.segment, '', digestAt(filing.seen, filing.digest));
      addRevision({ ...line, table }, segment, filing, revisions);
    }
  });
  for (const [accessionNo, { revision, seen }] of corrected) {
    if (revision !== seen) throw new CorruptSnapshot(`${merged.path(merged.segments.length - 1, 'summaries')}: ${accessionNo} has revision ${revision}, the feed knows ${seen}`);
  }
}

type FeedLine = Line & { readonly table: { readonly rows: string } };

function addRevision(line: FeedLine, segment: number, known: Corrected, { companyChanges, newestInFeed }: Revisions): void {
  const text = rowBytes(line).toString();
  const { revision, filing } = JSON.parse(text) as Change;
  if (revision !== known.seen + 1) failAt(line, `is revision ${revision} of ${filing.accessionNo} behind revision ${known.seen}`);
  const companies = companiesOf(filing);
  const digest = digestOf(filingInChange(line.chunk, line.line));
  if (revision === 1) newestInFeed.add(segment, '', digest);
  else {
    if (filing.ingestedAt !== known.ingestedAt) failAt(line, 'says that its filing was recorded at another time than the revision before');
    for (const company of new Set([...companies, ...known.companies])) {
      const note = JSON.stringify({ before: known.companies.includes(company) ? known.form : null } satisfies FeedNote);
      companyChanges.add(segment, '', digestUnder(company, digestOf(`"sort":"${line.keys.sort}","note":${note},"row":${text}}`)));
    }
  }
  if (revision === known.revision) newestInFeed.take(segment, '', digest);
  known.seen = revision;
  known.form = filing.form;
  known.companies = companies;
  known.ingestedAt = filing.ingestedAt;
  known.segment = segment;
  known.digest = digest;
}
