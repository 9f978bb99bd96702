import { eventTypeOfForm, hasItems } from '../../src/domain/event-types.ts';
import { changeTypeOf } from '../../src/domain/change-type.ts';
import type { Change, ChangeCause, Filing } from '../../src/contract/records.ts';
import type { CompanyFacts } from '../../src/domain/company-facts.ts';
import { exhibitsOf } from '../../src/domain/exhibits.ts';
import type { Ownership } from '../../src/contract/ownership.ts';
import { historySortKey } from '../../src/format/snapshot.ts';
import { isInChain, listCikOf, relatedCiks } from '../../src/domain/successors.ts';
import { withEasternOffset } from '../../src/time/eastern.ts';
import { addressesOf } from './document-addresses.ts';
import { addedPersons, ciksOf, partiesOf, readRoles, subjectRoles, writeRoles } from './parties.ts';
import type { SaidContents } from './contents.ts';
import { filingOfMembers, type LedgerFiling } from './filing-columns.ts';
import type { LedgerCompany } from './ledger-rows.ts';

/**
 * A filing as a batch shows it for the first time, or changed. Its record has the names, the symbol and the
 * attribution that the ledger knew up to that batch. It is made once and never changes.
 */
export interface Observation {
  readonly filing: Filing;
  /** The sequence number: its position in the change feed, counted from 1. */
  readonly sequence: number;
  /** The revision: its number among the observations of the filing, counted from 1. */
  readonly revision: number;
  readonly changeType: Change['changeType'];
  /** When its batch was recorded, in UTC. */
  readonly observedAt: string;
  /** The record of the previous observation; null in revision 1. */
  readonly before: Filing | null;
  /** See `KnownFiling`. */
  readonly told?: ToldOf;
  /** See `KnownFiling`. */
  readonly added?: ToldOf;
  /** The members that differ from `before`; none in revision 1. */
  readonly corrected: readonly (keyof Filing)[];
  /** Why it corrects the one before; left out in revision 1. */
  readonly cause?: ChangeCause;
}

/** The members of a filing's newest observation that a later batch needs. */
export interface KnownFiling extends Pick<Observation, 'filing' | 'revision'> {
  /** The CIKs of the parties whose roles were told; `true` for all of them, left out for none. */
  readonly told?: ToldOf;
  /** The CIKs of the parties that only its document names; `true` for all but the first, left out for none. */
  readonly added?: ToldOf;
}

/** Some parties of a filing: their CIKs, or `true` for what is usual. */
export type ToldOf = true | readonly string[];

/** The members of a company's newest row on which observations depend. */
export type KnownCompany = Pick<LedgerCompany, 'name' | 'tickers' | 'exchange'> & {
  readonly facts?: Pick<CompanyFacts, 'sic'>;
};

/** Looks up a company in the batch that is observed and in all batches before it. */
export type CompanyOf = (cik: string) => KnownCompany | undefined;

const none: readonly never[] = Object.freeze([]);

/**
 * Makes the first observation of a filing. `sequence` is its position in the change feed, `contents` what its documents
 * say, if that is known.
 */
export function firstObservation(
  row: LedgerFiling,
  companyOf: CompanyOf,
  observedAt: string,
  sequence: number,
  contents: SaidContents | null = null,
): Observation {
  const filing = publish(row, withContents(unread, contents), companyOf, observedAt);
  return {
    filing,
    sequence,
    revision: 1,
    changeType: changeTypeOf(filing.form, filing.items),
    observedAt,
    before: null,
    ...partiesNoted(row, filing.ownership),
    corrected: none,
  };
}

/** What a batch brings beside the row of a known filing. */
export interface Brought {
  /** What its documents say, if the batch has that. */
  readonly contents?: SaidContents | null;
  /** Whether the batch restates the log by newer rules. */
  readonly isRestated?: boolean;
}

/**
 * Makes the next observation of a filing from a new row. `isCorrection` tells whether it is one. If the batch has only
 * contents of the filing, the row is the known one.
 */
export function nextObservation(
  { filing: before, revision }: KnownFiling,
  row: LedgerFiling,
  companyOf: CompanyOf,
  observedAt: string,
  sequence: number,
  { contents = null, isRestated = false }: Brought = {},
): Observation {
  const ingestedAt = before.ingestedAt ?? observedAt;
  const filing = publish(row, withContents(before, contents), companyOf, ingestedAt);
  const corrected = differingMembers(before, filing);
  const isBySource = () => {
    if (contents === null) return true;
    const bySource = publish(row, before, companyOf, ingestedAt);
    return isCorrection({ before, filing: bySource, corrected: differingMembers(before, bySource) });
  };
  return {
    filing,
    sequence,
    revision: revision + 1,
    changeType: 'amended',
    observedAt,
    before,
    ...partiesNoted(row, filing.ownership),
    corrected,
    cause: isRestated ? 'rules' : isBySource() ? 'source' : causeOfContents(filing, observedAt),
  };
}

/** The members of a filing that its contents give. */
type ContentsMembers = Pick<Filing, 'ownership' | 'exhibits'>;

const unread: ContentsMembers = { ownership: null, exhibits: null };

/** The members that contents give, and those from before that they do not tell. */
const withContents = (before: ContentsMembers, contents: SaidContents | null): ContentsMembers => ({
  ownership: contents?.ownership?.ownership ?? before.ownership,
  exhibits: contents?.documents ? exhibitsOf(contents.documents) : before.exhibits,
});

const differingMembers = (before: Filing, filing: Filing) =>
  (Object.keys(filing) as (keyof Filing)[]).filter((name) => !isSame(before[name], filing[name]));

/** A filing is young for three days: contents that come later fill in the history. */
const youngMs = 3 * 24 * 3_600_000;

/** Why contents came after their filing. A filing without a time of acceptance was accepted at the end of its day. */
function causeOfContents({ acceptedAt, filedAt }: Filing, observedAt: string): ChangeCause {
  const accepted = Date.parse(acceptedAt ?? `${filedAt}T23:59:59Z`);
  return accepted >= Date.parse(observedAt) - youngMs ? 'contents' : 'history';
}

/**
 * Whether the next observation of a filing corrects the one before: something changes that is published of
 * the filing itself. A new name, symbol, exchange or industry of a company is no correction. A restatement carries only filings
 * that the new rules change, so there any change is one.
 */
export function isCorrection(
  { filing, before, corrected }: Pick<Observation, 'filing' | 'before' | 'corrected'>,
  isRestated = false,
): boolean {
  if (isRestated) return corrected.length > 0;
  return corrected.some((name) =>
    name === 'parties' && before ? sidesOf(before) !== sidesOf(filing) : !companyMembers.has(name),
  );
}

/** Which parties have a role that was told, and which only the document names. */
function partiesNoted(row: LedgerFiling, ownership: Ownership | null): Pick<KnownFiling, 'told' | 'added'> {
  const named = ciksOf(row);
  const told = readRoles(row).map(({ cik }) => cik);
  const added = addedPersons(named, ownership);
  return {
    ...(row.roles ? { told: told.length === named.length ? true : told } : {}),
    ...(added.length > 0 ? { added: named.length === 1 && row.subjectCik !== null ? true : added } : {}),
  };
}

/** Members that follow from facts about companies. If only these change, there is no correction. */
const companyMembers: ReadonlySet<keyof Filing> = new Set([
  'cik',
  'ticker',
  'companyName',
  'sic',
  'exchange',
  'detailUrl',
  'documentUrl',
]);

/** Whether a company has a ticker symbol. */
const isListed = (company: KnownCompany | undefined) => (company?.tickers.length ?? 0) > 0;

const isSame = (a: unknown, b: unknown) =>
  a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b));
const sidesOf = ({ parties }: Filing) => parties.map(({ cik, role }) => `${cik} ${role}`).join();

/**
 * Returns the companies that are needed to observe a row: those that it names, with their predecessors and
 * successors.
 */
export function companiesNeeded(row: LedgerFiling, ownership: Ownership | null = null): readonly string[] {
  const named = ciksOf(row);
  const ciks = ownership === null ? named : [...named, ...addedPersons(named, ownership)];
  return ciks.some(isInChain) ? ciks.flatMap(relatedCiks) : ciks;
}

/**
 * Makes the record that is published for a row. The members of an event come first, in the order of the
 * contract.
 */
function publish(
  row: LedgerFiling,
  { ownership, exhibits }: ContentsMembers,
  companyOf: CompanyOf,
  ingestedAt: string,
): Filing {
  const { accessionNo, form } = row;
  const cik = attributedCik(row, (each) => isListed(companyOf(each)));
  const company = companyOf(cik);
  const listed = isListed(company)
    ? company
    : companyOf(listCikOf(cik, (each) => companyOf(each) !== undefined));
  const ticker = listed?.tickers[0] ?? null;
  const eventType = eventTypeOfForm(form);
  const { primaryDocument } = row;
  const { detailUrl, documentUrl } = addressesOf({ cik, accessionNo, primaryDocument });
  return {
    accessionNo,
    companyName: company?.name ?? `CIK ${cik}`,
    ticker,
    form,
    eventType,
    // Lists by item hold only forms that have items.
    items: hasItems(form) ? (row.items as string[]) : [],
    filedAt: row.filedAt,
    detailUrl,
    acceptanceDateTime: row.acceptedEastern,
    cik,
    sic: company?.facts?.sic ?? null,
    exchange: (isListed(listed) ? listed : company)?.exchange ?? null,
    acceptedAt: row.acceptedEastern === null ? null : withEasternOffset(row.acceptedEastern),
    reportDate: row.reportDate,
    primaryDocument,
    primaryDocDescription: row.primaryDocDescription,
    documentUrl,
    size: row.sizeBytes,
    isXbrl: row.isXbrl,
    isInlineXbrl: row.isInlineXbrl,
    ingestedAt,
    parties: partiesOf(row, (each) => companyOf(each)?.name ?? null, ownership),
    exhibits,
    ownership,
  };
}

/** Returns the row of a published filing, as a batch would record it: without what its document says. */
export function rowOfFiling({
  filing,
  told,
  added,
}: Pick<KnownFiling, 'filing' | 'told' | 'added'>): LedgerFiling {
  const parties = filing.parties.filter(({ cik }, at) =>
    added === true ? at === 0 : added === undefined || !added.includes(cik),
  );
  // The subject company is the first party. Others with such a role were told so.
  const [first] = parties;
  const subject = first && subjectRoles.has(first.role) ? first : undefined;
  const roles = told && writeRoles(parties.filter(({ cik }) => told === true || told.includes(cik)));
  return {
    ...filingOfMembers(({ published, empty }) => published && (filing[published] ?? empty)),
    subjectCik: subject?.cik ?? null,
    filerCiks: parties.filter((party) => party !== subject).map(({ cik }) => cik),
    ...(roles ? { roles } : {}),
  };
}

/**
 * Returns the company that a filing is attributed to: the issuer or subject company, or else the first filer.
 */
export function attributedCik(
  filing: Pick<LedgerFiling, 'accessionNo' | 'subjectCik' | 'filerCiks'>,
  isListed: (cik: string) => boolean,
): string {
  return filing.subjectCik ?? firstFiler(filing, isListed);
}

/**
 * Returns the first filer. Upstream does not order joint filers. So it is the filer whose login made the
 * accession number (its first ten digits), or else one that has a ticker symbol, or else the one with the
 * lowest CIK.
 */
export function firstFiler(
  filing: { accessionNo: string; filerCiks: readonly string[] },
  isListed: (cik: string) => boolean,
): string {
  const login = filing.accessionNo.slice(0, 10);
  const { filerCiks } = filing;
  if (filerCiks.length === 1 || filerCiks.includes(login))
    return filerCiks.length === 1 ? (filerCiks[0] as string) : login;
  return filerCiks.find(isListed) ?? (filerCiks[0] as string);
}

/**
 * Returns the sort key of a new filing within its batch: filing date, acceptance, accession number. An
 * unknown acceptance comes first.
 */
export function arrivalKey({ filedAt, acceptedEastern, accessionNo }: LedgerFiling): string {
  return historySortKey({ filedAt, acceptanceDateTime: acceptedEastern, accessionNo });
}
