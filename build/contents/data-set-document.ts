import { footnotedMembers, type Address } from '../../src/contract/ownership-document.ts';
import { valueColumns, type DataSetRow, type DataSetTableName } from './data-set-tables.ts';
import type { ReadOwnership } from './ownership-file.ts';
import { section16Of, type RawLists } from './section-16.ts';
import { emptyRow, type RawRow } from './section-16-rows.ts';
import { createValues, type Spelling, type Values } from './values.ts';

/** The rows of one filing in each table of a data set, in the order in which they count. */
export type FilingRows = Readonly<Record<DataSetTableName, readonly DataSetRow[]>>;

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** How data sets write values: days as `30-JUN-2026`, numbers as Java writes doubles. */
export const dataSetSpelling: Spelling = {
  dayOf(text) {
    const [, date, name = '', year] = /^(\d{2})-([A-Za-z]{3})-(\d{4})$/.exec(text) ?? [];
    const month = months.indexOf(name.toUpperCase()) + 1;
    return month === 0 ? null : `${year}-${String(month).padStart(2, '0')}-${date}`;
  },
  hasExponent: true,
};

const relationships = new Map([
  ['DIRECTOR', 'isDirector'],
  ['OFFICER', 'isOfficer'],
  ['TENPERCENTOWNER', 'isTenPercentOwner'],
  ['OTHER', 'isOther'],
] as const);

/**
 * Makes the document of a filing from its rows. What data sets do not have is null: the version of the schema, the
 * foreign symbol, and before they had a column for it `isPlanned`. Throws an `Error` that says why the filing is refused.
 */
export function documentOfRows(rows: FilingRows): ReadOwnership {
  const [submission, ...others] = rows.SUBMISSION;
  if (submission === undefined) throw new Error('it is not in SUBMISSION.tsv');
  if (others.length > 0) throw new Error('it is in SUBMISSION.tsv twice');
  const values = createValues(dataSetSpelling);
  const document = section16Of(
    {
      documentType: submission('DOCUMENT_TYPE'),
      schemaVersion: null,
      periodOfReport: submission('PERIOD_OF_REPORT'),
      originalSubmissionOn: submission('DATE_OF_ORIG_SUB'),
      isPlanned: submission('AFF10B5ONE'),
      isExit: submission('NOT_SUBJECT_SEC16'),
      ownsNoSecurities: submission('NO_SECURITIES_OWNED'),
      reportsForm3Holdings: submission('FORM3_HOLDINGS_REPORTED'),
      reportsForm4Transactions: submission('FORM4_TRANS_REPORTED'),
      issuerCik: submission('ISSUERCIK'),
      issuerName: submission('ISSUERNAME'),
      ticker: submission('ISSUERTRADINGSYMBOL'),
      foreignTicker: null,
      remarks: submission('REMARKS'),
    },
    {
      owners: rows.REPORTINGOWNER.map((row, at) => ownerOf(row, at + 1, values)),
      transactions: [
        ...rows.NONDERIV_TRANS.map((row) => rawRow(row, false)),
        ...rows.DERIV_TRANS.map((row) => rawRow(row, true)),
      ],
      holdings: [
        ...rows.NONDERIV_HOLDING.map((row) => rawRow(row, false)),
        ...rows.DERIV_HOLDING.map((row) => rawRow(row, true)),
      ],
      footnotes: rows.FOOTNOTES.map((row) => ({
        id: row('FOOTNOTE_ID'),
        text: values.text(row('FOOTNOTE_TXT')),
      })),
      signatures: rows.OWNER_SIGNATURE.map((row) => ({
        name: row('OWNERSIGNATURENAME'),
        on: row('OWNERSIGNATUREDATE'),
      })),
    },
    values,
  );
  return { document, refused: values.refused };
}

function rawRow(row: DataSetRow, isDerivative: boolean): RawRow {
  const raw = emptyRow(isDerivative);
  for (const name of footnotedMembers) {
    const [value, footnotes] = valueColumns[name];
    raw[name] = { text: row(...value), footnoteIds: row(...footnotes).match(/[^\s,]+/g) ?? [] };
  }
  raw.formType = row('TRANS_FORM_TYPE');
  raw.isEquitySwap = row('EQUITY_SWAP_INVOLVED');
  return raw;
}

function ownerOf(row: DataSetRow, number: number, values: Values): RawLists['owners'][number] {
  values.at(`owner ${number}`);
  const boxes = { isDirector: false, isOfficer: false, isTenPercentOwner: false, isOther: false };
  for (const word of row('RPTOWNER_RELATIONSHIP').split(/[,;]/)) {
    const box = relationships.get(word.replace(/[\s_-]/g, '').toUpperCase() as 'OTHER');
    if (box) boxes[box] = true;
    else values.choice(word, 'relationship', {});
  }
  const officerTitle = values.text(row('RPTOWNER_TITLE'));
  const otherText = values.text(row('RPTOWNER_TXT'));
  return {
    owner: {
      cik: values.cik(row('RPTOWNERCIK'), 'RPTOWNERCIK'),
      name: values.text(row('RPTOWNERNAME')),
      ...boxes,
      title: officerTitle ?? otherText,
    },
    details: { officerTitle, otherText, address: addressOf(row, values) },
  };
}

function addressOf(row: DataSetRow, values: Values): Address | null {
  const address = {
    street1: values.text(row('RPTOWNER_STREET1')),
    street2: values.text(row('RPTOWNER_STREET2')),
    city: values.text(row('RPTOWNER_CITY')),
    stateOrCountry: values.text(row('RPTOWNER_STATE')),
    stateDescription: values.text(row('RPTOWNER_STATE_DESC')),
    zipCode: values.text(row('RPTOWNER_ZIPCODE')),
  };
  if (Object.values(address).every((part) => part === null)) return null;
  return { ...address, isNonUs: null, nonUsTerritory: null, country: null };
}
