import type { LedgerContents } from '../../build/ledger/contents.ts';
import type { Section16Document } from '../../src/contract/ownership-document.ts';
import type { Transaction } from '../../src/contract/ownership.ts';
import { cikOf } from './made-up.ts';

/** A made-up purchase of shares. */
export function transaction(number: number, members: Partial<Transaction> = {}): Transaction {
  return {
    number,
    isDerivative: false,
    security: 'Common Stock',
    on: '2026-01-02',
    deemedExecutedOn: null,
    code: 'P',
    isEquitySwap: false,
    timeliness: null,
    shares: 100 * number,
    totalValue: null,
    price: 2.5,
    value: 250 * number,
    direction: 'acquired',
    sharesAfter: 1000,
    valueAfter: null,
    isDirect: true,
    nature: null,
    ...members,
  };
}

/** A made-up Form 4 about company 1, of owners with these numbers. */
export function form4(
  owners: readonly number[],
  transactions: readonly Transaction[] = [transaction(1)],
  remarks: string | null = null,
): Section16Document {
  return {
    kind: 'section_16',
    ownership: {
      kind: 'section_16',
      periodOfReport: '2026-01-02',
      originalSubmissionOn: null,
      isPlanned: false,
      isExit: false,
      owners: owners.map((number) => ({
        cik: cikOf(number),
        name: `Owner ${number}`,
        isDirector: true,
        isOfficer: false,
        isTenPercentOwner: false,
        isOther: false,
        title: null,
      })),
      transactions: [...transactions],
      holdingCount: 0,
    },
    documentType: '4',
    schemaVersion: 'X0508',
    issuer: {
      cik: cikOf(1),
      name: 'Issuer as written',
      ticker: 'T1',
      foreignTicker: null,
      fileNumber: null,
      phone: null,
      address: null,
    },
    remarks,
    signatures: [],
    ownsNoSecurities: false,
    reportsForm3Holdings: false,
    reportsForm4Transactions: false,
    ownerDetails: owners.map(() => ({ officerTitle: null, otherText: null, address: null })),
    transactionDetails: transactions.map(() => ({ formType: '4', footnoteIds: { price: ['F1'] } })),
    holdings: [],
    footnotes: [{ id: 'F1', text: 'Ünï "quoted"\tfootnote' }],
  };
}

/** Contents of a filing, from its document unless it is said otherwise. */
export function contents(
  accessionNo: string,
  ownership: LedgerContents['ownership'],
  source: LedgerContents['source'] = 'document',
): LedgerContents {
  return { accessionNo, source, ownership };
}
