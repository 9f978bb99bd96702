import { contentsKinds, lackingContents } from '../contents/contents-kinds.ts';
import type { ContentsName } from '../../src/settings/settings.ts';
import type { Addition } from '../ingest/append.ts';
import type { AskedContents } from '../ingest/ask-contents.ts';
import { mayHold } from '../ingest/collect.ts';
import type { Fetched } from '../ingest/fetch.ts';
import { sightingOf, type FoundFiling } from '../ingest/sightings.ts';
import type { EntityFile, ListedRows, Upstream } from '../ingest/upstream.ts';
import { mergeFiling, sayTheSame, type Sighting } from '../ledger/merge-filing.ts';
import type { LedgerContents } from '../ledger/contents.ts';
import type { LedgerFiling, Refusal } from '../ledger/ledger-rows.ts';
import type { IndexFiling } from '../sources/master-index.ts';
import type { Entity } from '../sources/roles.ts';
import type { ExtraPage } from '../sources/submissions.ts';
import { groupBy } from '../work/groups.ts';
import { inParallel } from '../../src/fetch/gate.ts';
import { describeDifference, differenceOf, isOther } from './compare.ts';

/** A filing that an index lists and that names a company of the universe. */
export interface WantedFiling {
  readonly listed: IndexFiling;
  /** The companies of the universe that it names, at least one. */
  readonly ciks: readonly string[];
}

/** What the ledger gets by a look. */
export interface Brought extends Pick<Addition, 'filings' | 'entities' | 'refusals'> {
  readonly contents: readonly LedgerContents[];
}

/** Why a filing is not settled. */
export interface Unsettled {
  readonly accessionNo: string;
  readonly kind: 'missing' | 'open' | 'different';
  readonly reason: string;
}

/** The outcome of looking at filings. */
export interface Look {
  readonly listed: number;
  /** Accession numbers of filings that the ledger lacked, and of those that it had otherwise. */
  readonly fetched: readonly string[];
  readonly corrected: readonly string[];
  /** Sorted by accession number. All other filings are found. */
  readonly unsettled: readonly Unsettled[];
  /** What is still to be appended. */
  readonly rest: Brought;
}

/** What a look needs. */
export interface LookOptions {
  readonly upstream: Pick<Upstream, 'header' | 'entityFile' | 'olderPage' | 'contents'>;
  readonly held: ReadonlyMap<string, LedgerFiling>;
  /** The contents of a filing that are asked for: they are wanted, and the ledger lacks them. */
  readonly contentsOf: (accessionNo: string) => readonly ContentsName[];
  /**
   * Reasons of differences that an earlier look left, as `<accession number> <reason>`: sources are not asked
   * again.
   */
  readonly settled: ReadonlySet<string>;
  /** The file that refusals name. */
  readonly file: string;
  /** Appends a part of what was found, so that a run that ends early does not lose it. */
  readonly append: (part: Brought) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/** Files that are requested at the same time. The rate limiter bounds the speed, not this number. */
const filesAtOnce = 3;
/** Filings that are appended together, at most. */
const filingsTogether = 500;
/** Companies of a filing whose files are asked for, at most, until one lists it. */
const filesAsked = 3;
/** Older pages of a file that are asked for, at most, for a filing that the main file no longer lists. */
const pagesAsked = 3;
/** Companies that the header does not name whose files are asked for, at most. */
const lackingAsked = 5;

/**
 * Compares filings of an index with the ledger's rows. What the ledger lacks or has otherwise is fetched: the
 * header, and the submissions file of a company. Sources that disagree with the index then are right, because
 * an index has only what they told it. Rejects if upstream blocks this address: what is not answered then is not missing.
 */
export async function lookAt(wanted: readonly WantedFiling[], options: LookOptions): Promise<Look> {
  const { held, settled, signal } = options;
  const { upstream, isBlocked } = endingAtBlock(options.upstream);
  const fetched: string[] = [];
  const corrected: string[] = [];
  const unsettled: Unsettled[] = [];
  const lackingOf = (row: LedgerFiling | null) =>
    row === null ? [] : lackingContents(row, options.contentsOf(row.accessionNo), undefined);
  const due = wanted.flatMap((each) => {
    const { listed } = each;
    const { accessionNo } = listed;
    const row = held.get(accessionNo);
    const difference = row && differenceOf(listed, row);
    const reason = row ? describeDifference(listed, row) : '';
    const isWhole = difference?.lacksDocuments === false && !difference.lacksAcceptance;
    const isSettled = isWhole && settled.has(`${accessionNo} ${reason}`);
    if (isSettled) unsettled.push({ accessionNo, kind: 'different', reason });
    const asksSources = difference !== null && !isSettled;
    return asksSources || lackingOf(row ?? null).length > 0 ? [{ ...each, asksSources }] : [];
  });
  const isUnsettled = (accessionNo: string) => unsettled.some((each) => each.accessionNo === accessionNo);
  let rest = nothingBrought();
  // Filings of one company are handled together, so that its file is requested once and held only meanwhile.
  for (const part of partsOf([...groupBy(due, ({ ciks }) => ciks[0] as string)])) {
    if (rest.filings.length + rest.contents.length > 0) {
      await options.append({ ...rest, refusals: [] });
      rest = { ...nothingBrought(), refusals: rest.refusals };
    }
    const brought = rest;
    const looking = inParallel(part, filesAtOnce, async ([cik, filings]) => {
      const files = createFiles(upstream, cik);
      for (const each of filings) {
        signal?.throwIfAborted();
        const { accessionNo } = each.listed;
        const before = held.get(accessionNo);
        const found = each.asksSources
          ? await askAbout(each, before, upstream, files.rowIn)
          : { sightings: [], row: before ?? null, unsettled: null };
        for (const lacking of lackingOf(found.row)) {
          const asked = await upstream.contents(lacking);
          if (asked.kind === 'read') brought.contents.push(asked.contents);
          if (asked.kind !== 'lost') brought.refusals.push(...asked.refusals);
          else if (!found.unsettled && !isUnsettled(accessionNo)) {
            const reason = `its ${contentsKinds[lacking.contents].what}: ${asked.reason}`;
            unsettled.push({ accessionNo, kind: 'open', reason });
          }
        }
        if (found.sightings.length > 0) brought.filings.push({ accessionNo, sightings: found.sightings });
        if (found.row !== null && !before) fetched.push(accessionNo);
        if (found.row !== null && before && !sayTheSame(before, found.row)) corrected.push(accessionNo);
        if (found.unsettled) unsettled.push(found.unsettled);
        if (found.unsettled?.kind === 'missing')
          brought.refusals.push({ cik, file: options.file, accessionNo, reason: found.unsettled.reason });
      }
      const wantedCiks = new Set(filings.flatMap(({ ciks }) => ciks));
      for (const entity of files.entities()) if (wantedCiks.has(entity.cik)) brought.entities.push(entity);
    });
    await looking.catch(async (error: Error) => {
      // What was fetched before a block is kept.
      if (isBlocked()) await options.append({ ...brought, refusals: [] });
      throw error;
    });
  }
  return {
    listed: wanted.length,
    fetched: fetched.sort(),
    corrected: corrected.sort(),
    unsettled: unsettled.sort((a, b) => (a.accessionNo < b.accessionNo ? -1 : 1)),
    rest,
  };
}

/** The same upstream, whose functions reject from the first answer on that says that upstream blocks this address. */
function endingAtBlock(upstream: LookOptions['upstream']): {
  readonly upstream: LookOptions['upstream'];
  isBlocked(): boolean;
} {
  let blocked: Error | null = null;
  const unlessBlocked =
    <Asked extends unknown[], Answer extends AskedContents | Fetched<unknown>>(
      ask: (...asked: Asked) => Promise<Answer>,
    ) =>
    async (...asked: Asked): Promise<Answer> => {
      if (blocked) throw blocked;
      const answer = await ask(...asked);
      if (answer.kind !== 'lost' || answer.cause !== 'throttled') return answer;
      throw (blocked ??= new Error(answer.reason));
    };
  return {
    upstream: {
      header: unlessBlocked(upstream.header),
      entityFile: unlessBlocked(upstream.entityFile),
      olderPage: unlessBlocked(upstream.olderPage),
      contents: unlessBlocked(upstream.contents),
    },
    isBlocked: () => blocked !== null,
  };
}

const nothingBrought = () => ({
  filings: [] as FoundFiling[],
  entities: [] as Entity[],
  contents: [] as LedgerContents[],
  refusals: [] as Refusal[],
});

/** Cuts groups of filings into parts of about `filingsTogether` filings. */
function partsOf<Group extends readonly [string, readonly unknown[]]>(groups: readonly Group[]): Group[][] {
  const parts: Group[][] = [];
  let filings = Infinity;
  for (const group of groups) {
    if (filings >= filingsTogether) {
      parts.push([]);
      filings = 0;
    }
    parts.at(-1)?.push(group);
    filings += group[1].length;
  }
  return parts;
}

/** Looks for the row of a filing in the submissions file of a company; undefined if it does not list it. */
type RowIn = (
  cik: string,
  filing: Pick<IndexFiling, 'accessionNo' | 'filedAt'>,
) => Promise<Fetched<LedgerFiling | undefined>>;

/** Requests submissions files. The file of `kept` and its older pages are requested once. */
function createFiles(upstream: Pick<Upstream, 'entityFile' | 'olderPage'>, kept: string) {
  let ofKept: Promise<Fetched<EntityFile>> | undefined;
  const pagesOfKept = new Map<string, Promise<Fetched<ListedRows>>>();
  const entities = new Map<string, Entity>();

  function pageOf(entity: Entity, name: string): Promise<Fetched<ListedRows>> {
    if (entity.cik !== kept) return upstream.olderPage(entity, name);
    const page = pagesOfKept.get(name) ?? upstream.olderPage(entity, name);
    pagesOfKept.set(name, page);
    return page;
  }

  const rowIn: RowIn = async (cik, { accessionNo, filedAt }) => {
    const file = await (cik === kept ? (ofKept ??= upstream.entityFile(cik)) : upstream.entityFile(cik));
    if (file.kind === 'lost') return file;
    const { entity, rows, olderPages } = file.parsed;
    entities.set(cik, entity);
    const row = rows.get(accessionNo);
    if (row) return { ...file, parsed: row };
    for (const { name } of pagesFor(olderPages, filedAt).slice(0, pagesAsked)) {
      const page = await pageOf(entity, name);
      if (page.kind === 'lost') return page;
      const older = page.parsed.rows.get(accessionNo);
      if (older) return { ...page, parsed: older };
    }
    return { ...file, parsed: undefined };
  };
  return { rowIn, entities: () => entities.values() };
}

/** The pages that may hold filings of a day, those that end soonest after it first. */
function pagesFor(pages: readonly ExtraPage[], filedAt: string): ExtraPage[] {
  return pages
    .filter((page) => mayHold(page, filedAt))
    .sort((a, b) => ((a.filingTo ?? '') < (b.filingTo ?? '') ? -1 : 1));
}

/** What sources told about one filing. */
interface Found {
  readonly sightings: readonly Sighting[];
  /** The row that the ledger has afterwards; null if nothing is known. */
  readonly row: LedgerFiling | null;
  readonly unsettled: Unsettled | null;
}

/** Asks the header and submissions files about a filing that the ledger lacks or has otherwise. */
async function askAbout(
  { listed, ciks }: WantedFiling,
  held: LedgerFiling | undefined,
  upstream: Pick<Upstream, 'header'>,
  rowIn: RowIn,
): Promise<Found> {
  const { accessionNo } = listed;
  const before = held && differenceOf(listed, held);
  const isOtherThere = !before || isOther(before);
  const rows: LedgerFiling[] = [];
  /** Reasons why a source said nothing, in the order of the requests; and whether one gave no answer at all. */
  const silent: string[] = [];
  let isUnanswered = false;
  const asked = new Set<string>();
  const askFile = async (cik: string): Promise<boolean> => {
    if (asked.has(cik)) return false;
    asked.add(cik);
    const file = await rowIn(cik, listed);
    const row = file.kind === 'ok' ? file.parsed : undefined;
    if (row) rows.push(row);
    else silent.push(file.kind === 'lost' ? file.reason : 'it does not list it');
    if (file.kind === 'lost' && file.cause !== 'absent') isUnanswered = true;
    return row !== undefined;
  };
  const askFiles = async () => {
    for (const cik of ciks.slice(0, filesAsked)) if (await askFile(cik)) return;
  };
  const [header] = await Promise.all([
    isOtherThere || before.ciks.length > 0 || before.lacksAcceptance
      ? upstream.header(ciks[0] as string, accessionNo)
      : null,
    isOtherThere || before.lacksDocuments ? askFiles() : null,
  ]);
  if (header?.kind === 'lost') {
    if (header.cause !== 'absent') isUnanswered = true;
    if (asked.size === 0) await askFiles();
  }
  const lackingNow = () => {
    const row = rowOf(held, toldBy(header, rows, held));
    return row === null ? [] : (differenceOf(listed, row)?.ciks ?? []);
  };
  for (const cik of lackingNow().slice(0, lackingAsked)) await askFile(cik);
  const sightings = toldBy(header, rows, held);
  const row = rowOf(held, sightings);
  const unsettle = (kind: Unsettled['kind'], reason: string): Found => ({
    sightings,
    row,
    unsettled: { accessionNo, kind, reason },
  });
  if (row === null)
    return unsettle(
      'missing',
      `form ${listed.form}: its header: ${header?.kind === 'lost' ? header.reason : ''}; the submissions file: ${silent[0]}`,
    );
  const after = differenceOf(listed, row);
  // A filing that a submissions file lists without a document has none: it was filed on paper.
  if (after?.lacksDocuments && rows.length === 0)
    return unsettle('open', `no submissions file tells its documents: ${silent.join('; ')}`);
  const difference = describeDifference(listed, row);
  const isLacking = isUnanswered && after?.lacksAcceptance === true;
  if (difference === '' && !isLacking) return { sightings, row, unsettled: null };
  if (!isUnanswered) return unsettle('different', difference);
  const reasons = [...(header?.kind === 'lost' ? [header.reason] : []), ...silent];
  const what = [difference, isLacking ? 'its acceptance is not known' : ''].filter((text) => text !== '');
  return unsettle('open', `${what.join('; ')}; not answered: ${reasons.join('; ')}`);
}

/** Joins what the header and the rows of files tell. Without a header, a known acceptance stays as it is. */
function toldBy(
  header: Awaited<ReturnType<Upstream['header']>> | null,
  rows: readonly LedgerFiling[],
  held: LedgerFiling | undefined,
): Sighting[] {
  if (header?.kind === 'ok') return [sightingOf.header(header.parsed), ...rows.map(sightingOf.file)];
  return rows.map((row) =>
    sightingOf.file({ ...row, acceptedEastern: held?.acceptedEastern ?? row.acceptedEastern }),
  );
}

/** Returns the row of a filing after everything that was told; null if nothing is known. */
const rowOf = (held: LedgerFiling | undefined, sightings: readonly Sighting[]): LedgerFiling | null =>
  held || sightings.length > 0 ? mergeFiling(held, sightings, () => false) : null;
