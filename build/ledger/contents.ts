import * as z from 'zod';
import { ListedDocument } from '../../src/contract/filing-documents.ts';
import { exhibitsOf } from '../../src/domain/exhibits.ts';
import { ContentsSource, OwnershipDocument } from '../../src/contract/ownership-document.ts';
import { accessionNo, compareText } from '../../src/domain/scalars.ts';

/**
 * What a filing's own documents say. A batch records it once, beside its filings: one line of JSON for each filing, with
 * a member for each kind of contents that the batch has of it.
 */
export const LedgerContents = z
  .object({
    accessionNo,
    /** Who read `ownership`. */
    source: ContentsSource.optional(),
    ownership: OwnershipDocument.optional(),
    /** The list of its documents, the main one first. */
    documents: z.array(ListedDocument).min(1).optional(),
  })
  .refine(({ source, ownership }) => (source === undefined) === (ownership === undefined), {
    message: 'the source is not that of ownership',
  })
  .refine(({ ownership, documents }) => ownership !== undefined || documents !== undefined, {
    message: 'it has no contents',
  });
export type LedgerContents = z.infer<typeof LedgerContents>;

/** Contents of one kind or several, without the filing that has them. */
export type SaidContents = Omit<LedgerContents, 'accessionNo'>;

/** Which contents the ledger has of a filing: the source of what a document says, and whether its documents are listed. */
export interface HeldContents {
  readonly ownership?: ContentsSource;
  readonly documents?: true;
}

/** Sorts contents by accession number and joins those of the same filing, as a batch has them. Later ones count. */
export function joinContents(all: Iterable<LedgerContents>): LedgerContents[] {
  const joined = new Map<string, LedgerContents>();
  for (const each of all) joined.set(each.accessionNo, { ...joined.get(each.accessionNo), ...each });
  return [...joined.values()].sort((a, b) => compareText(a.accessionNo, b.accessionNo));
}

/** The files with contents. Each has whole lines, and some megabytes of them at most. */
export const contentsFile = /^contents-\d+\.jsonl$/;

/** Characters of a file of contents, after which the next line begins another file. Reading needs a few times as much memory. */
const fileCharacters = 8 * 1024 * 1024;

/**
 * The greatest lengths of a line and of what its filing gets of it, in bytes. EDGAR bounds rows and texts of the forms,
 * and no recorded filing has a tenth of it. So a row of a table fits into a block, and 32 filings into a member of the log.
 */
const maximums = { line: 1024 * 1024, ownership: 48 * 1024, documents: 96 * 1024, exhibits: 12 * 1024 };

/** Throws an `Error` if a line, or what its filing gets of it, is longer than tables can hold. */
function requireLength(line: string, { ownership, documents }: LedgerContents): void {
  const require = (what: string, bytes: number, most: number) => {
    if (bytes > most) throw new Error(`${what} has ${bytes} bytes, the most is ${most}`);
  };
  const bytes = Buffer.byteLength(line);
  require('it', bytes, maximums.line);
  // A line that is short as a whole need not be measured again.
  if (bytes <= maximums.exhibits) return;
  const bytesOf = (value: unknown) => (value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value)));
  require('its ownership', bytesOf(ownership?.ownership), maximums.ownership);
  require('its list of documents', bytesOf(documents), maximums.documents);
  require('its list of exhibits', bytesOf(documents && exhibitsOf(documents)), maximums.exhibits);
}

/** Returns the line of contents, without the newline. Throws an `Error` for what no batch can hold. */
export function encodeContents(contents: LedgerContents): string {
  const issue = LedgerContents.safeParse(contents).error?.issues[0];
  if (issue) throw new Error(`${issue.path.join('.')}: ${issue.message}`);
  const line = JSON.stringify(contents);
  requireLength(line, contents);
  return line;
}

/** Reads a line of contents. Throws an `Error` if it breaks the rules of the ledger. */
export function decodeContents(line: string): LedgerContents {
  const { success, data, error } = LedgerContents.safeParse(JSON.parse(line));
  const [issue] = error?.issues ?? [];
  if (!success) throw new Error(`${issue?.path.join('.')}: ${issue?.message}`);
  requireLength(line, data);
  return data;
}

/** A file that was written, as the head of a batch names it. */
type WrittenFile = { name: string; bytes: number; sha256: string; rows: number };

/** Writes contents into files, sorted by accession number, each filing once. Memory holds the lines of one file. */
export function createContentsFiles(
  write: (name: string, text: string, rows: number) => Promise<WrittenFile>,
) {
  const files: WrittenFile[] = [];
  let lines: string[] = [];
  let characters = 0;
  let last = '';
  let hasDocuments = false;
  async function writeHeld(): Promise<void> {
    files.push(await write(`contents-${files.length + 1}.jsonl`, `${lines.join('\n')}\n`, lines.length));
    [lines, characters] = [[], 0];
  }
  return {
    /** See `OpenBatch.addContents`. */
    async add(
      all: Iterable<LedgerContents>,
      onUnfit?: (contents: LedgerContents, reason: string) => void,
    ): Promise<void> {
      for (const contents of all) {
        if (contents.accessionNo <= last)
          throw new Error(`contents of ${contents.accessionNo} may not follow those of ${last}`);
        last = contents.accessionNo;
        let line: string;
        try {
          line = encodeContents(contents);
        } catch (error) {
          if (!onUnfit) throw error;
          onUnfit(contents, (error as Error).message);
          continue;
        }
        lines.push(line);
        hasDocuments ||= contents.documents !== undefined;
        characters += line.length;
        if (characters >= fileCharacters) await writeHeld();
      }
    },
    async finish(): Promise<WrittenFile[]> {
      if (lines.length > 0) await writeHeld();
      return files;
    },
    /** Whether lists of documents were written. */
    hasDocuments: () => hasDocuments,
  };
}
