# Generated from the OpenAPI document of the service by `npm run clients`. Do not edit it.
from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

__all__ = [
    "AppliedCompanyFilters",
    "AppliedFilters",
    "BulkFile",
    "BulkListResponse",
    "BulkMeta",
    "Change",
    "ChangeListResponse",
    "ChangeMeta",
    "Company",
    "CompanyEntry",
    "CompanyListMeta",
    "CompanyListResponse",
    "CompanyProfile",
    "CompanyProfileResponse",
    "CompanySearchResponse",
    "CountByEventType",
    "CountByForm",
    "DemoResponse",
    "ErrorResponse",
    "Event",
    "EventListResponse",
    "Filing",
    "FilingLinks",
    "FilingListResponse",
    "FilingSummary",
    "FilingSummaryResponse",
    "FilingsMeta",
    "FilingsResponse",
    "FreshnessMeta",
    "HealthIngestRun",
    "HealthResponse",
    "IngestRun",
    "Intent",
    "IntentResponse",
    "Meta",
    "Party",
    "ProbeResponse",
    "ReadyResponse",
    "ReferenceResponse",
    "RootResponse",
    "SearchMeta",
    "Stats",
    "StatsMeta",
    "StatsResponse",
    "ValidationFunnel",
    "ValidationStats",
    "ValidationStatsResponse",
    "ValidationTargetFunnel",
    "WatchlistChangeBucket",
    "WatchlistChangesResponse",
    "WatchlistMeta",
]

Values = Union[str, Sequence[str]]

class AppliedCompanyFilters(TypedDict):
    """Every filter of companies that was applied. Null where nothing was."""

    #: Several with commas between.
    sic: Optional[str]
    #: Several with commas between.
    state: Optional[str]
    #: Several with commas between.
    exchange: Optional[str]
    listed: Optional[bool]


class AppliedFilters(TypedDict):
    """Every filter that was applied: those of the request, and what its cursor remembered. Null where
    nothing was.
    """

    #: The company, as it was asked.
    ticker: Optional[str]
    #: The entries of a watchlist as they were asked, with commas between.
    tickers: Optional[str]
    #: Several with commas between.
    form: Optional[str]
    eventType: Optional[str]
    #: Several with commas between.
    items: Optional[str]
    #: Also if a cursor remembered it, or if it is the default.
    since: Optional[str]
    #: Also if a cursor remembered it.
    until: Optional[str]


class BulkFile(TypedDict):
    """A file of the change feed: JSON Lines, each the row that `/v1/sec/changes` gives, compressed with
    gzip.
    """

    #: Name of the file, which tells its first sequence. It never changes.
    name: str
    #: Where it is downloaded, with a key: a path at the host that gave the list.
    url: str
    #: Length of the file, compressed as it is.
    bytes: int
    #: Lines of the file.
    rows: int
    #: SHA-256 of the file, compressed as it is.
    sha256: str
    firstSequence: int
    lastSequence: int
    #: Whether it has all the rows that it will ever have: then its name, bytes and digest never change.
    #: The last file of the list is open until it is full, and replaced by a longer one of the same name.
    closed: bool


class BulkListResponse(TypedDict):
    """The files of the change feed, in its order: together they are all of it."""

    data: List[BulkFile]
    meta: BulkMeta


class BulkMeta(TypedDict):
    """Facts about the list of files."""

    #: Files in this answer, which has all of them.
    count: int
    #: Rows of each closed file.
    rowsPerFile: int
    #: Sequence of the last row of the last file; 0 if there is none.
    lastSequence: int
    #: Pass it as `cursor` to `/v1/sec/changes` to go on exactly after the last row of the last file.
    #: Opaque.
    nextCursor: str
    #: When the data of this snapshot was last fetched, UTC.
    generatedAt: str
    #: Newest filing date of the whole snapshot; null if it holds no filing.
    newestFiledAt: Optional[str]
    #: Always true: this is data, not advice.
    notInvestmentAdvice: Literal[True]


class _AlwaysChange(TypedDict):
    #: Position in the change feed, ascending. An entry keeps its position and its content for ever.
    sequence: int
    #: The first rule that holds decides. `amended`: The form amends an earlier filing, such as 10-K/A, or
    #: the entry corrects an earlier entry of the same filing: every entry with revision 2 or more does.
    #: `material_event`: A Form 8-K that reports more than exhibits (item 9.01). `new`: Everything else.
    changeType: Literal["amended", "material_event", "new"]
    #: When this service recorded what the entry says, UTC.
    observedAt: Optional[str]
    #: 1 where the filing was seen for the first time; one more for each correction of it.
    revision: int
    filing: Filing


class Change(_AlwaysChange, total=False):
    """An entry of the change feed: a filing, as it was known then, that was seen for the first time or
    found changed in something that is published.
    """

    #: Names of the members of `filing` that differ from the revision before; only from revision 2 on.
    corrected: List[str]


class ChangeListResponse(TypedDict):
    """Changes, oldest first."""

    data: List[Change]
    meta: ChangeMeta


class ChangeMeta(TypedDict):
    """Facts about a page of the change feed."""

    count: int
    #: The lower bound that was applied.
    since: str
    #: Filing date of the newest row of this page; null on an empty one. A date alone cannot be lossless:
    #: follow `nextCursor`.
    nextSince: Optional[str]
    #: Pass it back as `cursor` to go on exactly after this page. Opaque.
    nextCursor: str
    filters: AppliedFilters
    #: Newest filing date of the whole snapshot, whatever was asked for: an answer without rows says
    #: nothing about days after it. Null if it holds no filing.
    newestFiledAt: Optional[str]
    #: Always true: this is data, not advice.
    notInvestmentAdvice: Literal[True]


class Company(TypedDict):
    """A company, fund or person that filings name."""

    #: 10-digit CIK.
    cik: str
    #: Primary ticker symbol; the last known one where upstream dropped it; null if it never had one.
    ticker: Optional[str]
    #: Name as EDGAR conforms it.
    name: str
    #: Exchange of the primary ticker.
    exchange: Optional[str]
    #: When the company's record last changed in this service, UTC.
    updatedAt: str
    #: Filings that name the company or its predecessor or successor.
    filingCount: int
    #: Filing date of the newest of these filings.
    latestFilingAt: Optional[str]


class CompanyEntry(TypedDict):
    """A company with the facts of its profile."""

    #: 10-digit CIK.
    cik: str
    #: Primary ticker symbol; the last known one where upstream dropped it; null if it never had one.
    ticker: Optional[str]
    #: Name as EDGAR conforms it.
    name: str
    #: Exchange of the primary ticker.
    exchange: Optional[str]
    #: When the company's record last changed in this service, UTC.
    updatedAt: str
    #: Filings that name the company or its predecessor or successor.
    filingCount: int
    #: Filing date of the newest of these filings.
    latestFilingAt: Optional[str]
    #: Every ticker symbol the company has, primary first.
    tickers: List[str]
    #: Names it had before, newest first.
    formerNames: List[str]
    #: CIKs of its predecessor or successor, whose filings are listed together with its own.
    relatedCiks: List[str]
    #: Code of its industry in the Standard Industrial Classification, four digits; null where EDGAR gives
    #: none, as for people.
    sic: Optional[str]
    #: Name of that industry as EDGAR has it.
    sicDescription: Optional[str]
    #: What kind of filer it is, mostly by size, as EDGAR has it, e.g. `Large accelerated filer`; several
    #: are divided by `; `.
    category: Optional[str]
    #: What kind of entity it is, as EDGAR has it: `operating`, `investment` or `other`, for example.
    entityType: Optional[str]
    #: EDGAR's code of the state or country in which it is incorporated, e.g. `DE` for Delaware.
    stateOfIncorporation: Optional[str]
    #: Month and day on which its fiscal year ends, four digits `mmdd`, e.g. `0926`, as EDGAR has it.
    fiscalYearEnd: Optional[str]


class CompanyListMeta(TypedDict):
    """Facts about a list of companies."""

    #: Rows in this answer.
    count: int
    #: Pass it back as `cursor` for the next companies; null when there are none.
    nextCursor: Optional[str]
    filters: AppliedCompanyFilters
    #: Always true: this is data, not advice.
    notInvestmentAdvice: Literal[True]


class CompanyListResponse(TypedDict):
    """Companies by CIK."""

    data: List[CompanyEntry]
    meta: CompanyListMeta


class CompanyProfile(TypedDict):
    """A company with its counts by form and its newest filing."""

    #: 10-digit CIK.
    cik: str
    #: Primary ticker symbol; the last known one where upstream dropped it; null if it never had one.
    ticker: Optional[str]
    #: Name as EDGAR conforms it.
    name: str
    #: Exchange of the primary ticker.
    exchange: Optional[str]
    #: When the company's record last changed in this service, UTC.
    updatedAt: str
    #: Filings that name the company or its predecessor or successor.
    filingCount: int
    #: Filing date of the newest of these filings.
    latestFilingAt: Optional[str]
    #: Filings by form type, most frequent first.
    forms: List[CountByForm]
    #: The newest filing that names the company.
    latestFiling: Optional[Filing]
    #: When the last recorded filing that names the company, or did before a correction, was recorded, UTC.
    latestIngestedAt: Optional[str]
    #: Every ticker symbol the company has, primary first.
    tickers: List[str]
    #: Names it had before, newest first.
    formerNames: List[str]
    #: CIKs of its predecessor or successor, whose filings are listed together with its own.
    relatedCiks: List[str]
    #: Code of its industry in the Standard Industrial Classification, four digits; null where EDGAR gives
    #: none, as for people.
    sic: Optional[str]
    #: Name of that industry as EDGAR has it.
    sicDescription: Optional[str]
    #: What kind of filer it is, mostly by size, as EDGAR has it, e.g. `Large accelerated filer`; several
    #: are divided by `; `.
    category: Optional[str]
    #: What kind of entity it is, as EDGAR has it: `operating`, `investment` or `other`, for example.
    entityType: Optional[str]
    #: EDGAR's code of the state or country in which it is incorporated, e.g. `DE` for Delaware.
    stateOfIncorporation: Optional[str]
    #: Month and day on which its fiscal year ends, four digits `mmdd`, e.g. `0926`, as EDGAR has it.
    fiscalYearEnd: Optional[str]


class CompanyProfileResponse(TypedDict):
    """One company."""

    data: CompanyProfile
    meta: StatsMeta


class CompanySearchResponse(TypedDict):
    """Companies that match a search, best first."""

    data: List[Company]
    meta: SearchMeta


class CountByEventType(TypedDict):
    """Filings of one event family."""

    eventType: str
    count: int


class CountByForm(TypedDict):
    """Filings of one form type."""

    form: str
    count: int


class DemoResponseDataSampleQuery(TypedDict):
    """Part of another record."""

    description: str
    endpoint: str
    requiresSubscription: bool


class DemoResponseDataStats(TypedDict):
    """Part of another record."""

    companyCount: int
    filingCount: int
    latestIngestRun: Optional[HealthIngestRun]


class DemoResponseData(TypedDict):
    """Part of another record."""

    latestFilings: List[Filing]
    latestInsiderTrades: List[Filing]
    sampleQueries: List[DemoResponseDataSampleQuery]
    stats: DemoResponseDataStats


class DemoResponseMeta(TypedDict):
    """Part of another record."""

    docsUrl: str
    generatedAt: str
    subscribeUrl: str
    #: Always true: this is data, not advice.
    notInvestmentAdvice: Literal[True]
    sampleOnly: Literal[True]


class DemoResponse(TypedDict):
    """A public sample of what the keyed operations return."""

    data: DemoResponseData
    meta: DemoResponseMeta


class ErrorResponseError(TypedDict):
    """Part of another record."""

    code: Literal["invalid_parameter", "invalid_cursor", "unauthorized", "not_found", "company_not_found", "filing_not_found", "method_not_allowed", "not_acceptable", "payload_too_large", "unsupported_media_type", "range_not_satisfiable", "rate_limited", "internal_error", "overloaded", "snapshot_unavailable"]
    message: str


class ErrorResponse(TypedDict):
    """What went wrong: a code from a closed set, and a sentence for a person."""

    error: ErrorResponseError


class Event(TypedDict):
    """A filing seen as an event of a company."""

    #: EDGAR accession number, `<10 digits>-<2 digits>-<6 digits>`. One filing for each.
    accessionNo: str
    #: Name of the company that the filing belongs to, as EDGAR conforms it, when this was observed. A
    #: later name is in the profile of the company.
    companyName: str
    #: That company's primary ticker symbol in EDGAR's spelling (`BRK-B`) when this was observed; null if
    #: it had none.
    ticker: Optional[str]
    #: Form type as filed, e.g. `8-K`, `10-Q`, `10-K/A`.
    form: str
    #: Normalised event family of the form, e.g. `current_report`; `other_filing` if no other fits.
    #: Amendments keep the family.
    eventType: str
    #: Item codes of Form 8-K in the order given; empty for every other form. Numbers used before
    #: 2004-08-23 are given as their successors.
    items: List[str]
    #: EDGAR's filing date. A filing accepted after 17:30 Eastern usually carries the next business day.
    filedAt: Optional[str]
    #: Link to the filing's index page on www.sec.gov.
    detailUrl: Optional[str]
    #: When EDGAR accepted the filing: US Eastern wall clock, 14 digits `yyyymmddhhmmss`; null where the
    #: upstream clock cannot be decided.
    acceptanceDateTime: Optional[str]


class EventListResponse(TypedDict):
    """Events, newest first."""

    data: List[Event]
    meta: Meta


class Filing(TypedDict):
    """Metadata of one public securities filing."""

    #: EDGAR accession number, `<10 digits>-<2 digits>-<6 digits>`. One filing for each.
    accessionNo: str
    #: Name of the company that the filing belongs to, as EDGAR conforms it, when this was observed. A
    #: later name is in the profile of the company.
    companyName: str
    #: That company's primary ticker symbol in EDGAR's spelling (`BRK-B`) when this was observed; null if
    #: it had none.
    ticker: Optional[str]
    #: Form type as filed, e.g. `8-K`, `10-Q`, `10-K/A`.
    form: str
    #: Normalised event family of the form, e.g. `current_report`; `other_filing` if no other fits.
    #: Amendments keep the family.
    eventType: str
    #: Item codes of Form 8-K in the order given; empty for every other form. Numbers used before
    #: 2004-08-23 are given as their successors.
    items: List[str]
    #: EDGAR's filing date. A filing accepted after 17:30 Eastern usually carries the next business day.
    filedAt: Optional[str]
    #: Link to the filing's index page on www.sec.gov.
    detailUrl: Optional[str]
    #: When EDGAR accepted the filing: US Eastern wall clock, 14 digits `yyyymmddhhmmss`; null where the
    #: upstream clock cannot be decided.
    acceptanceDateTime: Optional[str]
    #: 10-digit CIK of the company the filing belongs to: the issuer for Forms 3, 4, 5 and 144, the subject
    #: company for Schedules 13D and 13G and tender offers, otherwise the filer. Of several filers it is
    #: the one whose login sent the filing (the first ten digits of the accession number), else one that
    #: had a ticker symbol, else the one with the lowest CIK; their order in the filing does not count.
    cik: str
    #: `acceptanceDateTime` as an instant: ISO 8601 with the Eastern offset, e.g.
    #: `2026-08-17T16:30:12-04:00`. In the hour that clocks show twice in autumn it has the offset from
    #: before the change.
    acceptedAt: Optional[str]
    #: Period end, date of the earliest event, transaction or meeting, as the form defines it; null where
    #: the form has none.
    reportDate: Optional[str]
    #: File name of the main document, with its folder where EDGAR gives one.
    primaryDocument: Optional[str]
    #: The filer's description of the main document.
    primaryDocDescription: Optional[str]
    #: Link to what a person reads: the primary document; of Forms 3, 4 and 5 and other XML forms the page
    #: that EDGAR makes of it. Null where EDGAR names no document, or one that it has no file for.
    documentUrl: Optional[str]
    #: Size of the whole submission in bytes.
    size: Optional[int]
    #: Whether the filing carries XBRL data.
    isXbrl: bool
    #: Whether that data is inline XBRL.
    isInlineXbrl: bool
    #: When this service first recorded the filing, UTC. It never changes afterwards.
    ingestedAt: Optional[str]
    #: Every company or person that the filing is known to name: the issuer or subject company first, then
    #: by CIK. A filing is listed under each of them.
    parties: List[Party]


class FilingLinks(TypedDict):
    """Addresses of a filing on www.sec.gov."""

    #: The page that lists its documents; the same as `detailUrl`.
    index: Optional[str]
    #: What a person reads; the same as `documentUrl`.
    document: Optional[str]
    #: The complete submission as one text file.
    text: Optional[str]
    #: The SGML header alone; null for filings before 2010 and on paper, for which EDGAR is not known to
    #: have it.
    header: Optional[str]
    #: The data of a Form 3, 4 or 5 as XML: persons, transactions, shares and prices, which are not part of
    #: this service. Null for other forms, and where the filing has none.
    xml: Optional[str]


class FilingListResponse(TypedDict):
    """Filings, newest first."""

    data: List[Filing]
    meta: Meta


class FilingSummary(TypedDict):
    """A filing with one sentence made from its metadata."""

    #: EDGAR accession number, `<10 digits>-<2 digits>-<6 digits>`. One filing for each.
    accessionNo: str
    #: Name of the company that the filing belongs to, as EDGAR conforms it, when this was observed. A
    #: later name is in the profile of the company.
    companyName: str
    #: That company's primary ticker symbol in EDGAR's spelling (`BRK-B`) when this was observed; null if
    #: it had none.
    ticker: Optional[str]
    #: Form type as filed, e.g. `8-K`, `10-Q`, `10-K/A`.
    form: str
    #: Normalised event family of the form, e.g. `current_report`; `other_filing` if no other fits.
    #: Amendments keep the family.
    eventType: str
    #: Item codes of Form 8-K in the order given; empty for every other form. Numbers used before
    #: 2004-08-23 are given as their successors.
    items: List[str]
    #: EDGAR's filing date. A filing accepted after 17:30 Eastern usually carries the next business day.
    filedAt: Optional[str]
    #: Link to the filing's index page on www.sec.gov.
    detailUrl: Optional[str]
    #: When EDGAR accepted the filing: US Eastern wall clock, 14 digits `yyyymmddhhmmss`; null where the
    #: upstream clock cannot be decided.
    acceptanceDateTime: Optional[str]
    #: 10-digit CIK of the company the filing belongs to: the issuer for Forms 3, 4, 5 and 144, the subject
    #: company for Schedules 13D and 13G and tender offers, otherwise the filer. Of several filers it is
    #: the one whose login sent the filing (the first ten digits of the accession number), else one that
    #: had a ticker symbol, else the one with the lowest CIK; their order in the filing does not count.
    cik: str
    #: `acceptanceDateTime` as an instant: ISO 8601 with the Eastern offset, e.g.
    #: `2026-08-17T16:30:12-04:00`. In the hour that clocks show twice in autumn it has the offset from
    #: before the change.
    acceptedAt: Optional[str]
    #: Period end, date of the earliest event, transaction or meeting, as the form defines it; null where
    #: the form has none.
    reportDate: Optional[str]
    #: File name of the main document, with its folder where EDGAR gives one.
    primaryDocument: Optional[str]
    #: The filer's description of the main document.
    primaryDocDescription: Optional[str]
    #: Link to what a person reads: the primary document; of Forms 3, 4 and 5 and other XML forms the page
    #: that EDGAR makes of it. Null where EDGAR names no document, or one that it has no file for.
    documentUrl: Optional[str]
    #: Size of the whole submission in bytes.
    size: Optional[int]
    #: Whether the filing carries XBRL data.
    isXbrl: bool
    #: Whether that data is inline XBRL.
    isInlineXbrl: bool
    #: When this service first recorded the filing, UTC. It never changes afterwards.
    ingestedAt: Optional[str]
    #: Every company or person that the filing is known to name: the issuer or subject company first, then
    #: by CIK. A filing is listed under each of them.
    parties: List[Party]
    #: One sentence made from the metadata alone.
    summary: str
    #: Titles of the items of Form 8-K, in the order of `items`; null for a code that the form does not
    #: have.
    itemTitles: List[Optional[str]]
    links: FilingLinks
    notInvestmentAdvice: Literal[True]


class FilingSummaryResponse(TypedDict):
    """One filing with its summary."""

    data: FilingSummary


class FilingsMeta(TypedDict):
    """Facts about an answer to accession numbers."""

    #: Filings in this answer.
    count: int
    #: The accession numbers that this service has no filing for, in the order asked.
    unknown: List[str]
    #: Newest filing date of the whole snapshot, whatever was asked for: an answer without rows says
    #: nothing about days after it. Null if it holds no filing.
    newestFiledAt: Optional[str]
    #: Always true: this is data, not advice.
    notInvestmentAdvice: Literal[True]


class FilingsResponse(TypedDict):
    """Filings with their summaries, in the order asked."""

    data: List[FilingSummary]
    meta: FilingsMeta


class FreshnessMeta(TypedDict):
    """When the data was made, whether it is stale, and how far it is proven to be complete."""

    #: When the data of this snapshot was last fetched, UTC.
    generatedAt: str
    #: Always true: this is data, not advice.
    notInvestmentAdvice: Literal[True]
    #: When EDGAR was last read without error, UTC.
    dataFetchedAt: Optional[str]
    #: From this instant on the data counts as stale, UTC. Hours of weekends and of federal holidays, on
    #: which EDGAR is closed, do not count towards it.
    staleAfter: Optional[str]
    #: Whether the data is stale now.
    stale: bool
    #: Whether the data is a sample made of recordings, for trying out, and not live.
    sample: bool
    #: The first day of the unbroken range of days whose filings were compared with EDGAR's daily indexes.
    #: Null if there is none.
    reconciledFrom: Optional[str]
    #: The last day of that range. Every filing that EDGAR lists in the range is served, or is one of
    #: `missingFilings`; `openFilings` are served without all their facts.
    reconciledThrough: Optional[str]
    #: Filings that are served, but whose documents are not known yet or about which EDGAR has not
    #: answered; `/reconciliation.json` says why. They are looked at again.
    openFilings: int
    #: Filings that EDGAR has withdrawn since: they stay as they were served, and `/reconciliation.json`
    #: names them.
    withdrawnFilings: int
    #: Filings that EDGAR lists and that could not be fetched or understood; `/reconciliation.json` says
    #: which and why.
    missingFilings: int


class HealthIngestRun(TypedDict):
    """One run of the ingest, in short."""

    #: What was asked for: the universe and the bound of the run.
    target: str
    #: `success`, or `partial` when anything was lost.
    status: str
    #: When the run was recorded, UTC.
    createdAt: str


class HealthResponseHeartbeat(TypedDict):
    """What the follower says that publishes here; null if there is none."""

    #: When the follower wrote it, UTC.
    writtenAt: str
    #: EDGAR was read without error then, and everything that it listed is served, UTC.
    readAt: str
    #: The newest acceptance that EDGAR has listed, UTC; null if it has told none.
    acceptedThrough: Optional[str]
    #: How long ago `readAt` was, in seconds.
    behindSeconds: int


class HealthResponsePointerSignature(TypedDict):
    """What the pointer to this snapshot says of itself; null if it is not signed."""

    number: int
    madeAt: str
    expiresAt: str
    #: Whether it has expired: no service takes it then, and a newer snapshot may exist.
    expired: bool
    #: Whether this service takes only pointers that its trusted key has signed.
    checked: bool
    #: How long this service refuses pointers that are older than one it accepted: `lasting`, or
    #: `this_process` if it forgets that when it restarts. Null if it does not check pointers.
    rollbackProtection: Optional[Literal["lasting", "this_process"]]


class HealthResponse(TypedDict):
    """Whether the service works, how fresh its data is, and how far it is proven to be complete."""

    #: `stale` when the data is older than promised; the service works all the same.
    status: Literal["ok", "stale"]
    version: str
    companyCount: int
    filingCount: int
    latestIngestRun: Optional[HealthIngestRun]
    #: Always true: this is data, not advice.
    notInvestmentAdvice: Literal[True]
    #: The snapshot that is being served.
    snapshotId: str
    #: When EDGAR was last read without error, UTC.
    dataFetchedAt: Optional[str]
    #: From this instant on the data counts as stale, UTC. Hours of weekends and of federal holidays, on
    #: which EDGAR is closed, do not count towards it.
    staleAfter: Optional[str]
    #: Whether the data is stale now.
    stale: bool
    #: Whether the data is a sample made of recordings, for trying out, and not live.
    sample: bool
    #: The first day of the unbroken range of days whose filings were compared with EDGAR's daily indexes.
    #: Null if there is none.
    reconciledFrom: Optional[str]
    #: The last day of that range. Every filing that EDGAR lists in the range is served, or is one of
    #: `missingFilings`; `openFilings` are served without all their facts.
    reconciledThrough: Optional[str]
    #: Filings that EDGAR lists and that could not be fetched or understood; `/reconciliation.json` says
    #: which and why.
    missingFilings: int
    #: Filings that are served, but whose documents are not known yet or about which EDGAR has not
    #: answered; `/reconciliation.json` says why. They are looked at again.
    openFilings: int
    #: Filings that EDGAR has withdrawn since: they stay as they were served, and `/reconciliation.json`
    #: names them.
    withdrawnFilings: int
    #: What the follower says that publishes here; null if there is none.
    heartbeat: Optional[HealthResponseHeartbeat]
    #: What the pointer to this snapshot says of itself; null if it is not signed.
    pointerSignature: Optional[HealthResponsePointerSignature]
    #: Since when the host that holds the snapshots could not be reached, UTC: what is served may not be
    #: the newest one. Null while it can, and for snapshots in a folder.
    unreachableSince: Optional[str]


class IngestRun(TypedDict):
    """One run of the ingest."""

    #: What was asked for: the universe and the bound of the run.
    target: str
    #: `success`, or `partial` when anything was lost.
    status: str
    #: What was lost and why; null if nothing was.
    message: Optional[str]
    #: When the run was recorded, UTC.
    createdAt: str


class Intent(TypedDict):
    """Something that a visitor of the catalog did."""

    market: str
    action: Literal["view", "request", "demo", "download", "marketplace"]
    #: A feed, dataset or workflow of the market; null for the market itself.
    target: Optional[str]
    #: The path that was asked.
    path: Optional[str]
    #: The page that led here, without its query.
    referrer: Optional[str]
    userAgent: Optional[str]
    createdAt: str


class IntentResponseData(TypedDict):
    """Part of another record."""

    market: str
    action: Literal["view", "request", "demo", "download", "marketplace"]
    #: A feed, dataset or workflow of the market; null for the market itself.
    target: Optional[str]
    #: False for prefetches, HEAD and programs that say they are bots.
    counted: bool
    #: Where it leads.
    url: str


class IntentResponseMeta(TypedDict):
    """Part of another record."""

    #: Whether this service keeps intents; one that does not counts none.
    intentsKept: bool
    notInvestmentAdvice: Literal[True]


class IntentResponse(TypedDict):
    """What was recorded."""

    data: IntentResponseData
    meta: IntentResponseMeta


class Meta(TypedDict):
    """Facts about a list answer."""

    #: Rows in this answer.
    count: int
    #: Pass it back as `cursor` for the next older rows; null when there are none.
    nextCursor: Optional[str]
    filters: AppliedFilters
    #: Newest filing date of the whole snapshot, whatever was asked for: an answer without rows says
    #: nothing about days after it. Null if it holds no filing.
    newestFiledAt: Optional[str]


class Party(TypedDict):
    """A company, fund or person that a filing names."""

    #: 10-digit CIK.
    cik: str
    #: Its name when this was observed; null if the service did not know it then.
    name: Optional[str]
    #: `issuer` and `reporting_owner` of an ownership form, `subject` and `filed_by` of a filing about
    #: another company, `filer`; null where EDGAR's answer does not tell.
    role: Optional[Literal["filer", "issuer", "reporting_owner", "subject", "filed_by"]]


class ProbeResponse(TypedDict):
    """The answer is yes. Otherwise there is an error or no answer."""

    status: Literal["ok"]


class ReadyResponsePointer(TypedDict):
    """The pointer that names the snapshot."""

    #: When it was signed, UTC; null if it is not signed.
    madeAt: Optional[str]
    #: How long ago that was; null if it is not signed.
    ageSeconds: Optional[int]
    #: Whether its signature has expired: the service goes on, but does not start with it.
    expired: Optional[bool]
    #: Since when the service has refused the pointer that is there, or could not read it, UTC: what is
    #: served may not be the newest. Null while all is well.
    refusedSince: Optional[str]


class ReadyResponse(TypedDict):
    """A snapshot is served. Otherwise there is an error or no answer."""

    status: Literal["ok"]
    #: The pointer that names the snapshot.
    pointer: ReadyResponsePointer


class ReferenceResponseForm(TypedDict):
    """Part of another record."""

    #: In EDGAR's own spelling. Its amendments, with `/A` behind it, are not listed and belong to the same
    #: family.
    form: str
    eventType: Literal["annual_report", "transition_report", "quarterly_report", "current_report", "foreign_current_report", "employee_plan_report", "shareholder_annual_report", "specialized_disclosure", "asset_backed_report", "late_filing_notice", "insider_initial_statement", "insider_transaction", "insider_annual_statement", "restricted_sale_notice", "beneficial_ownership_active", "beneficial_ownership_passive", "institutional_holdings", "short_position_report", "fund_proxy_vote", "proxy_statement", "preliminary_proxy", "proxy_additional_material", "information_statement", "registration_statement", "post_effective_amendment", "exchange_act_registration", "prospectus", "free_writing_prospectus", "draft_registration", "registration_effective", "registration_withdrawal", "exempt_offering", "regulation_a_offering", "regulation_a_report", "crowdfunding", "merger_communication", "tender_offer", "going_private", "board_change_notice", "delisting", "deregistration", "listing_certification", "trust_indenture", "issuer_correspondence", "sec_comment_letter", "sec_order", "fund_shareholder_report", "fund_holdings", "fund_census", "fund_current_report", "fund_fee_notice", "fund_registration", "fund_prospectus", "fund_other", "market_participant", "other_filing"]
    description: str
    #: Whether it amends an earlier filing although its name does not end in `/A`.
    amendsEarlier: bool
    #: The name that EDGAR has given it since; null if it still has this name.
    newName: Optional[str]


class ReferenceResponseItem(TypedDict):
    """Part of another record."""

    #: As EDGAR writes it: `2.02`, or `12` before 23 August 2004.
    code: str
    title: str
    regime: Literal["current", "before_2004"]
    #: The code under which the service gives an item of before 2004; null for current ones.
    successor: Optional[str]


class ReferenceResponseEventType(TypedDict):
    """Part of another record."""

    eventType: Literal["annual_report", "transition_report", "quarterly_report", "current_report", "foreign_current_report", "employee_plan_report", "shareholder_annual_report", "specialized_disclosure", "asset_backed_report", "late_filing_notice", "insider_initial_statement", "insider_transaction", "insider_annual_statement", "restricted_sale_notice", "beneficial_ownership_active", "beneficial_ownership_passive", "institutional_holdings", "short_position_report", "fund_proxy_vote", "proxy_statement", "preliminary_proxy", "proxy_additional_material", "information_statement", "registration_statement", "post_effective_amendment", "exchange_act_registration", "prospectus", "free_writing_prospectus", "draft_registration", "registration_effective", "registration_withdrawal", "exempt_offering", "regulation_a_offering", "regulation_a_report", "crowdfunding", "merger_communication", "tender_offer", "going_private", "board_change_notice", "delisting", "deregistration", "listing_certification", "trust_indenture", "issuer_correspondence", "sec_comment_letter", "sec_order", "fund_shareholder_report", "fund_holdings", "fund_census", "fund_current_report", "fund_fee_notice", "fund_registration", "fund_prospectus", "fund_other", "market_participant", "other_filing"]
    #: What one such filing is called in a sentence.
    name: str
    description: str
    #: What `reportDate` says in this family; null where it has several meanings or none.
    reportDate: Optional[Literal["period", "fiscal_year", "event", "transaction", "meeting"]]


class ReferenceResponseExchange(TypedDict):
    """Part of another record."""

    exchange: str
    description: str


class ReferenceResponseState(TypedDict):
    """Part of another record."""

    state: str
    name: str


class ReferenceResponseRole(TypedDict):
    """Part of another record."""

    role: Literal["filer", "issuer", "reporting_owner", "subject", "filed_by"]
    description: str


class ReferenceResponseSuccessor(TypedDict):
    """Part of another record."""

    predecessorCik: str
    successorCik: str
    #: From then on the successor was listed.
    since: str
    description: str
    #: Where EDGAR shows it.
    source: str


class ReferenceResponseChangeType(TypedDict):
    """Part of another record."""

    #: The first rule that holds decides. `amended`: The form amends an earlier filing, such as 10-K/A, or
    #: the entry corrects an earlier entry of the same filing: every entry with revision 2 or more does.
    #: `material_event`: A Form 8-K that reports more than exhibits (item 9.01). `new`: Everything else.
    changeType: Literal["amended", "material_event", "new"]
    description: str


class ReferenceResponseErrorCode(TypedDict):
    """Part of another record."""

    code: Literal["invalid_parameter", "invalid_cursor", "unauthorized", "not_found", "company_not_found", "filing_not_found", "method_not_allowed", "not_acceptable", "payload_too_large", "unsupported_media_type", "range_not_satisfiable", "rate_limited", "internal_error", "overloaded", "snapshot_unavailable"]
    status: int
    description: str
    advice: str


class ReferenceResponseVersionsHeader(TypedDict):
    """Part of another record."""

    header: str
    specification: str
    description: str


class ReferenceResponseVersionsDeprecation(TypedDict):
    """Part of another record."""

    #: Operations and tools whose answers announce it.
    operations: List[str]
    what: str
    instead: str
    announcedOn: str
    #: When it will be removed at the earliest.
    removedOn: str


class ReferenceResponseVersions(TypedDict):
    """What clients can rely on."""

    #: Path of the page about versions.
    docs: str
    #: What may change below `/v1/` at any time.
    mayChange: List[str]
    #: What does not change below `/v1/`.
    staysTheSame: List[str]
    #: How many months something deprecated stays at least, after it was announced.
    deprecatedForMonths: int
    #: The headers that announce the end of something.
    headers: List[ReferenceResponseVersionsHeader]
    #: What is deprecated now.
    deprecations: List[ReferenceResponseVersionsDeprecation]


class ReferenceResponse(TypedDict):
    """Every value that filters take and answers have, with what it means."""

    name: str
    version: str
    #: The known forms. Filters also take other forms that a filing of the service has; statistics count
    #: those.
    forms: List[ReferenceResponseForm]
    #: The items of Form 8-K, current ones first.
    items: List[ReferenceResponseItem]
    #: The event families.
    eventTypes: List[ReferenceResponseEventType]
    #: Values of a company's `exchange`; null where EDGAR names none.
    exchanges: List[ReferenceResponseExchange]
    #: Values of a company's `stateOfIncorporation`: states, provinces and countries.
    states: List[ReferenceResponseState]
    #: Values of a company's `sic`. Its `sicDescription` says which industry that is.
    sicCodes: List[str]
    #: What a company or person has to do with a filing.
    roles: List[ReferenceResponseRole]
    #: Companies whose listing moved to another CIK, in a list that is kept by hand: the ticker and each
    #: CIK find the filings of both.
    successors: List[ReferenceResponseSuccessor]
    #: Values of `changeType`. The first one that holds decides.
    changeTypes: List[ReferenceResponseChangeType]
    #: The closed set of error codes.
    errorCodes: List[ReferenceResponseErrorCode]
    #: What clients can rely on.
    versions: ReferenceResponseVersions
    notInvestmentAdvice: Literal[True]


class RootResponseOperation(TypedDict):
    """Part of another record."""

    #: Name of the operation in the schema document.
    id: str
    method: Literal["GET", "POST"]
    #: Parameters stand in braces.
    path: str
    #: A path and query that work here.
    example: str
    #: Whether it needs a key. Of the tools, only some need one.
    access: Literal["public", "keyed"]
    summary: str


class RootResponse(TypedDict):
    """Where everything is."""

    name: str
    version: str
    #: Path of the health check.
    status: str
    #: Path of the schema document.
    docs: str
    demo: str
    markets: str
    stats: str
    changes: str
    companySearch: str
    watchlistChanges: str
    #: Path of the lists of all values.
    reference: str
    #: Path of the schema document of the sample-only paths.
    openapiSamples: str
    #: Path of the Model Context Protocol endpoint.
    tools: str
    #: Path of the A2A endpoint.
    agent: str
    #: Every operation of the interface.
    operations: List[RootResponseOperation]
    #: Always true: this is data, not advice.
    notInvestmentAdvice: Literal[True]


class SearchMeta(TypedDict):
    """Facts about a search answer."""

    count: int
    query: str
    #: Whether these may not be all companies that match, or are guesses; `partialBecause` says why.
    partial: bool
    #: `missing_words`: no company was found that matches the whole query; these have at least half of its
    #: words. `few_letters`: no word has three letters, so companies without a ticker symbol were only
    #: found by whole words. `many_names`: so many names have these words that not all were looked at.
    #: Empty where these are all companies that match, or the best of them up to `limit`.
    partialBecause: List[Literal["missing_words", "few_letters", "many_names"]]
    #: A query that finds companies and differs by one letter of a word, or by two letters exchanged, where
    #: no company matches the whole query; else null.
    didYouMean: Optional[str]
    #: Always true: this is data, not advice.
    notInvestmentAdvice: Literal[True]


class Stats(TypedDict):
    """Counts over the whole snapshot."""

    companyCount: int
    filingCount: int
    #: Most frequent first.
    forms: List[CountByForm]
    #: Most frequent first.
    eventTypes: List[CountByEventType]
    latestFiling: Optional[Filing]
    latestIngestRun: Optional[IngestRun]


class StatsMeta(TypedDict):
    """When the data was made."""

    #: When the data of this snapshot was last fetched, UTC.
    generatedAt: str
    #: Always true: this is data, not advice.
    notInvestmentAdvice: Literal[True]


class StatsResponse(TypedDict):
    """Counts over the snapshot."""

    data: Stats
    meta: FreshnessMeta


class ValidationFunnel(TypedDict):
    """From looking at a market to wanting it."""

    market: str
    views: int
    requests: int
    demos: int
    downloads: int
    marketplaceClicks: int
    #: Requests, downloads and marketplace clicks together.
    strongIntent: int
    #: Strong intent by view; null without views.
    viewToStrongIntentRate: Optional[float]
    #: When the newest of these intents was recorded, UTC; null if there are none.
    lastSeenAt: Optional[str]
    #: When the newest of these intents was recorded, UTC; null if there are none.
    lastStrongIntentAt: Optional[str]


class ValidationStatsByMarket(TypedDict):
    """Part of another record."""

    market: str
    count: int
    #: When the newest of these intents was recorded, UTC; null if there are none.
    lastSeenAt: Optional[str]


class ValidationStatsByAction(TypedDict):
    """Part of another record."""

    market: str
    action: Literal["view", "request", "demo", "download", "marketplace"]
    count: int
    #: When the newest of these intents was recorded, UTC; null if there are none.
    lastSeenAt: Optional[str]


class ValidationStatsByTarget(TypedDict):
    """Part of another record."""

    market: str
    #: A feed, dataset or workflow of the market; null for the market itself.
    target: Optional[str]
    action: Literal["view", "request", "demo", "download", "marketplace"]
    count: int
    #: When the newest of these intents was recorded, UTC; null if there are none.
    lastSeenAt: Optional[str]


class ValidationStatsDaily(TypedDict):
    """Part of another record."""

    date: str
    market: str
    action: Literal["view", "request", "demo", "download", "marketplace"]
    count: int


class ValidationStats(TypedDict):
    """What visitors of the catalog wanted."""

    total: int
    #: Length of the window, which ends on the newest day that anything is known of.
    days: int
    byMarket: List[ValidationStatsByMarket]
    byAction: List[ValidationStatsByAction]
    byTarget: List[ValidationStatsByTarget]
    funnels: List[ValidationFunnel]
    targetFunnels: List[ValidationTargetFunnel]
    daily: List[ValidationStatsDaily]
    #: The newest ones.
    recent: List[Intent]


class ValidationStatsResponse(TypedDict):
    """What visitors of the catalog wanted."""

    data: ValidationStats
    meta: StatsMeta


class ValidationTargetFunnel(TypedDict):
    """From looking at a part of a market to wanting it."""

    market: str
    views: int
    requests: int
    demos: int
    downloads: int
    marketplaceClicks: int
    #: Requests, downloads and marketplace clicks together.
    strongIntent: int
    #: Strong intent by view; null without views.
    viewToStrongIntentRate: Optional[float]
    #: When the newest of these intents was recorded, UTC; null if there are none.
    lastSeenAt: Optional[str]
    #: When the newest of these intents was recorded, UTC; null if there are none.
    lastStrongIntentAt: Optional[str]
    #: A feed, dataset or workflow of the market; null for the market itself.
    target: Optional[str]


class WatchlistChangeBucket(TypedDict):
    """The changes of one company of a watchlist, or of an entry that names none."""

    #: The entry as it was asked; the first one, if several name the company.
    ticker: str
    #: All entries of the request that name the company, in the order asked.
    entries: List[str]
    #: Null if the entry is unknown.
    cik: Optional[str]
    #: Null if the entry is unknown.
    companyName: Optional[str]
    status: Literal["ok", "unknown_company"]
    count: int
    nextSince: Optional[str]
    #: Goes on after this bucket, here or at `/v1/sec/changes`; null if the entry is unknown.
    nextCursor: Optional[str]
    changes: List[Change]


class WatchlistChangesResponse(TypedDict):
    """Changes grouped by company."""

    data: List[WatchlistChangeBucket]
    meta: WatchlistMeta


class WatchlistMeta(TypedDict):
    """Facts about a watchlist answer."""

    #: All changes of all buckets.
    count: int
    #: How many buckets there are: distinct companies, and unknown entries.
    tickerCount: int
    since: str
    nextSince: Optional[str]
    #: Goes on after this answer for every entry at once.
    nextCursor: str
    filters: AppliedFilters
    #: Newest filing date of the whole snapshot, whatever was asked for: an answer without rows says
    #: nothing about days after it. Null if it holds no filing.
    newestFiledAt: Optional[str]
    #: Always true: this is data, not advice.
    notInvestmentAdvice: Literal[True]


class _AlwaysCallToolsAnswerError(TypedDict):
    code: int
    message: str


class CallToolsAnswerError(_AlwaysCallToolsAnswerError, total=False):
    """Part of another record."""

    data: Dict[str, Any]


class _AlwaysCallToolsAnswer(TypedDict):
    jsonrpc: Literal["2.0"]


class CallToolsAnswer(_AlwaysCallToolsAnswer, total=False):
    """Part of another record."""

    id: Optional[Union[str, int]]
    #: For `tools/call`: `structuredContent` is the REST answer with `detail` full, by default its compact
    #: form, in which filings have fewer members; `content` is a text that begins with what the data
    #: covers; `isError` is true if the call can be corrected. Text and structured content together have at
    #: most `maxTokens` tokens; a longer list has fewer rows. `_meta` of each text has its size. For
    #: `resources/read`: `contents` are the same text and the same structured content; for `prompts/get`,
    #: `messages` are a question and the texts of such resources.
    result: Dict[str, Any]
    error: CallToolsAnswerError


class Operations:
    """A method for each operation of the service. Example: `client.get_stats()`."""

    def _call(self, method: str, path: str, values: Mapping[str, Any], timeout: Optional[float] = None) -> Any:
        raise NotImplementedError

    def _file(self, path: str, values: Mapping[str, Any], timeout: Optional[float] = None) -> bytes:
        raise NotImplementedError

    def get_root(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> RootResponse:
        """Where everything is. Names the service and the paths of its documents and operations. A browser gets
        the landing page instead. Example: `client.get_root()`.
        """
        return self._call("GET", "/", {}, timeout)

    def get_health(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> HealthResponse:
        """Health and freshness. Says that the service works, what it serves, when its data was fetched and
        whether that is stale. Example: `client.get_health()`.
        """
        return self._call("GET", "/health", {}, timeout)

    def get_live(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> ProbeResponse:
        """Whether the process works. For a supervisor that restarts the process when it hangs: 200 whenever
        the process can answer, even without a snapshot. Example: `client.get_live()`.
        """
        return self._call("GET", "/livez", {}, timeout)

    def get_ready(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> ReadyResponse:
        """Whether a snapshot is served. For a load balancer: 200 while a snapshot is served, even if its data
        is stale; else 503. Also says how old the pointer to that snapshot is, and whether a newer one is
        refused. Example: `client.get_ready()`.
        """
        return self._call("GET", "/readyz", {}, timeout)

    def get_demo(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> DemoResponse:
        """Public sample. A sample of real filings in the format of the keyed operations. It needs no key.
        Example: `client.get_demo()`.
        """
        return self._call("GET", "/demo", {}, timeout)

    def get_openapi(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """OpenAPI description. The OpenAPI 3.1 description of the service. The same bytes stand at
        /.well-known/openapi.json. Example: `client.get_openapi()`.
        """
        return self._call("GET", "/openapi.json", {}, timeout)

    def get_reference(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> ReferenceResponse:
        """Every value and what it means. The known forms with their event families, the items of Form 8-K of
        both regimes, event families, exchanges, roles, change types and error codes. Example:
        `client.get_reference()`.
        """
        return self._call("GET", "/reference.json", {}, timeout)

    def list_latest_filings(
        self,
        *,
        form: Optional[Values] = None,
        event_type: Optional[Literal["annual_report", "transition_report", "quarterly_report", "current_report", "foreign_current_report", "employee_plan_report", "shareholder_annual_report", "specialized_disclosure", "asset_backed_report", "late_filing_notice", "insider_initial_statement", "insider_transaction", "insider_annual_statement", "restricted_sale_notice", "beneficial_ownership_active", "beneficial_ownership_passive", "institutional_holdings", "short_position_report", "fund_proxy_vote", "proxy_statement", "preliminary_proxy", "proxy_additional_material", "information_statement", "registration_statement", "post_effective_amendment", "exchange_act_registration", "prospectus", "free_writing_prospectus", "draft_registration", "registration_effective", "registration_withdrawal", "exempt_offering", "regulation_a_offering", "regulation_a_report", "crowdfunding", "merger_communication", "tender_offer", "going_private", "board_change_notice", "delisting", "deregistration", "listing_certification", "trust_indenture", "issuer_correspondence", "sec_comment_letter", "sec_order", "fund_shareholder_report", "fund_holdings", "fund_census", "fund_current_report", "fund_fee_notice", "fund_registration", "fund_prospectus", "fund_other", "market_participant", "other_filing"]] = None,
        items: Optional[Values] = None,
        since: Optional[str] = None,
        until: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> FilingListResponse:
        """Recent filings. Filings of all companies, or those that match every filter, newest first by filing
        date, acceptance time and accession number. Example: `client.list_latest_filings()`.

        form: Whole form types, up to 10 with commas between; a filing with any of them matches. Case and
            spaces are folded: `10-K` does not match `10-K/A`. A form that nobody files is an error that names
            the nearest ones, and so is a former name alone, unless a filing has it: `SC 13D,SCHEDULE 13D` spans
            a rename; `/reference.json` lists the forms.
        event_type: Event family; it spans the amendments of its forms. Case is folded. One that does not
            exist is an error that names the nearest ones; `/reference.json` says what each family is.
        items: Item codes of Form 8-K, up to 10 with commas between; a filing with any of them matches. A
            code that neither the list nor a filing has is an error that names the nearest ones; so is a form or
            family beside it that has no items. `/reference.json` says what each means.
        since: Inclusive lower bound of the filing date. A timestamp is accepted and counts as its written
            calendar date.
        until: Inclusive upper bound of the filing date, written as `since` is. An `until` before `since` is
            an error.
        limit: The most rows to return, 1 to 200.
        cursor: Goes on after an earlier answer: the `nextCursor` of its meta. `since` and `until` are taken
            from the cursor where they are left out, other filters from the request alone.
        """
        return self._call("GET", "/v1/sec/latest", {"form": form, "eventType": event_type, "items": items, "since": since, "until": until, "limit": limit, "cursor": cursor}, timeout)

    def list_changes(
        self,
        *,
        ticker: Optional[str] = None,
        tickers: Optional[Values] = None,
        form: Optional[Values] = None,
        event_type: Optional[Literal["annual_report", "transition_report", "quarterly_report", "current_report", "foreign_current_report", "employee_plan_report", "shareholder_annual_report", "specialized_disclosure", "asset_backed_report", "late_filing_notice", "insider_initial_statement", "insider_transaction", "insider_annual_statement", "restricted_sale_notice", "beneficial_ownership_active", "beneficial_ownership_passive", "institutional_holdings", "short_position_report", "fund_proxy_vote", "proxy_statement", "preliminary_proxy", "proxy_additional_material", "information_statement", "registration_statement", "post_effective_amendment", "exchange_act_registration", "prospectus", "free_writing_prospectus", "draft_registration", "registration_effective", "registration_withdrawal", "exempt_offering", "regulation_a_offering", "regulation_a_report", "crowdfunding", "merger_communication", "tender_offer", "going_private", "board_change_notice", "delisting", "deregistration", "listing_certification", "trust_indenture", "issuer_correspondence", "sec_comment_letter", "sec_order", "fund_shareholder_report", "fund_holdings", "fund_census", "fund_current_report", "fund_fee_notice", "fund_registration", "fund_prospectus", "fund_other", "market_participant", "other_filing"]] = None,
        items: Optional[Values] = None,
        since: Optional[str] = None,
        until: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        wait: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> ChangeListResponse:
        """Change feed. Changes in the order in which the service observed them, oldest first. Begin with
        `since`, then follow `meta.nextCursor`: every change that matches arrives exactly once, across any
        number of rebuilds. A filing that is corrected later has a further entry, with `revision` 2 or more
        and the names of the members that changed in `corrected`. `since` may be left out when `cursor` is
        given. `ticker` narrows it to one company, `tickers` to several: one cursor goes on for all of them,
        and a change that concerns several of them comes once. With `Accept: text/event-stream` it is a
        stream: see the documentation of polling. Example: `client.list_changes()`.

        ticker: Ticker symbol or 10-digit CIK. Case is folded, and `.`, `-` and `/` are one. Symbols of fund
            classes (`VFIAX`) are not known: name the CIK of the fund.
        tickers: Ticker symbols or 10-digit CIKs, separated by commas, at most 25.
        form: Whole form types, up to 10 with commas between; a filing with any of them matches. Case and
            spaces are folded: `10-K` does not match `10-K/A`. A form that nobody files is an error that names
            the nearest ones, and so is a former name alone, unless a filing has it: `SC 13D,SCHEDULE 13D` spans
            a rename; `/reference.json` lists the forms.
        event_type: Event family; it spans the amendments of its forms. Case is folded. One that does not
            exist is an error that names the nearest ones; `/reference.json` says what each family is.
        items: Item codes of Form 8-K, up to 10 with commas between; a filing with any of them matches. A
            code that neither the list nor a filing has is an error that names the nearest ones; so is a form or
            family beside it that has no items. `/reference.json` says what each means.
        since: Inclusive lower bound of the filing date. A timestamp is accepted and counts as its written
            calendar date.
        until: Inclusive upper bound of the filing date, written as `since` is. An `until` before `since` is
            an error.
        limit: The most rows to return, 1 to 200.
        cursor: Goes on after an earlier answer: the `nextCursor` of its meta. `since` and `until` are taken
            from the cursor where they are left out, other filters from the request alone.
        wait: Seconds, up to 60: an answer that would be empty is held until something that matches is
            published, or the time is over. Follow the cursor as ever; what is published between two requests is
            not missed.
        """
        return self._call("GET", "/v1/sec/changes", {"ticker": ticker, "tickers": tickers, "form": form, "eventType": event_type, "items": items, "since": since, "until": until, "limit": limit, "cursor": cursor, "wait": wait}, timeout)

    def list_watchlist_changes(
        self,
        tickers: Values,
        *,
        form: Optional[Values] = None,
        event_type: Optional[Literal["annual_report", "transition_report", "quarterly_report", "current_report", "foreign_current_report", "employee_plan_report", "shareholder_annual_report", "specialized_disclosure", "asset_backed_report", "late_filing_notice", "insider_initial_statement", "insider_transaction", "insider_annual_statement", "restricted_sale_notice", "beneficial_ownership_active", "beneficial_ownership_passive", "institutional_holdings", "short_position_report", "fund_proxy_vote", "proxy_statement", "preliminary_proxy", "proxy_additional_material", "information_statement", "registration_statement", "post_effective_amendment", "exchange_act_registration", "prospectus", "free_writing_prospectus", "draft_registration", "registration_effective", "registration_withdrawal", "exempt_offering", "regulation_a_offering", "regulation_a_report", "crowdfunding", "merger_communication", "tender_offer", "going_private", "board_change_notice", "delisting", "deregistration", "listing_certification", "trust_indenture", "issuer_correspondence", "sec_comment_letter", "sec_order", "fund_shareholder_report", "fund_holdings", "fund_census", "fund_current_report", "fund_fee_notice", "fund_registration", "fund_prospectus", "fund_other", "market_participant", "other_filing"]] = None,
        items: Optional[Values] = None,
        since: Optional[str] = None,
        until: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        wait: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> WatchlistChangesResponse:
        """Changes of a watchlist. Changes of up to 25 companies, grouped by company, oldest first in each.
        Entries that name the same company share a bucket. `limit` holds for each bucket. Without `since` it
        begins 30 days before the newest filing of the snapshot, or before `until` if that is earlier. An
        unknown entry has a bucket that says so. Example: `client.list_watchlist_changes("AAPL,MSFT")`.

        tickers: Ticker symbols or 10-digit CIKs, separated by commas, at most 25.
        form: Whole form types, up to 10 with commas between; a filing with any of them matches. Case and
            spaces are folded: `10-K` does not match `10-K/A`. A form that nobody files is an error that names
            the nearest ones, and so is a former name alone, unless a filing has it: `SC 13D,SCHEDULE 13D` spans
            a rename; `/reference.json` lists the forms.
        event_type: Event family; it spans the amendments of its forms. Case is folded. One that does not
            exist is an error that names the nearest ones; `/reference.json` says what each family is.
        items: Item codes of Form 8-K, up to 10 with commas between; a filing with any of them matches. A
            code that neither the list nor a filing has is an error that names the nearest ones; so is a form or
            family beside it that has no items. `/reference.json` says what each means.
        since: Inclusive lower bound of the filing date. A timestamp is accepted and counts as its written
            calendar date.
        until: Inclusive upper bound of the filing date, written as `since` is. An `until` before `since` is
            an error.
        limit: The most rows to return, 1 to 200.
        cursor: Goes on after an earlier answer: the `nextCursor` of its meta. `since` and `until` are taken
            from the cursor where they are left out, other filters from the request alone.
        wait: Seconds, up to 60: an answer that would be empty is held until something that matches is
            published, or the time is over. Follow the cursor as ever; what is published between two requests is
            not missed.
        """
        return self._call("GET", "/v1/sec/watchlist/changes", {"tickers": tickers, "form": form, "eventType": event_type, "items": items, "since": since, "until": until, "limit": limit, "cursor": cursor, "wait": wait}, timeout)

    def list_companies(
        self,
        *,
        sic: Optional[Values] = None,
        state: Optional[Values] = None,
        exchange: Optional[Values] = None,
        listed: Optional[bool] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> CompanyListResponse:
        """List of companies. Every company that has a profile, or those that match every filter, by CIK, with
        the facts of their profiles. Follow `meta.nextCursor` to the end: where several filters rarely match
        together, a page has fewer rows than `limit`, or none, although there are more. Example:
        `client.list_companies()`.

        sic: Codes of industries in the Standard Industrial Classification, four digits, up to 10 with
            commas between; a company with any of them matches. One that EDGAR does not have is an error that
            names the nearest ones; `/reference.json` lists them.
        state: EDGAR's codes of the states or countries of incorporation. Case is folded, up to 10 with
            commas between; a company with any of them matches. One that EDGAR does not have is an error that
            names the nearest ones; `/reference.json` lists them.
        exchange: Exchanges. Case is folded, up to 10 with commas between; a company with any of them
            matches. One that EDGAR does not have is an error that names the nearest ones; `/reference.json`
            lists them.
        listed: Whether the company has a ticker symbol: `true` for those that have one, `false` for all
            others.
        limit: The most rows to return, 1 to 200.
        cursor: Goes on after an earlier answer: the `nextCursor` of its meta. `since` and `until` are taken
            from the cursor where they are left out, other filters from the request alone.
        """
        return self._call("GET", "/v1/sec/companies", {"sic": sic, "state": state, "exchange": exchange, "listed": listed, "limit": limit, "cursor": cursor}, timeout)

    def search_companies(
        self,
        q: str,
        *,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> CompanySearchResponse:
        """Find companies. Companies by ticker symbol (an exact one first), by CIK, or by the beginnings (three
        letters or more) of the words of a present or former name. Case, accents and punctuation fold;
        listed companies come first. Example: `client.search_companies("apple")`.

        q: A ticker symbol, a CIK, or the beginnings of words of a present or former name; at least 2
            characters. Fewer than three letters of a word find companies with a ticker symbol.
        limit: The most rows to return, 1 to 200.
        """
        return self._call("GET", "/v1/sec/companies/search", {"q": q, "limit": limit}, timeout)

    def get_company_profile(
        self,
        ticker: str,
        *,
        timeout: Optional[float] = None,
    ) -> CompanyProfileResponse:
        """Company profile. One company with its industry, kind of filer and fiscal year, its counts by form
        and its newest filing. Example: `client.get_company_profile("AAPL")`.

        ticker: Ticker symbol or 10-digit CIK. Case is folded, and `.`, `-` and `/` are one. Symbols of fund
            classes (`VFIAX`) are not known: name the CIK of the fund.
        """
        return self._call("GET", "/v1/sec/company/{ticker}/profile", {"ticker": ticker}, timeout)

    def list_company_filings(
        self,
        ticker: str,
        *,
        form: Optional[Values] = None,
        event_type: Optional[Literal["annual_report", "transition_report", "quarterly_report", "current_report", "foreign_current_report", "employee_plan_report", "shareholder_annual_report", "specialized_disclosure", "asset_backed_report", "late_filing_notice", "insider_initial_statement", "insider_transaction", "insider_annual_statement", "restricted_sale_notice", "beneficial_ownership_active", "beneficial_ownership_passive", "institutional_holdings", "short_position_report", "fund_proxy_vote", "proxy_statement", "preliminary_proxy", "proxy_additional_material", "information_statement", "registration_statement", "post_effective_amendment", "exchange_act_registration", "prospectus", "free_writing_prospectus", "draft_registration", "registration_effective", "registration_withdrawal", "exempt_offering", "regulation_a_offering", "regulation_a_report", "crowdfunding", "merger_communication", "tender_offer", "going_private", "board_change_notice", "delisting", "deregistration", "listing_certification", "trust_indenture", "issuer_correspondence", "sec_comment_letter", "sec_order", "fund_shareholder_report", "fund_holdings", "fund_census", "fund_current_report", "fund_fee_notice", "fund_registration", "fund_prospectus", "fund_other", "market_participant", "other_filing"]] = None,
        items: Optional[Values] = None,
        since: Optional[str] = None,
        until: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> FilingListResponse:
        """Filing history of a company. Every filing that names the company, or those of them that match every
        filter, newest first. Example: `client.list_company_filings("AAPL")`.

        ticker: Ticker symbol or 10-digit CIK. Case is folded, and `.`, `-` and `/` are one. Symbols of fund
            classes (`VFIAX`) are not known: name the CIK of the fund.
        form: Whole form types, up to 10 with commas between; a filing with any of them matches. Case and
            spaces are folded: `10-K` does not match `10-K/A`. A form that nobody files is an error that names
            the nearest ones, and so is a former name alone, unless a filing has it: `SC 13D,SCHEDULE 13D` spans
            a rename; `/reference.json` lists the forms.
        event_type: Event family; it spans the amendments of its forms. Case is folded. One that does not
            exist is an error that names the nearest ones; `/reference.json` says what each family is.
        items: Item codes of Form 8-K, up to 10 with commas between; a filing with any of them matches. A
            code that neither the list nor a filing has is an error that names the nearest ones; so is a form or
            family beside it that has no items. `/reference.json` says what each means.
        since: Inclusive lower bound of the filing date. A timestamp is accepted and counts as its written
            calendar date.
        until: Inclusive upper bound of the filing date, written as `since` is. An `until` before `since` is
            an error.
        limit: The most rows to return, 1 to 200.
        cursor: Goes on after an earlier answer: the `nextCursor` of its meta. `since` and `until` are taken
            from the cursor where they are left out, other filters from the request alone.
        """
        return self._call("GET", "/v1/sec/company/{ticker}/filings", {"ticker": ticker, "form": form, "eventType": event_type, "items": items, "since": since, "until": until, "limit": limit, "cursor": cursor}, timeout)

    def list_company_events(
        self,
        ticker: str,
        *,
        form: Optional[Values] = None,
        event_type: Optional[Literal["annual_report", "transition_report", "quarterly_report", "current_report", "foreign_current_report", "employee_plan_report", "shareholder_annual_report", "specialized_disclosure", "asset_backed_report", "late_filing_notice", "insider_initial_statement", "insider_transaction", "insider_annual_statement", "restricted_sale_notice", "beneficial_ownership_active", "beneficial_ownership_passive", "institutional_holdings", "short_position_report", "fund_proxy_vote", "proxy_statement", "preliminary_proxy", "proxy_additional_material", "information_statement", "registration_statement", "post_effective_amendment", "exchange_act_registration", "prospectus", "free_writing_prospectus", "draft_registration", "registration_effective", "registration_withdrawal", "exempt_offering", "regulation_a_offering", "regulation_a_report", "crowdfunding", "merger_communication", "tender_offer", "going_private", "board_change_notice", "delisting", "deregistration", "listing_certification", "trust_indenture", "issuer_correspondence", "sec_comment_letter", "sec_order", "fund_shareholder_report", "fund_holdings", "fund_census", "fund_current_report", "fund_fee_notice", "fund_registration", "fund_prospectus", "fund_other", "market_participant", "other_filing"]] = None,
        items: Optional[Values] = None,
        since: Optional[str] = None,
        until: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> EventListResponse:
        """Event feed of a company. The same filings as events, newest first. Example:
        `client.list_company_events("AAPL")`.

        ticker: Ticker symbol or 10-digit CIK. Case is folded, and `.`, `-` and `/` are one. Symbols of fund
            classes (`VFIAX`) are not known: name the CIK of the fund.
        form: Whole form types, up to 10 with commas between; a filing with any of them matches. Case and
            spaces are folded: `10-K` does not match `10-K/A`. A form that nobody files is an error that names
            the nearest ones, and so is a former name alone, unless a filing has it: `SC 13D,SCHEDULE 13D` spans
            a rename; `/reference.json` lists the forms.
        event_type: Event family; it spans the amendments of its forms. Case is folded. One that does not
            exist is an error that names the nearest ones; `/reference.json` says what each family is.
        items: Item codes of Form 8-K, up to 10 with commas between; a filing with any of them matches. A
            code that neither the list nor a filing has is an error that names the nearest ones; so is a form or
            family beside it that has no items. `/reference.json` says what each means.
        since: Inclusive lower bound of the filing date. A timestamp is accepted and counts as its written
            calendar date.
        until: Inclusive upper bound of the filing date, written as `since` is. An `until` before `since` is
            an error.
        limit: The most rows to return, 1 to 200.
        cursor: Goes on after an earlier answer: the `nextCursor` of its meta. `since` and `until` are taken
            from the cursor where they are left out, other filters from the request alone.
        """
        return self._call("GET", "/v1/sec/company/{ticker}/events", {"ticker": ticker, "form": form, "eventType": event_type, "items": items, "since": since, "until": until, "limit": limit, "cursor": cursor}, timeout)

    def list_insider_trades(
        self,
        *,
        ticker: Optional[str] = None,
        form: Optional[Values] = None,
        event_type: Optional[Literal["annual_report", "transition_report", "quarterly_report", "current_report", "foreign_current_report", "employee_plan_report", "shareholder_annual_report", "specialized_disclosure", "asset_backed_report", "late_filing_notice", "insider_initial_statement", "insider_transaction", "insider_annual_statement", "restricted_sale_notice", "beneficial_ownership_active", "beneficial_ownership_passive", "institutional_holdings", "short_position_report", "fund_proxy_vote", "proxy_statement", "preliminary_proxy", "proxy_additional_material", "information_statement", "registration_statement", "post_effective_amendment", "exchange_act_registration", "prospectus", "free_writing_prospectus", "draft_registration", "registration_effective", "registration_withdrawal", "exempt_offering", "regulation_a_offering", "regulation_a_report", "crowdfunding", "merger_communication", "tender_offer", "going_private", "board_change_notice", "delisting", "deregistration", "listing_certification", "trust_indenture", "issuer_correspondence", "sec_comment_letter", "sec_order", "fund_shareholder_report", "fund_holdings", "fund_census", "fund_current_report", "fund_fee_notice", "fund_registration", "fund_prospectus", "fund_other", "market_participant", "other_filing"]] = None,
        items: Optional[Values] = None,
        since: Optional[str] = None,
        until: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> FilingListResponse:
        """Insider filings. Metadata of Forms 3, 4 and 5 with their amendments, newest first; `ticker` narrows
        it to one issuer. Other forms and families are refused, and so is `items`, because these forms have
        none. Share counts and prices are not part of it: `documentUrl` leads to the form, and `links.xml`
        of a summary to its data. Example: `client.list_insider_trades()`.

        ticker: Ticker symbol or 10-digit CIK. Case is folded, and `.`, `-` and `/` are one. Symbols of fund
            classes (`VFIAX`) are not known: name the CIK of the fund.
        form: Whole form types, up to 10 with commas between; a filing with any of them matches. Case and
            spaces are folded: `10-K` does not match `10-K/A`. A form that nobody files is an error that names
            the nearest ones, and so is a former name alone, unless a filing has it: `SC 13D,SCHEDULE 13D` spans
            a rename; `/reference.json` lists the forms.
        event_type: Event family; it spans the amendments of its forms. Case is folded. One that does not
            exist is an error that names the nearest ones; `/reference.json` says what each family is.
        items: Item codes of Form 8-K, up to 10 with commas between; a filing with any of them matches. A
            code that neither the list nor a filing has is an error that names the nearest ones; so is a form or
            family beside it that has no items. `/reference.json` says what each means.
        since: Inclusive lower bound of the filing date. A timestamp is accepted and counts as its written
            calendar date.
        until: Inclusive upper bound of the filing date, written as `since` is. An `until` before `since` is
            an error.
        limit: The most rows to return, 1 to 200.
        cursor: Goes on after an earlier answer: the `nextCursor` of its meta. `since` and `until` are taken
            from the cursor where they are left out, other filters from the request alone.
        """
        return self._call("GET", "/v1/sec/insider-trades", {"ticker": ticker, "form": form, "eventType": event_type, "items": items, "since": since, "until": until, "limit": limit, "cursor": cursor}, timeout)

    def get_filing_summary(
        self,
        accession_no: str,
        *,
        timeout: Optional[float] = None,
    ) -> FilingSummaryResponse:
        """Summary of a filing. One filing with a sentence made from its metadata alone, the titles of its
        items, and its addresses on www.sec.gov. Example:
        `client.get_filing_summary("0000320193-25-000079")`.

        accession_no: Accession number, `<10 digits>-<2 digits>-<6 digits>`, or its 18 digits without
            dashes.
        """
        return self._call("GET", "/v1/sec/forms/{accessionNo}/summary", {"accessionNo": accession_no}, timeout)

    def get_filings(
        self,
        accession_nos: Values,
        *,
        timeout: Optional[float] = None,
    ) -> FilingsResponse:
        """Filings by accession number. Up to 50 filings by their accession numbers, in the order asked, each
        as the summary of a filing gives it. `meta.unknown` names those that this service does not have.
        Example: `client.get_filings("0000320193-25-000079,0001045810-26-000021")`.

        accession_nos: Accession numbers, each as in `accessionNo`, separated by commas, at most 50. One
            that is given twice counts once.
        """
        return self._call("GET", "/v1/sec/filings", {"accessionNos": accession_nos}, timeout)

    def list_bulk_files(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> BulkListResponse:
        """Files of the whole change feed. The whole change feed as files, in its order: JSON Lines of the rows
        that `/v1/sec/changes` gives, compressed with gzip. Each file but the last is closed: its name,
        bytes and digest never change, so a mirror fetches what it does not have yet and the last file anew.
        `meta.nextCursor` goes on after the last row in the feed. Example: `client.list_bulk_files()`.
        """
        return self._call("GET", "/v1/sec/bulk", {}, timeout)

    def get_bulk_file(
        self,
        file: str,
        *,
        timeout: Optional[float] = None,
    ) -> bytes:
        """A file of the change feed. One of the files that `/v1/sec/bulk` lists, as it is: `Accept-Encoding`
        changes nothing. A download that broke off goes on with `Range`, and with the `ETag` in `If-Range`
        it begins again if the file has grown meanwhile. `Repr-Digest` is the SHA-256 of the whole file.
        Example: `client.get_bulk_file("changes-000000000001.jsonl.gz")`.

        file: Name of a file, as the list of files gives it.
        """
        return self._file("/v1/sec/bulk/{file}", {"file": file}, timeout)

    def get_stats(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> StatsResponse:
        """Counts and freshness. Counts by form and by event family, the newest filing and the newest run of
        the ingest. Example: `client.get_stats()`.
        """
        return self._call("GET", "/v1/sec/stats", {}, timeout)

    def get_validation_stats(
        self,
        *,
        days: Optional[Literal[1, 7, 30, 90]] = None,
        timeout: Optional[float] = None,
    ) -> ValidationStatsResponse:
        """What visitors of the catalog wanted. Counts of the intents of the validation catalog in a window of
        days: by market, by target, by day, and as funnels from looking to wanting. Example:
        `client.get_validation_stats()`.

        days: Length of the window in days: 1, 7, 30, 90.
        """
        return self._call("GET", "/v1/validation/stats", {"days": days}, timeout)

    def call_tools(
        self,
        message: Mapping[str, Any],
        *,
        timeout: Optional[float] = None,
    ) -> CallToolsAnswer:
        """Tools for assistants. The Model Context Protocol over stateless streamable HTTP with JSON answers,
        revisions 2025-03-26 to 2025-11-25 and 2026-07-28. The handshake, lists, the resources
        `reference://…` and the tools `sec_demo_latest_filings` and `sec_subscription_info` need no key;
        other tools and resources, prompts, and the completion of companies take the key of direct access.
        Example: `client.call_tools()`.

        message: The body of the request.
        """
        return self._call("POST", "/mcp", {"message": message}, timeout)

    def record_intent(
        self,
        market: str,
        action: Literal["view", "request", "demo", "download", "marketplace"],
        *,
        target: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> IntentResponse:
        """Record an intent. Records what a visitor of the catalog did, without an IP address or a cookie. A
        browser is redirected; other clients get JSON that says what was recorded. Prefetches, HEAD requests
        and programs that say they are bots are not counted. Example:
        `client.record_intent("consumer-product-safety", "view")`.

        market: Slug of a market.
        action: What the visitor did.
        target: Slug of a feed, dataset or workflow of the market.
        """
        return self._call("GET", "/validate/{market}/{action}", {"market": market, "action": action, "target": target}, timeout)

    def post_intent(
        self,
        market: str,
        action: Literal["view", "request", "demo", "download", "marketplace"],
        *,
        target: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> IntentResponse:
        """Record an intent by POST. Records what a visitor of the catalog did, without an IP address or a
        cookie. A browser is redirected; other clients get JSON that says what was recorded. Prefetches,
        HEAD requests and programs that say they are bots are not counted. Example:
        `client.post_intent("consumer-product-safety", "view")`.

        market: Slug of a market.
        action: What the visitor did.
        target: Slug of a feed, dataset or workflow of the market.
        """
        return self._call("POST", "/validate/{market}/{action}", {"market": market, "action": action, "target": target}, timeout)


#: The operations whose pages go back through history.
PAGED_OPERATIONS = (
    "list_latest_filings",
    "list_companies",
    "list_company_filings",
    "list_company_events",
    "list_insider_trades",
)
