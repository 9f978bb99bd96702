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
