import type { FootnotedMember } from '../../src/contract/ownership-document.ts';

// The tables of SEC's Insider Transactions Data Sets (`FORM_345_readme.htm` in each of them), and the columns that are
// read. Columns have been added, and some are called otherwise in the files than in their description.

/** A table of a data set. */
export interface DataSetTable {
  /** Columns that are read, each by the names that it has had. */
  readonly columns: readonly (readonly string[])[];
  /** What orders the rows of a filing: a column, or the order of the file. */
  readonly order: string | null;
}

/** The columns of each value of a row, and of its footnotes, which end in `_FN`. */
export const valueColumns: Readonly<
  Record<FootnotedMember, readonly [values: readonly string[], footnotes: readonly string[]]>
> = {
  security: [['SECURITY_TITLE'], ['SECURITY_TITLE_FN']],
  on: [['TRANS_DATE'], ['TRANS_DATE_FN']],
  deemedExecutedOn: [['DEEMED_EXECUTION_DATE'], ['DEEMED_EXECUTION_DATE_FN']],
  code: [['TRANS_CODE'], ['EQUITY_SWAP_TRANS_CD_FN', 'EQUITY_SWAP_INVOLVED_FN', 'TRANS_FORM_TYPE_FN']],
  timeliness: [['TRANS_TIMELINESS'], ['TRANS_TIMELINESS_FN']],
  shares: [['TRANS_SHARES'], ['TRANS_SHARES_FN']],
  totalValue: [['TRANS_TOTAL_VALUE'], ['TRANS_TOTAL_VALUE_FN']],
  price: [['TRANS_PRICEPERSHARE'], ['TRANS_PRICEPERSHARE_FN']],
  direction: [['TRANS_ACQUIRED_DISP_CD'], ['TRANS_ACQUIRED_DISP_CD_FN']],
  sharesAfter: [['SHRS_OWND_FOLWNG_TRANS'], ['SHRS_OWND_FOLWNG_TRANS_FN']],
  valueAfter: [['VALU_OWND_FOLWNG_TRANS'], ['VALU_OWND_FOLWNG_TRANS_FN']],
  isDirect: [['DIRECT_INDIRECT_OWNERSHIP'], ['DIRECT_INDIRECT_OWNERSHIP_FN']],
  nature: [['NATURE_OF_OWNERSHIP'], ['NATURE_OF_OWNERSHIP_FN']],
  exercisePrice: [['CONV_EXERCISE_PRICE'], ['CONV_EXERCISE_PRICE_FN']],
  exercisableOn: [
    ['EXERCISE_DATE', 'EXCERCISE_DATE'],
    ['EXERCISE_DATE_FN', 'EXCERCISE_DATE_FN'],
  ],
  expiresOn: [['EXPIRATION_DATE'], ['EXPIRATION_DATE_FN']],
  underlyingSecurity: [['UNDLYNG_SEC_TITLE'], ['UNDLYNG_SEC_TITLE_FN']],
  underlyingShares: [['UNDLYNG_SEC_SHARES'], ['UNDLYNG_SEC_SHARES_FN']],
  underlyingValue: [['UNDLYNG_SEC_VALUE'], ['UNDLYNG_SEC_VALUE_FN']],
};

const owned: readonly FootnotedMember[] = ['sharesAfter', 'valueAfter', 'isDirect', 'nature'];
const traded: readonly FootnotedMember[] = [
  'security',
  'on',
  'deemedExecutedOn',
  'code',
  'timeliness',
  'shares',
  'price',
  'direction',
  ...owned,
];
const derived: readonly FootnotedMember[] = [
  'exercisePrice',
  'exercisableOn',
  'expiresOn',
  'underlyingSecurity',
  'underlyingShares',
  'underlyingValue',
];
const columnsOf = (members: readonly FootnotedMember[]) => members.flatMap((name) => valueColumns[name]);

const single = (...names: readonly string[]) => names.map((name) => [name]);

/** All tables, by the names of their files without `.tsv`. */
export const dataSetTables = {
  SUBMISSION: {
    columns: single(
      'FILING_DATE',
      'PERIOD_OF_REPORT',
      'DATE_OF_ORIG_SUB',
      'NO_SECURITIES_OWNED',
      'NOT_SUBJECT_SEC16',
      'FORM3_HOLDINGS_REPORTED',
      'FORM4_TRANS_REPORTED',
      'DOCUMENT_TYPE',
      'ISSUERCIK',
      'ISSUERNAME',
      'ISSUERTRADINGSYMBOL',
      'REMARKS',
    ),
    order: null,
  },
  REPORTINGOWNER: {
    columns: single(
      'RPTOWNERCIK',
      'RPTOWNERNAME',
      'RPTOWNER_RELATIONSHIP',
      'RPTOWNER_TITLE',
      'RPTOWNER_TXT',
      'RPTOWNER_STREET1',
      'RPTOWNER_STREET2',
      'RPTOWNER_CITY',
      'RPTOWNER_STATE',
      'RPTOWNER_ZIPCODE',
      'RPTOWNER_STATE_DESC',
    ),
    order: 'RPTOWNERCIK',
  },
  NONDERIV_TRANS: {
    columns: [['NONDERIV_TRANS_SK'], ['TRANS_FORM_TYPE'], ['EQUITY_SWAP_INVOLVED'], ...columnsOf(traded)],
    order: 'NONDERIV_TRANS_SK',
  },
  DERIV_TRANS: {
    columns: [
      ['DERIV_TRANS_SK'],
      ['TRANS_FORM_TYPE'],
      ['EQUITY_SWAP_INVOLVED'],
      ...columnsOf([...traded, 'totalValue', ...derived]),
    ],
    order: 'DERIV_TRANS_SK',
  },
  NONDERIV_HOLDING: {
    columns: [
      ['NONDERIV_HOLDING_SK'],
      ['TRANS_FORM_TYPE'],
      ['TRANS_FORM_TYPE_FN'],
      ...columnsOf(['security', ...owned]),
    ],
    order: 'NONDERIV_HOLDING_SK',
  },
  DERIV_HOLDING: {
    columns: [
      ['DERIV_HOLDING_SK'],
      ['TRANS_FORM_TYPE'],
      ['TRANS_FORM_TYPE_FN'],
      ...columnsOf(['security', ...derived, ...owned]),
    ],
    order: 'DERIV_HOLDING_SK',
  },
  FOOTNOTES: { columns: single('FOOTNOTE_ID', 'FOOTNOTE_TXT'), order: 'FOOTNOTE_ID' },
  OWNER_SIGNATURE: {
    columns: single('OWNERSIGNATURENAME', 'OWNERSIGNATUREDATE'),
    order: null,
  },
} as const satisfies Record<string, DataSetTable>;

/** The name of a table. */
export type DataSetTableName = keyof typeof dataSetTables;

/** A row of a table: the text of a column by any of its names; empty if it has none. */
export type DataSetRow = (...names: readonly string[]) => string;

/** Reads the rows of a table. */
export interface RowReader {
  readonly width: number;
  rowOf(line: string): DataSetRow;
}

/** The first column of each table. */
export const accessionColumn = 'ACCESSION_NUMBER';

/**
 * Reads the head of a table. Throws an `Error` that names a column that lacks, under all its names: then what the
 * table says cannot be understood.
 */
export function readerOf(name: DataSetTableName, head: string): RowReader {
  const places = new Map(head.split('\t').map((column, at) => [column.trim().toUpperCase(), at]));
  if (places.get(accessionColumn) !== 0)
    throw new Error(`${name}.tsv does not begin with ${accessionColumn}`);
  for (const names of dataSetTables[name].columns)
    if (!names.some((column) => places.has(column))) throw new Error(`${name}.tsv has no ${names[0]}`);
  return {
    width: places.size,
    rowOf(line) {
      const fields = line.split('\t');
      return (...names) => {
        for (const column of names) {
          const at = places.get(column);
          if (at !== undefined) return unquoted(fields[at] ?? '');
        }
        return '';
      };
    },
  };
}

/** A field in quotes whose quotes are written twice, as in CSV, which some data sets are. */
const quotedField = /^"(?:[^"]|"")*"$/;

function unquoted(field: string): string {
  if (!field.startsWith('"') || !field.slice(1, -1).includes('""') || !quotedField.test(field)) return field;
  return field.slice(1, -1).replaceAll('""', '"');
}
