// Generated from the OpenAPI document of the service by `npm run clients`. Do not edit it.

/** Every filter of companies that was applied. Null where nothing was. */
export interface AppliedCompanyFilters {
  /** Several with commas between. */
  readonly sic: string | null;
  /** Several with commas between. */
  readonly state: string | null;
  /** Several with commas between. */
  readonly exchange: string | null;
  readonly listed: boolean | null;
}

/**
 * Every filter that was applied: those of the request, and what its cursor remembered. Null where
 * nothing was.
 */
export interface AppliedFilters {
  /** The company, as it was asked. */
  readonly ticker: string | null;
  /** The entries of a watchlist as they were asked, with commas between. */
  readonly tickers: string | null;
  /** Several with commas between. */
  readonly form: string | null;
  readonly eventType: string | null;
  /** Several with commas between. */
  readonly items: string | null;
  /** Also if a cursor remembered it, or if it is the default. */
  readonly since: string | null;
  /** Also if a cursor remembered it. */
  readonly until: string | null;
}

/**
 * A file of the change feed: JSON Lines, each the row that `/v1/sec/changes` gives, compressed with
 * gzip.
 */
export interface BulkFile {
  /** Name of the file, which tells its first sequence. It never changes. */
  readonly name: string;
  /** Where it is downloaded, with a key: a path at the host that gave the list. */
  readonly url: string;
  /** Length of the file, compressed as it is. */
  readonly bytes: number;
  /** Lines of the file. */
  readonly rows: number;
  /** SHA-256 of the file, compressed as it is. */
  readonly sha256: string;
  readonly firstSequence: number;
  readonly lastSequence: number;
  /**
   * Whether it has all the rows that it will ever have: then its name, bytes and digest never change.
   * The last file of the list is open until it is full, and replaced by a longer one of the same name.
   */
  readonly closed: boolean;
}

/** The files of the change feed, in its order: together they are all of it. */
export interface BulkListResponse {
  readonly data: readonly BulkFile[];
  readonly meta: BulkMeta;
}

/** Facts about the list of files. */
export interface BulkMeta {
  /** Files in this answer, which has all of them. */
  readonly count: number;
  /** Rows of each closed file. */
  readonly rowsPerFile: number;
  /** Sequence of the last row of the last file; 0 if there is none. */
  readonly lastSequence: number;
  /**
   * Pass it as `cursor` to `/v1/sec/changes` to go on exactly after the last row of the last file.
   * Opaque.
   */
  readonly nextCursor: string;
  /** When the data of this snapshot was last fetched, UTC. */
  readonly generatedAt: string;
  /** Newest filing date of the whole snapshot; null if it holds no filing. */
  readonly newestFiledAt: string | null;
  /** Always true: this is data, not advice. */
  readonly notInvestmentAdvice: true;
}

/**
 * An entry of the change feed: a filing, as it was known then, that was seen for the first time or
 * found changed in something that is published.
 */
export interface Change {
  /** Position in the change feed, ascending. An entry keeps its position and its content for ever. */
  readonly sequence: number;
  /**
   * The first rule that holds decides. `amended`: The form amends an earlier filing, such as 10-K/A, or
   * the entry corrects an earlier entry of the same filing: every entry with revision 2 or more does.
   * `material_event`: A Form 8-K that reports more than exhibits (item 9.01). `new`: Everything else.
   */
  readonly changeType: 'amended' | 'material_event' | 'new';
  /** When this service recorded what the entry says, UTC. */
  readonly observedAt: string | null;
  /** 1 where the filing was seen for the first time; one more for each correction of it. */
  readonly revision: number;
  /** Names of the members of `filing` that differ from the revision before; only from revision 2 on. */
  readonly corrected?: readonly string[];
  readonly filing: Filing;
}

/** Changes, oldest first. */
export interface ChangeListResponse {
  readonly data: readonly Change[];
  readonly meta: ChangeMeta;
}

/** Facts about a page of the change feed. */
export interface ChangeMeta {
  readonly count: number;
  /** The lower bound that was applied. */
  readonly since: string;
  /**
   * Filing date of the newest row of this page; null on an empty one. A date alone cannot be lossless:
   * follow `nextCursor`.
   */
  readonly nextSince: string | null;
  /** Pass it back as `cursor` to go on exactly after this page. Opaque. */
  readonly nextCursor: string;
  readonly filters: AppliedFilters;
  /**
   * Newest filing date of the whole snapshot, whatever was asked for: an answer without rows says
   * nothing about days after it. Null if it holds no filing.
   */
  readonly newestFiledAt: string | null;
  /** Always true: this is data, not advice. */
  readonly notInvestmentAdvice: true;
}

/** A company, fund or person that filings name. */
export interface Company {
  /** 10-digit CIK. */
  readonly cik: string;
  /** Primary ticker symbol; the last known one where upstream dropped it; null if it never had one. */
  readonly ticker: string | null;
  /** Name as EDGAR conforms it. */
  readonly name: string;
  /** Exchange of the primary ticker. */
  readonly exchange: string | null;
  /** When the company's record last changed in this service, UTC. */
  readonly updatedAt: string;
  /** Filings that name the company or its predecessor or successor. */
  readonly filingCount: number;
  /** Filing date of the newest of these filings. */
  readonly latestFilingAt: string | null;
}

/** A company with the facts of its profile. */
export interface CompanyEntry {
  /** 10-digit CIK. */
  readonly cik: string;
  /** Primary ticker symbol; the last known one where upstream dropped it; null if it never had one. */
  readonly ticker: string | null;
  /** Name as EDGAR conforms it. */
  readonly name: string;
  /** Exchange of the primary ticker. */
  readonly exchange: string | null;
  /** When the company's record last changed in this service, UTC. */
  readonly updatedAt: string;
  /** Filings that name the company or its predecessor or successor. */
  readonly filingCount: number;
  /** Filing date of the newest of these filings. */
  readonly latestFilingAt: string | null;
  /** Every ticker symbol the company has, primary first. */
  readonly tickers: readonly string[];
  /** Names it had before, newest first. */
  readonly formerNames: readonly string[];
  /** CIKs of its predecessor or successor, whose filings are listed together with its own. */
  readonly relatedCiks: readonly string[];
  /**
   * Code of its industry in the Standard Industrial Classification, four digits; null where EDGAR gives
   * none, as for people.
   */
  readonly sic: string | null;
  /** Name of that industry as EDGAR has it. */
  readonly sicDescription: string | null;
  /**
   * What kind of filer it is, mostly by size, as EDGAR has it, e.g. `Large accelerated filer`; several
   * are divided by `; `.
   */
  readonly category: string | null;
  /** What kind of entity it is, as EDGAR has it: `operating`, `investment` or `other`, for example. */
  readonly entityType: string | null;
  /** EDGAR's code of the state or country in which it is incorporated, e.g. `DE` for Delaware. */
  readonly stateOfIncorporation: string | null;
  /** Month and day on which its fiscal year ends, four digits `mmdd`, e.g. `0926`, as EDGAR has it. */
  readonly fiscalYearEnd: string | null;
}

/** Facts about a list of companies. */
export interface CompanyListMeta {
  /** Rows in this answer. */
  readonly count: number;
  /** Pass it back as `cursor` for the next companies; null when there are none. */
  readonly nextCursor: string | null;
  readonly filters: AppliedCompanyFilters;
  /** Always true: this is data, not advice. */
  readonly notInvestmentAdvice: true;
}

/** Companies by CIK. */
export interface CompanyListResponse {
  readonly data: readonly CompanyEntry[];
  readonly meta: CompanyListMeta;
}

/** A company with its counts by form and its newest filing. */
export interface CompanyProfile {
  /** 10-digit CIK. */
  readonly cik: string;
  /** Primary ticker symbol; the last known one where upstream dropped it; null if it never had one. */
  readonly ticker: string | null;
  /** Name as EDGAR conforms it. */
  readonly name: string;
  /** Exchange of the primary ticker. */
  readonly exchange: string | null;
  /** When the company's record last changed in this service, UTC. */
  readonly updatedAt: string;
  /** Filings that name the company or its predecessor or successor. */
  readonly filingCount: number;
  /** Filing date of the newest of these filings. */
  readonly latestFilingAt: string | null;
  /** Filings by form type, most frequent first. */
  readonly forms: readonly CountByForm[];
  /** The newest filing that names the company. */
  readonly latestFiling: Filing | null;
  /** When the last recorded filing that names the company, or did before a correction, was recorded, UTC. */
  readonly latestIngestedAt: string | null;
  /** Every ticker symbol the company has, primary first. */
  readonly tickers: readonly string[];
  /** Names it had before, newest first. */
  readonly formerNames: readonly string[];
  /** CIKs of its predecessor or successor, whose filings are listed together with its own. */
  readonly relatedCiks: readonly string[];
  /**
   * Code of its industry in the Standard Industrial Classification, four digits; null where EDGAR gives
   * none, as for people.
   */
  readonly sic: string | null;
  /** Name of that industry as EDGAR has it. */
  readonly sicDescription: string | null;
  /**
   * What kind of filer it is, mostly by size, as EDGAR has it, e.g. `Large accelerated filer`; several
   * are divided by `; `.
   */
  readonly category: string | null;
  /** What kind of entity it is, as EDGAR has it: `operating`, `investment` or `other`, for example. */
  readonly entityType: string | null;
  /** EDGAR's code of the state or country in which it is incorporated, e.g. `DE` for Delaware. */
  readonly stateOfIncorporation: string | null;
  /** Month and day on which its fiscal year ends, four digits `mmdd`, e.g. `0926`, as EDGAR has it. */
  readonly fiscalYearEnd: string | null;
}

/** One company. */
export interface CompanyProfileResponse {
  readonly data: CompanyProfile;
  readonly meta: StatsMeta;
}

/** Companies that match a search, best first. */
export interface CompanySearchResponse {
  readonly data: readonly Company[];
  readonly meta: SearchMeta;
}

/** Filings of one event family. */
export interface CountByEventType {
  readonly eventType: string;
  readonly count: number;
}

/** Filings of one form type. */
export interface CountByForm {
  readonly form: string;
  readonly count: number;
}

/** A public sample of what the keyed operations return. */
export interface DemoResponse {
  readonly data: {
    readonly latestFilings: readonly Filing[];
    readonly latestInsiderTrades: readonly Filing[];
    readonly sampleQueries: readonly {
      readonly description: string;
      readonly endpoint: string;
      readonly requiresSubscription: boolean;
    }[];
    readonly stats: {
      readonly companyCount: number;
      readonly filingCount: number;
      readonly latestIngestRun: HealthIngestRun | null;
    };
  };
  readonly meta: {
    readonly docsUrl: string;
    readonly generatedAt: string;
    readonly subscribeUrl: string;
    /** Always true: this is data, not advice. */
    readonly notInvestmentAdvice: true;
    readonly sampleOnly: true;
  };
}

/** What went wrong: a code from a closed set, and a sentence for a person. */
export interface ErrorResponse {
  readonly error: {
    readonly code: 'invalid_parameter' | 'invalid_cursor' | 'unauthorized' | 'not_found' | 'company_not_found' | 'filing_not_found' | 'method_not_allowed' | 'not_acceptable' | 'payload_too_large' | 'unsupported_media_type' | 'range_not_satisfiable' | 'rate_limited' | 'internal_error' | 'overloaded' | 'snapshot_unavailable';
    readonly message: string;
  };
}

/** A filing seen as an event of a company. */
export interface Event {
  /** EDGAR accession number, `<10 digits>-<2 digits>-<6 digits>`. One filing for each. */
  readonly accessionNo: string;
  /**
   * Name of the company that the filing belongs to, as EDGAR conforms it, when this was observed. A
   * later name is in the profile of the company.
   */
  readonly companyName: string;
  /**
   * That company's primary ticker symbol in EDGAR's spelling (`BRK-B`) when this was observed; null if
   * it had none.
   */
  readonly ticker: string | null;
  /** Form type as filed, e.g. `8-K`, `10-Q`, `10-K/A`. */
  readonly form: string;
  /**
   * Normalised event family of the form, e.g. `current_report`; `other_filing` if no other fits.
   * Amendments keep the family.
   */
  readonly eventType: string;
  /**
   * Item codes of Form 8-K in the order given; empty for every other form. Numbers used before
   * 2004-08-23 are given as their successors.
   */
  readonly items: readonly string[];
  /** EDGAR's filing date. A filing accepted after 17:30 Eastern usually carries the next business day. */
  readonly filedAt: string | null;
  /** Link to the filing's index page on www.sec.gov. */
  readonly detailUrl: string | null;
  /**
   * When EDGAR accepted the filing: US Eastern wall clock, 14 digits `yyyymmddhhmmss`; null where the
   * upstream clock cannot be decided.
   */
  readonly acceptanceDateTime: string | null;
}

/** Events, newest first. */
export interface EventListResponse {
  readonly data: readonly Event[];
  readonly meta: Meta;
}

/** Metadata of one public securities filing. */
export interface Filing {
  /** EDGAR accession number, `<10 digits>-<2 digits>-<6 digits>`. One filing for each. */
  readonly accessionNo: string;
  /**
   * Name of the company that the filing belongs to, as EDGAR conforms it, when this was observed. A
   * later name is in the profile of the company.
   */
  readonly companyName: string;
  /**
   * That company's primary ticker symbol in EDGAR's spelling (`BRK-B`) when this was observed; null if
   * it had none.
   */
  readonly ticker: string | null;
  /** Form type as filed, e.g. `8-K`, `10-Q`, `10-K/A`. */
  readonly form: string;
  /**
   * Normalised event family of the form, e.g. `current_report`; `other_filing` if no other fits.
   * Amendments keep the family.
   */
  readonly eventType: string;
  /**
   * Item codes of Form 8-K in the order given; empty for every other form. Numbers used before
   * 2004-08-23 are given as their successors.
   */
  readonly items: readonly string[];
  /** EDGAR's filing date. A filing accepted after 17:30 Eastern usually carries the next business day. */
  readonly filedAt: string | null;
  /** Link to the filing's index page on www.sec.gov. */
  readonly detailUrl: string | null;
  /**
   * When EDGAR accepted the filing: US Eastern wall clock, 14 digits `yyyymmddhhmmss`; null where the
   * upstream clock cannot be decided.
   */
  readonly acceptanceDateTime: string | null;
  /**
   * 10-digit CIK of the company the filing belongs to: the issuer for Forms 3, 4, 5 and 144, the subject
   * company for Schedules 13D and 13G and tender offers, otherwise the filer. Of several filers it is
   * the one whose login sent the filing (the first ten digits of the accession number), else one that
   * had a ticker symbol, else the one with the lowest CIK; their order in the filing does not count.
   */
  readonly cik: string;
  /**
   * `acceptanceDateTime` as an instant: ISO 8601 with the Eastern offset, e.g.
   * `2026-08-17T16:30:12-04:00`. In the hour that clocks show twice in autumn it has the offset from
   * before the change.
   */
  readonly acceptedAt: string | null;
  /**
   * Period end, date of the earliest event, transaction or meeting, as the form defines it; null where
   * the form has none.
   */
  readonly reportDate: string | null;
  /** File name of the main document, with its folder where EDGAR gives one. */
  readonly primaryDocument: string | null;
  /** The filer's description of the main document. */
  readonly primaryDocDescription: string | null;
  /**
   * Link to what a person reads: the primary document; of Forms 3, 4 and 5 and other XML forms the page
   * that EDGAR makes of it. Null where EDGAR names no document, or one that it has no file for.
   */
  readonly documentUrl: string | null;
  /** Size of the whole submission in bytes. */
  readonly size: number | null;
  /** Whether the filing carries XBRL data. */
  readonly isXbrl: boolean;
  /** Whether that data is inline XBRL. */
  readonly isInlineXbrl: boolean;
  /** When this service first recorded the filing, UTC. It never changes afterwards. */
  readonly ingestedAt: string | null;
  /**
   * Every company or person that the filing is known to name: the issuer or subject company first, then
   * by CIK. A filing is listed under each of them.
   */
  readonly parties: readonly Party[];
}

/** Addresses of a filing on www.sec.gov. */
export interface FilingLinks {
  /** The page that lists its documents; the same as `detailUrl`. */
  readonly index: string | null;
  /** What a person reads; the same as `documentUrl`. */
  readonly document: string | null;
  /** The complete submission as one text file. */
  readonly text: string | null;
  /**
   * The SGML header alone; null for filings before 2010 and on paper, for which EDGAR is not known to
   * have it.
   */
  readonly header: string | null;
  /**
   * The data of a Form 3, 4 or 5 as XML: persons, transactions, shares and prices, which are not part of
   * this service. Null for other forms, and where the filing has none.
   */
  readonly xml: string | null;
}

/** Filings, newest first. */
export interface FilingListResponse {
  readonly data: readonly Filing[];
  readonly meta: Meta;
}

/** A filing with one sentence made from its metadata. */
export interface FilingSummary {
  /** EDGAR accession number, `<10 digits>-<2 digits>-<6 digits>`. One filing for each. */
  readonly accessionNo: string;
  /**
   * Name of the company that the filing belongs to, as EDGAR conforms it, when this was observed. A
   * later name is in the profile of the company.
   */
  readonly companyName: string;
  /**
   * That company's primary ticker symbol in EDGAR's spelling (`BRK-B`) when this was observed; null if
   * it had none.
   */
  readonly ticker: string | null;
  /** Form type as filed, e.g. `8-K`, `10-Q`, `10-K/A`. */
  readonly form: string;
  /**
   * Normalised event family of the form, e.g. `current_report`; `other_filing` if no other fits.
   * Amendments keep the family.
   */
  readonly eventType: string;
  /**
   * Item codes of Form 8-K in the order given; empty for every other form. Numbers used before
   * 2004-08-23 are given as their successors.
   */
  readonly items: readonly string[];
  /** EDGAR's filing date. A filing accepted after 17:30 Eastern usually carries the next business day. */
  readonly filedAt: string | null;
  /** Link to the filing's index page on www.sec.gov. */
  readonly detailUrl: string | null;
  /**
   * When EDGAR accepted the filing: US Eastern wall clock, 14 digits `yyyymmddhhmmss`; null where the
   * upstream clock cannot be decided.
   */
  readonly acceptanceDateTime: string | null;
  /**
   * 10-digit CIK of the company the filing belongs to: the issuer for Forms 3, 4, 5 and 144, the subject
   * company for Schedules 13D and 13G and tender offers, otherwise the filer. Of several filers it is
   * the one whose login sent the filing (the first ten digits of the accession number), else one that
   * had a ticker symbol, else the one with the lowest CIK; their order in the filing does not count.
   */
  readonly cik: string;
  /**
   * `acceptanceDateTime` as an instant: ISO 8601 with the Eastern offset, e.g.
   * `2026-08-17T16:30:12-04:00`. In the hour that clocks show twice in autumn it has the offset from
   * before the change.
   */
  readonly acceptedAt: string | null;
  /**
   * Period end, date of the earliest event, transaction or meeting, as the form defines it; null where
   * the form has none.
   */
  readonly reportDate: string | null;
  /** File name of the main document, with its folder where EDGAR gives one. */
  readonly primaryDocument: string | null;
  /** The filer's description of the main document. */
  readonly primaryDocDescription: string | null;
  /**
   * Link to what a person reads: the primary document; of Forms 3, 4 and 5 and other XML forms the page
   * that EDGAR makes of it. Null where EDGAR names no document, or one that it has no file for.
   */
  readonly documentUrl: string | null;
  /** Size of the whole submission in bytes. */
  readonly size: number | null;
  /** Whether the filing carries XBRL data. */
  readonly isXbrl: boolean;
  /** Whether that data is inline XBRL. */
  readonly isInlineXbrl: boolean;
  /** When this service first recorded the filing, UTC. It never changes afterwards. */
  readonly ingestedAt: string | null;
  /**
   * Every company or person that the filing is known to name: the issuer or subject company first, then
   * by CIK. A filing is listed under each of them.
   */
  readonly parties: readonly Party[];
  /** One sentence made from the metadata alone. */
  readonly summary: string;
  /**
   * Titles of the items of Form 8-K, in the order of `items`; null for a code that the form does not
   * have.
   */
  readonly itemTitles: readonly (string | null)[];
  readonly links: FilingLinks;
  readonly notInvestmentAdvice: true;
}

/** One filing with its summary. */
export interface FilingSummaryResponse {
  readonly data: FilingSummary;
}

/** Facts about an answer to accession numbers. */
export interface FilingsMeta {
  /** Filings in this answer. */
  readonly count: number;
  /** The accession numbers that this service has no filing for, in the order asked. */
  readonly unknown: readonly string[];
  /**
   * Newest filing date of the whole snapshot, whatever was asked for: an answer without rows says
   * nothing about days after it. Null if it holds no filing.
   */
  readonly newestFiledAt: string | null;
  /** Always true: this is data, not advice. */
  readonly notInvestmentAdvice: true;
}

/** Filings with their summaries, in the order asked. */
export interface FilingsResponse {
  readonly data: readonly FilingSummary[];
  readonly meta: FilingsMeta;
}

/** When the data was made, whether it is stale, and how far it is proven to be complete. */
export interface FreshnessMeta {
  /** When the data of this snapshot was last fetched, UTC. */
  readonly generatedAt: string;
  /** Always true: this is data, not advice. */
  readonly notInvestmentAdvice: true;
  /** When EDGAR was last read without error, UTC. */
  readonly dataFetchedAt: string | null;
  /**
   * From this instant on the data counts as stale, UTC. Hours of weekends and of federal holidays, on
   * which EDGAR is closed, do not count towards it.
   */
  readonly staleAfter: string | null;
  /** Whether the data is stale now. */
  readonly stale: boolean;
  /** Whether the data is a sample made of recordings, for trying out, and not live. */
  readonly sample: boolean;
  /**
   * The first day of the unbroken range of days whose filings were compared with EDGAR's daily indexes.
   * Null if there is none.
   */
  readonly reconciledFrom: string | null;
  /**
   * The last day of that range. Every filing that EDGAR lists in the range is served, or is one of
   * `missingFilings`; `openFilings` are served without all their facts.
   */
  readonly reconciledThrough: string | null;
  /**
   * Filings that are served, but whose documents are not known yet or about which EDGAR has not
   * answered; `/reconciliation.json` says why. They are looked at again.
   */
  readonly openFilings: number;
  /**
   * Filings that EDGAR has withdrawn since: they stay as they were served, and `/reconciliation.json`
   * names them.
   */
  readonly withdrawnFilings: number;
  /**
   * Filings that EDGAR lists and that could not be fetched or understood; `/reconciliation.json` says
   * which and why.
   */
  readonly missingFilings: number;
}

/** One run of the ingest, in short. */
export interface HealthIngestRun {
  /** What was asked for: the universe and the bound of the run. */
  readonly target: string;
  /** `success`, or `partial` when anything was lost. */
  readonly status: string;
  /** When the run was recorded, UTC. */
  readonly createdAt: string;
}

/** Whether the service works, how fresh its data is, and how far it is proven to be complete. */
export interface HealthResponse {
  /** `stale` when the data is older than promised; the service works all the same. */
  readonly status: 'ok' | 'stale';
  readonly version: string;
  readonly companyCount: number;
  readonly filingCount: number;
  readonly latestIngestRun: HealthIngestRun | null;
  /** Always true: this is data, not advice. */
  readonly notInvestmentAdvice: true;
  /** The snapshot that is being served. */
  readonly snapshotId: string;
  /** When EDGAR was last read without error, UTC. */
  readonly dataFetchedAt: string | null;
  /**
   * From this instant on the data counts as stale, UTC. Hours of weekends and of federal holidays, on
   * which EDGAR is closed, do not count towards it.
   */
  readonly staleAfter: string | null;
  /** Whether the data is stale now. */
  readonly stale: boolean;
  /** Whether the data is a sample made of recordings, for trying out, and not live. */
  readonly sample: boolean;
  /**
   * The first day of the unbroken range of days whose filings were compared with EDGAR's daily indexes.
   * Null if there is none.
   */
  readonly reconciledFrom: string | null;
  /**
   * The last day of that range. Every filing that EDGAR lists in the range is served, or is one of
   * `missingFilings`; `openFilings` are served without all their facts.
   */
  readonly reconciledThrough: string | null;
  /**
   * Filings that EDGAR lists and that could not be fetched or understood; `/reconciliation.json` says
   * which and why.
   */
  readonly missingFilings: number;
  /**
   * Filings that are served, but whose documents are not known yet or about which EDGAR has not
   * answered; `/reconciliation.json` says why. They are looked at again.
   */
  readonly openFilings: number;
  /**
   * Filings that EDGAR has withdrawn since: they stay as they were served, and `/reconciliation.json`
   * names them.
   */
  readonly withdrawnFilings: number;
  /** What the follower says that publishes here; null if there is none. */
  readonly heartbeat: {
    /** When the follower wrote it, UTC. */
    readonly writtenAt: string;
    /** EDGAR was read without error then, and everything that it listed is served, UTC. */
    readonly readAt: string;
    /** The newest acceptance that EDGAR has listed, UTC; null if it has told none. */
    readonly acceptedThrough: string | null;
    /** How long ago `readAt` was, in seconds. */
    readonly behindSeconds: number;
  } | null;
  /** What the pointer to this snapshot says of itself; null if it is not signed. */
  readonly pointerSignature: {
    readonly number: number;
    readonly madeAt: string;
    readonly expiresAt: string;
    /** Whether it has expired: no service takes it then, and a newer snapshot may exist. */
    readonly expired: boolean;
    /** Whether this service takes only pointers that its trusted key has signed. */
    readonly checked: boolean;
    /**
     * How long this service refuses pointers that are older than one it accepted: `lasting`, or
     * `this_process` if it forgets that when it restarts. Null if it does not check pointers.
     */
    readonly rollbackProtection: 'lasting' | 'this_process' | null;
  } | null;
  /**
   * Since when the host that holds the snapshots could not be reached, UTC: what is served may not be
   * the newest one. Null while it can, and for snapshots in a folder.
   */
  readonly unreachableSince: string | null;
}

/** One run of the ingest. */
export interface IngestRun {
  /** What was asked for: the universe and the bound of the run. */
  readonly target: string;
  /** `success`, or `partial` when anything was lost. */
  readonly status: string;
  /** What was lost and why; null if nothing was. */
  readonly message: string | null;
  /** When the run was recorded, UTC. */
  readonly createdAt: string;
}

/** Something that a visitor of the catalog did. */
export interface Intent {
  readonly market: string;
  readonly action: 'view' | 'request' | 'demo' | 'download' | 'marketplace';
  /** A feed, dataset or workflow of the market; null for the market itself. */
  readonly target: string | null;
  /** The path that was asked. */
  readonly path: string | null;
  /** The page that led here, without its query. */
  readonly referrer: string | null;
  readonly userAgent: string | null;
  readonly createdAt: string;
}

/** What was recorded. */
export interface IntentResponse {
  readonly data: {
    readonly market: string;
    readonly action: 'view' | 'request' | 'demo' | 'download' | 'marketplace';
    /** A feed, dataset or workflow of the market; null for the market itself. */
    readonly target: string | null;
    /** False for prefetches, HEAD and programs that say they are bots. */
    readonly counted: boolean;
    /** Where it leads. */
    readonly url: string;
  };
  readonly meta: {
    /** Whether this service keeps intents; one that does not counts none. */
    readonly intentsKept: boolean;
    readonly notInvestmentAdvice: true;
  };
}

/** Facts about a list answer. */
export interface Meta {
  /** Rows in this answer. */
  readonly count: number;
  /** Pass it back as `cursor` for the next older rows; null when there are none. */
  readonly nextCursor: string | null;
  readonly filters: AppliedFilters;
  /**
   * Newest filing date of the whole snapshot, whatever was asked for: an answer without rows says
   * nothing about days after it. Null if it holds no filing.
   */
  readonly newestFiledAt: string | null;
}

/** A company, fund or person that a filing names. */
export interface Party {
  /** 10-digit CIK. */
  readonly cik: string;
  /** Its name when this was observed; null if the service did not know it then. */
  readonly name: string | null;
  /**
   * `issuer` and `reporting_owner` of an ownership form, `subject` and `filed_by` of a filing about
   * another company, `filer`; null where EDGAR's answer does not tell.
   */
  readonly role: 'filer' | 'issuer' | 'reporting_owner' | 'subject' | 'filed_by' | null;
}

/** The answer is yes. Otherwise there is an error or no answer. */
export interface ProbeResponse {
  readonly status: 'ok';
}

/** A snapshot is served. Otherwise there is an error or no answer. */
export interface ReadyResponse {
  readonly status: 'ok';
  /** The pointer that names the snapshot. */
  readonly pointer: {
    /** When it was signed, UTC; null if it is not signed. */
    readonly madeAt: string | null;
    /** How long ago that was; null if it is not signed. */
    readonly ageSeconds: number | null;
    /** Whether its signature has expired: the service goes on, but does not start with it. */
    readonly expired: boolean | null;
    /**
     * Since when the service has refused the pointer that is there, or could not read it, UTC: what is
     * served may not be the newest. Null while all is well.
     */
    readonly refusedSince: string | null;
  };
}

/** Every value that filters take and answers have, with what it means. */
export interface ReferenceResponse {
  readonly name: string;
  readonly version: string;
  /**
   * The known forms. Filters also take other forms that a filing of the service has; statistics count
   * those.
   */
  readonly forms: readonly {
    /**
     * In EDGAR's own spelling. Its amendments, with `/A` behind it, are not listed and belong to the same
     * family.
     */
    readonly form: string;
    readonly eventType: 'annual_report' | 'transition_report' | 'quarterly_report' | 'current_report' | 'foreign_current_report' | 'employee_plan_report' | 'shareholder_annual_report' | 'specialized_disclosure' | 'asset_backed_report' | 'late_filing_notice' | 'insider_initial_statement' | 'insider_transaction' | 'insider_annual_statement' | 'restricted_sale_notice' | 'beneficial_ownership_active' | 'beneficial_ownership_passive' | 'institutional_holdings' | 'short_position_report' | 'fund_proxy_vote' | 'proxy_statement' | 'preliminary_proxy' | 'proxy_additional_material' | 'information_statement' | 'registration_statement' | 'post_effective_amendment' | 'exchange_act_registration' | 'prospectus' | 'free_writing_prospectus' | 'draft_registration' | 'registration_effective' | 'registration_withdrawal' | 'exempt_offering' | 'regulation_a_offering' | 'regulation_a_report' | 'crowdfunding' | 'merger_communication' | 'tender_offer' | 'going_private' | 'board_change_notice' | 'delisting' | 'deregistration' | 'listing_certification' | 'trust_indenture' | 'issuer_correspondence' | 'sec_comment_letter' | 'sec_order' | 'fund_shareholder_report' | 'fund_holdings' | 'fund_census' | 'fund_current_report' | 'fund_fee_notice' | 'fund_registration' | 'fund_prospectus' | 'fund_other' | 'market_participant' | 'other_filing';
    readonly description: string;
    /** Whether it amends an earlier filing although its name does not end in `/A`. */
    readonly amendsEarlier: boolean;
    /** The name that EDGAR has given it since; null if it still has this name. */
    readonly newName: string | null;
  }[];
  /** The items of Form 8-K, current ones first. */
  readonly items: readonly {
    /** As EDGAR writes it: `2.02`, or `12` before 23 August 2004. */
    readonly code: string;
    readonly title: string;
    readonly regime: 'current' | 'before_2004';
    /** The code under which the service gives an item of before 2004; null for current ones. */
    readonly successor: string | null;
  }[];
  /** The event families. */
  readonly eventTypes: readonly {
    readonly eventType: 'annual_report' | 'transition_report' | 'quarterly_report' | 'current_report' | 'foreign_current_report' | 'employee_plan_report' | 'shareholder_annual_report' | 'specialized_disclosure' | 'asset_backed_report' | 'late_filing_notice' | 'insider_initial_statement' | 'insider_transaction' | 'insider_annual_statement' | 'restricted_sale_notice' | 'beneficial_ownership_active' | 'beneficial_ownership_passive' | 'institutional_holdings' | 'short_position_report' | 'fund_proxy_vote' | 'proxy_statement' | 'preliminary_proxy' | 'proxy_additional_material' | 'information_statement' | 'registration_statement' | 'post_effective_amendment' | 'exchange_act_registration' | 'prospectus' | 'free_writing_prospectus' | 'draft_registration' | 'registration_effective' | 'registration_withdrawal' | 'exempt_offering' | 'regulation_a_offering' | 'regulation_a_report' | 'crowdfunding' | 'merger_communication' | 'tender_offer' | 'going_private' | 'board_change_notice' | 'delisting' | 'deregistration' | 'listing_certification' | 'trust_indenture' | 'issuer_correspondence' | 'sec_comment_letter' | 'sec_order' | 'fund_shareholder_report' | 'fund_holdings' | 'fund_census' | 'fund_current_report' | 'fund_fee_notice' | 'fund_registration' | 'fund_prospectus' | 'fund_other' | 'market_participant' | 'other_filing';
    /** What one such filing is called in a sentence. */
    readonly name: string;
    readonly description: string;
    /** What `reportDate` says in this family; null where it has several meanings or none. */
    readonly reportDate: 'period' | 'fiscal_year' | 'event' | 'transaction' | 'meeting' | null;
  }[];
  /** Values of a company's `exchange`; null where EDGAR names none. */
  readonly exchanges: readonly {
    readonly exchange: string;
    readonly description: string;
  }[];
  /** Values of a company's `stateOfIncorporation`: states, provinces and countries. */
  readonly states: readonly {
    readonly state: string;
    readonly name: string;
  }[];
  /** Values of a company's `sic`. Its `sicDescription` says which industry that is. */
  readonly sicCodes: readonly string[];
  /** What a company or person has to do with a filing. */
  readonly roles: readonly {
    readonly role: 'filer' | 'issuer' | 'reporting_owner' | 'subject' | 'filed_by';
    readonly description: string;
  }[];
  /**
   * Companies whose listing moved to another CIK, in a list that is kept by hand: the ticker and each
   * CIK find the filings of both.
   */
  readonly successors: readonly {
    readonly predecessorCik: string;
    readonly successorCik: string;
    /** From then on the successor was listed. */
    readonly since: string;
    readonly description: string;
    /** Where EDGAR shows it. */
    readonly source: string;
  }[];
  /** Values of `changeType`. The first one that holds decides. */
  readonly changeTypes: readonly {
    /**
     * The first rule that holds decides. `amended`: The form amends an earlier filing, such as 10-K/A, or
     * the entry corrects an earlier entry of the same filing: every entry with revision 2 or more does.
     * `material_event`: A Form 8-K that reports more than exhibits (item 9.01). `new`: Everything else.
     */
    readonly changeType: 'amended' | 'material_event' | 'new';
    readonly description: string;
  }[];
  /** The closed set of error codes. */
  readonly errorCodes: readonly {
    readonly code: 'invalid_parameter' | 'invalid_cursor' | 'unauthorized' | 'not_found' | 'company_not_found' | 'filing_not_found' | 'method_not_allowed' | 'not_acceptable' | 'payload_too_large' | 'unsupported_media_type' | 'range_not_satisfiable' | 'rate_limited' | 'internal_error' | 'overloaded' | 'snapshot_unavailable';
    readonly status: number;
    readonly description: string;
    readonly advice: string;
  }[];
  /** What clients can rely on. */
  readonly versions: {
    /** Path of the page about versions. */
    readonly docs: string;
    /** What may change below `/v1/` at any time. */
    readonly mayChange: readonly string[];
    /** What does not change below `/v1/`. */
    readonly staysTheSame: readonly string[];
    /** How many months something deprecated stays at least, after it was announced. */
    readonly deprecatedForMonths: number;
    /** The headers that announce the end of something. */
    readonly headers: readonly {
      readonly header: string;
      readonly specification: string;
      readonly description: string;
    }[];
    /** What is deprecated now. */
    readonly deprecations: readonly {
      /** Operations and tools whose answers announce it. */
      readonly operations: readonly string[];
      readonly what: string;
      readonly instead: string;
      readonly announcedOn: string;
      /** When it will be removed at the earliest. */
      readonly removedOn: string;
    }[];
  };
  readonly notInvestmentAdvice: true;
}

/** Where everything is. */
export interface RootResponse {
  readonly name: string;
  readonly version: string;
  /** Path of the health check. */
  readonly status: string;
  /** Path of the schema document. */
  readonly docs: string;
  readonly demo: string;
  readonly markets: string;
  readonly stats: string;
  readonly changes: string;
  readonly companySearch: string;
  readonly watchlistChanges: string;
  /** Path of the lists of all values. */
  readonly reference: string;
  /** Path of the schema document of the sample-only paths. */
  readonly openapiSamples: string;
  /** Path of the Model Context Protocol endpoint. */
  readonly tools: string;
  /** Path of the A2A endpoint. */
  readonly agent: string;
  /** Every operation of the interface. */
  readonly operations: readonly {
    /** Name of the operation in the schema document. */
    readonly id: string;
    readonly method: 'GET' | 'POST';
    /** Parameters stand in braces. */
    readonly path: string;
    /** A path and query that work here. */
    readonly example: string;
    /** Whether it needs a key. Of the tools, only some need one. */
    readonly access: 'public' | 'keyed';
    readonly summary: string;
  }[];
  /** Always true: this is data, not advice. */
  readonly notInvestmentAdvice: true;
}

/** Facts about a search answer. */
export interface SearchMeta {
  readonly count: number;
  readonly query: string;
  /** Whether these may not be all companies that match, or are guesses; `partialBecause` says why. */
  readonly partial: boolean;
  /**
   * `missing_words`: no company was found that matches the whole query; these have at least half of its
   * words. `few_letters`: no word has three letters, so companies without a ticker symbol were only
   * found by whole words. `many_names`: so many names have these words that not all were looked at.
   * Empty where these are all companies that match, or the best of them up to `limit`.
   */
  readonly partialBecause: readonly ('missing_words' | 'few_letters' | 'many_names')[];
  /**
   * A query that finds companies and differs by one letter of a word, or by two letters exchanged, where
   * no company matches the whole query; else null.
   */
  readonly didYouMean: string | null;
  /** Always true: this is data, not advice. */
  readonly notInvestmentAdvice: true;
}

/** Counts over the whole snapshot. */
export interface Stats {
  readonly companyCount: number;
  readonly filingCount: number;
  /** Most frequent first. */
  readonly forms: readonly CountByForm[];
  /** Most frequent first. */
  readonly eventTypes: readonly CountByEventType[];
  readonly latestFiling: Filing | null;
  readonly latestIngestRun: IngestRun | null;
}

/** When the data was made. */
export interface StatsMeta {
  /** When the data of this snapshot was last fetched, UTC. */
  readonly generatedAt: string;
  /** Always true: this is data, not advice. */
  readonly notInvestmentAdvice: true;
}

/** Counts over the snapshot. */
export interface StatsResponse {
  readonly data: Stats;
  readonly meta: FreshnessMeta;
}

/** From looking at a market to wanting it. */
export interface ValidationFunnel {
  readonly market: string;
  readonly views: number;
  readonly requests: number;
  readonly demos: number;
  readonly downloads: number;
  readonly marketplaceClicks: number;
  /** Requests, downloads and marketplace clicks together. */
  readonly strongIntent: number;
  /** Strong intent by view; null without views. */
  readonly viewToStrongIntentRate: number | null;
  /** When the newest of these intents was recorded, UTC; null if there are none. */
  readonly lastSeenAt: string | null;
  /** When the newest of these intents was recorded, UTC; null if there are none. */
  readonly lastStrongIntentAt: string | null;
}

/** What visitors of the catalog wanted. */
export interface ValidationStats {
  readonly total: number;
  /** Length of the window, which ends on the newest day that anything is known of. */
  readonly days: number;
  readonly byMarket: readonly {
    readonly market: string;
    readonly count: number;
    /** When the newest of these intents was recorded, UTC; null if there are none. */
    readonly lastSeenAt: string | null;
  }[];
  readonly byAction: readonly {
    readonly market: string;
    readonly action: 'view' | 'request' | 'demo' | 'download' | 'marketplace';
    readonly count: number;
    /** When the newest of these intents was recorded, UTC; null if there are none. */
    readonly lastSeenAt: string | null;
  }[];
  readonly byTarget: readonly {
    readonly market: string;
    /** A feed, dataset or workflow of the market; null for the market itself. */
    readonly target: string | null;
    readonly action: 'view' | 'request' | 'demo' | 'download' | 'marketplace';
    readonly count: number;
    /** When the newest of these intents was recorded, UTC; null if there are none. */
    readonly lastSeenAt: string | null;
  }[];
  readonly funnels: readonly ValidationFunnel[];
  readonly targetFunnels: readonly ValidationTargetFunnel[];
  readonly daily: readonly {
    readonly date: string;
    readonly market: string;
    readonly action: 'view' | 'request' | 'demo' | 'download' | 'marketplace';
    readonly count: number;
  }[];
  /** The newest ones. */
  readonly recent: readonly Intent[];
}

/** What visitors of the catalog wanted. */
export interface ValidationStatsResponse {
  readonly data: ValidationStats;
  readonly meta: StatsMeta;
}

/** From looking at a part of a market to wanting it. */
export interface ValidationTargetFunnel {
  readonly market: string;
  readonly views: number;
  readonly requests: number;
  readonly demos: number;
  readonly downloads: number;
  readonly marketplaceClicks: number;
  /** Requests, downloads and marketplace clicks together. */
  readonly strongIntent: number;
  /** Strong intent by view; null without views. */
  readonly viewToStrongIntentRate: number | null;
  /** When the newest of these intents was recorded, UTC; null if there are none. */
  readonly lastSeenAt: string | null;
  /** When the newest of these intents was recorded, UTC; null if there are none. */
  readonly lastStrongIntentAt: string | null;
  /** A feed, dataset or workflow of the market; null for the market itself. */
  readonly target: string | null;
}

/** The changes of one company of a watchlist, or of an entry that names none. */
export interface WatchlistChangeBucket {
  /** The entry as it was asked; the first one, if several name the company. */
  readonly ticker: string;
  /** All entries of the request that name the company, in the order asked. */
  readonly entries: readonly string[];
  /** Null if the entry is unknown. */
  readonly cik: string | null;
  /** Null if the entry is unknown. */
  readonly companyName: string | null;
  readonly status: 'ok' | 'unknown_company';
  readonly count: number;
  readonly nextSince: string | null;
  /** Goes on after this bucket, here or at `/v1/sec/changes`; null if the entry is unknown. */
  readonly nextCursor: string | null;
  readonly changes: readonly Change[];
}

/** Changes grouped by company. */
export interface WatchlistChangesResponse {
  readonly data: readonly WatchlistChangeBucket[];
  readonly meta: WatchlistMeta;
}

/** Facts about a watchlist answer. */
export interface WatchlistMeta {
  /** All changes of all buckets. */
  readonly count: number;
  /** How many buckets there are: distinct companies, and unknown entries. */
  readonly tickerCount: number;
  readonly since: string;
  readonly nextSince: string | null;
  /** Goes on after this answer for every entry at once. */
  readonly nextCursor: string;
  readonly filters: AppliedFilters;
  /**
   * Newest filing date of the whole snapshot, whatever was asked for: an answer without rows says
   * nothing about days after it. Null if it holds no filing.
   */
  readonly newestFiledAt: string | null;
  /** Always true: this is data, not advice. */
  readonly notInvestmentAdvice: true;
}

/** Parameters of an operation that takes none. */
export type NoParameters = Readonly<Record<string, never>>;

/** Parameters of `listLatestFilings`. */
export interface ListLatestFilingsParameters {
  /**
   * Whole form types, up to 10 with commas between; a filing with any of them matches. Case and spaces
   * are folded: `10-K` does not match `10-K/A`. A form that nobody files is an error that names the
   * nearest ones, and so is a former name alone, unless a filing has it: `SC 13D,SCHEDULE 13D` spans a
   * rename; `/reference.json` lists the forms.
   */
  readonly form?: string | readonly string[] | undefined;
  /**
   * Event family; it spans the amendments of its forms. Case is folded. One that does not exist is an
   * error that names the nearest ones; `/reference.json` says what each family is.
   */
  readonly eventType?: 'annual_report' | 'transition_report' | 'quarterly_report' | 'current_report' | 'foreign_current_report' | 'employee_plan_report' | 'shareholder_annual_report' | 'specialized_disclosure' | 'asset_backed_report' | 'late_filing_notice' | 'insider_initial_statement' | 'insider_transaction' | 'insider_annual_statement' | 'restricted_sale_notice' | 'beneficial_ownership_active' | 'beneficial_ownership_passive' | 'institutional_holdings' | 'short_position_report' | 'fund_proxy_vote' | 'proxy_statement' | 'preliminary_proxy' | 'proxy_additional_material' | 'information_statement' | 'registration_statement' | 'post_effective_amendment' | 'exchange_act_registration' | 'prospectus' | 'free_writing_prospectus' | 'draft_registration' | 'registration_effective' | 'registration_withdrawal' | 'exempt_offering' | 'regulation_a_offering' | 'regulation_a_report' | 'crowdfunding' | 'merger_communication' | 'tender_offer' | 'going_private' | 'board_change_notice' | 'delisting' | 'deregistration' | 'listing_certification' | 'trust_indenture' | 'issuer_correspondence' | 'sec_comment_letter' | 'sec_order' | 'fund_shareholder_report' | 'fund_holdings' | 'fund_census' | 'fund_current_report' | 'fund_fee_notice' | 'fund_registration' | 'fund_prospectus' | 'fund_other' | 'market_participant' | 'other_filing' | undefined;
  /**
   * Item codes of Form 8-K, up to 10 with commas between; a filing with any of them matches. A code that
   * neither the list nor a filing has is an error that names the nearest ones; so is a form or family
   * beside it that has no items. `/reference.json` says what each means.
   */
  readonly items?: string | readonly string[] | undefined;
  /**
   * Inclusive lower bound of the filing date. A timestamp is accepted and counts as its written calendar
   * date.
   */
  readonly since?: string | undefined;
  /**
   * Inclusive upper bound of the filing date, written as `since` is. An `until` before `since` is an
   * error.
   */
  readonly until?: string | undefined;
  /** The most rows to return, 1 to 200. */
  readonly limit?: number | undefined;
  /**
   * Goes on after an earlier answer: the `nextCursor` of its meta. `since` and `until` are taken from
   * the cursor where they are left out, other filters from the request alone.
   */
  readonly cursor?: string | undefined;
}

/** Parameters of `listChanges`. */
export interface ListChangesParameters {
  /**
   * Ticker symbol or 10-digit CIK. Case is folded, and `.`, `-` and `/` are one. Symbols of fund classes
   * (`VFIAX`) are not known: name the CIK of the fund.
   */
  readonly ticker?: string | undefined;
  /** Ticker symbols or 10-digit CIKs, separated by commas, at most 25. */
  readonly tickers?: string | readonly string[] | undefined;
  /**
   * Whole form types, up to 10 with commas between; a filing with any of them matches. Case and spaces
   * are folded: `10-K` does not match `10-K/A`. A form that nobody files is an error that names the
   * nearest ones, and so is a former name alone, unless a filing has it: `SC 13D,SCHEDULE 13D` spans a
   * rename; `/reference.json` lists the forms.
   */
  readonly form?: string | readonly string[] | undefined;
  /**
   * Event family; it spans the amendments of its forms. Case is folded. One that does not exist is an
   * error that names the nearest ones; `/reference.json` says what each family is.
   */
  readonly eventType?: 'annual_report' | 'transition_report' | 'quarterly_report' | 'current_report' | 'foreign_current_report' | 'employee_plan_report' | 'shareholder_annual_report' | 'specialized_disclosure' | 'asset_backed_report' | 'late_filing_notice' | 'insider_initial_statement' | 'insider_transaction' | 'insider_annual_statement' | 'restricted_sale_notice' | 'beneficial_ownership_active' | 'beneficial_ownership_passive' | 'institutional_holdings' | 'short_position_report' | 'fund_proxy_vote' | 'proxy_statement' | 'preliminary_proxy' | 'proxy_additional_material' | 'information_statement' | 'registration_statement' | 'post_effective_amendment' | 'exchange_act_registration' | 'prospectus' | 'free_writing_prospectus' | 'draft_registration' | 'registration_effective' | 'registration_withdrawal' | 'exempt_offering' | 'regulation_a_offering' | 'regulation_a_report' | 'crowdfunding' | 'merger_communication' | 'tender_offer' | 'going_private' | 'board_change_notice' | 'delisting' | 'deregistration' | 'listing_certification' | 'trust_indenture' | 'issuer_correspondence' | 'sec_comment_letter' | 'sec_order' | 'fund_shareholder_report' | 'fund_holdings' | 'fund_census' | 'fund_current_report' | 'fund_fee_notice' | 'fund_registration' | 'fund_prospectus' | 'fund_other' | 'market_participant' | 'other_filing' | undefined;
  /**
   * Item codes of Form 8-K, up to 10 with commas between; a filing with any of them matches. A code that
   * neither the list nor a filing has is an error that names the nearest ones; so is a form or family
   * beside it that has no items. `/reference.json` says what each means.
   */
  readonly items?: string | readonly string[] | undefined;
  /**
   * Inclusive lower bound of the filing date. A timestamp is accepted and counts as its written calendar
   * date.
   */
  readonly since?: string | undefined;
  /**
   * Inclusive upper bound of the filing date, written as `since` is. An `until` before `since` is an
   * error.
   */
  readonly until?: string | undefined;
  /** The most rows to return, 1 to 200. */
  readonly limit?: number | undefined;
  /**
   * Goes on after an earlier answer: the `nextCursor` of its meta. `since` and `until` are taken from
   * the cursor where they are left out, other filters from the request alone.
   */
  readonly cursor?: string | undefined;
  /**
   * Seconds, up to 60: an answer that would be empty is held until something that matches is published,
   * or the time is over. Follow the cursor as ever; what is published between two requests is not
   * missed.
   */
  readonly wait?: number | undefined;
}

/** Parameters of `listWatchlistChanges`. */
export interface ListWatchlistChangesParameters {
  /** Ticker symbols or 10-digit CIKs, separated by commas, at most 25. */
  readonly tickers: string | readonly string[];
  /**
   * Whole form types, up to 10 with commas between; a filing with any of them matches. Case and spaces
   * are folded: `10-K` does not match `10-K/A`. A form that nobody files is an error that names the
   * nearest ones, and so is a former name alone, unless a filing has it: `SC 13D,SCHEDULE 13D` spans a
   * rename; `/reference.json` lists the forms.
   */
  readonly form?: string | readonly string[] | undefined;
  /**
   * Event family; it spans the amendments of its forms. Case is folded. One that does not exist is an
   * error that names the nearest ones; `/reference.json` says what each family is.
   */
  readonly eventType?: 'annual_report' | 'transition_report' | 'quarterly_report' | 'current_report' | 'foreign_current_report' | 'employee_plan_report' | 'shareholder_annual_report' | 'specialized_disclosure' | 'asset_backed_report' | 'late_filing_notice' | 'insider_initial_statement' | 'insider_transaction' | 'insider_annual_statement' | 'restricted_sale_notice' | 'beneficial_ownership_active' | 'beneficial_ownership_passive' | 'institutional_holdings' | 'short_position_report' | 'fund_proxy_vote' | 'proxy_statement' | 'preliminary_proxy' | 'proxy_additional_material' | 'information_statement' | 'registration_statement' | 'post_effective_amendment' | 'exchange_act_registration' | 'prospectus' | 'free_writing_prospectus' | 'draft_registration' | 'registration_effective' | 'registration_withdrawal' | 'exempt_offering' | 'regulation_a_offering' | 'regulation_a_report' | 'crowdfunding' | 'merger_communication' | 'tender_offer' | 'going_private' | 'board_change_notice' | 'delisting' | 'deregistration' | 'listing_certification' | 'trust_indenture' | 'issuer_correspondence' | 'sec_comment_letter' | 'sec_order' | 'fund_shareholder_report' | 'fund_holdings' | 'fund_census' | 'fund_current_report' | 'fund_fee_notice' | 'fund_registration' | 'fund_prospectus' | 'fund_other' | 'market_participant' | 'other_filing' | undefined;
  /**
   * Item codes of Form 8-K, up to 10 with commas between; a filing with any of them matches. A code that
   * neither the list nor a filing has is an error that names the nearest ones; so is a form or family
   * beside it that has no items. `/reference.json` says what each means.
   */
  readonly items?: string | readonly string[] | undefined;
  /**
   * Inclusive lower bound of the filing date. A timestamp is accepted and counts as its written calendar
   * date.
   */
  readonly since?: string | undefined;
  /**
   * Inclusive upper bound of the filing date, written as `since` is. An `until` before `since` is an
   * error.
   */
  readonly until?: string | undefined;
  /** The most rows to return, 1 to 200. */
  readonly limit?: number | undefined;
  /**
   * Goes on after an earlier answer: the `nextCursor` of its meta. `since` and `until` are taken from
   * the cursor where they are left out, other filters from the request alone.
   */
  readonly cursor?: string | undefined;
  /**
   * Seconds, up to 60: an answer that would be empty is held until something that matches is published,
   * or the time is over. Follow the cursor as ever; what is published between two requests is not
   * missed.
   */
  readonly wait?: number | undefined;
}

/** Parameters of `listCompanies`. */
export interface ListCompaniesParameters {
  /**
   * Codes of industries in the Standard Industrial Classification, four digits, up to 10 with commas
   * between; a company with any of them matches. One that EDGAR does not have is an error that names the
   * nearest ones; `/reference.json` lists them.
   */
  readonly sic?: string | readonly string[] | undefined;
  /**
   * EDGAR's codes of the states or countries of incorporation. Case is folded, up to 10 with commas
   * between; a company with any of them matches. One that EDGAR does not have is an error that names the
   * nearest ones; `/reference.json` lists them.
   */
  readonly state?: string | readonly string[] | undefined;
  /**
   * Exchanges. Case is folded, up to 10 with commas between; a company with any of them matches. One
   * that EDGAR does not have is an error that names the nearest ones; `/reference.json` lists them.
   */
  readonly exchange?: string | readonly string[] | undefined;
  /** Whether the company has a ticker symbol: `true` for those that have one, `false` for all others. */
  readonly listed?: boolean | undefined;
  /** The most rows to return, 1 to 200. */
  readonly limit?: number | undefined;
  /**
   * Goes on after an earlier answer: the `nextCursor` of its meta. `since` and `until` are taken from
   * the cursor where they are left out, other filters from the request alone.
   */
  readonly cursor?: string | undefined;
}

/** Parameters of `searchCompanies`. */
export interface SearchCompaniesParameters {
  /**
   * A ticker symbol, a CIK, or the beginnings of words of a present or former name; at least 2
   * characters. Fewer than three letters of a word find companies with a ticker symbol.
   */
  readonly q: string;
  /** The most rows to return, 1 to 200. */
  readonly limit?: number | undefined;
}

/** Parameters of `getCompanyProfile`. */
export interface GetCompanyProfileParameters {
  /**
   * Ticker symbol or 10-digit CIK. Case is folded, and `.`, `-` and `/` are one. Symbols of fund classes
   * (`VFIAX`) are not known: name the CIK of the fund.
   */
  readonly ticker: string;
}

/** Parameters of `listCompanyFilings`. */
export interface ListCompanyFilingsParameters {
  /**
   * Ticker symbol or 10-digit CIK. Case is folded, and `.`, `-` and `/` are one. Symbols of fund classes
   * (`VFIAX`) are not known: name the CIK of the fund.
   */
  readonly ticker: string;
  /**
   * Whole form types, up to 10 with commas between; a filing with any of them matches. Case and spaces
   * are folded: `10-K` does not match `10-K/A`. A form that nobody files is an error that names the
   * nearest ones, and so is a former name alone, unless a filing has it: `SC 13D,SCHEDULE 13D` spans a
   * rename; `/reference.json` lists the forms.
   */
  readonly form?: string | readonly string[] | undefined;
  /**
   * Event family; it spans the amendments of its forms. Case is folded. One that does not exist is an
   * error that names the nearest ones; `/reference.json` says what each family is.
   */
  readonly eventType?: 'annual_report' | 'transition_report' | 'quarterly_report' | 'current_report' | 'foreign_current_report' | 'employee_plan_report' | 'shareholder_annual_report' | 'specialized_disclosure' | 'asset_backed_report' | 'late_filing_notice' | 'insider_initial_statement' | 'insider_transaction' | 'insider_annual_statement' | 'restricted_sale_notice' | 'beneficial_ownership_active' | 'beneficial_ownership_passive' | 'institutional_holdings' | 'short_position_report' | 'fund_proxy_vote' | 'proxy_statement' | 'preliminary_proxy' | 'proxy_additional_material' | 'information_statement' | 'registration_statement' | 'post_effective_amendment' | 'exchange_act_registration' | 'prospectus' | 'free_writing_prospectus' | 'draft_registration' | 'registration_effective' | 'registration_withdrawal' | 'exempt_offering' | 'regulation_a_offering' | 'regulation_a_report' | 'crowdfunding' | 'merger_communication' | 'tender_offer' | 'going_private' | 'board_change_notice' | 'delisting' | 'deregistration' | 'listing_certification' | 'trust_indenture' | 'issuer_correspondence' | 'sec_comment_letter' | 'sec_order' | 'fund_shareholder_report' | 'fund_holdings' | 'fund_census' | 'fund_current_report' | 'fund_fee_notice' | 'fund_registration' | 'fund_prospectus' | 'fund_other' | 'market_participant' | 'other_filing' | undefined;
  /**
   * Item codes of Form 8-K, up to 10 with commas between; a filing with any of them matches. A code that
   * neither the list nor a filing has is an error that names the nearest ones; so is a form or family
   * beside it that has no items. `/reference.json` says what each means.
   */
  readonly items?: string | readonly string[] | undefined;
  /**
   * Inclusive lower bound of the filing date. A timestamp is accepted and counts as its written calendar
   * date.
   */
  readonly since?: string | undefined;
  /**
   * Inclusive upper bound of the filing date, written as `since` is. An `until` before `since` is an
   * error.
   */
  readonly until?: string | undefined;
  /** The most rows to return, 1 to 200. */
  readonly limit?: number | undefined;
  /**
   * Goes on after an earlier answer: the `nextCursor` of its meta. `since` and `until` are taken from
   * the cursor where they are left out, other filters from the request alone.
   */
  readonly cursor?: string | undefined;
}

/** Parameters of `listCompanyEvents`. */
export interface ListCompanyEventsParameters {
  /**
   * Ticker symbol or 10-digit CIK. Case is folded, and `.`, `-` and `/` are one. Symbols of fund classes
   * (`VFIAX`) are not known: name the CIK of the fund.
   */
  readonly ticker: string;
  /**
   * Whole form types, up to 10 with commas between; a filing with any of them matches. Case and spaces
   * are folded: `10-K` does not match `10-K/A`. A form that nobody files is an error that names the
   * nearest ones, and so is a former name alone, unless a filing has it: `SC 13D,SCHEDULE 13D` spans a
   * rename; `/reference.json` lists the forms.
   */
  readonly form?: string | readonly string[] | undefined;
  /**
   * Event family; it spans the amendments of its forms. Case is folded. One that does not exist is an
   * error that names the nearest ones; `/reference.json` says what each family is.
   */
  readonly eventType?: 'annual_report' | 'transition_report' | 'quarterly_report' | 'current_report' | 'foreign_current_report' | 'employee_plan_report' | 'shareholder_annual_report' | 'specialized_disclosure' | 'asset_backed_report' | 'late_filing_notice' | 'insider_initial_statement' | 'insider_transaction' | 'insider_annual_statement' | 'restricted_sale_notice' | 'beneficial_ownership_active' | 'beneficial_ownership_passive' | 'institutional_holdings' | 'short_position_report' | 'fund_proxy_vote' | 'proxy_statement' | 'preliminary_proxy' | 'proxy_additional_material' | 'information_statement' | 'registration_statement' | 'post_effective_amendment' | 'exchange_act_registration' | 'prospectus' | 'free_writing_prospectus' | 'draft_registration' | 'registration_effective' | 'registration_withdrawal' | 'exempt_offering' | 'regulation_a_offering' | 'regulation_a_report' | 'crowdfunding' | 'merger_communication' | 'tender_offer' | 'going_private' | 'board_change_notice' | 'delisting' | 'deregistration' | 'listing_certification' | 'trust_indenture' | 'issuer_correspondence' | 'sec_comment_letter' | 'sec_order' | 'fund_shareholder_report' | 'fund_holdings' | 'fund_census' | 'fund_current_report' | 'fund_fee_notice' | 'fund_registration' | 'fund_prospectus' | 'fund_other' | 'market_participant' | 'other_filing' | undefined;
  /**
   * Item codes of Form 8-K, up to 10 with commas between; a filing with any of them matches. A code that
   * neither the list nor a filing has is an error that names the nearest ones; so is a form or family
   * beside it that has no items. `/reference.json` says what each means.
   */
  readonly items?: string | readonly string[] | undefined;
  /**
   * Inclusive lower bound of the filing date. A timestamp is accepted and counts as its written calendar
   * date.
   */
  readonly since?: string | undefined;
  /**
   * Inclusive upper bound of the filing date, written as `since` is. An `until` before `since` is an
   * error.
   */
  readonly until?: string | undefined;
  /** The most rows to return, 1 to 200. */
  readonly limit?: number | undefined;
  /**
   * Goes on after an earlier answer: the `nextCursor` of its meta. `since` and `until` are taken from
   * the cursor where they are left out, other filters from the request alone.
   */
  readonly cursor?: string | undefined;
}

/** Parameters of `listInsiderTrades`. */
export interface ListInsiderTradesParameters {
  /**
   * Ticker symbol or 10-digit CIK. Case is folded, and `.`, `-` and `/` are one. Symbols of fund classes
   * (`VFIAX`) are not known: name the CIK of the fund.
   */
  readonly ticker?: string | undefined;
  /**
   * Whole form types, up to 10 with commas between; a filing with any of them matches. Case and spaces
   * are folded: `10-K` does not match `10-K/A`. A form that nobody files is an error that names the
   * nearest ones, and so is a former name alone, unless a filing has it: `SC 13D,SCHEDULE 13D` spans a
   * rename; `/reference.json` lists the forms.
   */
  readonly form?: string | readonly string[] | undefined;
  /**
   * Event family; it spans the amendments of its forms. Case is folded. One that does not exist is an
   * error that names the nearest ones; `/reference.json` says what each family is.
   */
  readonly eventType?: 'annual_report' | 'transition_report' | 'quarterly_report' | 'current_report' | 'foreign_current_report' | 'employee_plan_report' | 'shareholder_annual_report' | 'specialized_disclosure' | 'asset_backed_report' | 'late_filing_notice' | 'insider_initial_statement' | 'insider_transaction' | 'insider_annual_statement' | 'restricted_sale_notice' | 'beneficial_ownership_active' | 'beneficial_ownership_passive' | 'institutional_holdings' | 'short_position_report' | 'fund_proxy_vote' | 'proxy_statement' | 'preliminary_proxy' | 'proxy_additional_material' | 'information_statement' | 'registration_statement' | 'post_effective_amendment' | 'exchange_act_registration' | 'prospectus' | 'free_writing_prospectus' | 'draft_registration' | 'registration_effective' | 'registration_withdrawal' | 'exempt_offering' | 'regulation_a_offering' | 'regulation_a_report' | 'crowdfunding' | 'merger_communication' | 'tender_offer' | 'going_private' | 'board_change_notice' | 'delisting' | 'deregistration' | 'listing_certification' | 'trust_indenture' | 'issuer_correspondence' | 'sec_comment_letter' | 'sec_order' | 'fund_shareholder_report' | 'fund_holdings' | 'fund_census' | 'fund_current_report' | 'fund_fee_notice' | 'fund_registration' | 'fund_prospectus' | 'fund_other' | 'market_participant' | 'other_filing' | undefined;
  /**
   * Item codes of Form 8-K, up to 10 with commas between; a filing with any of them matches. A code that
   * neither the list nor a filing has is an error that names the nearest ones; so is a form or family
   * beside it that has no items. `/reference.json` says what each means.
   */
  readonly items?: string | readonly string[] | undefined;
  /**
   * Inclusive lower bound of the filing date. A timestamp is accepted and counts as its written calendar
   * date.
   */
  readonly since?: string | undefined;
  /**
   * Inclusive upper bound of the filing date, written as `since` is. An `until` before `since` is an
   * error.
   */
  readonly until?: string | undefined;
  /** The most rows to return, 1 to 200. */
  readonly limit?: number | undefined;
  /**
   * Goes on after an earlier answer: the `nextCursor` of its meta. `since` and `until` are taken from
   * the cursor where they are left out, other filters from the request alone.
   */
  readonly cursor?: string | undefined;
}

/** Parameters of `getFilingSummary`. */
export interface GetFilingSummaryParameters {
  /** Accession number, `<10 digits>-<2 digits>-<6 digits>`, or its 18 digits without dashes. */
  readonly accessionNo: string;
}

/** Parameters of `getFilings`. */
export interface GetFilingsParameters {
  /**
   * Accession numbers, each as in `accessionNo`, separated by commas, at most 50. One that is given
   * twice counts once.
   */
  readonly accessionNos: string | readonly string[];
}

/** Parameters of `getBulkFile`. */
export interface GetBulkFileParameters {
  /** Name of a file, as the list of files gives it. */
  readonly file: string;
}

/** Parameters of `getValidationStats`. */
export interface GetValidationStatsParameters {
  /** Length of the window in days: 1, 7, 30, 90. */
  readonly days?: 1 | 7 | 30 | 90 | undefined;
}

/** Parameters of `callTools`. */
export interface CallToolsParameters {
  /** The body of the request. */
  readonly message: {
    readonly jsonrpc: '2.0';
    /** Given back with the answer. */
    readonly id?: string | number;
    /**
     * `initialize`, `ping`, and `server/discover` for revision 2026-07-28; `tools/list`, `tools/call`;
     * `resources/list`, `resources/templates/list`, `resources/read`; `prompts/list`, `prompts/get`;
     * `completion/complete`.
     */
    readonly method: string;
    readonly params?: Readonly<Record<string, unknown>>;
  };
}

/** Parameters of `recordIntent`. */
export interface RecordIntentParameters {
  /** Slug of a market. */
  readonly market: string;
  /** What the visitor did. */
  readonly action: 'view' | 'request' | 'demo' | 'download' | 'marketplace';
  /** Slug of a feed, dataset or workflow of the market. */
  readonly target?: string | undefined;
}

/** Parameters of `postIntent`. */
export interface PostIntentParameters {
  /** Slug of a market. */
  readonly market: string;
  /** What the visitor did. */
  readonly action: 'view' | 'request' | 'demo' | 'download' | 'marketplace';
  /** Slug of a feed, dataset or workflow of the market. */
  readonly target?: string | undefined;
}

/** A method for each operation of the service. Example: `(client: Operations<RequestOptions>) => client.getStats()`. */
export interface Operations<Options> {
  /**
   * Where everything is. Names the service and the paths of its documents and operations. A browser gets
   * the landing page instead. Example: `await client.getRoot()`.
   */
  getRoot(parameters?: NoParameters, options?: Options): Promise<RootResponse>;

  /**
   * Health and freshness. Says that the service works, what it serves, when its data was fetched and
   * whether that is stale. Example: `await client.getHealth()`.
   */
  getHealth(parameters?: NoParameters, options?: Options): Promise<HealthResponse>;

  /**
   * Whether the process works. For a supervisor that restarts the process when it hangs: 200 whenever
   * the process can answer, even without a snapshot. Example: `await client.getLive()`.
   */
  getLive(parameters?: NoParameters, options?: Options): Promise<ProbeResponse>;

  /**
   * Whether a snapshot is served. For a load balancer: 200 while a snapshot is served, even if its data
   * is stale; else 503. Also says how old the pointer to that snapshot is, and whether a newer one is
   * refused. Example: `await client.getReady()`.
   */
  getReady(parameters?: NoParameters, options?: Options): Promise<ReadyResponse>;

  /**
   * Public sample. A sample of real filings in the format of the keyed operations. It needs no key.
   * Example: `await client.getDemo()`.
   */
  getDemo(parameters?: NoParameters, options?: Options): Promise<DemoResponse>;

  /**
   * OpenAPI description. The OpenAPI 3.1 description of the service. The same bytes stand at
   * /.well-known/openapi.json. Example: `await client.getOpenapi()`.
   */
  getOpenapi(parameters?: NoParameters, options?: Options): Promise<Readonly<Record<string, unknown>>>;

  /**
   * Every value and what it means. The known forms with their event families, the items of Form 8-K of
   * both regimes, event families, exchanges, roles, change types and error codes. Example: `await
   * client.getReference()`.
   */
  getReference(parameters?: NoParameters, options?: Options): Promise<ReferenceResponse>;

  /**
   * Recent filings. Filings of all companies, or those that match every filter, newest first by filing
   * date, acceptance time and accession number. Example: `await client.listLatestFilings()`.
   */
  listLatestFilings(parameters?: ListLatestFilingsParameters, options?: Options): Promise<FilingListResponse>;

  /**
   * Change feed. Changes in the order in which the service observed them, oldest first. Begin with
   * `since`, then follow `meta.nextCursor`: every change that matches arrives exactly once, across any
   * number of rebuilds. A filing that is corrected later has a further entry, with `revision` 2 or more
   * and the names of the members that changed in `corrected`. `since` may be left out when `cursor` is
   * given. `ticker` narrows it to one company, `tickers` to several: one cursor goes on for all of them,
   * and a change that concerns several of them comes once. With `Accept: text/event-stream` it is a
   * stream: see the documentation of polling. Example: `await client.listChanges()`.
   */
  listChanges(parameters?: ListChangesParameters, options?: Options): Promise<ChangeListResponse>;

  /**
   * Changes of a watchlist. Changes of up to 25 companies, grouped by company, oldest first in each.
   * Entries that name the same company share a bucket. `limit` holds for each bucket. Without `since` it
   * begins 30 days before the newest filing of the snapshot, or before `until` if that is earlier. An
   * unknown entry has a bucket that says so. Example: `await client.listWatchlistChanges({ tickers:
   * 'AAPL,MSFT' })`.
   */
  listWatchlistChanges(parameters: ListWatchlistChangesParameters, options?: Options): Promise<WatchlistChangesResponse>;

  /**
   * List of companies. Every company that has a profile, or those that match every filter, by CIK, with
   * the facts of their profiles. Follow `meta.nextCursor` to the end: where several filters rarely match
   * together, a page has fewer rows than `limit`, or none, although there are more. Example: `await
   * client.listCompanies()`.
   */
  listCompanies(parameters?: ListCompaniesParameters, options?: Options): Promise<CompanyListResponse>;

  /**
   * Find companies. Companies by ticker symbol (an exact one first), by CIK, or by the beginnings (three
   * letters or more) of the words of a present or former name. Case, accents and punctuation fold;
   * listed companies come first. Example: `await client.searchCompanies({ q: 'apple' })`.
   */
  searchCompanies(parameters: SearchCompaniesParameters, options?: Options): Promise<CompanySearchResponse>;

  /**
   * Company profile. One company with its industry, kind of filer and fiscal year, its counts by form
   * and its newest filing. Example: `await client.getCompanyProfile({ ticker: 'AAPL' })`.
   */
  getCompanyProfile(parameters: GetCompanyProfileParameters, options?: Options): Promise<CompanyProfileResponse>;

  /**
   * Filing history of a company. Every filing that names the company, or those of them that match every
   * filter, newest first. Example: `await client.listCompanyFilings({ ticker: 'AAPL' })`.
   */
  listCompanyFilings(parameters: ListCompanyFilingsParameters, options?: Options): Promise<FilingListResponse>;

  /**
   * Event feed of a company. The same filings as events, newest first. Example: `await
   * client.listCompanyEvents({ ticker: 'AAPL' })`.
   */
  listCompanyEvents(parameters: ListCompanyEventsParameters, options?: Options): Promise<EventListResponse>;

  /**
   * Insider filings. Metadata of Forms 3, 4 and 5 with their amendments, newest first; `ticker` narrows
   * it to one issuer. Other forms and families are refused, and so is `items`, because these forms have
   * none. Share counts and prices are not part of it: `documentUrl` leads to the form, and `links.xml`
   * of a summary to its data. Example: `await client.listInsiderTrades()`.
   */
  listInsiderTrades(parameters?: ListInsiderTradesParameters, options?: Options): Promise<FilingListResponse>;

  /**
   * Summary of a filing. One filing with a sentence made from its metadata alone, the titles of its
   * items, and its addresses on www.sec.gov. Example: `await client.getFilingSummary({ accessionNo:
   * '0000320193-25-000079' })`.
   */
  getFilingSummary(parameters: GetFilingSummaryParameters, options?: Options): Promise<FilingSummaryResponse>;

  /**
   * Filings by accession number. Up to 50 filings by their accession numbers, in the order asked, each
   * as the summary of a filing gives it. `meta.unknown` names those that this service does not have.
   * Example: `await client.getFilings({ accessionNos: '0000320193-25-000079,0001045810-26-000021' })`.
   */
  getFilings(parameters: GetFilingsParameters, options?: Options): Promise<FilingsResponse>;

  /**
   * Files of the whole change feed. The whole change feed as files, in its order: JSON Lines of the rows
   * that `/v1/sec/changes` gives, compressed with gzip. Each file but the last is closed: its name,
   * bytes and digest never change, so a mirror fetches what it does not have yet and the last file anew.
   * `meta.nextCursor` goes on after the last row in the feed. Example: `await client.listBulkFiles()`.
   */
  listBulkFiles(parameters?: NoParameters, options?: Options): Promise<BulkListResponse>;

  /**
   * A file of the change feed. One of the files that `/v1/sec/bulk` lists, as it is: `Accept-Encoding`
   * changes nothing. A download that broke off goes on with `Range`, and with the `ETag` in `If-Range`
   * it begins again if the file has grown meanwhile. `Repr-Digest` is the SHA-256 of the whole file.
   * Example: `await client.getBulkFile({ file: 'changes-000000000001.jsonl.gz' })`.
   */
  getBulkFile(parameters: GetBulkFileParameters, options?: Options): Promise<Uint8Array>;

  /**
   * Counts and freshness. Counts by form and by event family, the newest filing and the newest run of
   * the ingest. Example: `await client.getStats()`.
   */
  getStats(parameters?: NoParameters, options?: Options): Promise<StatsResponse>;

  /**
   * What visitors of the catalog wanted. Counts of the intents of the validation catalog in a window of
   * days: by market, by target, by day, and as funnels from looking to wanting. Example: `await
   * client.getValidationStats()`.
   */
  getValidationStats(parameters?: GetValidationStatsParameters, options?: Options): Promise<ValidationStatsResponse>;

  /**
   * Tools for assistants. The Model Context Protocol over stateless streamable HTTP with JSON answers,
   * revisions 2025-03-26 to 2025-11-25 and 2026-07-28. The handshake, lists, the resources
   * `reference://…` and the tools `sec_demo_latest_filings` and `sec_subscription_info` need no key;
   * other tools and resources, prompts, and the completion of companies take the key of direct access.
   * Example: `await client.callTools()`.
   */
  callTools(parameters: CallToolsParameters, options?: Options): Promise<{
    readonly jsonrpc: '2.0';
    readonly id?: string | number | null;
    /**
     * For `tools/call`: `structuredContent` is the REST answer with `detail` full, by default its compact
     * form, in which filings have fewer members; `content` is a text that begins with what the data
     * covers; `isError` is true if the call can be corrected. Text and structured content together have at
     * most `maxTokens` tokens; a longer list has fewer rows. `_meta` of each text has its size. For
     * `resources/read`: `contents` are the same text and the same structured content; for `prompts/get`,
     * `messages` are a question and the texts of such resources.
     */
    readonly result?: Readonly<Record<string, unknown>>;
    readonly error?: {
      readonly code: number;
      readonly message: string;
      readonly data?: Readonly<Record<string, unknown>>;
    };
  }>;

  /**
   * Record an intent. Records what a visitor of the catalog did, without an IP address or a cookie. A
   * browser is redirected; other clients get JSON that says what was recorded. Prefetches, HEAD requests
   * and programs that say they are bots are not counted. Example: `await client.recordIntent({ market:
   * 'consumer-product-safety', action: 'view' })`.
   */
  recordIntent(parameters: RecordIntentParameters, options?: Options): Promise<IntentResponse>;

  /**
   * Record an intent by POST. Records what a visitor of the catalog did, without an IP address or a
   * cookie. A browser is redirected; other clients get JSON that says what was recorded. Prefetches,
   * HEAD requests and programs that say they are bots are not counted. Example: `await
   * client.postIntent({ market: 'consumer-product-safety', action: 'view' })`.
   */
  postIntent(parameters: PostIntentParameters, options?: Options): Promise<IntentResponse>;
}

/** How each operation is asked. Example: `operations.getStats.path` is `/v1/sec/stats`. */
export const operations = {
  getRoot: { method: 'GET', path: '/', answer: 'json' },
  getHealth: { method: 'GET', path: '/health', answer: 'json' },
  getLive: { method: 'GET', path: '/livez', answer: 'json' },
  getReady: { method: 'GET', path: '/readyz', answer: 'json' },
  getDemo: { method: 'GET', path: '/demo', answer: 'json' },
  getOpenapi: { method: 'GET', path: '/openapi.json', answer: 'json' },
  getReference: { method: 'GET', path: '/reference.json', answer: 'json' },
  listLatestFilings: { method: 'GET', path: '/v1/sec/latest', answer: 'json' },
  listChanges: { method: 'GET', path: '/v1/sec/changes', answer: 'json' },
  listWatchlistChanges: { method: 'GET', path: '/v1/sec/watchlist/changes', answer: 'json' },
  listCompanies: { method: 'GET', path: '/v1/sec/companies', answer: 'json' },
  searchCompanies: { method: 'GET', path: '/v1/sec/companies/search', answer: 'json' },
  getCompanyProfile: { method: 'GET', path: '/v1/sec/company/{ticker}/profile', answer: 'json' },
  listCompanyFilings: { method: 'GET', path: '/v1/sec/company/{ticker}/filings', answer: 'json' },
  listCompanyEvents: { method: 'GET', path: '/v1/sec/company/{ticker}/events', answer: 'json' },
  listInsiderTrades: { method: 'GET', path: '/v1/sec/insider-trades', answer: 'json' },
  getFilingSummary: { method: 'GET', path: '/v1/sec/forms/{accessionNo}/summary', answer: 'json' },
  getFilings: { method: 'GET', path: '/v1/sec/filings', answer: 'json' },
  listBulkFiles: { method: 'GET', path: '/v1/sec/bulk', answer: 'json' },
  getBulkFile: { method: 'GET', path: '/v1/sec/bulk/{file}', answer: 'file' },
  getStats: { method: 'GET', path: '/v1/sec/stats', answer: 'json' },
  getValidationStats: { method: 'GET', path: '/v1/validation/stats', answer: 'json' },
  callTools: { method: 'POST', path: '/mcp', answer: 'json' },
  recordIntent: { method: 'GET', path: '/validate/{market}/{action}', answer: 'json' },
  postIntent: { method: 'POST', path: '/validate/{market}/{action}', answer: 'json' },
} as const;

/** The operations whose pages go back through history. Example: `const id: PagedOperation = 'listLatestFilings'`. */
export type PagedOperation =
  | 'listLatestFilings'
  | 'listCompanies'
  | 'listCompanyFilings'
  | 'listCompanyEvents'
  | 'listInsiderTrades';
