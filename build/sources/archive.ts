import type { Refusal } from '../ledger/ledger-rows.ts';
import {
  parseExtraPage,
  parseSubmissions,
  submissionsFile,
  type Columns,
  type ExtraPage,
  type Submissions,
} from './submissions.ts';
import { openZip, type ZipReader } from './zip.ts';
import type { ZipNames } from './zip-directory.ts';

/** The files of one entity in the archive. */
export interface ArchivedEntity {
  readonly cik: string;
  /** Null if the main file is missing or broken; then its pages cannot be understood either. */
  readonly main: Submissions | null;
  /** Its extra pages, by number. */
  readonly pages: readonly { readonly file: string; readonly columns: Columns }[];
  /** Refusals of its files, and of pages that are not complete. */
  readonly refusals: readonly Refusal[];
}

/** An open bulk archive. */
export interface SubmissionsArchive {
  /** The number of entities in it. */
  readonly entities: number;
  /** Refusals of members that are not files of an entity. */
  readonly refusals: readonly Refusal[];
  /**
   * Reads the wanted entities by ascending CIK, one at a time, with their wanted pages. Memory holds one
   * entity, whatever the size of the archive.
   */
  read(
    isWanted?: (cik: string) => boolean,
    isPageWanted?: (page: ExtraPage) => boolean,
  ): AsyncGenerator<ArchivedEntity>;
  close(): Promise<void>;
}

/**
 * The path of the archive below `/Archives/edgar/`. EDGAR makes it every night, at about 3:00 Eastern time.
 */
export const submissionsArchiveFile = 'daily-index/bulkdata/submissions.zip';

/**
 * The key of a member is its CIK times this, plus the number of its page. The main file has number 0, and so
 * comes first.
 */
const pagesMaximum = 100_000;
const namePattern = /^CIK(\d{10})(?:-submissions-(\d{3,5}))?\.json$/;

const names: ZipNames = {
  keyOf(name) {
    const [, cik, page] = namePattern.exec(name) ?? [];
    const key = Number(cik) * pagesMaximum + Number(page ?? 0);
    return cik !== undefined && names.nameOf(key) === name ? key : null;
  },
  nameOf(key) {
    const page = key % pagesMaximum;
    const cik = cikOf(key);
    return page === 0 ? submissionsFile(cik) : `CIK${cik}-submissions-${String(page).padStart(3, '0')}.json`;
  },
};

function cikOf(key: number): string {
  return String(Math.floor(key / pagesMaximum)).padStart(10, '0');
}

/**
 * Opens the bulk archive of submissions files. Throws an `Error` that tells the reason if the file is another
 * archive, was cut off, or has a wrong directory. A broken member is refused when its entity is read. No
 * member may be longer than `bytesMaximum`.
 */
export async function openSubmissionsArchive(
  path: string,
  bytesMaximum: number,
): Promise<SubmissionsArchive> {
  const zip = await openZip(path, names);
  const entities = zip.keys.reduce((count, key) => (key % pagesMaximum === 0 ? count + 1 : count), 0);
  if (entities === 0) {
    await zip.close();
    throw new Error('it holds no submissions file');
  }
  return {
    entities,
    refusals: zip.unexpectedNames.map((file) => ({
      cik: '',
      file,
      accessionNo: '',
      reason: 'it is not named like a submissions file',
    })),
    async *read(isWanted = () => true, isPageWanted = () => true) {
      for (let from = 0; from < zip.keys.length; ) {
        const cik = cikOf(zip.keys[from] as number);
        let to = from + 1;
        while (to < zip.keys.length && cikOf(zip.keys[to] as number) === cik) to++;
        if (isWanted(cik)) yield await readEntity(zip, { cik, from, to, bytesMaximum, isPageWanted });
        from = to;
      }
    },
    close: () => zip.close(),
  };
}

/** Files of one entity in the archive: the members from number `from` up to `to`, which is not one of them. */
interface EntityMembers {
  readonly cik: string;
  readonly from: number;
  readonly to: number;
  /** The greatest length of a member after inflating, in bytes. */
  readonly bytesMaximum: number;
  readonly isPageWanted: (page: ExtraPage) => boolean;
}

async function readEntity(
  zip: ZipReader,
  { cik, from, to, bytesMaximum, isPageWanted }: EntityMembers,
): Promise<ArchivedEntity> {
  const refusals: Refusal[] = [];
  const refuse = (file: string, reason: string) => void refusals.push({ cik, file, accessionNo: '', reason });
  async function understand<Parsed>(at: number, parse: (body: Buffer) => Parsed): Promise<Parsed | null> {
    try {
      return parse(await zip.read(at, bytesMaximum));
    } catch (error) {
      refuse(names.nameOf(zip.keys[at] as number), (error as Error).message);
      return null;
    }
  }

  const hasMain = (zip.keys[from] as number) % pagesMaximum === 0;
  if (!hasMain) refuse(submissionsFile(cik), 'it is not in the archive');
  const main = hasMain ? await understand(from, (body) => parseSubmissions(body, cik)) : null;
  const pages: { file: string; columns: Columns }[] = [];
  const unwanted = new Set(main?.extraPages.filter((page) => !isPageWanted(page)).map(({ name }) => name));
  for (let at = hasMain ? from + 1 : from; at < to; at++) {
    const file = names.nameOf(zip.keys[at] as number);
    if (main === null) refuse(file, `${submissionsFile(cik)} was refused`);
    else if (!unwanted.has(file)) {
      const columns = await understand(at, parseExtraPage);
      if (columns !== null) pages.push({ file, columns });
    }
  }
  const rows = new Map(pages.map(({ file, columns }) => [file, columns.accessionNumber.length]));
  for (const { name, filingCount } of main?.extraPages ?? []) {
    if (unwanted.has(name)) continue;
    const count = rows.get(name);
    if (count === undefined && !refusals.some(({ file }) => file === name))
      refuse(name, 'it is not in the archive');
    if (count !== undefined && filingCount !== null && count < filingCount)
      refuse(name, `it has ${count} filings, not the ${filingCount} that ${submissionsFile(cik)} says`);
  }
  return { cik, main, pages, refusals };
}
