"""A copy of the log in SQLite or Postgres."""
from __future__ import annotations

import json
import os
import pathlib
import sqlite3
import time
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple, Union

from ._files import OpenFileChanged, changes_in, fetch_file
from ._generated import Change, Values
from ._iterate import Rows
from ._pauses import pause_after, sleep
from ._source import PAGE_ROWS
from .cursor import change_key
from .errors import FilingEventsError
from .waiting import LONGEST_WAIT

if TYPE_CHECKING:
    from .client import Client

#: The most companies of a request. A longer list is asked for in parts, each with a cursor of its own.
TICKERS_MAXIMUM = 25
FIRST_DAY = "1993-01-01"
#: How often the list of files is read anew because the open file has grown between the list and its download.
LISTINGS_MAXIMUM = 5
#: How often a mirror that goes on looks for files of the log that its folder lacks: one is closed in some days.
_FILES_EVERY = 24 * 3600

#: The columns of `filings` behind its key, as the export has them: name, type, member of the change or of its filing.
FILING_COLUMNS = (
    ("sequence", "INTEGER NOT NULL", "sequence"),
    ("revision", "INTEGER NOT NULL", "revision"),
    ("cik", "TEXT", "cik"),
    ("ticker", "TEXT", "ticker"),
    ("company_name", "TEXT", "companyName"),
    ("form", "TEXT", "form"),
    ("event_type", "TEXT", "eventType"),
    ("items", "TEXT", "items"),
    ("filed_at", "TEXT", "filedAt"),
    ("accepted_at", "TEXT", "acceptedAt"),
    ("observed_at", "TEXT", "observedAt"),
    ("detail_url", "TEXT", "detailUrl"),
    ("acceptance_date_time", "TEXT", "acceptanceDateTime"),
    ("report_date", "TEXT", "reportDate"),
    ("primary_document", "TEXT", "primaryDocument"),
    ("primary_doc_description", "TEXT", "primaryDocDescription"),
    ("document_url", "TEXT", "documentUrl"),
    ("size", "BIGINT", "size"),
    ("is_xbrl", "INTEGER", "isXbrl"),
    ("is_inline_xbrl", "INTEGER", "isInlineXbrl"),
    ("ingested_at", "TEXT", "ingestedAt"),
)
COLUMNS = [name for name, _, _ in FILING_COLUMNS]
# `changes` is the log, `filings` the newest entry of each filing, `parties` whom it names, `progress` how far each part of
# the mirror is. Part 0 is the whole feed, the others are parts of a list of companies.
SCHEMA = (
    """CREATE TABLE IF NOT EXISTS changes (sequence INTEGER PRIMARY KEY, accession_no TEXT NOT NULL,
  revision INTEGER NOT NULL, change TEXT NOT NULL)""",
    "CREATE TABLE IF NOT EXISTS filings (accession_no TEXT PRIMARY KEY, "
    + ", ".join(f"{name} {type}" for name, type, _ in FILING_COLUMNS)
    + ")",
    """CREATE TABLE IF NOT EXISTS parties (accession_no TEXT NOT NULL, number INTEGER NOT NULL, cik TEXT NOT NULL,
  name TEXT, role TEXT, PRIMARY KEY (accession_no, number))""",
    "CREATE TABLE IF NOT EXISTS progress (part INTEGER PRIMARY KEY, cursor TEXT NOT NULL, ciks TEXT NOT NULL)",
)
WRITE_CHANGE = "INSERT INTO changes VALUES (?, ?, ?, ?) ON CONFLICT (sequence) DO NOTHING"
# A correction has the accession number of its filing and replaces it. Each bucket of a watchlist goes on by itself,
# so an older revision can come after a newer one. Then the newer one stays.
WRITE_FILING = f"""INSERT INTO filings (accession_no, {", ".join(COLUMNS)}) VALUES (?{", ?" * len(COLUMNS)})
  ON CONFLICT (accession_no) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in COLUMNS)}
  WHERE excluded.revision > filings.revision"""
IS_CURRENT = "SELECT sequence FROM filings WHERE accession_no = ? AND sequence = ?"
REMOVE_PARTIES = "DELETE FROM parties WHERE accession_no = ?"
WRITE_PARTY = "INSERT INTO parties VALUES (?, ?, ?, ?, ?) ON CONFLICT (accession_no, number) DO NOTHING"
WRITE_PROGRESS = """INSERT INTO progress VALUES (?, ?, ?)
  ON CONFLICT (part) DO UPDATE SET cursor = excluded.cursor, ciks = excluded.ciks"""
READ_FILINGS = """SELECT change FROM filings JOIN changes ON changes.sequence = filings.sequence
  WHERE filings.accession_no > ? ORDER BY filings.accession_no LIMIT 1000"""
READ_STORED = """SELECT change FROM filings JOIN changes ON changes.sequence = filings.sequence
  WHERE filings.accession_no = ?"""


class MirrorStep(NamedTuple):
    """Something was read. Example: `MirrorStep(2, "2026-08-31", [])`."""

    changes: int
    #: The newest filing date of the service, whatever is mirrored.
    newest_filed_at: Optional[str]
    #: Entries of the list of companies that the service does not know.
    unknown: List[str]


class Mirror:
    """Keeps a database in step with the log: `changes` has each entry, `filings` the newest one of each filing.

    Rows and cursor are written together: kill it whenever you like. Its functions raise `mirror_mismatch` if the service
    no longer has what is in the database. The database is the path of an SQLite file, or a
    connection of `sqlite3` or of a driver for Postgres (`psycopg`, `psycopg2`), which this uses alone.

    Example: `for step in client.mirror("filings.db").follow(): print(step.changes)`.
    """

    def __init__(
        self,
        client: "Client",
        database: Any,
        tickers: Optional[Values] = None,
        since: Optional[str] = None,
        folder: Union[None, str, "os.PathLike[str]"] = None,
    ) -> None:
        self._client = client
        self._database = database
        self._since = since
        self._folder = None if folder is None else pathlib.Path(folder)
        self._parts: List[Optional[Sequence[str]]] = [None]
        if tickers is not None:
            tickers = tickers.split(",") if isinstance(tickers, str) else tickers
            # The service refuses a list without companies: without a request nobody would be told.
            starts = range(0, max(1, len(tickers)), TICKERS_MAXIMUM)
            self._parts = [tickers[at : at + TICKERS_MAXIMUM] for at in starts]
        self._store: Optional[_Store] = None

    def update(self) -> Rows[MirrorStep]:
        """Reads what is new, and ends. Gives a step for each file and page. Example: `list(mirror.update())`."""
        return Rows(self._update)

    def follow(self, interval: float = 60) -> Rows[MirrorStep]:
        """Goes on for ever. Failures that pass are waited for.

        While nothing is new, the service is asked once in `interval` seconds, 3,600 at most. Up to 60 seconds of it the
        service holds the request, so that what is new is here at once; not where a list has more than 25 companies.

        Example: `for step in mirror.follow(): print(step.changes)`.
        """
        return Rows(lambda: self._follow(interval))

    def _open(self) -> "_Store":
        # An asynchronous loop asks for each step in another thread.
        if self._store is None:
            is_path = isinstance(self._database, (str, os.PathLike))
            self._store = _Store(
                sqlite3.connect(self._database, timeout=10, check_same_thread=False) if is_path else self._database
            )
        return self._store

    def _update(self) -> Iterator[MirrorStep]:
        store = self._open()
        yield from self._begin(store, self._client)
        has_more = True
        while has_more:
            has_more = False
            for number, part in self._numbered():
                step, is_full = self._read_page(store, self._client, number, part, 0)
                has_more = has_more or is_full
                yield step

    def _follow(self, interval: float) -> Iterator[MirrorStep]:
        store, client = self._open(), self._client.patient()
        yield from self._begin(store, client)
        # No part of a list waits for another one.
        wait = 0 if len(self._parts) > 1 else int(min(LONGEST_WAIT, interval))
        looked = time.monotonic()
        while True:
            started, found = time.monotonic(), 0
            if started - looked >= _FILES_EVERY:
                looked = started
                yield from self._begin_unless_grown(store, client)
            for number, part in self._numbered():
                step, _ = self._read_page(store, client, number, part, wait)
                found += step.changes
                yield step
            if found == 0:  # the service may have held the request for a part of this time
                sleep(started + interval - time.monotonic())

    def _numbered(self) -> Any:
        return [(0 if part is None else at, part) for at, part in enumerate(self._parts, 1)]

    def _begin(self, store: "_Store", client: "Client") -> Iterator[MirrorStep]:
        """Begins with the files where that is possible: they are faster than pages."""
        is_whole = self._parts == [None] and self._since is None
        if is_whole and (self._folder is not None or store.cursor_of(0) is None):
            yield from self._read_files(store, client)

    def _begin_unless_grown(self, store: "_Store", client: "Client") -> Iterator[MirrorStep]:
        """What grew too fast to be fetched is fetched the next time."""
        try:
            yield from self._begin(store, client)
        except OpenFileChanged:
            pass

    def _read_files(self, store: "_Store", client: "Client") -> Iterator[MirrorStep]:
        for listing in range(1, LISTINGS_MAXIMUM + 1):
            listed = client.list_bulk_files()
            data, meta = listed["data"], listed["meta"]
            # The last row of the database is read again, with its file: the store notices if the log has another one.
            known = min(store.last_sequence(), data[-1]["lastSequence"] if data else 0)
            try:
                for file in data:
                    is_stored = file["lastSequence"] < known or store.cursor_of(0) is not None
                    if is_stored and self._folder is None:
                        continue
                    text = fetch_file(client, file, self._folder)
                    if is_stored:
                        continue
                    before = store.last_sequence()
                    for changes in changes_in(text, file):
                        store.write(0, [change for change in changes if change["sequence"] >= known], None, [])
                    yield MirrorStep(store.last_sequence() - before, meta["newestFiledAt"], [])
                if store.cursor_of(0) is None:
                    store.write(0, [], meta["nextCursor"], [])
                return
            except OpenFileChanged:
                if listing == LISTINGS_MAXIMUM:
                    raise
                # Replicas of a service learn of a publication one after the other.
                sleep(pause_after(listing, 0))

    def _read_page(
        self, store: "_Store", client: "Client", number: int, part: Optional[Sequence[str]], wait: int
    ) -> Any:
        """Reads a page behind the cursor of a part, which the service refuses if its log no longer has what was read."""
        cursor = store.cursor_of(number)
        since = (self._since or FIRST_DAY) if cursor is None else None
        try:
            if part is None:
                answer = client.list_changes(since=since, cursor=cursor, limit=PAGE_ROWS, wait=wait)
            else:
                watched = client.list_watchlist_changes(part, since=since, cursor=cursor, limit=PAGE_ROWS, wait=wait)
        except FilingEventsError as failure:
            if failure.code == "invalid_cursor":
                raise _replaced(str(failure)) from failure
            raise
        if part is None:
            data, meta = answer["data"], answer["meta"]
            store.write(0, data, meta["nextCursor"], [])
            return MirrorStep(len(data), meta["newestFiledAt"], []), len(data) == PAGE_ROWS
        buckets = watched["data"]
        changes = [change for bucket in buckets for change in bucket["changes"]]
        ciks = [bucket["cik"] for bucket in buckets if bucket["cik"] is not None]
        store.write(number, changes, watched["meta"]["nextCursor"], ciks)
        unknown = [bucket["ticker"] for bucket in buckets if bucket["status"] != "ok"]
        step = MirrorStep(watched["meta"]["count"], watched["meta"]["newestFiledAt"], unknown)
        return step, any(len(bucket["changes"]) == PAGE_ROWS for bucket in buckets)


class _Store:
    """The tables of a mirror, over any connection of the Python database API whose SQL has `ON CONFLICT`."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._is_sqlite = isinstance(connection, sqlite3.Connection)
        if self._is_sqlite:
            self._run("PRAGMA journal_mode = WAL")  # so programs can read the file while this one writes
        for statement in SCHEMA:
            self._run(statement)
        known = {column[0] for column in self._run("SELECT * FROM filings WHERE 1 = 0").description}
        missing = [column for column in FILING_COLUMNS if column[0] not in known]
        if missing:
            self._add_columns(missing)
        connection.commit()

    def _add_columns(self, columns: Sequence[Tuple[str, str, str]]) -> None:
        """A database of an older version has fewer columns, and no parties: both are in the changes."""
        for name, kind, _ in columns:
            self._run(f"ALTER TABLE filings ADD COLUMN {name} {kind}")
        update = f"UPDATE filings SET {', '.join(f'{name} = ?' for name, _, _ in columns)} WHERE accession_no = ?"
        last = ""
        while True:
            found = self._read(READ_FILINGS, [last])
            if not found:
                return
            for row in found:
                change: Change = json.loads(row[0])
                last = change["filing"]["accessionNo"]
                self._run(update, [*_values(change, columns), last])
                self._keep_parties(change)

    def _keep_parties(self, change: Change) -> None:
        """Only the parties of the change that the filing is now."""
        number = change["filing"]["accessionNo"]
        if not self._read(IS_CURRENT, [number, change["sequence"]]):
            return
        if change["revision"] > 1:
            self._run(REMOVE_PARTIES, [number])
        for at, party in enumerate(change["filing"]["parties"], 1):
            self._run(WRITE_PARTY, [number, at, party["cik"], party["name"], party["role"]])

    def _run(self, sql: str, values: Sequence[Any] = ()) -> Any:
        cursor = self._connection.cursor()
        cursor.execute(sql if self._is_sqlite else sql.replace("?", "%s"), tuple(values))
        return cursor

    def _read(self, sql: str, values: Sequence[Any] = ()) -> List[Any]:
        rows: List[Any] = self._run(sql, values).fetchall()
        return rows

    def cursor_of(self, part: int) -> Optional[str]:
        """Where a part goes on; None if it has not begun."""
        found = {row[0]: row[1] for row in self._read("SELECT part, cursor FROM progress")}
        self._connection.commit()  # else a transaction would be open while the service holds a request
        if any((each == 0) != (part == 0) for each in found):
            other = "a list of companies" if part == 0 else "the whole feed"
            raise FilingEventsError(f"this database mirrors {other}: take another one", "mirror_mismatch")
        return found.get(part)

    def last_sequence(self) -> int:
        """The greatest sequence; 0 if there is none."""
        return self._read("SELECT max(sequence) FROM changes")[0][0] or 0

    def write(self, part: int, changes: Iterable[Change], cursor: Optional[str], ciks: Sequence[str]) -> None:
        """Writes changes and the cursor behind them, together or not at all.

        Raises `mirror_mismatch` if a sequence has another change than before.
        """
        try:
            last = self.last_sequence()
            others = self._read("SELECT ciks FROM progress WHERE part <> ?", [part])
            followed = set(ciks).union(*(row[0].split() for row in others))
            for change in changes:
                if change["sequence"] <= last:
                    self._require_same(change)
                self._write_change(change, followed if part > 0 else set())
            if cursor is not None:
                self._run(WRITE_PROGRESS, [part, cursor, " ".join(ciks)])
            self._connection.commit()
        except BaseException:
            self._connection.rollback()
            raise

    def _require_same(self, change: Change) -> None:
        """A sequence has one change for ever, unless the log was replaced."""
        for row in self._read("SELECT change FROM changes WHERE sequence = ?", [change["sequence"]]):
            stored, given = change_key(json.loads(row[0])), change_key(change)
            if stored != given:
                raise _replaced(f"With the sequence {change['sequence']} it has {stored}, the service {given}")

    def _write_change(self, change: Change, followed: Set[str]) -> None:
        number = change["filing"]["accessionNo"]
        if followed and self._is_lost(change, followed):
            self._run("DELETE FROM filings WHERE accession_no = ?", [number])
            self._run(REMOVE_PARTIES, [number])
        else:
            self._run(WRITE_FILING, [number, *_values(change, FILING_COLUMNS)])
            self._keep_parties(change)
        text = json.dumps(change, ensure_ascii=False, separators=(",", ":"))
        self._run(WRITE_CHANGE, [change["sequence"], number, change["revision"], text])

    def _is_lost(self, change: Change, followed: Set[str]) -> bool:
        """Whether the stored filing names a company that is followed, and this correction of it names none."""
        rows = self._read(READ_STORED, [change["filing"]["accessionNo"]])
        stored = {party["cik"] for party in json.loads(rows[0][0])["filing"]["parties"]} if rows else set()
        return bool(stored & followed) and followed.isdisjoint(party["cik"] for party in change["filing"]["parties"])


def _values(change: Change, columns: Sequence[Tuple[str, str, str]]) -> List[Any]:
    """The values of columns: items with spaces between, and numbers in place of truths."""
    members: Dict[str, Any] = {**change["filing"], **change}
    values = [members[member] for _, _, member in columns]
    texts = [" ".join(value) if isinstance(value, list) else value for value in values]
    return [int(value) if isinstance(value, bool) else value for value in texts]


def _replaced(reason: str) -> FilingEventsError:
    """The error of a database whose changes the log of the service no longer has."""
    return FilingEventsError(
        "the log of the service is not the one that this database mirrors: its ledger was restored from a backup and"
        f" continued differently, or it is another service. Mirror into a new database. {reason}",
        "mirror_mismatch",
    )
