// An independent reading of a recorded document (`truth/` beside the recordings), turned into the whole document that
// the parser should return. Nothing of the parser is used here.

type Json = { readonly [name: string]: Json } | readonly Json[] | string | null | undefined;
type Members = { readonly [name: string]: Json };
interface Value {
  readonly value: string | null;
  readonly footnotes: readonly string[];
}

const asText = (value: Json): string | null => {
  const text = typeof value === 'string' ? value.replace(/[\s\p{Cc}]+/gu, ' ').trim() : '';
  return text === '' ? null : text;
};
const asNumber = (value: Json): number | null => (asText(value) === null ? null : Number(asText(value)));
const asDay = (value: Json): string | null => {
  const text = asText(value);
  const [, month, day, year] = /^(..)\/(..)\/(....)$/.exec(text ?? '') ?? [];
  return year === undefined ? (text?.slice(0, 10) ?? null) : `${year}-${month}-${day}`;
};
const asFlag = (value: Json): boolean | null => {
  const text = asText(value);
  return text === null ? null : ['1', 'true', 'Y'].includes(text);
};
const asCik = (value: Json): string | null => asText(value)?.padStart(10, '0') ?? null;
const at = (value: Json, ...path: readonly string[]): Json =>
  path.reduce<Json>((inner, name) => (inner as Members | null | undefined)?.[name], value);
const list = (value: Json): readonly Json[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
const texts = (value: Json): string[] => list(value).flatMap((each) => asText(each) ?? []);

/** Multiplies decimals as texts, digit by digit as whole numbers, and rounds half up to cents. */
function valueOf(shares: string | null, price: string | null): number | null {
  if (shares === null || price === null) return null;
  const [a, b] = [shares, price].map((text) => {
    const [whole = '', part = ''] = text.split('.');
    return { digits: BigInt(`${whole}${part}` || '0'), places: part.length };
  }) as [{ digits: bigint; places: number }, { digits: bigint; places: number }];
  const places = a.places + b.places + 2;
  const scaled = a.digits * b.digits * 100n;
  const cents = (scaled * 10n + 5n * 10n ** BigInt(places - 2)) / 10n ** BigInt(places - 1);
  return Number(cents) / 100;
}

const rowValues = {
  security: ['securityTitle'],
  on: ['transactionDate'],
  deemedExecutedOn: ['deemedExecutionDate'],
  timeliness: ['transactionTimeliness'],
  shares: ['transactionAmounts', 'transactionShares'],
  totalValue: ['transactionAmounts', 'transactionTotalValue'],
  price: ['transactionAmounts', 'transactionPricePerShare'],
  direction: ['transactionAmounts', 'transactionAcquiredDisposedCode'],
  sharesAfter: ['postTransactionAmounts', 'sharesOwnedFollowingTransaction'],
  valueAfter: ['postTransactionAmounts', 'valueOwnedFollowingTransaction'],
  isDirect: ['ownershipNature', 'directOrIndirectOwnership'],
  nature: ['ownershipNature', 'natureOfOwnership'],
  exercisePrice: ['conversionOrExercisePrice'],
  exercisableOn: ['exerciseDate'],
  expiresOn: ['expirationDate'],
  underlyingSecurity: ['underlyingSecurity', 'underlyingSecurityTitle'],
  underlyingShares: ['underlyingSecurity', 'underlyingSecurityShares'],
  underlyingValue: ['underlyingSecurity', 'underlyingSecurityValue'],
} as const;
type RowValue = keyof typeof rowValues;

function rowOf(row: Json, isDerivative: boolean) {
  const value = (name: RowValue) => at(row, ...rowValues[name]) as Value | null | undefined;
  const text = (name: RowValue) => asText(value(name)?.value);
  const number = (name: RowValue) => asNumber(value(name)?.value);
  const coding = at(row, 'transactionCoding');
  const footnoteIds: Record<string, string[]> = {};
  for (const name of Object.keys(rowValues) as RowValue[])
    if (value(name)?.footnotes.length) footnoteIds[name] = [...new Set(value(name)?.footnotes)];
  const codeIds = list(at(coding, 'footnotes')) as string[];
  if (codeIds.length > 0) footnoteIds['code'] = [...new Set(codeIds)];
  return {
    transaction: {
      isDerivative,
      security: text('security'),
      on: asDay(text('on')),
      deemedExecutedOn: asDay(text('deemedExecutedOn')),
      code: asText(at(coding, 'transactionCode')),
      isEquitySwap: asFlag(at(coding, 'equitySwapInvolved')),
      timeliness: { E: 'early', L: 'late' }[text('timeliness') ?? ''] ?? null,
      shares: number('shares'),
      totalValue: number('totalValue'),
      price: number('price'),
      value: valueOf(text('shares'), text('price')),
      direction: { A: 'acquired', D: 'disposed' }[text('direction') ?? ''] ?? null,
    },
    owned: {
      sharesAfter: number('sharesAfter'),
      valueAfter: number('valueAfter'),
      isDirect: text('isDirect') === null ? null : text('isDirect') === 'D',
      nature: text('nature'),
      ...(isDerivative
        ? {
            exercisePrice: number('exercisePrice'),
            exercisableOn: asDay(text('exercisableOn')),
            expiresOn: asDay(text('expiresOn')),
            underlying: {
              security: text('underlyingSecurity'),
              shares: number('underlyingShares'),
              value: number('underlyingValue'),
            },
          }
        : {}),
    },
    formType: asText(at(coding, 'transactionFormType')),
    footnoteIds,
  };
}

function section16(truth: Json) {
  const rows = (
    [
      ['nonDerivativeTable', false],
      ['derivativeTable', true],
    ] as const
  ).flatMap(([table, isDerivative]) =>
    list(at(truth, table, 'rows')).map((row) => ({ kind: at(row, 'kind'), ...rowOf(row, isDerivative) })),
  );
  const transactions = rows.filter(({ kind }) => kind === 'transaction');
  const holdings = rows.filter(({ kind }) => kind === 'holding');
  const owners = list(at(truth, 'owners'));
  return {
    kind: 'section_16',
    ownership: {
      kind: 'section_16',
      periodOfReport: asDay(at(truth, 'periodOfReport')),
      originalSubmissionOn: asDay(at(truth, 'dateOfOriginalSubmission')),
      isPlanned: asFlag(at(truth, 'aff10b5One')),
      isExit: asFlag(at(truth, 'notSubjectToSection16')) ?? false,
      owners: owners.map((owner) => {
        const box = (name: string) => asFlag(at(owner, 'relationship', name)) ?? false;
        return {
          cik: asCik(at(owner, 'id', 'rptOwnerCik')),
          name: asText(at(owner, 'id', 'rptOwnerName')),
          isDirector: box('isDirector'),
          isOfficer: box('isOfficer'),
          isTenPercentOwner: box('isTenPercentOwner'),
          isOther: box('isOther'),
          title:
            asText(at(owner, 'relationship', 'officerTitle')) ??
            asText(at(owner, 'relationship', 'otherText')),
        };
      }),
      transactions: transactions.map(({ transaction, owned }, place) => ({
        number: place + 1,
        ...transaction,
        ...owned,
      })),
      holdingCount: holdings.length,
    },
    documentType: at(truth, 'documentType'),
    schemaVersion: asText(at(truth, 'schemaVersion')),
    issuer: {
      cik: asCik(at(truth, 'issuer', 'issuerCik')),
      name: asText(at(truth, 'issuer', 'issuerName')),
      ticker: asText(at(truth, 'issuer', 'issuerTradingSymbol')),
      foreignTicker: asText(at(truth, 'issuer', 'issuerForeignTradingSymbol')),
      fileNumber: null,
      phone: null,
      address: null,
    },
    remarks: asText(at(truth, 'remarks')),
    signatures: list(at(truth, 'signatures')).map((each) => ({
      person: null,
      name: asText(at(each, 'signatureName')),
      title: null,
      on: asDay(at(each, 'signatureDate')),
    })),
    ownsNoSecurities: asFlag(at(truth, 'noSecuritiesOwned')) ?? false,
    reportsForm3Holdings: asFlag(at(truth, 'form3HoldingsReported')) ?? false,
    reportsForm4Transactions: asFlag(at(truth, 'form4TransactionsReported')) ?? false,
    ownerDetails: owners.map((owner) => {
      const address = at(owner, 'address');
      const part = (name: string) => asText(at(address, name));
      return {
        officerTitle: asText(at(owner, 'relationship', 'officerTitle')),
        otherText: asText(at(owner, 'relationship', 'otherText')),
        address: address
          ? {
              street1: part('rptOwnerStreet1'),
              street2: part('rptOwnerStreet2'),
              city: part('rptOwnerCity'),
              stateOrCountry: part('rptOwnerState'),
              stateDescription: part('rptOwnerStateDescription'),
              zipCode: part('rptOwnerZipCode'),
              isNonUs: asFlag(part('rptOwnerNonUSAddressFlag')),
              nonUsTerritory: part('rptOwnerNonUSStateTerritory'),
              country: part('rptOwnerCountry'),
            }
          : null,
      };
    }),
    transactionDetails: transactions.map(({ formType, footnoteIds }) => ({ formType, footnoteIds })),
    holdings: holdings.map(({ transaction, owned, formType, footnoteIds }, place) => ({
      number: place + 1,
      isDerivative: transaction.isDerivative,
      security: transaction.security,
      formType,
      ...owned,
      footnoteIds,
    })),
    footnotes: list(at(truth, 'footnotes')).map((each) => ({
      id: at(each, 'id'),
      text: asText(at(each, 'text')),
    })),
  };
}

const addressOf = (address: Json) =>
  address
    ? {
        street1: asText(at(address, 'street1')),
        street2: asText(at(address, 'street2')),
        city: asText(at(address, 'city')),
        stateOrCountry: asText(at(address, 'stateOrCountry')),
        stateDescription: null,
        zipCode: asText(at(address, 'zipCode')),
        isNonUs: null,
        nonUsTerritory: null,
        country: null,
      }
    : null;

/** Sums as cents, which all recorded numbers are whole numbers of. */
const sum = (numbers: readonly Json[]) =>
  numbers.reduce<number>((total, each) => total + Math.round(Number(each) * 100), 0) / 100;

function form144(truth: Json) {
  const issuer = at(truth, 'document', 'formData', 'issuerInfo');
  const past = list(at(truth, 'securitiesSoldInPast3Months'));
  const plans = list(at(truth, 'noticeSignature')).flatMap((each) =>
    texts(at(each, 'planAdoptionDates', 'planAdoptionDate')).map((day) => asDay(day)),
  );
  const sales = list(at(truth, 'securitiesInformation'));
  return {
    kind: 'form_144',
    ownership: {
      kind: 'form_144',
      seller: asText(at(truth, 'seller')),
      relationships: texts(at(truth, 'relationships')),
      isPlanned: plans.length > 0,
      planAdoptedOn: plans,
      sales: sales.map((sale) => ({
        security: asText(at(sale, 'securitiesClassTitle')),
        units: asNumber(at(sale, 'noOfUnitsSold')),
        marketValue: asNumber(at(sale, 'aggregateMarketValue')),
        outstanding: asNumber(at(sale, 'noOfUnitsOutstanding')),
        on: asDay(at(sale, 'approxSaleDate')),
        exchange: asText(at(sale, 'securitiesExchangeName')),
        broker: asText(at(sale, 'brokerOrMarketmakerDetails', 'name')),
      })),
      soldInPastThreeMonths:
        past.length === 0
          ? null
          : {
              units: sum(past.map((each) => at(each, 'amountOfSecuritiesSold'))),
              proceeds: sum(past.map((each) => at(each, 'grossProceeds'))),
            },
    },
    documentType: at(truth, 'submissionType'),
    schemaVersion: asText(at(truth, 'schemaVersion')),
    issuer: {
      cik: asCik(at(issuer, 'issuerCik')),
      name: asText(at(issuer, 'issuerName')),
      ticker: null,
      foreignTicker: null,
      fileNumber: asText(at(issuer, 'secFileNumber')),
      phone: asText(at(issuer, 'issuerContactPhone')),
      address: addressOf(at(issuer, 'issuerAddress')),
    },
    remarks: asText(at(truth, 'remarks')),
    signatures: list(at(truth, 'noticeSignature')).map((each) => ({
      person: null,
      name: asText(at(each, 'signature')),
      title: null,
      on: asDay(at(each, 'noticeDate')),
    })),
    previousAccessionNo: asText(at(truth, 'document', 'headerData', 'previousAccessionNumber')),
    saleDetails: sales.map((sale) => ({
      brokerAddress: addressOf(at(sale, 'brokerOrMarketmakerDetails', 'address')),
    })),
    acquisitions: list(at(truth, 'securitiesToBeSold')).map((each) => ({
      security: asText(at(each, 'securitiesClassTitle')),
      acquiredOn: asDay(at(each, 'acquiredDate')),
      nature: asText(at(each, 'natureOfAcquisitionTransaction')),
      acquiredFrom: asText(at(each, 'nameOfPersonfromWhomAcquired')),
      isGift: asFlag(at(each, 'isGiftTransaction')),
      donorAcquiredOn: asDay(at(each, 'donarAcquiredDate')),
      units: asNumber(at(each, 'amountOfSecuritiesAcquired')),
      paidOn: asDay(at(each, 'paymentDate')),
      payment: asText(at(each, 'natureOfPayment')),
    })),
    hasNothingToReport: asFlag(at(truth, 'nothingToReportFlagOnSecuritiesSoldInPast3Months')),
    pastSales: past.map((each) => ({
      seller: asText(at(each, 'sellerDetails', 'name')),
      sellerAddress: addressOf(at(each, 'sellerDetails', 'address')),
      security: asText(at(each, 'securitiesClassTitle')),
      on: asDay(at(each, 'saleDate')),
      units: asNumber(at(each, 'amountOfSecuritiesSold')),
      proceeds: asNumber(at(each, 'grossProceeds')),
    })),
  };
}

function schedule13(truth: Json, is13D: boolean) {
  const form = at(truth, 'document', 'formData');
  const cover = at(form, 'coverPageHeader');
  const issuer = at(cover, 'issuerInfo');
  const persons = list(
    is13D
      ? at(form, 'reportingPersons', 'reportingPersonInfo')
      : at(form, 'coverPageHeaderReportingPersonDetails'),
  );
  const signed = list(
    is13D ? at(form, 'signatureInfo', 'signaturePerson') : at(form, 'signatureInformation'),
  );
  return {
    kind: 'schedule_13',
    ownership: {
      kind: 'schedule_13',
      schedule: is13D ? '13D' : '13G',
      eventOn: asDay(at(cover, is13D ? 'dateOfEvent' : 'eventDateRequiresFilingThisStatement')),
      amendmentNumber: asNumber(at(cover, 'amendmentNo')),
      security: asText(at(cover, 'securitiesClassTitle')),
      cusips: [
        ...texts(at(issuer, is13D ? 'issuerCUSIP' : 'issuerCusip')),
        ...texts(at(issuer, 'issuerCusips', 'issuerCusipNumber')),
      ],
      rules: texts(
        at(cover, 'designateRulesPursuantThisScheduleFiled', 'designateRulePursuantThisScheduleFiled'),
      ),
      persons: persons.map((person) => {
        const powers = is13D ? person : at(person, 'reportingPersonBeneficiallyOwnedNumberOfShares');
        return {
          cik: asCik(at(person, is13D ? 'reportingPersonCIK' : 'reportingCik')),
          name: asText(at(person, 'reportingPersonName')),
          shares: asNumber(
            at(
              person,
              is13D ? 'aggregateAmountOwned' : 'reportingPersonBeneficiallyOwnedAggregateNumberOfShares',
            ),
          ),
          percent: asNumber(at(person, is13D ? 'percentOfClass' : 'classPercent')),
          soleVoting: asNumber(at(powers, 'soleVotingPower')),
          sharedVoting: asNumber(at(powers, 'sharedVotingPower')),
          soleDispositive: asNumber(at(powers, 'soleDispositivePower')),
          sharedDispositive: asNumber(at(powers, 'sharedDispositivePower')),
          types: texts(at(person, 'typeOfReportingPerson')),
          group: asText(at(person, is13D ? 'memberOfGroup' : 'memberGroup')),
        };
      }),
    },
    documentType: at(truth, 'submissionType'),
    schemaVersion: asText(at(truth, 'schemaVersion')),
    issuer: {
      cik: asCik(at(issuer, is13D ? 'issuerCIK' : 'issuerCik')),
      name: asText(at(issuer, 'issuerName')),
      ticker: null,
      foreignTicker: null,
      fileNumber: null,
      phone: null,
      address: addressOf(at(issuer, is13D ? 'address' : 'issuerPrincipalExecutiveOfficeAddress')),
    },
    remarks: asText(is13D ? at(form, 'signatureInfo', 'commentText') : at(form, 'signatureComments')),
    signatures: signed.flatMap((each) =>
      list(at(each, 'signatureDetails')).map((details) => ({
        person: asText(at(each, is13D ? 'signatureReportingPerson' : 'reportingPersonName')),
        name: asText(at(details, 'signature')),
        title: asText(at(details, 'title')),
        on: asDay(at(details, 'date')),
      })),
    ),
    previousAccessionNo: asText(at(truth, 'document', 'headerData', 'previousAccessionNumber')),
    wasFiledBefore: asFlag(at(cover, 'previouslyFiledFlag')),
    isFivePercentOrLess: asFlag(at(form, 'items', 'item5', 'classOwnership5PercentOrLess')),
    contacts: list(at(cover, 'authorizedPersons', 'notificationInfo')).map((each) => ({
      name: asText(at(each, 'personName')),
      phone: asText(at(each, 'personPhoneNum')),
      address: addressOf(at(each, 'personAddress')),
    })),
    personDetails: persons.map((person) => ({
      hasNoCik: asFlag(at(person, is13D ? 'reportingPersonNoCIK' : 'reportingCikNotPresentInEdgarFlag')),
      citizenship: asText(at(person, 'citizenshipOrOrganization')),
      fundTypes: texts(at(person, 'fundType')),
      hasLegalProceedings: asFlag(at(person, 'legalProceedings')),
      excludesShares: asFlag(
        at(person, is13D ? 'isAggregateExcludeShares' : 'aggregateAmountExcludesCertainSharesFlag'),
      ),
      comment: asText(at(person, is13D ? 'commentContent' : 'comments')),
    })),
  };
}

/** The whole document that a reading tells; null if the document cannot be read. */
export function documentOfTruth(truth: Members): object | null {
  switch (truth['kind']) {
    case 'ownership':
      return section16(truth);
    case '144':
      return form144(truth);
    case '13d':
      return schedule13(truth, true);
    case '13g':
      return schedule13(truth, false);
    case 'unreadable':
      return null;
    default:
      throw new Error(`a reading of kind ${JSON.stringify(truth['kind'])}`);
  }
}
