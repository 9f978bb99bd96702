import { ApiError } from '../contract/errors.ts';
import type { Change, FilingSummary } from '../contract/records.ts';
import type { Answer } from '../http/http-answer.ts';
import { jsonAnswer } from '../render/json.ts';
import type { Page } from '../render/page.ts';
import type { Snapshot } from '../snapshot/open.ts';
import { inPasses } from '../table/passes.ts';
import { ownershipPage, summaryPage } from './company-answers.ts';
import { publicAnswer } from './document-answers.ts';
import { feedPage } from './lists.ts';

/** Pages that stand at many paths: which page a path has, whose script shows what the path names. */
const sharedPages: readonly (readonly [RegExp, string])[] = [
  [/^\/filing\/\d{10}-\d{2}-\d{6}$/, '/filing'],
  [/^\/explore\/[^/]+$/, '/explore/company'],
];

/** The data of the page of a filing. */
const filingDataPath = /^\/filing\/(\d{10}-\d{2}-\d{6})\.json$/;

/** The public documents that have whole filings, and what the paths of the public data of companies begin with. */
const openPaths: readonly string[] = ['/filings/newest.json', '/demo'];
const companyDataFolder = '/explore/data/';

/** Pages of a company's feed that are searched for the revisions of a filing. A page has the entries of one day. */
const feedPagesMaximum = 3;
const feedRows = 200;

/**
 * What stands at a path that no public document has: a page that many paths share, or the data of a filing of the
 * public sample. Null if nothing does.
 */
export async function sharedAnswer(snapshot: Snapshot, urlPath: string): Promise<Answer | null> {
  const accessionNo = filingDataPath.exec(urlPath)?.[1];
  if (accessionNo !== undefined) return filingData(snapshot, accessionNo);
  const page = sharedPages.find(([pattern]) => pattern.test(urlPath))?.[1];
  return page === undefined ? null : publicAnswer(snapshot, page);
}

/** Whether a filing is in the public sample. */
async function isInSample({ routes, file }: Snapshot, accessionNo: string): Promise<boolean> {
  for (const [path, route] of Object.entries(routes)) {
    if (!openPaths.includes(path) && !(path.startsWith(companyDataFolder) && path.endsWith('.json')))
      continue;
    if ((await file(route.file)).includes(`"${accessionNo}"`)) return true;
  }
  return false;
}

/**
 * Everything that the service knows of a filing of the public sample: summary, what it says about ownership, and its
 * revisions. Of any other filing only where EDGAR has it; null if the service does not have it.
 */
async function filingData(snapshot: Snapshot, accessionNo: string): Promise<Answer | null> {
  const summary = await inPasses(
    () => recordOf(() => summaryPage(snapshot, accessionNo)) as FilingSummary | null,
  );
  if (summary === null) return null;
  const isOpen = await isInSample(snapshot, accessionNo);
  const data = isOpen
    ? await inPasses(() => ({
        summary,
        ownership: recordOf(() => ownershipPage(snapshot, accessionNo)),
        changes: changesOf(snapshot, summary),
      }))
    : null;
  const meta = { detailUrl: summary.detailUrl, sampleOnly: true, notInvestmentAdvice: true };
  return jsonAnswer([JSON.stringify({ data, meta })]);
}

/** The record of a page; null if there is none. */
function recordOf(find: () => Page): unknown {
  try {
    return find().record(0);
  } catch (error) {
    if (error instanceof ApiError && absent.includes(error.code)) return null;
    throw error;
  }
}
const absent: readonly string[] = ['filing_not_found', 'not_found'];

/** The entries of the change feed about a filing, oldest first. The feed of its company on its day has them. */
function changesOf(snapshot: Snapshot, { accessionNo, cik, filedAt }: FilingSummary): Change[] {
  if (filedAt === null) return [];
  const found: Change[] = [];
  let cursor: string | undefined;
  for (let read = 0; read < feedPagesMaximum; read++) {
    const day = { since: filedAt, until: filedAt };
    const page = feedPage(snapshot, {
      ticker: cik,
      ...day,
      limit: feedRows,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (let row = 0; row < page.count; row++) {
      const change = page.record(row) as Change;
      if (change.filing.accessionNo === accessionNo) found.push(change);
    }
    const { end } = page.first(page.count);
    if (end === null || end.isWhole || end.cursor === null) break;
    cursor = end.cursor;
  }
  return found;
}
