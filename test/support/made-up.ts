import type { LedgerCompany, LedgerFiling } from '../../build/ledger/ledger-rows.ts';

/** When made-up batch `number`, counted from 1, was recorded. */
export const batchAt = (number: number) => new Date(Date.UTC(2026, 2, number, 12)).toISOString();

/** CIK of a made-up company. */
export const cikOf = (number: number) => String(number).padStart(10, '0');

/** What files say of a company whose address they do not tell. */
export const noAddress = {
  phone: null,
  businessStreet: null,
  businessCity: null,
  businessState: null,
  businessZipCode: null,
};

/** What files say of a made-up company. */
export const operatingFacts = {
  sic: '1000',
  sicDescription: null,
  category: null,
  entityType: 'operating',
  stateOfIncorporation: null,
  fiscalYearEnd: null,
  ...noAddress,
};

/** A made-up company; it has the symbol that is given, or none. */
export function company(
  number: number,
  ticker: string | null = `T${number}`,
  members: Partial<LedgerCompany> = {},
): LedgerCompany {
  return {
    cik: cikOf(number),
    name: `Company ${number}`,
    tickers: ticker === null ? [] : [ticker],
    exchange: ticker === null ? null : 'NYSE',
    formerNames: [],
    ...members,
  };
}

/** A made-up filing of company 1. */
export function filing(number: number, members: Partial<LedgerFiling> = {}): LedgerFiling {
  const filedAt = members.filedAt ?? `2026-02-${String((number % 28) + 1).padStart(2, '0')}`;
  return bareFiling(number, {
    form: '10-Q',
    filedAt,
    acceptedEastern: `${filedAt.replaceAll('-', '')}160000`,
    primaryDocument: `d${number}.htm`,
    sizeBytes: 100,
    ...members,
  });
}

/** A made-up 8-K of company 1 that has only what every filing has: no acceptance time and no documents. */
export function bareFiling(number: number, members: Partial<LedgerFiling> = {}): LedgerFiling {
  return {
    accessionNo: `0000009999-26-${String(number).padStart(6, '0')}`,
    form: '8-K',
    filedAt: '2026-01-05',
    reportDate: null,
    acceptedEastern: null,
    items: [],
    primaryDocument: null,
    primaryDocDescription: null,
    sizeBytes: null,
    isXbrl: false,
    isInlineXbrl: false,
    subjectCik: null,
    filerCiks: [cikOf(1)],
    ...members,
  };
}
