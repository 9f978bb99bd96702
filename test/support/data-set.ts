import { dataSetTables, type DataSetTableName } from '../../build/contents/data-set-tables.ts';
import type { Holding, Section16Document } from '../../src/contract/ownership-document.ts';
import {
  footnotedMembers,
  type FootnoteIds,
  type FootnotedMember,
} from '../../src/contract/ownership-document.ts';
import type { Transaction } from '../../src/contract/ownership.ts';
import { writeLargeZip } from './zip.ts';

// Data sets as SEC makes them of documents: tables whose rows are in no order, with numbers as doubles.

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const dayOf = (day: string | null | undefined) =>
  day ? `${day.slice(8)}-${months[Number(day.slice(5, 7)) - 1]}-${day.slice(0, 4)}` : '';
const numberOf = (number: number | null | undefined) =>
  number === null || number === undefined
    ? ''
    : Number.isInteger(number)
      ? number >= 1e7
        ? `${number / 10 ** Math.floor(Math.log10(number))}E${Math.floor(Math.log10(number))}`
        : `${number}.0`
      : String(number);
const flagOf = (flag: boolean | null) => (flag === null ? '' : flag ? '1' : 'false');
const textOf = (text: string | null | undefined) =>
  text?.includes('"') ? `"${text.replaceAll('"', '""')}"` : (text ?? '');

/** Names of columns, each the first one that a table has had. */
export const headOf = (table: DataSetTableName, withPlan: boolean): string[] => [
  'ACCESSION_NUMBER',
  ...new Set(dataSetTables[table].columns.map(([name]) => name)),
  ...(withPlan && table === 'SUBMISSION' ? ['AFF10B5ONE'] : []),
];

const columns: Readonly<Record<FootnotedMember, readonly [string, string]>> = {
  security: ['SECURITY_TITLE', 'SECURITY_TITLE_FN'],
  on: ['TRANS_DATE', 'TRANS_DATE_FN'],
  deemedExecutedOn: ['DEEMED_EXECUTION_DATE', 'DEEMED_EXECUTION_DATE_FN'],
  code: ['TRANS_CODE', 'EQUITY_SWAP_TRANS_CD_FN'],
  timeliness: ['TRANS_TIMELINESS', 'TRANS_TIMELINESS_FN'],
  shares: ['TRANS_SHARES', 'TRANS_SHARES_FN'],
  totalValue: ['TRANS_TOTAL_VALUE', 'TRANS_TOTAL_VALUE_FN'],
  price: ['TRANS_PRICEPERSHARE', 'TRANS_PRICEPERSHARE_FN'],
  direction: ['TRANS_ACQUIRED_DISP_CD', 'TRANS_ACQUIRED_DISP_CD_FN'],
  sharesAfter: ['SHRS_OWND_FOLWNG_TRANS', 'SHRS_OWND_FOLWNG_TRANS_FN'],
  valueAfter: ['VALU_OWND_FOLWNG_TRANS', 'VALU_OWND_FOLWNG_TRANS_FN'],
  isDirect: ['DIRECT_INDIRECT_OWNERSHIP', 'DIRECT_INDIRECT_OWNERSHIP_FN'],
  nature: ['NATURE_OF_OWNERSHIP', 'NATURE_OF_OWNERSHIP_FN'],
  exercisePrice: ['CONV_EXERCISE_PRICE', 'CONV_EXERCISE_PRICE_FN'],
  exercisableOn: ['EXERCISE_DATE', 'EXERCISE_DATE_FN'],
  expiresOn: ['EXPIRATION_DATE', 'EXPIRATION_DATE_FN'],
  underlyingSecurity: ['UNDLYNG_SEC_TITLE', 'UNDLYNG_SEC_TITLE_FN'],
  underlyingShares: ['UNDLYNG_SEC_SHARES', 'UNDLYNG_SEC_SHARES_FN'],
  underlyingValue: ['UNDLYNG_SEC_VALUE', 'UNDLYNG_SEC_VALUE_FN'],
};

function valuesOf(
  row: Partial<Transaction> &
    Pick<Holding, 'security' | 'sharesAfter' | 'valueAfter' | 'isDirect' | 'nature'>,
  { formType, footnoteIds }: { readonly formType: string | null; readonly footnoteIds: FootnoteIds },
): Record<string, string> {
  const isDirect = row.isDirect;
  const values: Record<FootnotedMember, string> = {
    security: textOf(row.security),
    on: dayOf(row.on),
    deemedExecutedOn: dayOf(row.deemedExecutedOn),
    code: row.code ?? '',
    timeliness: row.timeliness ? (row.timeliness[0]?.toUpperCase() ?? '') : '',
    shares: numberOf(row.shares),
    totalValue: numberOf(row.totalValue),
    price: numberOf(row.price),
    direction: row.direction ? (row.direction[0]?.toUpperCase() ?? '') : '',
    sharesAfter: numberOf(row.sharesAfter),
    valueAfter: numberOf(row.valueAfter),
    isDirect: isDirect === null || isDirect === undefined ? '' : isDirect ? 'D' : 'I',
    nature: textOf(row.nature),
    exercisePrice: numberOf(row.exercisePrice),
    exercisableOn: dayOf(row.exercisableOn),
    expiresOn: dayOf(row.expiresOn),
    underlyingSecurity: textOf(row.underlying?.security),
    underlyingShares: numberOf(row.underlying?.shares),
    underlyingValue: numberOf(row.underlying?.value),
  };
  const fields: Record<string, string> = {
    TRANS_FORM_TYPE: formType ?? '',
    EQUITY_SWAP_INVOLVED: flagOf(row.isEquitySwap ?? null),
  };
  for (const name of footnotedMembers) {
    fields[columns[name][0]] = values[name];
    fields[columns[name][1]] = (footnoteIds[name] ?? []).join(',');
  }
  // Holdings have those of their form type in a column of its own.
  fields['TRANS_FORM_TYPE_FN'] = fields['EQUITY_SWAP_TRANS_CD_FN'] ?? '';
  return fields;
}

/** Makes the rows of a filing in each table. `key` is the first of its keys. */
function rowsOf(
  accessionNo: string,
  document: Section16Document,
  key: number,
): [DataSetTableName, Record<string, string>][] {
  const { ownership, issuer } = document;
  const rows: [DataSetTableName, Record<string, string>][] = [
    [
      'SUBMISSION',
      {
        FILING_DATE: '01-JUL-2026',
        PERIOD_OF_REPORT: dayOf(ownership.periodOfReport),
        DATE_OF_ORIG_SUB: dayOf(ownership.originalSubmissionOn),
        NO_SECURITIES_OWNED: flagOf(document.ownsNoSecurities),
        NOT_SUBJECT_SEC16: flagOf(ownership.isExit),
        FORM3_HOLDINGS_REPORTED: flagOf(document.reportsForm3Holdings),
        FORM4_TRANS_REPORTED: flagOf(document.reportsForm4Transactions),
        DOCUMENT_TYPE: document.documentType,
        ISSUERCIK: issuer.cik,
        ISSUERNAME: textOf(issuer.name),
        ISSUERTRADINGSYMBOL: issuer.ticker ?? '',
        REMARKS: textOf(document.remarks),
        AFF10B5ONE: flagOf(ownership.isPlanned),
      },
    ],
  ];
  for (const [at, owner] of ownership.owners.entries()) {
    const { address, officerTitle, otherText } = document.ownerDetails[
      at
    ] as Section16Document['ownerDetails'][number];
    const boxes = [
      owner.isDirector && 'Director',
      owner.isOfficer && 'Officer',
      owner.isTenPercentOwner && 'TenPercentOwner',
      owner.isOther && 'Other',
    ].filter((word) => word !== false);
    rows.push([
      'REPORTINGOWNER',
      {
        RPTOWNERCIK: owner.cik ?? '',
        RPTOWNERNAME: textOf(owner.name),
        RPTOWNER_RELATIONSHIP: boxes.join(','),
        RPTOWNER_TITLE: textOf(officerTitle),
        RPTOWNER_TXT: textOf(otherText),
        RPTOWNER_STREET1: textOf(address?.street1),
        RPTOWNER_STREET2: textOf(address?.street2),
        RPTOWNER_CITY: textOf(address?.city),
        RPTOWNER_STATE: textOf(address?.stateOrCountry),
        RPTOWNER_ZIPCODE: textOf(address?.zipCode),
        RPTOWNER_STATE_DESC: textOf(address?.stateDescription),
      },
    ]);
  }
  for (const [at, transaction] of ownership.transactions.entries()) {
    const details = document.transactionDetails[at] as Section16Document['transactionDetails'][number];
    const table = transaction.isDerivative ? 'DERIV_TRANS' : 'NONDERIV_TRANS';
    rows.push([table, { [`${table}_SK`]: String(key + at), ...valuesOf(transaction, details) }]);
  }
  for (const [at, holding] of document.holdings.entries()) {
    const table = holding.isDerivative ? 'DERIV_HOLDING' : 'NONDERIV_HOLDING';
    rows.push([table, { [`${table}_SK`]: String(key + at), ...valuesOf(holding, holding) }]);
  }
  for (const { id, text } of document.footnotes)
    rows.push(['FOOTNOTES', { FOOTNOTE_ID: id, FOOTNOTE_TXT: textOf(text) }]);
  for (const { name, on } of document.signatures)
    rows.push(['OWNER_SIGNATURE', { OWNERSIGNATURENAME: textOf(name), OWNERSIGNATUREDATE: dayOf(on) }]);
  return rows.map(([table, row]) => [table, { ACCESSION_NUMBER: accessionNo, ...row }]);
}

/** How a data set is written. */
export interface DataSetSpelling {
  readonly hasPlanColumn: boolean;
  /** Puts the rows of a table into another order; those of signatures and of the same footnote keep theirs. */
  readonly order: (table: DataSetTableName, rows: string[]) => string[];
  /** Changes the text of a table. */
  readonly edit?: (table: DataSetTableName, text: string) => string | null;
}

/** Writes a data set of documents. */
export function writeDataSet(
  path: string,
  filings: readonly (readonly [accessionNo: string, document: Section16Document])[],
  { hasPlanColumn, order, edit = (_, text) => text }: DataSetSpelling,
): void {
  const tables = new Map<DataSetTableName, string[]>();
  for (const [place, [accessionNo, document]] of filings.entries())
    for (const [table, row] of rowsOf(accessionNo, document, 95 + 1000 * place)) {
      const line = headOf(table, hasPlanColumn)
        .map((name) => row[name] ?? '')
        .join('\t');
      tables.set(table, [...(tables.get(table) ?? []), line]);
    }
  writeLargeZip(
    path,
    (Object.keys(dataSetTables) as DataSetTableName[]).flatMap((table) => {
      const lines = [headOf(table, hasPlanColumn).join('\t'), ...order(table, tables.get(table) ?? [])];
      const text = edit(table, `${lines.join('\n')}\n`);
      return text === null ? [] : [{ name: `${table}.tsv`, body: Buffer.from(text) }];
    }),
  );
}

/** What a data set tells of a document: owners by CIK, and none of what it has no column for. */
export function asDataSetTells(document: Section16Document, hasPlanColumn: boolean): Section16Document {
  const places = document.ownership.owners
    .map(({ cik }, at) => ({ cik: cik ?? '', at }))
    .sort((a, b) => (a.cik < b.cik ? -1 : a.cik > b.cik ? 1 : a.at - b.at))
    .map(({ at }) => at);
  const number = ({ id }: { readonly id: string }) => Number(id.slice(1));
  return {
    ...document,
    schemaVersion: null,
    issuer: { ...document.issuer, foreignTicker: null },
    ownership: {
      ...document.ownership,
      isPlanned: hasPlanColumn ? document.ownership.isPlanned : null,
      owners: places.map((at) => document.ownership.owners[at] as (typeof document.ownership.owners)[number]),
    },
    ownerDetails: places.map((at) => {
      const { address, ...titles } = document.ownerDetails[at] as Section16Document['ownerDetails'][number];
      const {
        isNonUs: _,
        nonUsTerritory: __,
        country: ___,
        ...told
      } = address ?? ({} as NonNullable<typeof address>);
      const isEmpty = Object.values(told).every((part) => part === null);
      return {
        ...titles,
        address: isEmpty ? null : { ...told, isNonUs: null, nonUsTerritory: null, country: null },
      };
    }),
    footnotes: document.footnotes.toSorted((a, b) => number(a) - number(b)),
  };
}
