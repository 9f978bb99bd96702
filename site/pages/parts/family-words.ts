import type { EventType } from '../../../src/domain/event-types.ts';
import type { PartyRole } from '../../../src/contract/records.ts';

/** A group of event families. There are few groups, so each can have a colour. */
export type Group = 'events' | 'reports' | 'insiders' | 'sales' | 'owners' | 'offerings' | 'votes' | 'other';

/** Every group with its name, in the order in which pictures stack them, from the bottom up. */
export const groups: Readonly<Record<Group, string>> = {
  insiders: 'Insiders, Forms 3, 4 and 5',
  sales: 'Planned insider sales',
  offerings: 'Offerings and registration',
  owners: 'Large owners and funds',
  votes: 'Proxies and votes',
  reports: 'Annual and quarterly reports',
  events: 'Current reports',
  other: 'Everything else',
};

/** The names of all groups, in the same order. */
export const groupNames = Object.keys(groups) as readonly Group[];

/** The plain name of each family, and its group. */
const families: Readonly<Record<EventType, readonly [label: string, group: Group]>> = {
  annual_report: ['Annual report', 'reports'],
  transition_report: ['Transition report', 'reports'],
  quarterly_report: ['Quarterly report', 'reports'],
  current_report: ['Current report', 'events'],
  foreign_current_report: ['Foreign issuer report', 'events'],
  employee_plan_report: ['Employee plan report', 'reports'],
  shareholder_annual_report: ['Annual report to shareholders', 'reports'],
  specialized_disclosure: ['Specialised disclosure', 'reports'],
  asset_backed_report: ['Asset-backed report', 'other'],
  late_filing_notice: ['Late filing notice', 'reports'],
  insider_initial_statement: ['New insider', 'insiders'],
  insider_transaction: ['Insider transaction', 'insiders'],
  insider_annual_statement: ['Insider annual statement', 'insiders'],
  restricted_sale_notice: ['Planned insider sale', 'sales'],
  beneficial_ownership_active: ['Owner over 5%, may seek influence', 'owners'],
  beneficial_ownership_passive: ['Owner over 5%, passive', 'owners'],
  institutional_holdings: ['Institutional holdings', 'owners'],
  short_position_report: ['Short positions', 'owners'],
  fund_proxy_vote: ['Votes cast by a fund', 'votes'],
  proxy_statement: ['Proxy statement', 'votes'],
  preliminary_proxy: ['Preliminary proxy statement', 'votes'],
  proxy_additional_material: ['Additional proxy material', 'votes'],
  information_statement: ['Information statement', 'votes'],
  registration_statement: ['Registration statement', 'offerings'],
  post_effective_amendment: ['Registration amendment', 'offerings'],
  exchange_act_registration: ['Registration of a class of securities', 'offerings'],
  prospectus: ['Prospectus', 'offerings'],
  free_writing_prospectus: ['Free writing prospectus', 'offerings'],
  draft_registration: ['Draft registration', 'offerings'],
  registration_effective: ['Registration effective', 'offerings'],
  registration_withdrawal: ['Registration withdrawn', 'offerings'],
  exempt_offering: ['Exempt offering', 'offerings'],
  regulation_a_offering: ['Regulation A offering', 'offerings'],
  regulation_a_report: ['Regulation A report', 'offerings'],
  crowdfunding: ['Crowdfunding', 'offerings'],
  merger_communication: ['Merger communication', 'offerings'],
  tender_offer: ['Tender offer', 'offerings'],
  going_private: ['Going private', 'offerings'],
  board_change_notice: ['Change of the board', 'votes'],
  delisting: ['Delisting', 'other'],
  deregistration: ['Deregistration', 'other'],
  listing_certification: ['Listing certified', 'other'],
  trust_indenture: ['Trust indenture', 'other'],
  issuer_correspondence: ['Letter to the SEC staff', 'other'],
  sec_comment_letter: ['Letter from the SEC staff', 'other'],
  sec_order: ['SEC notice or order', 'other'],
  fund_shareholder_report: ['Fund shareholder report', 'owners'],
  fund_holdings: ['Fund holdings', 'owners'],
  fund_census: ['Fund census', 'owners'],
  fund_current_report: ['Fund current report', 'owners'],
  fund_fee_notice: ['Fund fee notice', 'owners'],
  fund_registration: ['Fund registration', 'owners'],
  fund_prospectus: ['Fund prospectus', 'owners'],
  fund_other: ['Investment company document', 'owners'],
  market_participant: ['Market participant document', 'other'],
  other_filing: ['Other filing', 'other'],
};

const known = new Map<string, readonly [string, Group]>(Object.entries(families));

/** The plain name of an event family; that of `other_filing` for an unknown one. */
export function familyLabel(eventType: string): string {
  return (known.get(eventType) ?? families.other_filing)[0];
}

/** The group of an event family. */
export function groupOf(eventType: string): Group {
  return (known.get(eventType) ?? families.other_filing)[1];
}

/** What an item of Form 8-K is about, in two or three words. Item 9.01, exhibits, has no words. */
const itemWords: Readonly<Record<string, string>> = {
  '1.01': 'Material agreement',
  '1.02': 'Agreement ended',
  '1.03': 'Bankruptcy',
  '1.04': 'Mine safety',
  '1.05': 'Cybersecurity incident',
  '2.01': 'Acquisition or sale completed',
  '2.02': 'Results',
  '2.03': 'New debt',
  '2.04': 'Debt accelerated',
  '2.05': 'Exit costs',
  '2.06': 'Impairment',
  '3.01': 'Listing notice',
  '3.02': 'Unregistered sale of shares',
  '3.03': 'Rights of holders changed',
  '4.01': 'Auditor changed',
  '4.02': 'Earlier statements not reliable',
  '5.01': 'Change of control',
  '5.02': 'Directors or officers',
  '5.03': 'Articles or fiscal year',
  '5.04': 'Benefit plan blackout',
  '5.05': 'Code of ethics',
  '5.06': 'Shell status',
  '5.07': 'Vote of shareholders',
  '5.08': 'Director nominations',
  '6.01': 'Asset-backed material',
  '6.02': 'Servicer or trustee',
  '6.03': 'Credit support',
  '6.04': 'Missed distribution',
  '6.05': 'Asset-backed update',
  '6.06': 'Static pool',
  '6.10': 'Asset-backed filing',
  '7.01': 'Regulation FD',
  '8.01': 'Other events',
};

/** An item of Form 8-K in two or three words. */
export function itemLabel(code: string): string {
  return itemWords[code] ?? 'Statements and exhibits';
}

const roles: Readonly<Record<NonNullable<PartyRole>, string>> = {
  filer: 'filer',
  issuer: 'issuer',
  reporting_owner: 'reporting owner',
  subject: 'subject company',
  filed_by: 'filed it',
};

/** The role of a party in words. */
export function roleText(role: NonNullable<PartyRole>): string {
  return roles[role];
}

/** A filing in plain words: the items that it reports on, or its family. */
export function eventText({
  eventType,
  items,
}: {
  readonly eventType: string;
  readonly items: readonly string[];
}): string {
  const told = items.flatMap((item) => itemWords[item] ?? []);
  return told.length === 0
    ? familyLabel(eventType)
    : told
        .map((words, at) =>
          at > 0 && words !== 'Regulation FD' ? words.charAt(0).toLowerCase() + words.slice(1) : words,
        )
        .join(', ');
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The short name of a month of a date `YYYY-MM-DD`. */
export function monthName(date: string): string {
  return months[Number(date.slice(5, 7)) - 1] ?? '';
}

/** A date `YYYY-MM-DD` for people: `18 Aug 2026`. */
export function dayText(date: string): string {
  return `${Number(date.slice(8, 10))} ${monthName(date)} ${date.slice(0, 4)}`;
}

/** A span of days as the beginning of a sentence: `On 18 Aug 2026`, or `From 17 Aug 2026 through 18 Aug 2026`. */
export function daySpanText(from: string, through: string): string {
  return from === through ? `On ${dayText(from)}` : `From ${dayText(from)} through ${dayText(through)}`;
}

/** A day of every year, `mmdd`, for people: `26 Sep`. */
export function yearlyDayText(monthDay: string): string {
  return `${Number(monthDay.slice(2))} ${months[Number(monthDay.slice(0, 2)) - 1] ?? ''}`;
}

/** An instant for people, in UTC: `21 Nov 2026, 08:15 UTC`. */
export function instantText(timestamp: string): string {
  return `${dayText(timestamp)}, ${timestamp.slice(11, 16)} UTC`;
}

const spans = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/**
 * How long ago something was, for people: `12 minutes ago`. Less than two days is given in hours. Less than a
 * second, or a time in the future, is `just now`.
 */
export function ageText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const [unit, length] = spans.find(([name, each]) => seconds >= (name === 'day' ? 2 * each : each)) ?? [];
  return unit === undefined || length === undefined
    ? 'just now'
    : `${countText(Math.floor(seconds / length), unit)} ago`;
}

/** The clock of an acceptance time (14 digits, Eastern): `16:30`. */
export function clock(stamp: string): string {
  return `${stamp.slice(8, 10)}:${stamp.slice(10, 12)}`;
}

/** The clock of an acceptance time with its zone: `16:30 Eastern time`. */
export function easternTime(stamp: string): string {
  return `${clock(stamp)} Eastern time`;
}

/** A count or an amount with a comma between thousands. */
export function numberText(amount: number): string {
  const [whole = '', ...fraction] = String(amount).split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...fraction].join('.');
}

/** A count with its noun: `1 filing`, `2 filings`. */
export function countText(count: number, noun: string): string {
  const plural = /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${numberText(count)} ${count === 1 ? noun : plural}`;
}
