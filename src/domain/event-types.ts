import { familyOfForm, originalOf } from './form-family.ts';
import { formsFiledByOthers, formsThatAmend, nounsOfForms } from './forms.ts';
import { remembered } from './remembered.ts';

/**
 * What the report date of a family's filings means. Left out if the filings have no such date, or dates of
 * several meanings.
 */
export type ReportDateMeaning = 'period' | 'fiscal_year' | 'event' | 'transaction' | 'meeting';

/** An event family: the forms that mean the same kind of event to a reader. */
export interface EventFamily {
  /** What one such filing is called in a sentence. Its first letter decides between "a" and "an". */
  readonly noun: string;
  /** Whether the filing is always filed by the company that it is listed under. */
  readonly filedByNamedCompany: boolean;
  readonly reportDate?: ReportDateMeaning;
  /** One plain sentence. */
  readonly description: string;
}

// biome-ignore format: a table, read by its lines
/** The vocabulary of event families. Families are only ever added, never renamed. */
const families = {
  annual_report: { noun: 'annual report', filedByNamedCompany: true, reportDate: 'period',
    description: 'Report on a whole fiscal year by a company or a foreign government.' },
  transition_report: { noun: 'transition report', filedByNamedCompany: true, reportDate: 'period',
    description: 'Report on the shorter or longer period that a change of fiscal year leaves.' },
  quarterly_report: { noun: 'quarterly report', filedByNamedCompany: true, reportDate: 'period',
    description: 'Report on one fiscal quarter.' },
  current_report: { noun: 'current report', filedByNamedCompany: true, reportDate: 'event',
    description: 'Form 8-K: report on events that shareholders should know about; its items say which.' },
  foreign_current_report: { noun: 'report of a foreign private issuer', filedByNamedCompany: true,
    description: 'Form 6-K: what a foreign company published at home, from routine notices to results; it has no items.' },
  employee_plan_report: { noun: 'employee plan annual report', filedByNamedCompany: true, reportDate: 'period',
    description: 'Annual report of an employee stock purchase, savings or similar plan.' },
  shareholder_annual_report: { noun: 'annual report to shareholders', filedByNamedCompany: true, reportDate: 'period',
    description: 'The annual report that a company sends to its shareholders.' },
  specialized_disclosure: { noun: 'specialized disclosure report', filedByNamedCompany: true, reportDate: 'period',
    description: 'Disclosure on one topic: conflict minerals, resource extraction payments, business with Iran.' },
  asset_backed_report: { noun: 'asset-backed securities report', filedByNamedCompany: false,
    description: 'Distribution, repurchase or asset-level report on asset-backed securities.' },
  late_filing_notice: { noun: 'notification of late filing', filedByNamedCompany: true, reportDate: 'period',
    description: 'Notice that a periodic report will not be filed on time.' },

  insider_initial_statement: { noun: 'initial statement of beneficial ownership', filedByNamedCompany: false, reportDate: 'event',
    description: 'Form 3: holdings of a person who has become an insider of a company.' },
  insider_transaction: { noun: 'statement of changes in beneficial ownership', filedByNamedCompany: false, reportDate: 'transaction',
    description: 'Form 4: transactions of an insider in the securities of a company.' },
  insider_annual_statement: { noun: 'annual statement of changes in beneficial ownership', filedByNamedCompany: false, reportDate: 'fiscal_year',
    description: 'Form 5: transactions of an insider in a fiscal year that were exempt from, or missed, earlier reporting.' },
  restricted_sale_notice: { noun: 'notice of proposed sale of securities', filedByNamedCompany: false,
    description: 'Form 144: notice of a planned sale of restricted securities, or of securities by an affiliate.' },

  beneficial_ownership_active: { noun: 'beneficial ownership report (Schedule 13D)', filedByNamedCompany: false,
    description: 'Schedule 13D: report of an owner of more than 5% who may seek influence on the company.' },
  beneficial_ownership_passive: { noun: 'beneficial ownership report (Schedule 13G)', filedByNamedCompany: false,
    description: 'Schedule 13G: report of an owner of more than 5% who does not seek control.' },
  institutional_holdings: { noun: 'institutional holdings report', filedByNamedCompany: true, reportDate: 'period',
    description: 'Form 13F: quarterly holdings of an institutional investment manager.' },
  short_position_report: { noun: 'short position report', filedByNamedCompany: true,
    description: 'Short positions of an investment manager, and registrations of large traders.' },
  fund_proxy_vote: { noun: 'proxy voting record', filedByNamedCompany: true, reportDate: 'period',
    description: 'Form N-PX: how a fund or manager voted the shares it holds.' },

  proxy_statement: { noun: 'proxy statement', filedByNamedCompany: false, reportDate: 'meeting',
    description: 'Definitive proxy statement for a vote of shareholders, by the company or by others.' },
  preliminary_proxy: { noun: 'preliminary proxy statement', filedByNamedCompany: false, reportDate: 'meeting',
    description: 'Proxy statement as filed for review before it goes to shareholders.' },
  proxy_additional_material: { noun: 'set of additional proxy materials', filedByNamedCompany: false,
    description: 'Letters, presentations and notices that solicit votes besides the proxy statement.' },
  information_statement: { noun: 'information statement', filedByNamedCompany: true,
    description: 'Statement to shareholders on corporate action for which no proxies are asked.' },

  registration_statement: { noun: 'registration statement', filedByNamedCompany: true,
    description: 'Registration of an offering of securities under the Securities Act.' },
  post_effective_amendment: { noun: 'post-effective amendment', filedByNamedCompany: true,
    description: 'Amendment to a registration statement that is already effective, and delaying amendments.' },
  exchange_act_registration: { noun: 'Exchange Act registration statement', filedByNamedCompany: true,
    description: 'Registration of a class of securities under the Exchange Act, as for a listing.' },
  prospectus: { noun: 'Rule 424 prospectus', filedByNamedCompany: true,
    description: 'Prospectus or prospectus supplement of a registered offering.' },
  free_writing_prospectus: { noun: 'free writing prospectus', filedByNamedCompany: false,
    description: 'Written offer outside the statutory prospectus, by the issuer or another offering participant.' },
  draft_registration: { noun: 'draft registration statement', filedByNamedCompany: true,
    description: 'Draft registration or offering statement submitted for nonpublic review and released later.' },
  registration_effective: { noun: 'notice of effectiveness', filedByNamedCompany: false,
    description: 'Notice of the SEC that a registration or offering statement took effect.' },
  registration_withdrawal: { noun: 'withdrawal request', filedByNamedCompany: true,
    description: 'Request to withdraw a registration statement or an amendment, or to undo such a request.' },
  exempt_offering: { noun: 'notice of exempt offering of securities', filedByNamedCompany: true,
    description: 'Form D: sale of securities that is exempt from registration.' },
  regulation_a_offering: { noun: 'Regulation A offering statement', filedByNamedCompany: true,
    description: 'Offering statement, offering circular or withdrawal of a Regulation A offering.' },
  regulation_a_report: { noun: 'Regulation A report', filedByNamedCompany: true,
    description: 'Annual, semiannual, current or exit report of a Regulation A issuer.' },
  crowdfunding: { noun: 'crowdfunding document', filedByNamedCompany: true,
    description: 'Offering, report or withdrawal under Regulation Crowdfunding, and registration of funding portals.' },

  merger_communication: { noun: 'business combination communication', filedByNamedCompany: false,
    description: 'Form 425: public communication about a merger or exchange offer.' },
  tender_offer: { noun: 'tender offer statement', filedByNamedCompany: false,
    description: 'Offer to buy securities from their holders, or the response of the company to it.' },
  going_private: { noun: 'going-private transaction statement', filedByNamedCompany: false,
    description: 'Transaction that takes a public company private.' },
  board_change_notice: { noun: 'notice of a change in the majority of directors', filedByNamedCompany: false,
    description: 'Notice that a majority of the board will change without a meeting of shareholders.' },
  delisting: { noun: 'notification of removal from listing', filedByNamedCompany: false,
    description: 'Form 25: an exchange or the company removes securities from listing.' },
  deregistration: { noun: 'notice of termination of registration', filedByNamedCompany: true,
    description: 'End or suspension of registration or of the duty to report.' },
  listing_certification: { noun: 'certification of approval for listing', filedByNamedCompany: false,
    description: 'Certification of an exchange that it approved securities for listing.' },
  trust_indenture: { noun: 'trust indenture application', filedByNamedCompany: false,
    description: 'Application under the Trust Indenture Act.' },

  issuer_correspondence: { noun: 'letter to the SEC staff', filedByNamedCompany: false,
    description: 'Letter of a filer to the SEC staff in the review of a filing, released after the review.' },
  sec_comment_letter: { noun: 'letter from the SEC staff', filedByNamedCompany: false,
    description: 'Letter of the SEC staff to a filer in the review of a filing, released after the review.' },
  sec_order: { noun: 'notice or order of the SEC', filedByNamedCompany: false,
    description: 'Order, notice, no-action letter or other act of the SEC or its staff.' },

  fund_shareholder_report: { noun: 'fund shareholder report', filedByNamedCompany: true, reportDate: 'period',
    description: 'Annual, semiannual or other periodic report of a fund to its shareholders.' },
  fund_holdings: { noun: 'fund portfolio holdings report', filedByNamedCompany: true, reportDate: 'period',
    description: 'Portfolio holdings of a fund.' },
  fund_census: { noun: 'fund census report', filedByNamedCompany: true, reportDate: 'period',
    description: 'Census-type facts about a registered fund.' },
  fund_current_report: { noun: 'fund current report', filedByNamedCompany: true,
    description: 'Report of a fund on a default, an illiquid portfolio or a similar event.' },
  fund_fee_notice: { noun: 'annual notice of securities sold', filedByNamedCompany: true, reportDate: 'period',
    description: 'Annual notice and fee for the shares that a fund sold.' },
  fund_registration: { noun: 'fund registration statement', filedByNamedCompany: true,
    description: 'Registration of a fund or its shares, with amendments and elections.' },
  fund_prospectus: { noun: 'fund prospectus', filedByNamedCompany: true,
    description: 'Prospectus, supplement or sales material of a fund.' },
  fund_other: { noun: 'investment company document', filedByNamedCompany: false,
    description: 'Application, notice, bond or other document under the Investment Company or Investment Advisers Act.' },
  market_participant: { noun: 'market participant document', filedByNamedCompany: false,
    description: 'Registration or report of a broker-dealer, transfer agent, adviser, trading system or similar.' },
  other_filing: { noun: 'document', filedByNamedCompany: false,
    description: 'Any form that no other family holds.' },
} as const satisfies Record<string, EventFamily>;

/** The name of an event family, as in the field `eventType`. */
export type EventType = keyof typeof families;

/** Every event family by its name, in the order in which documents list them. */
export const eventFamilies: Readonly<Record<EventType, EventFamily>> = families;

/** The names of all event families, in the same order. */
export const eventTypes = Object.keys(families) as readonly EventType[];

/** The event families of Forms 3, 4 and 5, in which insiders report what they own of an issuer. */
export const ownershipFamilies: ReadonlySet<string> = new Set<EventType>([
  'insider_initial_statement',
  'insider_transaction',
  'insider_annual_statement',
]);

const familyByName = new Map<string, EventFamily>(Object.entries(families));

/** The family with a name; `other_filing` for an unknown name. */
export function familyOf(eventType: string): EventFamily {
  return familyByName.get(eventType) ?? families.other_filing;
}

/** Whether filings of a form, in any spelling, have items: only those of the Form 8-K family do. */
export function hasItems(form: string): boolean {
  return eventTypeOfForm(form) === 'current_report';
}

interface FormFacts {
  readonly form: string;
  readonly eventType: EventType;
  readonly amendsEarlier: boolean;
  readonly noun: string;
  readonly filedByNamedCompany: boolean;
}

const nounByForm = new Map(
  nounsOfForms.flatMap(([noun, forms]) => forms.map((form) => [form, noun] as const)),
);

function readForm(raw: string): FormFacts {
  const form = raw.trim().toUpperCase().replace(/\s+/g, ' ');
  const original = originalOf(form);
  const eventType = familyOfForm(form);
  return {
    form,
    eventType,
    amendsEarlier: original !== form || formsThatAmend.includes(form),
    noun: nounByForm.get(original) ?? families[eventType].noun,
    filedByNamedCompany: families[eventType].filedByNamedCompany && !formsFiledByOthers.includes(original),
  };
}

// EDGAR's indexes have fewer than a thousand spellings of forms. The limit only keeps a hostile client from
// filling the memory.
const factsOf = remembered(4096, readForm);

/** A form in the spelling that is published and compared: trimmed, upper case, single spaces. */
export function normalizeForm(form: string): string {
  return factsOf(form).form;
}

/**
 * The event family of a form in any spelling. Amendments have the family of the amended form; unknown forms
 * are `other_filing`.
 */
export function eventTypeOfForm(form: string): EventType {
  return factsOf(form).eventType;
}

/**
 * Whether a filing of this form amends an earlier one: the form ends in `/A` or a similar suffix, or is one
 * that always amends.
 */
export function amendsEarlier(form: string): boolean {
  return factsOf(form).amendsEarlier;
}

/** What a filing of this form is called in a sentence, without "amended". */
export function nounOfForm(form: string): string {
  return factsOf(form).noun;
}

/** Whether a filing of this form is always filed by the company that it is listed under. */
export function isFiledByNamedCompany(form: string): boolean {
  return factsOf(form).filedByNamedCompany;
}
