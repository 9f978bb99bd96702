import { z } from 'zod';
import { OwnershipDocument } from '../../src/contract/ownership-document.ts';
import { accessionNo } from '../../src/domain/scalars.ts';

/**
 * Who read the contents of a filing: its own XML document, or a quarterly data set of the SEC. What the document
 * says counts before what a data set says.
 */
export const ContentsSource = z.enum(['document', 'data_set']);
export type ContentsSource = z.infer<typeof ContentsSource>;

/** What a filing's own document says. A batch records it once, beside its filings: one line of JSON for each filing. */
export const LedgerContents = z.object({
  accessionNo,
  source: ContentsSource,
  ownership: OwnershipDocument,
});
export type LedgerContents = z.infer<typeof LedgerContents>;

/** The files with contents. Each has whole lines, and some megabytes of them at most. */
export const contentsFile = /^contents-\d+\.jsonl$/;

/** Characters of a file of contents, after which the next line begins another file. Reading needs a few times as much memory. */
const fileCharacters = 8 * 1024 * 1024;

/**
 * The greatest length of a line, in UTF-16 code units. The longest recorded document has 150,000; forms bound the
 * number of rows and the length of texts.
 */
const lineMaximum = 4 * 1024 * 1024;

/** Returns the line of contents, without the newline. Throws an `Error` for what no batch can hold. */
export function encodeContents(contents: LedgerContents): string {
  const issue = LedgerContents.safeParse(contents).error?.issues[0];
  if (issue) throw new Error(`${issue.path.join('.')}: ${issue.message}`);
  const line = JSON.stringify(contents);
  if (line.length > lineMaximum)
    throw new Error(`its contents have ${line.length} characters, the most is ${lineMaximum}`);
  return line;
}

/** Reads a line of contents. Throws an `Error` if it breaks the rules of the ledger. */
export function decodeContents(line: string): LedgerContents {
  const read = LedgerContents.safeParse(JSON.parse(line));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Error(issue ? `${issue.path.join('.')}: ${issue.message}` : 'no contents');
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
        characters += line.length;
        if (characters >= fileCharacters) await writeHeld();
      }
    },
    async finish(): Promise<WrittenFile[]> {
      if (lines.length > 0) await writeHeld();
      return files;
    },
  };
}
