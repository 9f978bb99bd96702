import * as z from 'zod';
import { accessionNo, calendarDate, cik } from '../domain/scalars.ts';
import {
  decimal,
  derivativeMembers,
  Form144Ownership,
  Schedule13Ownership,
  Section16Ownership,
  text,
} from './ownership.ts';

// The whole document of a filing about ownership: `ownership` is the member of the filing, unchanged, and beside
// it stands what lists do not have. Rows beside it belong to rows of `ownership` by their place: the first
// transaction has the first of `transactionDetails`. This one definition makes the answer of
// `/v1/sec/forms/{accessionNo}/ownership`, its description in OpenAPI, and the lines of the ledger.

const day = calendarDate.nullable();
const flag = z.boolean().nullable();

/** An address as a document writes it. */
export const Address = z
  .object({
    street1: text,
    street2: text,
    city: text,
    stateOrCountry: text.describe("EDGAR's code of a state or country, such as `NY` or `X0`."),
    stateDescription: text.describe('Name of that state or country.'),
    zipCode: text,
    isNonUs: flag.describe(
      'The flag of an address outside the United States, in Forms 3, 4 and 5 since 2026.',
    ),
    nonUsTerritory: text.describe('State or territory of such an address.'),
    country: text.describe("EDGAR's code of the country of such an address."),
  })
  .meta({ id: 'Address', description: 'An address as a document writes it.' });
export type Address = z.infer<typeof Address>;

/** A footnote of a Form 3, 4 or 5. */
export const Footnote = z
  .object({ id: z.string().describe('Such as `F1`.'), text })
  .meta({ id: 'Footnote', description: 'A footnote of a Form 3, 4 or 5.' });
export type Footnote = z.infer<typeof Footnote>;

/** The values of a row that may have footnotes, named as the members that have them. */
export const footnotedMembers = [
  'security',
  'on',
  'deemedExecutedOn',
  'code',
  'timeliness',
  'shares',
  'totalValue',
  'price',
  'direction',
  'sharesAfter',
  'valueAfter',
  'isDirect',
  'nature',
  'exercisePrice',
  'exercisableOn',
  'expiresOn',
  'underlyingSecurity',
  'underlyingShares',
  'underlyingValue',
] as const;
/** See the list of the same name. */
export type FootnotedMember = (typeof footnotedMembers)[number];

const ids = z.array(z.string()).min(1).optional();

/** Ids of the footnotes at each value of a row. A value without footnotes has no member. */
export const FootnoteIds = z
  .object(
    Object.fromEntries(footnotedMembers.map((name) => [name, ids])) as Record<FootnotedMember, typeof ids>,
  )
  .meta({
    id: 'FootnoteIds',
    description:
      'Ids of the footnotes at each value of a row; a value without footnotes has no member. `code` has those of form type, code and equity swap together; `underlyingSecurity`, `underlyingShares` and `underlyingValue` have those of the members of `underlying`.',
  });
export type FootnoteIds = z.infer<typeof FootnoteIds>;

/** The form on which a row belongs: `3`, `4` or `5`. */
const formType = text.describe(
  'The form on which the row belongs. `5` on a Form 4 was reported early; `3` on a Form 5 is a holding that a Form 3 left out.',
);

/** A row that only says what is owned. */
export const Holding = z
  .object({
    number: z
      .int()
      .min(1)
      .describe('Number of the holding in its filing, from 1, in the order of the document.'),
    isDerivative: z.boolean().describe('Whether it is of the table of derivatives.'),
    security: text.describe('Title of the security as written.'),
    formType,
    sharesAfter: decimal.describe(
      'Shares or derivatives owned. Null for derivatives of a Form 3, which tell the shares that they give.',
    ),
    valueAfter: decimal.describe('Value owned in US dollars, where the document gives no shares.'),
    isDirect: flag.describe('Whether they are owned directly, not through somebody else.'),
    nature: text.describe('Through whom or what they are owned.'),
    ...derivativeMembers,
    footnoteIds: FootnoteIds,
  })
  .meta({ id: 'Holding', description: 'A row of a Form 3, 4 or 5 that only says what is owned.' });
export type Holding = z.infer<typeof Holding>;

/** A signature. */
export const Signature = z
  .object({
    person: text.describe('For which person it was signed, where the form says so.'),
    name: text.describe('The signature as written.'),
    title: text.describe('Title of who signed, where the form has one.'),
    on: day.describe('Day of the signature.'),
  })
  .meta({ id: 'Signature', description: 'A signature of a document.' });
export type Signature = z.infer<typeof Signature>;

/** The issuer as a document writes it. EDGAR's name and symbol are those of the filing. */
export const Issuer = z
  .object({
    cik: cik.describe('10-digit CIK.'),
    name: text,
    ticker: text.describe('Symbols as written: `NONE`, several with commas, or with an exchange before it.'),
    foreignTicker: text.describe('Symbol of an exchange outside the United States.'),
    fileNumber: text.describe("The issuer's file number, on Form 144."),
    phone: text.describe('On Form 144.'),
    address: Address.nullable().describe('Null on Forms 3, 4 and 5.'),
  })
  .meta({ id: 'Issuer', description: 'The issuer as a document writes it.' });
export type Issuer = z.infer<typeof Issuer>;

const common = {
  documentType: z.string().describe('The form as the document names it, such as `4/A`.'),
  schemaVersion: text.describe("Version of EDGAR's schema, such as `X0508`; null where it is not told."),
  issuer: Issuer,
  remarks: text,
  signatures: z.array(Signature),
};

/** The whole document of a Form 3, 4 or 5. */
export const Section16Document = z
  .object({
    kind: z.literal('section_16'),
    ownership: Section16Ownership,
    ...common,
    ownsNoSecurities: z.boolean().describe('The box of Form 3: no securities are owned.'),
    reportsForm3Holdings: z.boolean().describe('The box of Form 5: it has holdings that a Form 3 left out.'),
    reportsForm4Transactions: z
      .boolean()
      .describe('The box of Form 5: it has transactions that a Form 4 left out.'),
    ownerDetails: z
      .array(
        z.object({
          officerTitle: text,
          otherText: text.describe('The text of the other relationship.'),
          address: Address.nullable(),
        }),
      )
      .describe('What `ownership.owners` do not have, in the same order.'),
    transactionDetails: z
      .array(z.object({ formType, footnoteIds: FootnoteIds }))
      .describe('What `ownership.transactions` do not have, in the same order.'),
    holdings: z.array(Holding),
    footnotes: z.array(Footnote),
  })
  .meta({ id: 'Section16Document', description: 'The whole document of a Form 3, 4 or 5.' });
export type Section16Document = z.infer<typeof Section16Document>;

/** How securities that are to be sold were acquired. */
const Acquisition = z.object({
  security: text,
  acquiredOn: day,
  nature: text.describe('How they were acquired, as written.'),
  acquiredFrom: text,
  isGift: flag,
  donorAcquiredOn: day.describe('When the giver acquired them.'),
  units: decimal,
  paidOn: day,
  payment: text.describe('How they were paid, as written.'),
});

/** One sale of the three months before. */
const PastSale = z.object({
  seller: text,
  sellerAddress: Address.nullable(),
  security: text,
  on: day,
  units: decimal,
  proceeds: decimal.describe('US dollars.'),
});

const previousAccessionNo = accessionNo
  .nullable()
  .describe('Of an amendment: accession number of the filing before, where the document has it.');

/** The whole document of a Form 144. */
export const Form144Document = z
  .object({
    kind: z.literal('form_144'),
    ownership: Form144Ownership,
    ...common,
    previousAccessionNo,
    saleDetails: z
      .array(z.object({ brokerAddress: Address.nullable() }))
      .describe('What `ownership.sales` do not have, in the same order.'),
    acquisitions: z.array(Acquisition).describe('How the securities that are to be sold were acquired.'),
    hasNothingToReport: flag.describe('The box: nothing was sold in the three months before.'),
    pastSales: z.array(PastSale).describe('What was sold in the three months before.'),
  })
  .meta({ id: 'Form144Document', description: 'The whole document of a Form 144.' });
export type Form144Document = z.infer<typeof Form144Document>;

/** The cover pages of a Schedule 13D or 13G, without the running text of its items. */
export const Schedule13Document = z
  .object({
    kind: z.literal('schedule_13'),
    ownership: Schedule13Ownership,
    ...common,
    previousAccessionNo,
    wasFiledBefore: flag.describe('The box of a 13D: a 13G about the same acquisition was filed before.'),
    isFivePercentOrLess: flag.describe('The box of item 5 of a 13G: five percent or less are left.'),
    contacts: z
      .array(z.object({ name: text, phone: text, address: Address.nullable() }))
      .describe('Who is authorised to receive notices, in a 13D.'),
    personDetails: z
      .array(
        z.object({
          hasNoCik: flag,
          citizenship: text.describe("EDGAR's code of the state or country."),
          fundTypes: z
            .array(z.string())
            .describe('Codes of where the money is from, in a 13D, such as `WC` working capital.'),
          hasLegalProceedings: flag,
          excludesShares: flag.describe('Whether the number of shares leaves some out.'),
          comment: text,
        }),
      )
      .describe('What `ownership.persons` do not have, in the same order.'),
  })
  .meta({
    id: 'Schedule13Document',
    description: 'The cover pages of a Schedule 13D or 13G, without the running text of its items.',
  });
export type Schedule13Document = z.infer<typeof Schedule13Document>;

/**
 * Who read a document: its own XML, or a quarterly data set of the SEC. What the document says counts before what a
 * data set says.
 */
export const ContentsSource = z.enum(['document', 'data_set']);
export type ContentsSource = z.infer<typeof ContentsSource>;

/**
 * The document as tables hold it. It lacks `ownership`, which stands in the filing, unless there is no filing yet.
 */
export const StoredOwnershipDocument = z.discriminatedUnion('kind', [
  Section16Document.extend({ ownership: Section16Ownership.optional() }),
  Form144Document.extend({ ownership: Form144Ownership.optional() }),
  Schedule13Document.extend({ ownership: Schedule13Ownership.optional() }),
]);
export type StoredOwnershipDocument = z.infer<typeof StoredOwnershipDocument>;

/** The whole document of a filing about ownership, by `kind`. */
export const OwnershipDocument = z
  .discriminatedUnion('kind', [Section16Document, Form144Document, Schedule13Document])
  .meta({
    id: 'OwnershipDocument',
    description:
      'All that a document about ownership says as data: `ownership` as the filing has it, and beside it what lists leave out. Running text, such as the items of Schedules 13D and 13G, is not part of it.',
  });
export type OwnershipDocument = z.infer<typeof OwnershipDocument>;
