import * as z from 'zod';
import { ListedDocument } from '../contract/filing-documents.ts';
import { ContentsSource, StoredOwnershipDocument } from '../contract/ownership-document.ts';

/** What a document about ownership says beside the `ownership` of its filing. */
export const OwnershipRow = z.object({ source: ContentsSource, document: StoredOwnershipDocument });
export type OwnershipRow = z.infer<typeof OwnershipRow>;

const { sequence, type, description, name, size } = ListedDocument.shape;

/** The documents of a filing as a table holds them: the names of members, repeated, would take as much as the values. */
export const DocumentsRow = z.array(z.tuple([sequence, type, description, name, size])).min(1);
export type DocumentsRow = z.infer<typeof DocumentsRow>;

/** The row of a list of documents. */
export const documentsRowOf = (documents: readonly ListedDocument[]): DocumentsRow =>
  documents.map((each) => [each.sequence, each.type, each.description, each.name, each.size]);

/** The list of documents in a row. */
export const documentsOfRow = (row: DocumentsRow): ListedDocument[] =>
  row.map(([ofSubmission, kind, text, file, bytes]) => ({
    sequence: ofSubmission,
    type: kind,
    description: text,
    name: file,
    size: bytes,
  }));
