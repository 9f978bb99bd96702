import { basename } from 'node:path';
import type { ContentsName } from '../../src/settings/settings.ts';
import type { HeldContents, SaidContents } from '../ledger/contents.ts';
import { archivesUrl } from '../edgar/edgar-settings.ts';
import { isHtml } from '../edgar/outcome.ts';
import type { LedgerFiling } from '../ledger/ledger-rows.ts';
import type { Source } from '../sources/registry.ts';
import { indexPageEnding, indexPageFile, parseIndexPage } from './index-page.ts';
import { ownershipFile, parseOwnership } from './ownership-file.ts';

/**
 * What came of reading a file: what it says, and in words what in it could not be read; or why it cannot be understood
 * as a whole.
 */
export type ContentsAnswer =
  | { readonly said: SaidContents; readonly refused: readonly string[] }
  | { readonly unfit: string };

/** What contents of a kind are made of. */
interface ContentsKind {
  /** What the file is, behind "its" in messages. */
  readonly what: string;
  /** Returns the path of the file below `/Archives/edgar/`; null if a filing has none. */
  readonly fileOf: (row: FiledRow) => string | null;
  readonly source: Source<ContentsAnswer>;
}

/** The members of a filing that decide which files it has. */
export type FiledRow = Pick<
  LedgerFiling,
  'accessionNo' | 'form' | 'primaryDocument' | 'subjectCik' | 'filerCiks'
>;

const megabyte = 1024 * 1024;

/**
 * Whether bytes are nothing, or a page about something else, such as one that says that EDGAR is out of order: then they
 * say nothing about the file that was asked for.
 */
function isNoAnswer(body: Buffer, file: string): boolean {
  const [accessionNo] = /\d{10}-\d{2}-\d{6}/.exec(file) ?? [];
  const isPage = isHtml(body.toString('latin1', 0, 200));
  return body.length === 0 || (isPage && (accessionNo === undefined || !body.includes(accessionNo)));
}

/**
 * A source below `/Archives/edgar/`. A file that cannot be understood is an answer: asking at once again would change
 * nothing. Another page in its place is none.
 */
const sourceOf = (
  bytesMaximum: number,
  read: (body: Buffer, file: string) => ContentsAnswer,
): Source<ContentsAnswer> => ({
  url: archivesUrl,
  bytesMaximum,
  parse(body, file) {
    try {
      return read(body, file);
    } catch (error) {
      if (isNoAnswer(body, file)) throw error;
      return { unfit: (error as Error).message };
    }
  },
});

/**
 * Every kind of contents, in the order in which they are asked for: what a document says about ownership is waited for,
 * and there is a list of documents for five times as many filings.
 */
export const contentsKinds: Readonly<Record<ContentsName, ContentsKind>> = {
  ownership: {
    what: 'ownership document',
    fileOf: ownershipFile,
    // A full submission has its exhibits, too.
    source: sourceOf(32 * megabyte, (body, file) => {
      const [accessionNo] = /[^/]+(?=\.txt$)/.exec(file) ?? [];
      if (accessionNo !== undefined && !body.includes(accessionNo))
        throw new Error('it is of another filing');
      const { document, refused } = parseOwnership(body);
      return { said: { source: 'document', ownership: document }, refused };
    }),
  },
  documents: {
    what: 'list of documents',
    fileOf: indexPageFile,
    // The longest recorded page has 0.4 MB.
    source: sourceOf(4 * megabyte, (body, file) => ({
      said: { documents: parseIndexPage(body, basename(file, indexPageEnding)) },
      refused: [],
    })),
  },
};

/** The kinds in this order. */
export const contentsInOrder = Object.keys(contentsKinds) as ContentsName[];

/** Contents of a kind to be asked for, and the path of the file below `/Archives/edgar/`. */
export interface WantedContents {
  readonly contents: ContentsName;
  readonly accessionNo: string;
  readonly file: string;
}

/** Returns the contents of some kinds that a filing can have, and of which the ledger has none. */
export function lackingContents(
  row: FiledRow,
  kinds: readonly ContentsName[],
  held: HeldContents | undefined,
): WantedContents[] {
  return contentsInOrder.flatMap((contents) => {
    if (!kinds.includes(contents) || held?.[contents] !== undefined) return [];
    const file = contentsKinds[contents].fileOf(row);
    return file === null ? [] : [{ contents, accessionNo: row.accessionNo, file }];
  });
}
