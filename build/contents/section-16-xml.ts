import type { Owner } from '../../src/contract/ownership.ts';
import {
  footnotedMembers,
  type Address,
  type Footnote,
  type FootnotedMember,
  type Section16Document,
} from '../../src/contract/ownership-document.ts';
import { childOf, childrenOf, textIn } from './elements.ts';
import { section16Of } from './section-16.ts';
import { emptyRow, type RawRow } from './section-16-rows.ts';
import type { Values } from './values.ts';
import type { XmlElement } from './xml-document.ts';

/** Where each value of a row stands: the group of elements that has it, and the element. */
const elementOf: Readonly<Record<FootnotedMember, readonly [group: string | null, element: string]>> = {
  security: [null, 'securityTitle'],
  on: [null, 'transactionDate'],
  deemedExecutedOn: [null, 'deemedExecutionDate'],
  code: [null, 'transactionCoding'],
  timeliness: [null, 'transactionTimeliness'],
  shares: ['transactionAmounts', 'transactionShares'],
  totalValue: ['transactionAmounts', 'transactionTotalValue'],
  price: ['transactionAmounts', 'transactionPricePerShare'],
  direction: ['transactionAmounts', 'transactionAcquiredDisposedCode'],
  sharesAfter: ['postTransactionAmounts', 'sharesOwnedFollowingTransaction'],
  valueAfter: ['postTransactionAmounts', 'valueOwnedFollowingTransaction'],
  isDirect: ['ownershipNature', 'directOrIndirectOwnership'],
  nature: ['ownershipNature', 'natureOfOwnership'],
  exercisePrice: [null, 'conversionOrExercisePrice'],
  exercisableOn: [null, 'exerciseDate'],
  expiresOn: [null, 'expirationDate'],
  underlyingSecurity: ['underlyingSecurity', 'underlyingSecurityTitle'],
  underlyingShares: ['underlyingSecurity', 'underlyingSecurityShares'],
  underlyingValue: ['underlyingSecurity', 'underlyingSecurityValue'],
};
const memberOf = new Map(footnotedMembers.map((name) => [elementOf[name][1], name]));
const groups = new Set(footnotedMembers.map((name) => elementOf[name][0]));

/** Reads an `ownershipDocument`, the XML of Forms 3, 4 and 5 of every version since 2003. */
export function readSection16(root: XmlElement, values: Values): Section16Document {
  const issuer = childOf(root, 'issuer');
  const rows = ['nonDerivativeTable', 'derivativeTable'].flatMap(
    (table) => childOf(root, table)?.children ?? [],
  );
  return section16Of(
    {
      documentType: textIn(root, 'documentType'),
      schemaVersion: textIn(root, 'schemaVersion'),
      periodOfReport: textIn(root, 'periodOfReport'),
      originalSubmissionOn: textIn(root, 'dateOfOriginalSubmission'),
      isPlanned: textIn(root, 'aff10b5One'),
      isExit: textIn(root, 'notSubjectToSection16'),
      ownsNoSecurities: textIn(root, 'noSecuritiesOwned'),
      reportsForm3Holdings: textIn(root, 'form3HoldingsReported'),
      reportsForm4Transactions: textIn(root, 'form4TransactionsReported'),
      issuerCik: textIn(issuer, 'issuerCik'),
      issuerName: textIn(issuer, 'issuerName'),
      ticker: textIn(issuer, 'issuerTradingSymbol'),
      foreignTicker: textIn(issuer, 'issuerForeignTradingSymbol'),
      remarks: textIn(root, 'remarks'),
    },
    {
      owners: childrenOf(root, 'reportingOwner').map((owner, at) => ownerIn(owner, at + 1, values)),
      transactions: rows.filter(({ name }) => name.endsWith('Transaction')).map(rowIn),
      holdings: rows.filter(({ name }) => name.endsWith('Holding')).map(rowIn),
      footnotes: childrenOf(childOf(root, 'footnotes'), 'footnote').map(
        ({ id, text }): Footnote => ({ id, text: values.text(text) }),
      ),
      signatures: childrenOf(root, 'ownerSignature').map((signature) => ({
        name: textIn(signature, 'signatureName'),
        on: textIn(signature, 'signatureDate'),
      })),
    },
    values,
  );
}

/** Reads the values of a row in one pass over its elements. */
function rowIn(element: XmlElement): RawRow {
  const row = emptyRow(element.name.startsWith('derivative'));
  function take(child: XmlElement): void {
    const name = memberOf.get(child.name);
    if (name === undefined) return;
    if (row[name]) throw new Error(`it has ${child.name} twice in ${element.name}`);
    row[name] = {
      text: textIn(child, name === 'code' ? 'transactionCode' : 'value'),
      footnoteIds: footnoteIdsIn(child),
    };
    if (name !== 'code') return;
    row.formType = textIn(child, 'transactionFormType');
    row.isEquitySwap = textIn(child, 'equitySwapInvolved');
  }
  for (const child of element.children) {
    if (groups.has(child.name)) for (const inner of child.children) take(inner);
    else take(child);
  }
  return row;
}

const noIds: readonly string[] = [];

function footnoteIdsIn(element: XmlElement): readonly string[] {
  let ids: string[] | null = null;
  for (const { name, id } of element.children) if (name === 'footnoteId' && id !== '') (ids ??= []).push(id);
  return ids ?? noIds;
}

/** An owner, and what stands beside it in the whole document. */
function ownerIn(
  element: XmlElement,
  number: number,
  values: Values,
): { owner: Owner; details: Section16Document['ownerDetails'][number] } {
  const id = childOf(element, 'reportingOwnerId');
  const relationship = childOf(element, 'reportingOwnerRelationship');
  values.at(`owner ${number}`);
  const box = (name: string) => values.flag(textIn(relationship, name), name) ?? false;
  const officerTitle = values.text(textIn(relationship, 'officerTitle'));
  const otherText = values.text(textIn(relationship, 'otherText'));
  return {
    owner: {
      cik: values.cik(textIn(id, 'rptOwnerCik'), 'rptOwnerCik'),
      name: values.text(textIn(id, 'rptOwnerName')),
      isDirector: box('isDirector'),
      isOfficer: box('isOfficer'),
      isTenPercentOwner: box('isTenPercentOwner'),
      isOther: box('isOther'),
      title: officerTitle ?? otherText,
    },
    details: {
      officerTitle,
      otherText,
      address: ownerAddress(childOf(element, 'reportingOwnerAddress'), values),
    },
  };
}

function ownerAddress(element: XmlElement | undefined, values: Values): Address | null {
  if (element === undefined) return null;
  const text = (name: string) => values.text(textIn(element, name));
  return {
    street1: text('rptOwnerStreet1'),
    street2: text('rptOwnerStreet2'),
    city: text('rptOwnerCity'),
    stateOrCountry: text('rptOwnerState'),
    stateDescription: text('rptOwnerStateDescription'),
    zipCode: text('rptOwnerZipCode'),
    isNonUs: values.flag(textIn(element, 'rptOwnerNonUSAddressFlag'), 'rptOwnerNonUSAddressFlag'),
    nonUsTerritory: text('rptOwnerNonUSStateTerritory'),
    country: text('rptOwnerCountry'),
  };
}
