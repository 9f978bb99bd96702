import type { ReportingPerson } from '../../src/contract/ownership.ts';
import type { Schedule13Document } from '../../src/contract/ownership-document.ts';
import { addressIn, childOf, childrenOf, previousAccessionIn, textIn, textsIn } from './elements.ts';
import type { Values } from './values.ts';
import type { XmlElement } from './xml-document.ts';

/** Where Schedules 13D and 13G have the same things: the names of their elements. */
interface Names {
  readonly eventOn: string;
  readonly issuerCik: string;
  /** The only CUSIP, in documents before the list of them. */
  readonly cusip: string;
  readonly issuerAddress: string;
  readonly personCik: string;
  readonly hasNoCik: string;
  readonly shares: string;
  readonly percent: string;
  readonly group: string;
  readonly excludesShares: string;
  readonly comment: string;
  readonly signatures: string;
  readonly signedFor: string;
  readonly signatureComment: string;
  persons(form: XmlElement | undefined): XmlElement[];
  /** The element of a person that has its powers. */
  powers(person: XmlElement): XmlElement | undefined;
}

const names: Readonly<Record<'13D' | '13G', Names>> = {
  '13D': {
    eventOn: 'dateOfEvent',
    issuerCik: 'issuerCIK',
    cusip: 'issuerCUSIP',
    issuerAddress: 'address',
    personCik: 'reportingPersonCIK',
    hasNoCik: 'reportingPersonNoCIK',
    shares: 'aggregateAmountOwned',
    percent: 'percentOfClass',
    group: 'memberOfGroup',
    excludesShares: 'isAggregateExcludeShares',
    comment: 'commentContent',
    signatures: 'signaturePerson',
    signedFor: 'signatureReportingPerson',
    signatureComment: 'commentText',
    persons: (form) => childrenOf(childOf(form, 'reportingPersons'), 'reportingPersonInfo'),
    powers: (person) => person,
  },
  '13G': {
    eventOn: 'eventDateRequiresFilingThisStatement',
    issuerCik: 'issuerCik',
    cusip: 'issuerCusip',
    issuerAddress: 'issuerPrincipalExecutiveOfficeAddress',
    personCik: 'reportingCik',
    hasNoCik: 'reportingCikNotPresentInEdgarFlag',
    shares: 'reportingPersonBeneficiallyOwnedAggregateNumberOfShares',
    percent: 'classPercent',
    group: 'memberGroup',
    excludesShares: 'aggregateAmountExcludesCertainSharesFlag',
    comment: 'comments',
    signatures: 'signatureInformation',
    signedFor: 'reportingPersonName',
    signatureComment: 'signatureComments',
    persons: (form) => childrenOf(form, 'coverPageHeaderReportingPersonDetails'),
    powers: (person) => childOf(person, 'reportingPersonBeneficiallyOwnedNumberOfShares'),
  },
};

const groups = { a: 'a', b: 'b' } as const;

/**
 * Reads an `edgarSubmission` of the namespace of one of the schedules. Throws an `Error` if it is none, or names no
 * issuer or no person.
 */
export function readSchedule13(
  root: XmlElement,
  schedule: '13D' | '13G',
  values: Values,
): Schedule13Document {
  const name = names[schedule];
  const header = childOf(root, 'headerData');
  const form = childOf(root, 'formData');
  const cover = childOf(form, 'coverPageHeader');
  const issuer = childOf(cover, 'issuerInfo');
  const documentType = values.text(textIn(header, 'submissionType')) ?? '';
  if (documentType !== `SCHEDULE ${schedule}` && documentType !== `SCHEDULE ${schedule}/A`)
    throw new Error(`its document type is ${JSON.stringify(documentType.slice(0, 40))}`);
  const cik = values.cik(textIn(issuer, name.issuerCik), name.issuerCik);
  if (cik === null) throw new Error('its issuer has no CIK');
  const persons = name.persons(form);
  if (persons.length === 0) throw new Error('it names no person');
  const cusips = [
    ...textsIn(issuer, name.cusip, values),
    ...textsIn(childOf(issuer, 'issuerCusips'), 'issuerCusipNumber', values),
  ];
  return {
    kind: 'schedule_13',
    ownership: {
      kind: 'schedule_13',
      schedule,
      eventOn: values.day(textIn(cover, name.eventOn), name.eventOn),
      amendmentNumber: values.count(textIn(cover, 'amendmentNo'), 'amendmentNo'),
      security: values.text(textIn(cover, 'securitiesClassTitle')),
      cusips,
      rules: textsIn(
        childOf(cover, 'designateRulesPursuantThisScheduleFiled'),
        'designateRulePursuantThisScheduleFiled',
        values,
      ),
      persons: persons.map((person, at) => personIn(person, at + 1, name, values)),
    },
    documentType,
    schemaVersion: values.text(textIn(root, 'schemaVersion')),
    issuer: {
      cik,
      name: values.text(textIn(issuer, 'issuerName')),
      ticker: null,
      foreignTicker: null,
      fileNumber: null,
      phone: null,
      address: addressIn(childOf(issuer, name.issuerAddress), values),
    },
    ...signaturesIn(form, schedule, values),
    previousAccessionNo: previousAccessionIn(header, values),
    wasFiledBefore: values.flag(textIn(cover, 'previouslyFiledFlag'), 'previouslyFiledFlag'),
    isFivePercentOrLess: values.flag(
      textIn(childOf(childOf(form, 'items'), 'item5'), 'classOwnership5PercentOrLess'),
      'classOwnership5PercentOrLess',
    ),
    contacts: childrenOf(childOf(cover, 'authorizedPersons'), 'notificationInfo').map((contact) => ({
      name: values.text(textIn(contact, 'personName')),
      phone: values.text(textIn(contact, 'personPhoneNum')),
      address: addressIn(childOf(contact, 'personAddress'), values),
    })),
    personDetails: persons.map((person, at) => {
      values.at(`person ${at + 1}`);
      return {
        hasNoCik: values.flag(textIn(person, name.hasNoCik), name.hasNoCik),
        citizenship: values.text(textIn(person, 'citizenshipOrOrganization')),
        fundTypes: textsIn(person, 'fundType', values),
        hasLegalProceedings: values.flag(textIn(person, 'legalProceedings'), 'legalProceedings'),
        excludesShares: values.flag(textIn(person, name.excludesShares), name.excludesShares),
        comment: values.text(textIn(person, name.comment)),
      };
    }),
  };
}

function personIn(person: XmlElement, number: number, name: Names, values: Values): ReportingPerson {
  values.at(`person ${number}`);
  const powers = name.powers(person);
  const power = (of: string) => values.number(textIn(powers, of), of);
  return {
    cik: values.cik(textIn(person, name.personCik), name.personCik),
    name: values.text(textIn(person, 'reportingPersonName')),
    shares: values.number(textIn(person, name.shares), name.shares),
    percent: values.number(textIn(person, name.percent), name.percent),
    soleVoting: power('soleVotingPower'),
    sharedVoting: power('sharedVotingPower'),
    soleDispositive: power('soleDispositivePower'),
    sharedDispositive: power('sharedDispositivePower'),
    types: textsIn(person, 'typeOfReportingPerson', values),
    group: values.choice(textIn(person, name.group), name.group, groups),
  };
}

/** The signatures, of which a person may have several, and the comment below them. */
function signaturesIn(
  form: XmlElement | undefined,
  schedule: '13D' | '13G',
  values: Values,
): Pick<Schedule13Document, 'remarks' | 'signatures'> {
  const name = names[schedule];
  values.at('');
  const below = schedule === '13D' ? childOf(form, 'signatureInfo') : form;
  return {
    remarks: values.text(textIn(below, name.signatureComment)),
    signatures: childrenOf(below, name.signatures).flatMap((signed) =>
      childrenOf(signed, 'signatureDetails').map((details) => ({
        person: values.text(textIn(signed, name.signedFor)),
        name: values.text(textIn(details, 'signature')),
        title: values.text(textIn(details, 'title')),
        on: values.day(textIn(details, 'date'), 'date'),
      })),
    ),
  };
}
