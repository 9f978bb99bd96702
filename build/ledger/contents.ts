import { z } from 'zod';
import { ContentsSource, OwnershipDocument } from '../../src/contract/ownership-document.ts';
import { accessionNo } from '../../src/domain/scalars.ts';

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
 * The greatest length of a line, in bytes, and that of the ownership in it. EDGAR bounds rows and texts of the forms:
 * no recorded document has a tenth of it. So a row of a table fits into a block, and 32 filings into a member of the log.
 */
const [lineMaximum, ownershipMaximum] = [1024 * 1024, 48 * 1024];

/** Throws an `Error` if a line, or the ownership in it, is longer than tables can hold. */
function requireLength(line: string, { ownership: { ownership } }: LedgerContents): void {
  const fail = (what: string, bytes: number, most: number) => {
    throw new Error(`${what} has ${bytes} bytes, the most is ${most}`);
  };
  const bytes = Buffer.byteLength(line);
  if (bytes > lineMaximum) fail('it', bytes, lineMaximum);
  // A line that is short as a whole need not be measured again.
  const own = bytes > ownershipMaximum ? Buffer.byteLength(JSON.stringify(ownership)) : 0;
  if (own > ownershipMaximum) fail('its ownership', own, ownershipMaximum);
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
