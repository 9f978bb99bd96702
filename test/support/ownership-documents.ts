import { ownershipFile } from '../../build/contents/ownership-file.ts';

/** What a made-up document about ownership tells. */
export interface OwnershipTold {
  readonly accessionNo: string;
  readonly form: string;
  readonly issuer: { readonly cik: string; readonly name: string };
  /** Reporting owners, sellers or holders. */
  readonly others: readonly { readonly cik: string; readonly name: string }[];
  /** The day that it is about, `YYYY-MM-DD`. */
  readonly on: string;
  /** Decides shares and prices. */
  readonly number: number;
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const american = (day: string) => `${day.slice(5, 7)}/${day.slice(8)}/${day.slice(0, 4)}`;

/** The XML document of a made-up filing: of a Form 3, 4 or 5, a Form 144, or a Schedule 13G. */
export function ownershipXml(told: OwnershipTold): string {
  const kind = told.form.startsWith('144') ? form144 : /^\d/.test(told.form) ? section16 : schedule13G;
  return `<?xml version="1.0"?>\n${kind(told)}\n`;
}

/** The full submission that has the document. */
export const fullSubmission = (told: OwnershipTold) =>
  `<SEC-DOCUMENT>${told.accessionNo}.txt\n<DOCUMENT>\n<TYPE>${told.form}\n<TEXT>\n<XML>\n${ownershipXml(told)}</XML>\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n`;

/** What submissions files call the document: the page that EDGAR makes of it. */
export const renderedDocument = (form: string) =>
  `xsl${/^\d$|^\d\//.test(form) ? 'F345X06' : form.startsWith('144') ? '144X01' : 'SCHEDULE_13G_X01'}/primary_doc.xml`;

/** Where the document is below `/Archives/edgar/`, where the name of it is known and where it is not. */
export const ownershipFiles = ({ accessionNo, form, issuer }: OwnershipTold) =>
  [renderedDocument(form), null].map(
    (primaryDocument) =>
      ownershipFile({ accessionNo, form, primaryDocument, subjectCik: issuer.cik, filerCiks: [] }) as string,
  ) as [xml: string, submission: string];

function section16({ form, issuer, others, on, number }: OwnershipTold): string {
  const owners = others.map(
    ({ cik, name }) =>
      `<reportingOwner><reportingOwnerId><rptOwnerCik>${cik}</rptOwnerCik><rptOwnerName>${escaped(name)}</rptOwnerName></reportingOwnerId><reportingOwnerRelationship><isDirector>1</isDirector></reportingOwnerRelationship></reportingOwner>`,
  );
  const rows = Array.from(
    { length: form.startsWith('3') ? 0 : 1 + (number % 3) },
    (_, at) =>
      `<nonDerivativeTransaction><securityTitle><value>Common Stock</value></securityTitle><transactionDate><value>${on}</value></transactionDate><transactionCoding><transactionFormType>4</transactionFormType><transactionCode>${at === 0 ? 'P' : 'S'}</transactionCode><equitySwapInvolved>0</equitySwapInvolved></transactionCoding><transactionAmounts><transactionShares><value>${100 + number + at}</value></transactionShares><transactionPricePerShare><value>${number % 90}.${10 + at}</value></transactionPricePerShare><transactionAcquiredDisposedCode><value>${at === 0 ? 'A' : 'D'}</value></transactionAcquiredDisposedCode></transactionAmounts><postTransactionAmounts><sharesOwnedFollowingTransaction><value>${1000 + number}</value></sharesOwnedFollowingTransaction></postTransactionAmounts><ownershipNature><directOrIndirectOwnership><value>D</value></directOrIndirectOwnership></ownershipNature></nonDerivativeTransaction>`,
  );
  return `<ownershipDocument><schemaVersion>X0609</schemaVersion><documentType>${form}</documentType><periodOfReport>${on}</periodOfReport><issuer><issuerCik>${issuer.cik}</issuerCik><issuerName>${escaped(issuer.name)}</issuerName><issuerTradingSymbol>MADE</issuerTradingSymbol></issuer>${owners.join('')}<aff10b5One>${number % 2}</aff10b5One><nonDerivativeTable>${rows.join('')}</nonDerivativeTable><footnotes/><remarks/><ownerSignature><signatureName>/s/ Somebody</signatureName><signatureDate>${on}</signatureDate></ownerSignature></ownershipDocument>`;
}

function form144({ form, issuer, others, on, number }: OwnershipTold): string {
  return `<edgarSubmission xmlns="http://www.sec.gov/edgar/ownership" xmlns:com="http://www.sec.gov/edgar/common"><headerData><submissionType>${form}</submissionType></headerData><formData><issuerInfo><issuerCik>${issuer.cik}</issuerCik><issuerName>${escaped(issuer.name)}</issuerName><nameOfPersonForWhoseAccountTheSecuritiesAreToBeSold>${escaped(others[0]?.name ?? '')}</nameOfPersonForWhoseAccountTheSecuritiesAreToBeSold></issuerInfo><securitiesInformation><securitiesClassTitle>Common</securitiesClassTitle><noOfUnitsSold>${number}</noOfUnitsSold><aggregateMarketValue>${number * 10}.50</aggregateMarketValue><approxSaleDate>${american(on)}</approxSaleDate></securitiesInformation><nothingToReportFlagOnSecuritiesSoldInPast3Months>Y</nothingToReportFlagOnSecuritiesSoldInPast3Months></formData></edgarSubmission>`;
}

function schedule13G({ form, issuer, others, on, number }: OwnershipTold): string {
  const persons = others.map(
    ({ name }) =>
      `<coverPageHeaderReportingPersonDetails><reportingPersonName>${escaped(name)}</reportingPersonName><reportingPersonBeneficiallyOwnedNumberOfShares><soleVotingPower>${number}.00</soleVotingPower></reportingPersonBeneficiallyOwnedNumberOfShares><reportingPersonBeneficiallyOwnedAggregateNumberOfShares>${number}</reportingPersonBeneficiallyOwnedAggregateNumberOfShares><classPercent>5.1</classPercent></coverPageHeaderReportingPersonDetails>`,
  );
  return `<edgarSubmission xmlns="http://www.sec.gov/edgar/schedule13g"><headerData><submissionType>${form}</submissionType></headerData><formData><coverPageHeader><securitiesClassTitle>Common</securitiesClassTitle><eventDateRequiresFilingThisStatement>${american(on)}</eventDateRequiresFilingThisStatement><issuerInfo><issuerCik>${issuer.cik}</issuerCik><issuerName>${escaped(issuer.name)}</issuerName><issuerCusips><issuerCusipNumber>037833100</issuerCusipNumber></issuerCusips></issuerInfo></coverPageHeader>${persons.join('')}</formData></edgarSubmission>`;
}
