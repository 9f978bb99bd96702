import * as z from 'zod';
import { count } from '../domain/scalars.ts';

/** A document that a filing has beyond its main one. */
export const Exhibit = z
  .object({
    type: z.string().describe('The type as filed, such as `EX-99.1`; filers invent types.'),
    name: z
      .string()
      .nullable()
      .describe(
        'Its file name, in the folder of `detailUrl`; null where EDGAR has no file of its own for it, as for most filings before 2001.',
      ),
  })
  .meta({ id: 'Exhibit', description: 'A document of a filing beyond its main one.' });
export type Exhibit = z.infer<typeof Exhibit>;

/** A document of a filing, as the filer sent it. */
export const FilingDocument = z
  .object({
    sequence: count.nullable().describe('Its number in the submission; null where EDGAR gives none.'),
    type: z.string().describe('Such as `8-K`, `EX-99.1` or `GRAPHIC`; filers invent types.'),
    description: z.string().nullable().describe("The filer's description; null where there is none."),
    name: Exhibit.shape.name.describe('Its file name; null where EDGAR has no file of its own for it.'),
    size: count.nullable().describe('In bytes; null where EDGAR does not tell it.'),
    url: z.string().nullable().describe('Its address on www.sec.gov; null without a name.'),
  })
  .meta({ id: 'FilingDocument', description: 'A document of a filing, as the filer sent it.' });
export type FilingDocument = z.infer<typeof FilingDocument>;

/** A document as the ledger and tables hold it: its address follows from the folder of its filing. */
export const ListedDocument = FilingDocument.omit({ url: true });
export type ListedDocument = z.infer<typeof ListedDocument>;

/** A document with its address: it is in the folder of the page that lists it, `detailUrl`. */
export function filingDocument(document: ListedDocument, detailUrl: string): FilingDocument {
  const { name } = document;
  return {
    ...document,
    url: name === null ? null : `${detailUrl.slice(0, detailUrl.lastIndexOf('/'))}/${name}`,
  };
}
