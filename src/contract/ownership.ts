import * as z from 'zod';
import { calendarDate, cik, count } from '../domain/scalars.ts';

// What a filing about ownership says, as every list and the feed have it. The whole document, with what stands
// beside it, is in `ownership-document.ts`.

/** A number of a document. Texts become numbers only where a double says them exactly. */
export const decimal = z.number().nullable();
/** A text of a document; null where it has none. */
export const text = z.string().nullable();

/** A person or company that reports its ownership in an issuer: the insider of a Form 3, 4 or 5. */
export const Owner = z
  .object({
    cik: cik.nullable().describe('10-digit CIK; null where the document lacks it.'),
    name: text.describe('Its name as the document writes it; null where the document has none.'),
    isDirector: z.boolean(),
    isOfficer: z.boolean(),
    isTenPercentOwner: z.boolean().describe('Owns more than ten percent of a class of shares.'),
    isOther: z.boolean().describe('Has another relationship, which `title` may tell.'),
    title: text.describe("The officer's title, else the text of the other relationship."),
  })
  .meta({ id: 'Owner', description: 'A reporting owner of a Form 3, 4 or 5 and its relationship.' });
export type Owner = z.infer<typeof Owner>;

/** The security that a derivative gives. */
export const Underlying = z
  .object({
    security: text.describe('Title of the security.'),
    shares: decimal.describe('How many shares of it.'),
    value: decimal.describe('Its value in US dollars, where the document gives no shares.'),
  })
  .meta({ id: 'Underlying', description: 'The security that a derivative gives.' });
export type Underlying = z.infer<typeof Underlying>;

/** What only rows of derivatives have. */
export const derivativeMembers = {
  exercisePrice: decimal
    .optional()
    .describe('Price of conversion or exercise in US dollars; only of derivatives.'),
  exercisableOn: calendarDate.nullable().optional().describe('First day of exercise; only of derivatives.'),
  expiresOn: calendarDate.nullable().optional().describe('Last day of exercise; only of derivatives.'),
  underlying: Underlying.optional().describe('What the derivative gives; only of derivatives.'),
};

/** The ways in which a security may go. */
export const directions = ['acquired', 'disposed'] as const;

/** One transaction of a Form 4 or 5. */
export const Transaction = z
  .object({
    number: z
      .int()
      .min(1)
      .describe(
        'Number of the transaction in its filing, from 1, in the order of the document: first the table of shares, then that of derivatives.',
      ),
    isDerivative: z
      .boolean()
      .describe('Whether it is of the table of derivatives: options, warrants, convertible securities.'),
    security: text.describe('Title of the security as written, such as `Common Stock`.'),
    on: calendarDate.nullable().describe('Day of the transaction.'),
    deemedExecutedOn: calendarDate
      .nullable()
      .describe('Day on which it counts as executed, where that is another one.'),
    code: z
      .string()
      .regex(/^[A-Z]$/)
      .nullable()
      .describe(
        'Transaction code of the form: `P` purchase, `S` sale, `A` grant, `M` exercise or conversion, `F` withheld for tax or price, `G` gift, and others.',
      ),
    isEquitySwap: z.boolean().nullable().describe('Whether an equity swap was involved.'),
    timeliness: z
      .enum(['early', 'late'])
      .nullable()
      .describe('Whether it was reported early or late; null where it was on time.'),
    shares: decimal.describe('Number of shares or derivatives; may have decimals.'),
    totalValue: decimal.describe('Value in US dollars that the document gives in place of shares.'),
    price: decimal.describe(
      'Price of one in US dollars. 0 is what the document writes for grants and exercises: no purchase for nothing. Null where only a footnote tells it.',
    ),
    value: decimal.describe(
      '`shares` times `price` in US dollars, rounded half up to cents; null where either is null.',
    ),
    direction: z.enum(directions).nullable().describe('Whether the owners acquired or disposed of them.'),
    sharesAfter: decimal.describe('Shares or derivatives owned afterwards.'),
    valueAfter: decimal.describe('Value owned afterwards in US dollars, where the document gives no shares.'),
    isDirect: z.boolean().nullable().describe('Whether they are owned directly, not through somebody else.'),
    nature: text.describe('Through whom or what they are owned, such as `By Trust`.'),
    ...derivativeMembers,
  })
  .meta({
    id: 'Transaction',
    description:
      'One transaction of a Form 4 or 5. It belongs to all owners of the filing together; several owners do not multiply it.',
  });
export type Transaction = z.infer<typeof Transaction>;

/** What a Form 3, 4 or 5 or an amendment of one says. */
export const Section16Ownership = z
  .object({
    kind: z.literal('section_16'),
    periodOfReport: calendarDate
      .nullable()
      .describe('Day of the event (Form 3), of the earliest transaction (4), or end of the year (5).'),
    originalSubmissionOn: calendarDate.nullable().describe('Of an amendment: when the original was filed.'),
    isPlanned: z
      .boolean()
      .nullable()
      .describe(
        'The box of Rule 10b5-1(c): a transaction followed a plan made before. Null where the document has no such box, as before April 2023.',
      ),
    isExit: z.boolean().describe('Whether an owner is no longer subject to Section 16.'),
    owners: z
      .array(Owner)
      .min(1)
      .describe('Whom the filing is of: all rows belong to all of them together, so never add them up.'),
    transactions: z.array(Transaction),
    holdingCount: count.describe('Rows that only say what is owned. They are in the whole document.'),
  })
  .meta({ id: 'Section16Ownership', description: 'What a Form 3, 4 or 5 says.' });
export type Section16Ownership = z.infer<typeof Section16Ownership>;

/** One sale that a Form 144 announces. */
export const ProposedSale = z
  .object({
    security: text.describe('Title of the class.'),
    units: decimal.describe('How many are to be sold.'),
    marketValue: decimal.describe('Their market value in US dollars.'),
    outstanding: decimal.describe('How many of the class there are.'),
    on: calendarDate.nullable().describe('About when.'),
    exchange: text.describe('Where.'),
    broker: text.describe('Through whom.'),
  })
  .meta({ id: 'ProposedSale', description: 'One sale that a Form 144 announces.' });
export type ProposedSale = z.infer<typeof ProposedSale>;

/** What a Form 144 or an amendment of one says. */
export const Form144Ownership = z
  .object({
    kind: z.literal('form_144'),
    seller: text.describe('For whose account the securities are to be sold.'),
    relationships: z.array(z.string()).describe('What the seller is to the issuer, as written.'),
    isPlanned: z.boolean().describe('Whether the sales follow a plan under Rule 10b5-1: it has a day.'),
    planAdoptedOn: z.array(calendarDate).describe('Days on which the plans were adopted.'),
    sales: z.array(ProposedSale),
    soldInPastThreeMonths: z
      .object({ units: decimal, proceeds: decimal.describe('US dollars.') })
      .nullable()
      .describe('Sums of what was sold in the three months before; null where there is nothing to report.'),
  })
  .meta({ id: 'Form144Ownership', description: 'The notice of proposed sales on Form 144.' });
export type Form144Ownership = z.infer<typeof Form144Ownership>;

/** One person on the cover pages of a Schedule 13D or 13G. */
export const ReportingPerson = z
  .object({
    cik: cik.nullable().describe('10-digit CIK; null where the person has none.'),
    name: text,
    shares: decimal.describe('Shares owned beneficially.'),
    percent: decimal.describe('Percent of the class.'),
    soleVoting: decimal.describe('Shares that it votes alone.'),
    sharedVoting: decimal.describe('Shares that it votes with others.'),
    soleDispositive: decimal.describe('Shares that it may dispose of alone.'),
    sharedDispositive: decimal.describe('Shares that it may dispose of with others.'),
    types: z
      .array(z.string())
      .describe('Codes of what the person is, such as `IN` individual, `IA` investment adviser, `CO`.'),
    group: z
      .enum(['a', 'b'])
      .nullable()
      .describe('The box about a group: `a` member of one, `b` not; null where neither is checked.'),
  })
  .meta({
    id: 'ReportingPerson',
    description:
      'A person on the cover pages of a Schedule 13D or 13G. Persons that file together repeat the same shares: never add them up.',
  });
export type ReportingPerson = z.infer<typeof ReportingPerson>;

/** What the cover pages of a Schedule 13D or 13G or an amendment of one say. */
export const Schedule13Ownership = z
  .object({
    kind: z.literal('schedule_13'),
    schedule: z.enum(['13D', '13G']),
    eventOn: calendarDate.nullable().describe('Day of the event that requires the filing.'),
    amendmentNumber: count.nullable().describe('Null where the document has none.'),
    security: text.describe('Title of the class.'),
    cusips: z.array(z.string()).describe('CUSIPs of the class as written.'),
    rules: z.array(z.string()).describe('Rules of a 13G, such as `Rule 13d-1(b)`; none of a 13D.'),
    persons: z.array(ReportingPerson),
  })
  .meta({ id: 'Schedule13Ownership', description: 'The cover pages of a Schedule 13D or 13G.' });
export type Schedule13Ownership = z.infer<typeof Schedule13Ownership>;

/** What a filing about ownership says, by `kind`. */
export const Ownership = z
  .discriminatedUnion('kind', [Section16Ownership, Form144Ownership, Schedule13Ownership])
  .meta({
    id: 'Ownership',
    description:
      'What a filing about ownership says: `section_16` Forms 3, 4 and 5, `form_144` notices of proposed sales, `schedule_13` Schedules 13D and 13G. What the document leaves out, leaves empty or says in a footnote alone is null, never 0.',
  });
export type Ownership = z.infer<typeof Ownership>;
