import type { Owner } from '../../src/contract/ownership.ts';
import type { Footnote, Section16Document } from '../../src/contract/ownership-document.ts';
import { holdingOf, transactionOf, type RawRow } from './section-16-rows.ts';
import type { Raw, Values } from './values.ts';

/** The single values of a Form 3, 4 or 5, as a source writes them. */
export interface RawHead {
  readonly documentType: Raw;
  readonly schemaVersion: Raw;
  readonly periodOfReport: Raw;
  readonly originalSubmissionOn: Raw;
  readonly isPlanned: Raw;
  readonly isExit: Raw;
  readonly ownsNoSecurities: Raw;
  readonly reportsForm3Holdings: Raw;
  readonly reportsForm4Transactions: Raw;
  readonly issuerCik: Raw;
  readonly issuerName: Raw;
  readonly ticker: Raw;
  readonly foreignTicker: Raw;
  readonly remarks: Raw;
}

/** The lists of a Form 3, 4 or 5. Rows are in the order in which they are numbered. */
export interface RawLists {
  readonly owners: readonly {
    readonly owner: Owner;
    readonly details: Section16Document['ownerDetails'][number];
  }[];
  readonly transactions: readonly RawRow[];
  readonly holdings: readonly RawRow[];
  readonly footnotes: readonly Footnote[];
  readonly signatures: readonly { readonly name: Raw; readonly on: Raw }[];
}

const documentTypes = new Set(['3', '3/A', '4', '4/A', '5', '5/A']);

/**
 * Puts a document together, from XML or from a data set. Throws an `Error` if it is no Form 3, 4 or 5, or names no
 * issuer or no owner.
 */
export function section16Of(head: RawHead, lists: RawLists, values: Values): Section16Document {
  const documentType = values.text(head.documentType) ?? '';
  if (!documentTypes.has(documentType))
    throw new Error(`its document type is ${JSON.stringify(documentType.slice(0, 40))}`);
  if (lists.owners.length === 0) throw new Error('it names no owner');
  values.at('');
  const issuerCik = values.cik(head.issuerCik, 'issuerCik');
  if (issuerCik === null) throw new Error('its issuer has no CIK');
  const periodOfReport = values.day(head.periodOfReport, 'periodOfReport');
  const originalSubmissionOn = values.day(head.originalSubmissionOn, 'originalSubmissionOn');
  const isPlanned = values.flag(head.isPlanned, 'isPlanned');
  const box = (name: 'isExit' | 'ownsNoSecurities' | 'reportsForm3Holdings' | 'reportsForm4Transactions') =>
    values.flag(head[name], name) ?? false;
  const isExit = box('isExit');
  const ownsNoSecurities = box('ownsNoSecurities');
  const reportsForm3Holdings = box('reportsForm3Holdings');
  const reportsForm4Transactions = box('reportsForm4Transactions');
  const rows = lists.transactions.map((row, at) => transactionOf(row, at + 1, values));
  const holdings = lists.holdings.map((row, at) => holdingOf(row, at + 1, values));
  return {
    kind: 'section_16',
    ownership: {
      kind: 'section_16',
      periodOfReport,
      originalSubmissionOn,
      isPlanned,
      isExit,
      owners: lists.owners.map(({ owner }) => owner),
      transactions: rows.map(({ transaction }) => transaction),
      holdingCount: holdings.length,
    },
    documentType,
    schemaVersion: values.text(head.schemaVersion),
    issuer: {
      cik: issuerCik,
      name: values.text(head.issuerName),
      ticker: values.text(head.ticker),
      foreignTicker: values.text(head.foreignTicker),
      fileNumber: null,
      phone: null,
      address: null,
    },
    remarks: values.text(head.remarks),
    signatures: lists.signatures.map(({ name, on }, at) => {
      values.at(`signature ${at + 1}`);
      return { person: null, name: values.text(name), title: null, on: values.day(on, 'on') };
    }),
    ownsNoSecurities,
    reportsForm3Holdings,
    reportsForm4Transactions,
    ownerDetails: lists.owners.map(({ details }) => details),
    transactionDetails: rows.map(({ details }) => details),
    holdings,
    footnotes: [...lists.footnotes],
  };
}
