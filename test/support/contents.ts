import type { LedgerContents } from '../../build/ledger/contents.ts';
import type { ContentsSource, OwnershipDocument } from '../../src/contract/ownership-document.ts';
import type {
  Holding,
  Schedule13Document,
  Section16Document,
} from '../../src/contract/ownership-document.ts';
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

/** A made-up row that says what is owned: options, with a footnote. */
export function holding(number: number): Holding {
  return {
    number,
    isDerivative: true,
    security: 'Option',
    formType: '4',
    sharesAfter: 10.25 * number,
    valueAfter: null,
    isDirect: false,
    nature: 'By Trust',
    exercisePrice: 1.5,
    exercisableOn: null,
    expiresOn: '2030-01-02',
    underlying: { security: 'Common Stock', shares: 10.25 * number, value: null },
    footnoteIds: { exercisableOn: ['F1'] },
  };
}

/** A made-up Form 4 about company 1, of owners with these numbers. */
export function form4(
  owners: readonly number[],
  transactions: readonly Transaction[] = [transaction(1)],
  remarks: string | null = null,
  named: string | null = 'Owner',
  holdings: readonly Holding[] = [],
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
        name: named && `${named} ${number}`,
        isDirector: true,
        isOfficer: false,
        isTenPercentOwner: false,
        isOther: false,
        title: null,
      })),
      transactions: [...transactions],
      holdingCount: holdings.length,
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
    holdings: [...holdings],
    footnotes: [{ id: 'F1', text: 'Ünï "quoted"\tfootnote' }],
  };
}

/** A made-up Schedule 13G about company 1, of persons with these numbers. */
export function schedule13(persons: readonly number[], named: string | null = 'Person'): Schedule13Document {
  const { kind: _, ownership: _ownership, documentType: _type, issuer, remarks, signatures } = form4([]);
  return {
    kind: 'schedule_13',
    ownership: {
      kind: 'schedule_13',
      schedule: '13G',
      eventOn: '2026-01-02',
      amendmentNumber: null,
      security: 'Common Stock',
      cusips: ['000000000'],
      rules: ['Rule 13d-1(b)'],
      persons: persons.map((number) => ({
        cik: number % 4 === 0 ? null : cikOf(number),
        name: named && `${named} ${number}`,
        shares: 1000.5,
        percent: 5.1,
        soleVoting: null,
        sharedVoting: 0,
        soleDispositive: null,
        sharedDispositive: 0,
        types: ['IN'],
        group: null,
      })),
    },
    documentType: 'SCHEDULE 13G',
    schemaVersion: null,
    issuer,
    remarks,
    signatures,
    previousAccessionNo: null,
    wasFiledBefore: null,
    isFivePercentOrLess: false,
    contacts: [],
    personDetails: persons.map(() => ({
      hasNoCik: null,
      citizenship: 'DE',
      fundTypes: [],
      hasLegalProceedings: null,
      excludesShares: null,
      comment: null,
    })),
  };
}

/** Contents of a filing, from its document unless it is said otherwise. */
export function contents(
  accessionNo: string,
  ownership: OwnershipDocument,
  source: ContentsSource = 'document',
): LedgerContents & { readonly ownership: OwnershipDocument } {
  return { accessionNo, source, ownership };
}
