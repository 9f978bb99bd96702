"""Keeps an SQLite file in step with the change feed. Python 3.9 or newer; nothing to install.

    python3 poller.py                  runs until you stop it. The service holds each request until something is
                                       new (wait), so that you have it at once
    python3 poller.py --interval 300   asks once in 300 seconds while nothing is new
    python3 poller.py --once           reads what is new and ends, for cron

Environment:
    BASE_URL, API_KEY    address of the service, and your key
    DATABASE             the SQLite file; filings.db if not set
    SINCE                filing date to begin at, YYYY-MM-DD; 30 days ago if not set. Only the first
                         run reads it; later runs go on by the cursor.
    TICKERS              tickers or CIKs, separated by commas, any number; every company if not set.
                         You can add one at the end and start again: you also get its filings since SINCE.

The program writes the rows of a page and its cursor in one transaction. Kill it whenever you like: the next
run goes on there. If a company of TICKERS turns out to have no part in a filing, the filing is dropped. If the service refuses the cursor (invalid_cursor), its data was begun anew: move the file
away and begin again.
"""
import argparse
import http.client
import json
import os
import random
import sqlite3
import sys
import time
from urllib import error, parse, request

LIMIT = 200
TICKERS_MAXIMUM = 25  # of a request; a longer list is asked for in parts, each with a cursor of its own
LONGEST_WAIT = 60  # seconds that the service holds a request
SCHEMA = """
CREATE TABLE IF NOT EXISTS filings (accession_no TEXT PRIMARY KEY, revision INTEGER, sequence INTEGER,
  filed_at TEXT, accepted_at TEXT, form TEXT, items TEXT, ticker TEXT, company_name TEXT, change TEXT);
CREATE TABLE IF NOT EXISTS progress (part INTEGER PRIMARY KEY, cursor TEXT, ciks TEXT)"""
# A correction has the accession number of its filing and replaces it. Each bucket of a watchlist goes on by
# itself, so an older revision can come after a newer one. Then the newer one stays.
WRITE_FILING = """INSERT INTO filings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (accession_no) DO UPDATE SET
  revision = excluded.revision, sequence = excluded.sequence, filed_at = excluded.filed_at,
  accepted_at = excluded.accepted_at, form = excluded.form, items = excluded.items, ticker = excluded.ticker, company_name = excluded.company_name,
  change = excluded.change WHERE excluded.revision > filings.revision"""
WRITE_CURSOR = """INSERT INTO progress VALUES (?, ?, ?) ON CONFLICT (part) DO UPDATE SET
  cursor = excluded.cursor, ciks = excluded.ciks"""


def ask(url, once):
    """Asks until there is an answer. Asks again after 429, 5xx and network errors; with --once, gives up after eight."""
    question = request.Request(url, headers={"x-api-key": os.environ["API_KEY"]})
    failures = 0
    while True:
        retry_after = ""
        try:
            with request.urlopen(question, timeout=60 + LONGEST_WAIT) as response:
                return json.load(response)
        except error.HTTPError as refusal:
            if refusal.code != 429 and refusal.code < 500:
                sys.exit(f"{refusal}: {refusal.read().decode()}")
            reason, retry_after = refusal, refusal.headers.get("Retry-After", "")
        except (OSError, http.client.HTTPException, json.JSONDecodeError) as failure:  # refused, late, cut off
            reason = failure
        failures += 1
        if once and failures == 8:
            sys.exit(f"given up: {reason}")
        own_wait = min(60, 2 ** min(failures, 6)) * random.uniform(0.25, 0.5)
        seconds = max(own_wait, int(retry_after) if retry_after.isdecimal() else 0)
        print(f"{reason}; asking again in {seconds:.1f} s", file=sys.stderr)
        time.sleep(seconds)


def lost(database, filing, followed):
    """Whether the filing that is stored names a company that is followed, and this correction of it names none."""
    row = database.execute("SELECT change FROM filings WHERE accession_no = ?", [filing["accessionNo"]]).fetchone()
    named = {party["cik"] for party in json.loads(row[0])["filing"]["parties"]} if row else set()
    return bool(named & followed) and followed.isdisjoint(party["cik"] for party in filing["parties"])


def read_page(database, part, tickers, once, wait):
    """Reads a page of a part and writes its rows and cursor. Returns whether there are rows, and whether there are more."""
    row = database.execute("SELECT cursor FROM progress WHERE part = ?", [part]).fetchone()
    month_ago = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 30 * 86400))
    start = {"cursor": row[0]} if row else {"since": os.environ.get("SINCE") or month_ago}
    path = f"/v1/sec/watchlist/changes?tickers={parse.quote(tickers)}&" if tickers else "/v1/sec/changes?"
    answer = ask(os.environ["BASE_URL"].rstrip("/") + path + parse.urlencode({**start, "limit": LIMIT, "wait": wait}), once)
    data, meta = answer["data"], answer["meta"]
    lists = [bucket["changes"] for bucket in data] if tickers else [data]
    own = {bucket["cik"] for bucket in data if bucket["cik"]} if tickers else set()
    others = database.execute("SELECT ciks FROM progress WHERE part <> ?", [part]).fetchall()
    followed = own.union(*(ciks.split() for ciks, in others))
    with database:  # one transaction: all of it or nothing
        for change in (each for changes in lists for each in changes):
            filing = change["filing"]
            if lost(database, filing, followed):
                database.execute("DELETE FROM filings WHERE accession_no = ?", [filing["accessionNo"]])
                continue
            dates, names = [filing["filedAt"], filing["acceptedAt"]], [filing["ticker"], filing["companyName"]]
            columns = [change["revision"], change["sequence"], *dates, filing["form"], " ".join(filing["items"]), *names]
            database.execute(WRITE_FILING, [filing["accessionNo"], *columns, json.dumps(change)])
        database.execute(WRITE_CURSOR, [part, meta["nextCursor"], " ".join(sorted(own))])
    unknown = [f"unknown: {each['ticker']}" for each in data if each.get("status") == "unknown_company"]
    print(f"{meta['count']} changes", f"data up to {meta['newestFiledAt']}", *unknown, sep="; ", flush=True)
    return meta["count"] > 0, any(len(changes) == LIMIT for changes in lists)


parser = argparse.ArgumentParser()
parser.add_argument("--once", action="store_true")
parser.add_argument("--interval", type=float, default=60)
arguments = parser.parse_args()
if not (os.environ.get("BASE_URL") and os.environ.get("API_KEY")):
    parser.error("BASE_URL and API_KEY must be set")
connection = sqlite3.connect(os.environ.get("DATABASE") or "filings.db", timeout=10)
connection.execute("PRAGMA journal_mode = WAL")  # so programs can read the file while this one writes
connection.executescript(SCHEMA)
entries = os.environ.get("TICKERS", "").split(",")
parts = [",".join(entries[at:at + TICKERS_MAXIMUM]) for at in range(0, len(entries), TICKERS_MAXIMUM)]
while True:
    started = time.monotonic()
    # No part of a list waits for another one.
    wait = 0 if arguments.once or len(parts) > 1 else min(LONGEST_WAIT, int(arguments.interval))
    pages = [read_page(connection, at, part, arguments.once, wait) for at, part in enumerate(parts, 1)]
    has_rows, has_more = (any(each) for each in zip(*pages))
    if arguments.once and not has_more:
        break
    if not has_rows:  # the service may have held the request for a part of this time
        time.sleep(max(0, started + arguments.interval - time.monotonic()))
