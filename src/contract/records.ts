import * as z from 'zod';
import { changeTypeNames, changeTypeRules } from '../domain/change-type.ts';
import { CompanyFacts, FormerNamePeriod } from '../domain/company-facts.ts';
import { Exhibit, FilingDocument } from './filing-documents.ts';
import { Ownership } from './ownership.ts';
import {
  accessionNo,
  calendarDate,
  cik,
  count,
  easternInstant,
  easternStamp,
  itemCode,
  timestamp,
} from '../domain/scalars.ts';

/** The role of a company or person in a filing. */
export const PartyRole = z.enum(['filer', 'issuer', 'reporting_owner', 'subject', 'filed_by']).nullable();
export type PartyRole = z.infer<typeof PartyRole>;

/** A company or person that a filing names. */
export const Party = z
  .object({
    cik: cik.describe('10-digit CIK.'),
    name: z
      .string()
      .nullable()
      .describe('Its name when this was observed; null if the service did not know it then.'),
    role: PartyRole.describe(
      "`issuer` and `reporting_owner` of an ownership form, `subject` and `filed_by` of a filing about another company, `filer`; null where EDGAR's answer does not tell.",
    ),
  })
  .meta({ id: 'Party', description: 'A company, fund or person that a filing names.' });
export type Party = z.infer<typeof Party>;

/**
 * One filing: one record for each accession number, whichever companies it names. The members of an `Event`
 * come first, so that the bytes of an event are the beginning of the bytes of its filing.
 */
export const Filing = z
  .object({
    accessionNo: accessionNo.describe(
      'EDGAR accession number, `<10 digits>-<2 digits>-<6 digits>`. One filing for each.',
    ),
    companyName: z
      .string()
      .describe(
        'Name of the company that the filing belongs to, as EDGAR conforms it, when this was observed. A later name is in the profile of the company.',
      ),
    ticker: z
      .string()
      .nullable()
      .describe(
        "That company's primary ticker symbol in EDGAR's spelling (`BRK-B`) when this was observed; null if it had none.",
      ),
    form: z.string().describe('Form type as filed, e.g. `8-K`, `10-Q`, `10-K/A`.'),
    eventType: z
      .string()
      .describe(
        'Normalised event family of the form, e.g. `current_report`; `other_filing` if no other fits. Amendments keep the family.',
      ),
    items: z
      .array(itemCode)
      .describe(
        'Item codes of Form 8-K in the order given; empty for every other form. Numbers used before 2004-08-23 are given as their successors.',
      ),
    filedAt: calendarDate
      .nullable()
      .describe(
        "EDGAR's filing date. A filing accepted after 17:30 Eastern usually carries the next business day.",
      ),
    detailUrl: z.string().nullable().describe("Link to the filing's index page on www.sec.gov."),
    acceptanceDateTime: easternStamp
      .nullable()
      .describe(
        'When EDGAR accepted the filing: US Eastern wall clock, 14 digits `yyyymmddhhmmss`; null where the upstream clock cannot be decided.',
      ),
    cik: cik.describe(
      '10-digit CIK of the company the filing belongs to: the issuer for Forms 3, 4, 5 and 144, the subject company for Schedules 13D and 13G and tender offers, otherwise the filer. Of several filers it is the one whose login sent the filing (the first ten digits of the accession number), else one that had a ticker symbol, else the one with the lowest CIK; their order in the filing does not count.',
    ),
    sic: CompanyFacts.shape.sic.describe(
      "Code of that company's industry in the Standard Industrial Classification, four digits, as known when this was observed; null if none was.",
    ),
    exchange: z
      .string()
      .nullable()
      .describe(
        "Exchange of that company's primary ticker symbol when this was observed; null if none was known.",
      ),
    acceptedAt: easternInstant
      .nullable()
      .describe(
        '`acceptanceDateTime` as an instant: ISO 8601 with the Eastern offset, e.g. `2026-08-17T16:30:12-04:00`. In the hour that clocks show twice in autumn it has the offset from before the change.',
      ),
    reportDate: calendarDate
      .nullable()
      .describe(
        'Period end, date of the earliest event, transaction or meeting, as the form defines it; null where the form has none.',
      ),
    primaryDocument: z
      .string()
      .nullable()
      .describe('File name of the main document, with its folder where EDGAR gives one.'),
    primaryDocDescription: z.string().nullable().describe("The filer's description of the main document."),
    documentUrl: z
      .string()
      .nullable()
      .describe(
        'Link to what a person reads: the primary document; of Forms 3, 4 and 5 and other XML forms the page that EDGAR makes of it. Null where EDGAR names no document, or one that it has no file for.',
      ),
    size: count.nullable().describe('Size of the whole submission in bytes.'),
    isXbrl: z.boolean().describe('Whether the filing carries XBRL data.'),
    isInlineXbrl: z.boolean().describe('Whether that data is inline XBRL.'),
    ingestedAt: timestamp
      .nullable()
      .describe('When this service first recorded the filing, UTC. It never changes afterwards.'),
    parties: z
      .array(Party)
      .min(1)
      .describe(
        'Every company or person that the filing is known to name: the issuer or subject company first, then by CIK. A filing is listed under each of them.',
      ),
    exhibits: z
      .array(Exhibit)
      .nullable()
      .describe(
        'Its documents beside the main one that are neither graphics nor XBRL, in their order: exhibits such as press releases (`EX-99.1`). Null until its list of documents was read.',
      ),
    ownership: Ownership.nullable().describe(
      'What its document says about ownership: owners and transactions of Forms 3, 4 and 5, proposed sales of Form 144, persons of Schedules 13D and 13G. Null for other forms, and until the document was read.',
    ),
  })
  .meta({ id: 'Filing', description: 'Metadata of one public securities filing.' });
export type Filing = z.infer<typeof Filing>;

/** How many filings a form has. */
export const CountByForm = z
  .object({ form: z.string(), count })
  .meta({ id: 'CountByForm', description: 'Filings of one form type.' });
export type CountByForm = z.infer<typeof CountByForm>;

/** How many filings an event family has. */
export const CountByEventType = z
  .object({ eventType: z.string(), count })
  .meta({ id: 'CountByEventType', description: 'Filings of one event family.' });
export type CountByEventType = z.infer<typeof CountByEventType>;

/** A company, as search lists it. */
export const Company = z
  .object({
    cik: cik.describe('10-digit CIK.'),
    ticker: z
      .string()
      .nullable()
      .describe(
        'Primary ticker symbol; the last known one where upstream dropped it; null if it never had one.',
      ),
    name: z.string().describe('Name as EDGAR conforms it.'),
    exchange: z.string().nullable().describe('Exchange of the primary ticker.'),
    updatedAt: timestamp.describe("When the company's record last changed in this service, UTC."),
    filingCount: count.describe('Filings that name the company or its predecessor or successor.'),
    latestFilingAt: calendarDate.nullable().describe('Filing date of the newest of these filings.'),
  })
  .meta({ id: 'Company', description: 'A company, fund or person that filings name.' });
export type Company = z.infer<typeof Company>;

/** A company with its counts and its newest filing. */
export const CompanyProfile = Company.extend({
  forms: z.array(CountByForm).describe('Filings by form type, most frequent first.'),
  latestFiling: Filing.nullable().describe('The newest filing that names the company.'),
  latestIngestedAt: timestamp
    .nullable()
    .describe(
      'When the last recorded filing that names the company, or did before a correction, was recorded, UTC.',
    ),
  tickers: z.array(z.string()).describe('Every ticker symbol the company has, primary first.'),
  formerNames: z.array(z.string()).describe('Names it had before, newest first.'),
  relatedCiks: z
    .array(cik)
    .describe('CIKs of its predecessor or successor, whose filings are listed together with its own.'),
  ...CompanyFacts.shape,
  formerNamePeriods: z
    .array(FormerNamePeriod)
    .describe('The former names with their days, newest first; empty until EDGAR was asked for them.'),
}).meta({ id: 'CompanyProfile', description: 'A company with its counts by form and its newest filing.' });
export type CompanyProfile = z.infer<typeof CompanyProfile>;

/** A company in the list of companies: its profile without counts by form and filings. */
export const CompanyEntry = CompanyProfile.omit({
  forms: true,
  latestFiling: true,
  latestIngestedAt: true,
}).meta({ id: 'CompanyEntry', description: 'A company with the facts of its profile.' });
export type CompanyEntry = z.infer<typeof CompanyEntry>;

/** Why an entry of the change feed corrects the one before. */
export const changeCauses = ['source', 'contents', 'history', 'rules'] as const;
/** See the list of the same name. */
export type ChangeCause = (typeof changeCauses)[number];

/** An entry of the change feed. */
export const Change = z
  .object({
    sequence: z
      .int()
      .min(1)
      .describe(
        'Position in the change feed, ascending. An entry keeps its position and its content for ever.',
      ),
    changeType: z.enum(changeTypeNames).describe(changeTypeRules),
    observedAt: timestamp.nullable().describe('When this service recorded what the entry says, UTC.'),
    revision: z
      .int()
      .min(1)
      .describe('1 where the filing was seen for the first time; one more for each correction of it.'),
    corrected: z
      .array(z.string())
      .min(1)
      .optional()
      .describe(
        'Names of the members of `filing` that differ from the revision before; only from revision 2 on.',
      ),
    cause: z
      .enum(changeCauses)
      .optional()
      .describe(
        'Why there is this revision; only from revision 2 on. `source`: EDGAR says something else of the filing. `contents`: what its document says came later than the filing, which was accepted in the three days before. `history`: the same of an older filing. `rules`: this service says something else.',
      ),
    filing: Filing,
  })
  .meta({
    id: 'Change',
    description:
      'An entry of the change feed: a filing, as it was known then, that was seen for the first time or found changed in something that is published.',
  });
export type Change = z.infer<typeof Change>;

/** The body of a webhook. */
export const WebhookMessage = z
  .object({
    type: z
      .enum(Change.shape.changeType.options.map((changeType) => `filing.${changeType}` as const))
      .describe('`filing.` and the `changeType` of the change.'),
    timestamp: timestamp.nullable().describe('When the service observed the change, UTC.'),
    data: Change,
  })
  .meta({ id: 'WebhookMessage', description: 'A change, as a webhook tells it.' });

/** An entry of a company's event feed. */
export const Event = z
  .object({
    accessionNo: Filing.shape.accessionNo,
    companyName: Filing.shape.companyName,
    ticker: Filing.shape.ticker,
    form: Filing.shape.form,
    eventType: Filing.shape.eventType,
    items: Filing.shape.items,
    filedAt: Filing.shape.filedAt,
    detailUrl: Filing.shape.detailUrl,
    acceptanceDateTime: Filing.shape.acceptanceDateTime,
  })
  .meta({ id: 'Event', description: 'A filing seen as an event of a company.' });
export type Event = z.infer<typeof Event>;

/** URLs of a filing on www.sec.gov. */
export const FilingLinks = z
  .object({
    index: z.string().nullable().describe('The page that lists its documents; the same as `detailUrl`.'),
    document: z.string().nullable().describe('What a person reads; the same as `documentUrl`.'),
    text: z.string().nullable().describe('The complete submission as one text file.'),
    header: z
      .string()
      .nullable()
      .describe(
        'The SGML header alone; null for filings before 2010 and on paper, for which EDGAR is not known to have it.',
      ),
    xml: z
      .string()
      .nullable()
      .describe(
        'The data of a Form 3, 4 or 5 as XML, from which `ownership` is read. Null for other forms, and where the filing has none.',
      ),
    pressRelease: z
      .string()
      .nullable()
      .describe(
        'The press release of a current report or Form 6-K: its first document of type `EX-99`, `EX-99.1` or `EX-99.01`. Null where there is none, and until `documents` was read.',
      ),
  })
  .meta({ id: 'FilingLinks', description: 'Addresses of a filing on www.sec.gov.' });
export type FilingLinks = z.infer<typeof FilingLinks>;

/** A filing with a sentence made from its metadata, and one from `ownership`. */
export const FilingSummary = Filing.extend({
  summary: z
    .string()
    .describe(
      'A sentence made from the metadata, one about what `ownership` says, and the accession number.',
    ),
  itemTitles: z
    .array(z.string().nullable())
    .describe(
      'Titles of the items of Form 8-K, in the order of `items`; null for a code that the form does not have.',
    ),
  links: FilingLinks,
  notInvestmentAdvice: z.literal(true),
  documents: z
    .array(FilingDocument)
    .nullable()
    .describe(
      'All that the filer sent, the main document first, without what EDGAR makes of it: pages of XML documents, extracted data, and the complete text file. Null until the list was read.',
    ),
}).meta({ id: 'FilingSummary', description: 'A filing with one sentence made from its metadata.' });
export type FilingSummary = z.infer<typeof FilingSummary>;

/** A run of the ingest, as statistics report it. */
export const IngestRun = z
  .object({
    target: z.string().describe('What was asked for: the universe and the bound of the run.'),
    status: z.string().describe('`success`, or `partial` when anything was lost.'),
    message: z.string().nullable().describe('What was lost and why; null if nothing was.'),
    createdAt: timestamp.describe('When the run was recorded, UTC.'),
  })
  .meta({ id: 'IngestRun', description: 'One run of the ingest.' });
export type IngestRun = z.infer<typeof IngestRun>;

/** The short form of a run in health and demo. */
export const HealthIngestRun = IngestRun.omit({ message: true }).meta({
  id: 'HealthIngestRun',
  description: 'One run of the ingest, in short.',
});
export type HealthIngestRun = z.infer<typeof HealthIngestRun>;

/** Counts over the whole snapshot. */
export const Stats = z
  .object({
    companyCount: count,
    filingCount: count,
    forms: z.array(CountByForm).describe('Most frequent first.'),
    eventTypes: z.array(CountByEventType).describe('Most frequent first.'),
    latestFiling: Filing.nullable(),
    latestIngestRun: IngestRun.nullable(),
  })
  .meta({ id: 'Stats', description: 'Counts over the whole snapshot.' });
export type Stats = z.infer<typeof Stats>;

/** The `Company` in a profile, as lists show it. */
export function companyOf({
  cik,
  ticker,
  name,
  exchange,
  updatedAt,
  filingCount,
  latestFilingAt,
}: Company): Company {
  return { cik, ticker, name, exchange, updatedAt, filingCount, latestFilingAt };
}

/** Sorts names by their counts, greatest first, then by name. */
export function mostFrequentFirst(
  counts: Iterable<readonly [name: string, count: number]>,
): (readonly [name: string, count: number])[] {
  return [...counts].sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1));
}
