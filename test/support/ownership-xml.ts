import fc from 'fast-check';

// Documents about ownership drawn from the grammar of their schemas, as a tree of raw values in the shape of the
// recorded readings, and written as XML in any of the spellings that agents use.

/** A tree of raw values; a list is an element that comes several times. */
export type Tree = string | null | { readonly [name: string]: Tree | readonly Tree[] };
interface RawValue {
  readonly value: string | null;
  readonly footnotes: readonly string[];
}

/** How a document is written. */
export interface XmlSpelling {
  readonly lineEnd: '' | '\n' | '\r\n';
  /** Prefix of the document's namespace, and of the common one. */
  readonly prefixes: readonly [own: '' | 'own' | 'ns2', common: 'com' | 'ns1'];
  readonly declaration:
    | ''
    | '<?xml version="1.0"?>'
    | '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
  readonly hasMark: boolean;
  readonly emptyAsPair: boolean;
  readonly comment: '' | '<!-- a < b & c -->';
}

/** Any spelling. */
export const anySpelling: fc.Arbitrary<XmlSpelling> = fc.record({
  lineEnd: fc.constantFrom('', '\n', '\r\n'),
  prefixes: fc.tuple(fc.constantFrom('', 'own', 'ns2'), fc.constantFrom('com', 'ns1')),
  declaration: fc.constantFrom(
    '',
    '<?xml version="1.0"?>',
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>',
  ),
  hasMark: fc.boolean(),
  emptyAsPair: fc.boolean(),
  comment: fc.constantFrom('', '<!-- a < b & c -->'),
});

const escaped = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&#62;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#x27;');

const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const listOf = <Value>(value: fc.Arbitrary<Value>, least: number, most: number) =>
  fc.array(value, { minLength: least, maxLength: most });

const word = fc.constantFrom(
  'Common',
  'Stock',
  '$0.10',
  'a & b',
  '<b>',
  "O'Neil",
  '"x"',
  'é',
  '日本',
  '&amp;',
  'By',
  '401(k)',
);
/** A text with white space in and around it. */
const text = fc
  .tuple(listOf(word, 1, 5), fc.constantFrom(' ', '  ', ' \n ', '\t'), fc.constantFrom('', ' ', '\n'))
  .map(([words, between, around]) => around + words.join(between) + around);
const flag = orNull(fc.constantFrom('1', '0', 'true', 'false'));
const letterFlag = orNull(fc.constantFrom('Y', 'N'));
/** Numbers of which a double says the product of any two exactly in cents. */
const number = fc.oneof(
  fc.nat(999_999).map(String),
  fc.tuple(fc.nat(99_999), fc.nat(9999)).map(([a, b]) => `${a}.${String(b).padStart(4, '0')}`),
  fc.tuple(fc.nat(999_999), fc.nat(99)).map(([a, b]) => `${a}.${b}0`),
  fc.nat(99_999).map((part) => `.${part}`),
  fc.constantFrom('0', '0.00', '.5', '007', '1.005', '12.50'),
);
const cik = fc
  .tuple(fc.integer({ min: 1, max: 9_999_999 }), fc.boolean())
  .map(([id, isLong]) => (isLong ? String(id).padStart(10, '0') : String(id)));
const isoDay = fc
  .date({ min: new Date('2003-01-01'), max: new Date('2030-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const zonedDay = fc
  .tuple(isoDay, fc.constantFrom('', '', '-05:00', 'Z', '+01:00'))
  .map((parts) => parts.join(''));
const americanDay = isoDay.map((day) => `${day.slice(5, 7)}/${day.slice(8)}/${day.slice(0, 4)}`);

const ids = listOf(fc.constantFrom('F1', 'F2', 'F3'), 0, 2);
const valueOf = (value: fc.Arbitrary<string | null>): fc.Arbitrary<RawValue> =>
  fc.record({ value, footnotes: ids });
const optional = (value: fc.Arbitrary<string>) => orNull(valueOf(orNull(fc.oneof(value, fc.constant('')))));
const coded = fc.record({
  transactionFormType: fc.constantFrom('4', '5'),
  transactionCode: fc.constantFrom(...'ACDEFGHIJLMOPSUWXZ'),
  equitySwapInvolved: flag,
  footnotes: ids,
});
const ownership = fc.record({
  directOrIndirectOwnership: valueOf(fc.constantFrom('D', 'I')),
  natureOfOwnership: optional(text),
});
const after = fc.oneof(
  fc.record({
    sharesOwnedFollowingTransaction: valueOf(fc.oneof(number, fc.constant('99999999999.9999'))),
    valueOwnedFollowingTransaction: fc.constant(null),
  }),
  fc.record({
    sharesOwnedFollowingTransaction: fc.constant(null),
    valueOwnedFollowingTransaction: valueOf(number),
  }),
);
const derivative = {
  conversionOrExercisePrice: optional(number),
  exerciseDate: optional(zonedDay),
  expirationDate: optional(zonedDay),
  underlyingSecurity: fc.record({
    underlyingSecurityTitle: valueOf(text),
    underlyingSecurityShares: optional(number),
    underlyingSecurityValue: optional(number),
  }),
};
const noDerivative = {};
const transaction = (isDerivative: boolean) =>
  fc.record({
    kind: fc.constant('transaction'),
    securityTitle: valueOf(text),
    transactionDate: valueOf(zonedDay),
    deemedExecutionDate: optional(zonedDay),
    transactionCoding: orNull(coded),
    transactionTimeliness: optional(fc.constantFrom('E', 'L')),
    transactionAmounts: fc.record({
      transactionShares: optional(number),
      transactionTotalValue: isDerivative ? optional(number) : fc.constant(null),
      transactionPricePerShare: optional(number),
      transactionAcquiredDisposedCode: valueOf(fc.constantFrom('A', 'D')),
    }),
    postTransactionAmounts: after,
    ownershipNature: ownership,
    ...(isDerivative ? derivative : noDerivative),
  });
const holding = (isDerivative: boolean) =>
  fc.record({
    kind: fc.constant('holding'),
    securityTitle: valueOf(text),
    transactionCoding: orNull(
      fc.record({
        transactionFormType: fc.constant('3'),
        transactionCode: fc.constant(null),
        equitySwapInvolved: fc.constant(null),
        footnotes: ids,
      }),
    ),
    postTransactionAmounts: isDerivative ? orNull(after) : after,
    ownershipNature: ownership,
    ...(isDerivative ? derivative : noDerivative),
  });
const table = (isDerivative: boolean) =>
  orNull(fc.record({ rows: listOf(fc.oneof(transaction(isDerivative), holding(isDerivative)), 0, 6) }));

/** A Form 3, 4 or 5. */
export const section16Tree = fc.record({
  kind: fc.constant('ownership'),
  schemaVersion: orNull(fc.constantFrom('X0202', 'X0306', 'X0508', 'X0609')),
  documentType: fc.constantFrom('3', '3/A', '4', '4/A', '5', '5/A'),
  periodOfReport: zonedDay,
  dateOfOriginalSubmission: orNull(zonedDay),
  noSecuritiesOwned: flag,
  notSubjectToSection16: flag,
  form3HoldingsReported: flag,
  form4TransactionsReported: flag,
  issuer: fc.record({
    issuerCik: cik,
    issuerName: orNull(text),
    issuerTradingSymbol: fc.constantFrom('NZF', 'none', 'PARAA,PARA', ''),
    issuerForeignTradingSymbol: orNull(fc.constantFrom('', 'ABC')),
  }),
  owners: listOf(
    fc.record({
      id: fc.record({ rptOwnerCik: cik, rptOwnerName: orNull(text) }),
      address: orNull(
        fc.record({
          rptOwnerNonUSAddressFlag: flag,
          rptOwnerStreet1: orNull(text),
          rptOwnerStreet2: fc.constant(''),
          rptOwnerCity: orNull(text),
          rptOwnerNonUSStateTerritory: orNull(text),
          rptOwnerState: orNull(fc.constantFrom('NY', 'X0')),
          rptOwnerCountry: orNull(fc.constantFrom('X0')),
          rptOwnerZipCode: orNull(fc.constantFrom('06830', '75038-1234')),
          rptOwnerStateDescription: orNull(text),
        }),
      ),
      relationship: fc.record({
        isDirector: flag,
        isOfficer: flag,
        isTenPercentOwner: flag,
        isOther: flag,
        officerTitle: orNull(fc.oneof(text, fc.constant(''))),
        otherText: orNull(fc.oneof(text, fc.constant(''))),
      }),
    }),
    1,
    10,
  ),
  aff10b5One: flag,
  nonDerivativeTable: table(false),
  derivativeTable: table(true),
  footnotes: listOf(fc.record({ id: fc.constantFrom('F1', 'F2', 'F3'), text }), 0, 3),
  remarks: orNull(fc.oneof(text, fc.constant(''))),
  signatures: listOf(fc.record({ signatureName: text, signatureDate: zonedDay }), 1, 3),
});

const address = fc.record({
  street1: orNull(text),
  street2: orNull(text),
  city: orNull(text),
  stateOrCountry: orNull(fc.constantFrom('TX', 'X0')),
  zipCode: orNull(fc.constantFrom('75038')),
});
const wholeNumber = fc.nat(999_999_999).map(String);
const cents = fc.tuple(fc.nat(99_999_999), fc.nat(99)).map(([a, b]) => `${a}.${String(b).padStart(2, '0')}`);

/** A Form 144. */
export const form144Tree = fc
  .record({
    headerData: fc.record({
      submissionType: fc.constantFrom('144', '144/A'),
      previousAccessionNumber: orNull(fc.constant('0001314805-22-201762')),
      filerInfo: fc.record({
        filer: fc.record({ filerCredentials: fc.record({ cik, ccc: fc.constant('XXXXXXXX') }) }),
      }),
    }),
    formData: fc.record({
      issuerInfo: fc.record({
        issuerCik: cik,
        issuerName: text,
        secFileNumber: orNull(fc.constant('033-100039')),
        issuerAddress: address,
        issuerContactPhone: orNull(text),
        nameOfPersonForWhoseAccountTheSecuritiesAreToBeSold: text,
        relationshipsToIssuer: fc.record({ relationshipToIssuer: listOf(text, 1, 3) }),
      }),
      securitiesInformation: listOf(
        fc.record({
          securitiesClassTitle: text,
          brokerOrMarketmakerDetails: fc.record({ name: text, address }),
          noOfUnitsSold: wholeNumber,
          aggregateMarketValue: cents,
          noOfUnitsOutstanding: wholeNumber,
          approxSaleDate: americanDay,
          securitiesExchangeName: orNull(text),
        }),
        1,
        3,
      ),
      securitiesToBeSold: listOf(
        fc.record({
          securitiesClassTitle: text,
          acquiredDate: americanDay,
          natureOfAcquisitionTransaction: text,
          nameOfPersonfromWhomAcquired: orNull(text),
          isGiftTransaction: letterFlag,
          donarAcquiredDate: orNull(americanDay),
          amountOfSecuritiesAcquired: wholeNumber,
          paymentDate: orNull(americanDay),
          natureOfPayment: text,
        }),
        0,
        3,
      ),
      nothingToReportFlagOnSecuritiesSoldInPast3Months: letterFlag,
      securitiesSoldInPast3Months: listOf(
        fc.record({
          sellerDetails: fc.record({ name: text, address }),
          securitiesClassTitle: text,
          saleDate: americanDay,
          amountOfSecuritiesSold: wholeNumber,
          grossProceeds: cents,
        }),
        0,
        3,
      ),
      remarks: orNull(text),
      noticeSignature: fc.record({
        noticeDate: americanDay,
        planAdoptionDates: orNull(fc.record({ planAdoptionDate: listOf(americanDay, 0, 3) })),
        signature: text,
      }),
    }),
  })
  .map((document) => ({
    kind: '144',
    submissionType: document.headerData.submissionType,
    seller: document.formData.issuerInfo.nameOfPersonForWhoseAccountTheSecuritiesAreToBeSold,
    relationships: document.formData.issuerInfo.relationshipsToIssuer.relationshipToIssuer,
    ...document.formData,
    document,
  }));

const personTypes = listOf(fc.constantFrom('IN', 'IA', 'HC', 'CO', 'OO'), 0, 3);
const powers = {
  soleVotingPower: orNull(cents),
  sharedVotingPower: orNull(cents),
  soleDispositivePower: orNull(wholeNumber),
  sharedDispositivePower: orNull(cents),
};
const percent = orNull(fc.constantFrom('8.5', '42', '12.20', '0.0', '.3'));
const group = orNull(fc.constantFrom('a', 'b'));
const signed = listOf(fc.record({ signature: text, title: orNull(text), date: americanDay }), 1, 2);
const cusips = fc.record({ issuerCusipNumber: listOf(fc.constantFrom('212122121', '000000000', ''), 1, 3) });

/** A Schedule 13D. */
export const schedule13DTree = fc
  .record({
    headerData: fc.record({
      submissionType: fc.constantFrom('SCHEDULE 13D', 'SCHEDULE 13D/A'),
      previousAccessionNumber: orNull(fc.constant('0001314805-22-201762')),
    }),
    formData: fc.record({
      coverPageHeader: fc.record({
        amendmentNo: orNull(fc.nat(99).map(String)),
        securitiesClassTitle: text,
        dateOfEvent: americanDay,
        previouslyFiledFlag: orNull(fc.constantFrom('true', 'false')),
        issuerInfo: fc.record({
          issuerCIK: cik,
          issuerCUSIP: orNull(fc.constant('12345678X')),
          issuerCusips: orNull(cusips),
          issuerName: text,
          address,
        }),
        authorizedPersons: orNull(
          fc.record({
            notificationInfo: listOf(
              fc.record({ personName: text, personPhoneNum: text, personAddress: address }),
              1,
              2,
            ),
          }),
        ),
      }),
      reportingPersons: fc.record({
        reportingPersonInfo: listOf(
          fc.record({
            reportingPersonCIK: orNull(cik),
            reportingPersonNoCIK: letterFlag,
            reportingPersonName: text,
            memberOfGroup: group,
            fundType: listOf(fc.constantFrom('WC', 'OO'), 0, 2),
            legalProceedings: letterFlag,
            citizenshipOrOrganization: orNull(fc.constant('X0')),
            ...powers,
            aggregateAmountOwned: orNull(cents),
            isAggregateExcludeShares: letterFlag,
            percentOfClass: percent,
            typeOfReportingPerson: personTypes,
            commentContent: orNull(text),
          }),
          1,
          4,
        ),
      }),
      items1To7: fc.record({ item1: fc.record({ securityTitle: text, issuerName: text }) }),
      signatureInfo: fc.record({
        signaturePerson: listOf(
          fc.record({ signatureReportingPerson: text, signatureDetails: signed }),
          1,
          2,
        ),
        commentText: orNull(text),
      }),
    }),
  })
  .map((document) => ({ kind: '13d', submissionType: document.headerData.submissionType, document }));

/** A Schedule 13G. */
export const schedule13GTree = fc
  .record({
    headerData: fc.record({
      submissionType: fc.constantFrom('SCHEDULE 13G', 'SCHEDULE 13G/A'),
      previousAccessionNumber: orNull(fc.constant('0001314805-22-201762')),
    }),
    formData: fc.record({
      coverPageHeader: fc.record({
        amendmentNo: orNull(fc.nat(99).map(String)),
        securitiesClassTitle: text,
        eventDateRequiresFilingThisStatement: americanDay,
        issuerInfo: fc.record({
          issuerCik: cik,
          issuerName: text,
          issuerCusip: orNull(fc.constant('12345678X')),
          issuerCusips: orNull(cusips),
          issuerPrincipalExecutiveOfficeAddress: address,
        }),
        designateRulesPursuantThisScheduleFiled: fc.record({
          designateRulePursuantThisScheduleFiled: listOf(
            fc.constantFrom('Rule 13d-1(b)', 'Rule 13d-1(c)', 'Rule 13d-1(d)'),
            1,
            3,
          ),
        }),
      }),
      coverPageHeaderReportingPersonDetails: listOf(
        fc.record({
          reportingCik: orNull(cik),
          reportingCikNotPresentInEdgarFlag: letterFlag,
          reportingPersonName: text,
          memberGroup: group,
          citizenshipOrOrganization: orNull(fc.constant('DE')),
          reportingPersonBeneficiallyOwnedNumberOfShares: orNull(fc.record(powers)),
          reportingPersonBeneficiallyOwnedAggregateNumberOfShares: orNull(cents),
          aggregateAmountExcludesCertainSharesFlag: letterFlag,
          classPercent: percent,
          typeOfReportingPerson: personTypes,
          comments: orNull(text),
        }),
        1,
        4,
      ),
      items: orNull(fc.record({ item5: fc.record({ classOwnership5PercentOrLess: letterFlag }) })),
      signatureInformation: listOf(fc.record({ reportingPersonName: text, signatureDetails: signed }), 1, 2),
      signatureComments: orNull(text),
    }),
  })
  .map((document) => ({ kind: '13g', submissionType: document.headerData.submissionType, document }));

const namespaces: Readonly<Record<string, string>> = {
  '144': 'http://www.sec.gov/edgar/ownership',
  '13d': 'http://www.sec.gov/edgar/schedule13D',
  '13g': 'http://www.sec.gov/edgar/schedule13g',
};
const commonNames = new Set(['street1', 'street2', 'city', 'stateOrCountry', 'zipCode']);

/** Writes a drawn document as XML. */
export function xmlOfTree(
  tree: { readonly kind: string; readonly document?: Tree },
  spelling: XmlSpelling,
): Buffer {
  const [own, common] = spelling.prefixes;
  const name = (local: string) => {
    const prefix = tree.kind === 'ownership' ? '' : commonNames.has(local) ? common : own;
    return prefix === '' ? local : `${prefix}:${local}`;
  };
  const element = (local: string, value: Tree | readonly Tree[] | undefined): string => {
    if (value === null || value === undefined) return '';
    if (Array.isArray(value)) return value.map((each) => element(local, each as Tree)).join('');
    const inner =
      typeof value === 'string'
        ? escaped(value)
        : spelling.lineEnd +
          Object.entries(value)
            .map(([each, part]) => element(each, part))
            .join('');
    const tag = name(local.split('|')[0] ?? '');
    const whole = inner === '' && !spelling.emptyAsPair ? `<${tag} />` : `<${tag}>${inner}</${tag}>`;
    return whole + spelling.lineEnd;
  };
  const body =
    tree.kind === 'ownership'
      ? element('ownershipDocument', section16Elements(tree as unknown as Section16Tree))
      : element('edgarSubmission', tree.document).replace(
          /^<([^\s>]+)/,
          `<$1 xmlns${own === '' ? '' : `:${own}`}="${namespaces[tree.kind]}" xmlns:${common}="http://www.sec.gov/edgar/common"`,
        );
  // Ids of footnotes are attributes.
  const withIds = body
    .replace(
      /<footnote>\s*<id>([^<]*)<\/id>\s*<text>([^]*?)<\/text>\s*<\/footnote>/g,
      '<footnote id="$1">$2</footnote>',
    )
    .replace(/<footnoteId>([^<]*)<\/footnoteId>/g, '<footnoteId id="$1"/>');
  return Buffer.from((spelling.hasMark ? '\ufeff' : '') + spelling.declaration + spelling.comment + withIds);
}

type Section16Tree = typeof section16Tree extends fc.Arbitrary<infer Drawn> ? Drawn : never;

const valueNames = new Set(['value', 'footnotes']);
/** Makes elements of the values of a row: `{ value, footnotes }` is `<value>` and a `<footnoteId>` for each. */
function rowElements(node: unknown): Tree {
  if (typeof node !== 'object' || node === null) return node as string | null;
  const members = Object.entries(node).filter(([name]) => name !== 'kind');
  const isValue = members.every(([name]) => valueNames.has(name));
  return Object.fromEntries(
    members.map(([name, value]) =>
      name === 'footnotes'
        ? ['footnoteId', value as string[]]
        : [name, isValue ? (value as string | null) : rowElements(value)],
    ),
  );
}

function section16Elements(tree: Section16Tree): Tree {
  // Rows of both kinds are mixed: a number behind the name keeps the order of the table.
  const tableOf = (table: Section16Tree['nonDerivativeTable'], prefix: string) =>
    table &&
    Object.fromEntries(
      table.rows.map((row, at) => [
        `${prefix}${row.kind === 'transaction' ? 'Transaction' : 'Holding'}|${at}`,
        rowElements(row),
      ]),
    );
  const {
    issuer,
    owners,
    footnotes,
    signatures,
    nonDerivativeTable,
    derivativeTable,
    kind: _,
    ...head
  } = tree;
  return {
    ...head,
    issuer,
    reportingOwner: owners.map(({ id, address: where, relationship }) => ({
      reportingOwnerId: id,
      reportingOwnerAddress: where,
      reportingOwnerRelationship: relationship,
    })),
    nonDerivativeTable: tableOf(nonDerivativeTable, 'nonDerivative'),
    derivativeTable: tableOf(derivativeTable as Section16Tree['nonDerivativeTable'], 'derivative'),
    footnotes: { footnote: footnotes },
    ownerSignature: signatures,
  };
}
