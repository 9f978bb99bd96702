import * as z from 'zod';
import { changeTypes } from '../domain/change-type.ts';
import { exchanges, sicCodes, stateNames } from '../domain/company-codes.ts';
import { errorHelp, ErrorResponse, errorStatus, type ErrorCode } from './errors.ts';
import {
  amendsEarlier,
  eventFamilies,
  eventTypes,
  nounOfForm,
  type EventType,
  type ReportDateMeaning,
} from '../domain/event-types.ts';
import { formsByEventType, renamedForms } from '../domain/forms.ts';
import { formerItems, itemTitles } from '../domain/items.ts';
import { productName, productVersion } from './product.ts';
import { Change, type PartyRole } from './records.ts';
import { calendarDate, cik } from '../domain/scalars.ts';
import { transactionCodes } from '../domain/transaction-codes.ts';
import { sourceOfSuccession, successors } from '../domain/successors.ts';
import {
  deprecatedForMonths,
  deprecationHeaders,
  deprecations,
  versionPromises,
  versionsPath,
} from './versions.ts';

/** The path of the lists of all values. */
export const referencePath = '/reference.json';

const reportDateMeanings = [
  'period',
  'fiscal_year',
  'event',
  'transaction',
  'meeting',
] as const satisfies readonly ReportDateMeaning[];
const eventType = z.enum(eventTypes as [EventType, ...EventType[]]);

/** The roles of companies and persons in a filing, with their meaning. */
const partyRoles: Readonly<Record<NonNullable<PartyRole>, string>> = {
  filer: 'Files about itself, alone or with others.',
  issuer: 'Has issued the securities that Forms 3, 4, 5 and 144 are about.',
  reporting_owner:
    'Owns those securities and reports about them: an officer, a director, a holder of more than 10%.',
  subject: 'Is the company that somebody else files about, as in Schedules 13D and 13G and in tender offers.',
  filed_by: 'Has filed about the subject.',
} as const;

/** The answer of `GET /reference.json`. */
export const ReferenceResponse = z
  .object({
    name: z.string(),
    version: z.string(),
    forms: z
      .array(
        z.object({
          form: z
            .string()
            .describe(
              "In EDGAR's own spelling. Its amendments, with `/A` behind it, are not listed and belong to the same family.",
            ),
          eventType,
          description: z.string(),
          amendsEarlier: z
            .boolean()
            .describe('Whether it amends an earlier filing although its name does not end in `/A`.'),
          newName: z
            .string()
            .nullable()
            .describe('The name that EDGAR has given it since; null if it still has this name.'),
        }),
      )
      .describe(
        'The known forms. Filters also take other forms that a filing of the service has; statistics count those.',
      ),
    items: z
      .array(
        z.object({
          code: z.string().describe('As EDGAR writes it: `2.02`, or `12` before 23 August 2004.'),
          title: z.string(),
          regime: z.enum(['current', 'before_2004']),
          successor: z
            .string()
            .nullable()
            .describe(
              'The code under which the service gives an item of before 2004; null for current ones.',
            ),
        }),
      )
      .describe('The items of Form 8-K, current ones first.'),
    transactionCodes: z
      .array(z.object({ code: z.string(), description: z.string() }))
      .describe('Codes of the transactions that Forms 4 and 5 report.'),
    eventTypes: z
      .array(
        z.object({
          eventType,
          name: z.string().describe('What one such filing is called in a sentence.'),
          description: z.string(),
          reportDate: z
            .enum(reportDateMeanings)
            .nullable()
            .describe('What `reportDate` says in this family; null where it has several meanings or none.'),
        }),
      )
      .describe('The event families.'),
    exchanges: z
      .array(z.object({ exchange: z.string(), description: z.string() }))
      .describe("Values of a company's `exchange`; null where EDGAR names none."),
    states: z
      .array(z.object({ state: z.string(), name: z.string() }))
      .describe("Values of a company's `stateOfIncorporation`: states, provinces and countries."),
    sicCodes: z
      .array(z.string())
      .describe("Values of a company's `sic`. Its `sicDescription` says which industry that is."),
    roles: z
      .array(
        z.object({
          role: z.enum(Object.keys(partyRoles) as [NonNullable<PartyRole>, ...NonNullable<PartyRole>[]]),
          description: z.string(),
        }),
      )
      .describe('What a company or person has to do with a filing.'),
    successors: z
      .array(
        z.object({
          predecessorCik: cik,
          successorCik: cik,
          since: calendarDate.describe('From then on the successor was listed.'),
          description: z.string(),
          source: z.string().describe('Where EDGAR shows it.'),
        }),
      )
      .describe(
        'Companies whose listing moved to another CIK, in a list that is kept by hand: the ticker and each CIK find the filings of both.',
      ),
    changeTypes: z
      .array(z.object({ changeType: Change.shape.changeType, description: z.string() }))
      .describe('Values of `changeType`. The first one that holds decides.'),
    errorCodes: z
      .array(
        z.object({
          code: ErrorResponse.shape.error.shape.code,
          status: z.int(),
          description: z.string(),
          advice: z.string(),
        }),
      )
      .describe('The closed set of error codes.'),
    versions: z
      .object({
        docs: z.string().describe('Path of the page about versions.'),
        mayChange: z.array(z.string()).describe('What may change below `/v1/` at any time.'),
        staysTheSame: z.array(z.string()).describe('What does not change below `/v1/`.'),
        deprecatedForMonths: z
          .int()
          .describe('How many months something deprecated stays at least, after it was announced.'),
        headers: z
          .array(z.object({ header: z.string(), specification: z.string(), description: z.string() }))
          .describe('The headers that announce the end of something.'),
        deprecations: z
          .array(
            z.object({
              operations: z.array(z.string()).describe('Operations and tools whose answers announce it.'),
              what: z.string(),
              instead: z.string(),
              announcedOn: calendarDate,
              removedOn: calendarDate.describe('When it will be removed at the earliest.'),
            }),
          )
          .describe('What is deprecated now.'),
      })
      .describe('What clients can rely on.'),
    notInvestmentAdvice: z.literal(true),
  })
  .meta({
    id: 'ReferenceResponse',
    description: 'Every value that filters take and answers have, with what it means.',
  });
export type ReferenceResponse = z.infer<typeof ReferenceResponse>;

/** The lists of the reference. */
export type ReferenceSection = Exclude<
  keyof ReferenceResponse,
  'name' | 'version' | 'versions' | 'notInvestmentAdvice'
>;

/** Makes the reference document from the contract's own lists; it is the same for every snapshot. */
export function referenceDocument(): ReferenceResponse {
  const newNames = new Map(renamedForms);
  return {
    name: `${productName}: reference`,
    version: productVersion,
    forms: eventTypes.flatMap((family) =>
      formsByEventType[family].map((form) => ({
        form,
        eventType: family,
        description: capitalized(nounOfForm(form)),
        amendsEarlier: amendsEarlier(form),
        newName: newNames.get(form) ?? null,
      })),
    ),
    items: [
      ...itemTitles.map(([code, title]) => ({ code, title, regime: 'current' as const, successor: null })),
      ...formerItems.map(({ code, title, successor }) => ({
        code,
        title,
        regime: 'before_2004' as const,
        successor,
      })),
    ],
    transactionCodes: [...transactionCodes].map(([code, description]) => ({ code, description })),
    eventTypes: eventTypes.map((family) => {
      const { noun, description, reportDate } = eventFamilies[family];
      return { eventType: family, name: noun, description, reportDate: reportDate ?? null };
    }),
    exchanges: described(exchanges).map(([exchange, description]) => ({ exchange, description })),
    states: [...stateNames].map(([state, name]) => ({ state, name })),
    sicCodes: [...sicCodes],
    roles: described(partyRoles).map(([role, description]) => ({ role, description })),
    successors: successors.map((each) => {
      const { predecessorCik, successorCik, since, description } = each;
      return { predecessorCik, successorCik, since, description, source: sourceOfSuccession(each) };
    }),
    changeTypes: described(changeTypes).map(([changeType, description]) => ({ changeType, description })),
    errorCodes: (Object.keys(errorStatus) as ErrorCode[]).map((code) => ({
      code,
      status: errorStatus[code],
      description: errorHelp[code].meaning,
      advice: errorHelp[code].advice,
    })),
    versions: {
      docs: versionsPath,
      mayChange: [...versionPromises.mayChange],
      staysTheSame: [...versionPromises.staysTheSame],
      deprecatedForMonths,
      headers: deprecationHeaders.map((each) => ({ ...each })),
      deprecations: deprecations.map(({ operations, ...rest }) => ({ ...rest, operations: [...operations] })),
    },
    notInvestmentAdvice: true,
  };
}

function described<Name extends string>(descriptions: Readonly<Record<Name, string>>): [Name, string][] {
  return Object.entries(descriptions) as [Name, string][];
}

function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
