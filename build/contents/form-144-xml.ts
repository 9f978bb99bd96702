import type { Form144Document } from '../../src/contract/ownership-document.ts';
import { addressIn, childOf, childrenOf, previousAccessionIn, textIn, textsIn } from './elements.ts';
import { sumOf } from '../../src/domain/decimals.ts';
import type { Values } from './values.ts';
import type { XmlElement } from './xml-document.ts';

const documentTypes = new Set(['144', '144/A']);

/** Reads an `edgarSubmission` of the namespace of Form 144. Throws an `Error` if it is none, or names no issuer. */
export function readForm144(root: XmlElement, values: Values): Form144Document {
  const header = childOf(root, 'headerData');
  const form = childOf(root, 'formData');
  const issuer = childOf(form, 'issuerInfo');
  const documentType = values.text(textIn(header, 'submissionType')) ?? '';
  if (!documentTypes.has(documentType))
    throw new Error(`its document type is ${JSON.stringify(documentType.slice(0, 40))}`);
  const cik = values.cik(textIn(issuer, 'issuerCik'), 'issuerCik');
  if (cik === null) throw new Error('its issuer has no CIK');
  const announced = childrenOf(form, 'securitiesInformation');
  const sales = announced.map((sale, at) => {
    values.at(`sale ${at + 1}`);
    const broker = childOf(sale, 'brokerOrMarketmakerDetails');
    return {
      security: values.text(textIn(sale, 'securitiesClassTitle')),
      units: values.number(textIn(sale, 'noOfUnitsSold'), 'noOfUnitsSold'),
      marketValue: values.number(textIn(sale, 'aggregateMarketValue'), 'aggregateMarketValue'),
      outstanding: values.number(textIn(sale, 'noOfUnitsOutstanding'), 'noOfUnitsOutstanding'),
      on: values.day(textIn(sale, 'approxSaleDate'), 'approxSaleDate'),
      exchange: values.text(textIn(sale, 'securitiesExchangeName')),
      broker: values.text(textIn(broker, 'name')),
    };
  });
  const pastSales = pastSalesIn(form, values);
  const signatures = childrenOf(form, 'noticeSignature');
  values.at('');
  const planAdoptedOn = signatures.flatMap((signature) =>
    childrenOf(childOf(signature, 'planAdoptionDates'), 'planAdoptionDate').flatMap(
      ({ text }) => values.day(text, 'planAdoptionDate') ?? [],
    ),
  );
  return {
    kind: 'form_144',
    ownership: {
      kind: 'form_144',
      seller: values.text(textIn(issuer, 'nameOfPersonForWhoseAccountTheSecuritiesAreToBeSold')),
      relationships: textsIn(childOf(issuer, 'relationshipsToIssuer'), 'relationshipToIssuer', values),
      isPlanned: planAdoptedOn.length > 0,
      planAdoptedOn,
      sales,
      soldInPastThreeMonths:
        pastSales.length === 0
          ? null
          : {
              units: sumOf(pastSales.map(({ units }) => units)),
              proceeds: sumOf(pastSales.map(({ proceeds }) => proceeds)),
            },
    },
    documentType,
    schemaVersion: values.text(textIn(root, 'schemaVersion')),
    issuer: {
      cik,
      name: values.text(textIn(issuer, 'issuerName')),
      ticker: null,
      foreignTicker: null,
      fileNumber: values.text(textIn(issuer, 'secFileNumber')),
      phone: values.text(textIn(issuer, 'issuerContactPhone')),
      address: addressIn(childOf(issuer, 'issuerAddress'), values),
    },
    remarks: values.text(textIn(form, 'remarks')),
    signatures: signatures.map((signature) => ({
      person: null,
      name: values.text(textIn(signature, 'signature')),
      title: null,
      on: values.day(textIn(signature, 'noticeDate'), 'noticeDate'),
    })),
    previousAccessionNo: previousAccessionIn(header, values),
    saleDetails: announced.map((sale) => ({
      brokerAddress: addressIn(childOf(childOf(sale, 'brokerOrMarketmakerDetails'), 'address'), values),
    })),
    acquisitions: acquisitionsIn(form, values),
    hasNothingToReport: values.flag(
      textIn(form, 'nothingToReportFlagOnSecuritiesSoldInPast3Months'),
      'nothingToReportFlagOnSecuritiesSoldInPast3Months',
    ),
    pastSales,
  };
}

function acquisitionsIn(form: XmlElement | undefined, values: Values): Form144Document['acquisitions'] {
  return childrenOf(form, 'securitiesToBeSold').map((row, at) => {
    values.at(`acquisition ${at + 1}`);
    return {
      security: values.text(textIn(row, 'securitiesClassTitle')),
      acquiredOn: values.day(textIn(row, 'acquiredDate'), 'acquiredDate'),
      nature: values.text(textIn(row, 'natureOfAcquisitionTransaction')),
      acquiredFrom: values.text(textIn(row, 'nameOfPersonfromWhomAcquired')),
      isGift: values.flag(textIn(row, 'isGiftTransaction'), 'isGiftTransaction'),
      donorAcquiredOn: values.day(textIn(row, 'donarAcquiredDate'), 'donarAcquiredDate'),
      units: values.number(textIn(row, 'amountOfSecuritiesAcquired'), 'amountOfSecuritiesAcquired'),
      paidOn: values.day(textIn(row, 'paymentDate'), 'paymentDate'),
      payment: values.text(textIn(row, 'natureOfPayment')),
    };
  });
}

function pastSalesIn(form: XmlElement | undefined, values: Values): Form144Document['pastSales'] {
  return childrenOf(form, 'securitiesSoldInPast3Months').map((row, at) => {
    values.at(`past sale ${at + 1}`);
    const seller = childOf(row, 'sellerDetails');
    return {
      seller: values.text(textIn(seller, 'name')),
      sellerAddress: addressIn(childOf(seller, 'address'), values),
      security: values.text(textIn(row, 'securitiesClassTitle')),
      on: values.day(textIn(row, 'saleDate'), 'saleDate'),
      units: values.number(textIn(row, 'amountOfSecuritiesSold'), 'amountOfSecuritiesSold'),
      proceeds: values.number(textIn(row, 'grossProceeds'), 'grossProceeds'),
    };
  });
}
