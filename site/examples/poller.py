"""Keeps an SQLite file in step with the change feed. Python 3.9 or newer; nothing to install.

    python3 poller.py --interval 60    runs until you stop it; waits 60 seconds when nothing is new
    python3 poller.py --once           reads what is new and ends, for cron

Environment:
    BASE_URL, API_KEY    address of the service, and your key
    DATABASE             the SQLite file; filings.db if not set
    SINCE                filing date to begin at, YYYY-MM-DD; 30 days ago if not set. Only the first
                         run reads it; later runs go on by the cursor.
    TICKERS              tickers or CIKs, separated by commas, any number; every company if not set.
                         You can add one at the end and start again: you also get its filings since SINCE.

The program writes the rows of a page and its cursor in one transaction. Kill it whenever you like: the next
run goes on there. If the service refuses the cursor (invalid_cursor), its data was begun anew: move the file
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
SCHEMA = """
CREATE TABLE IF NOT EXISTS filings (accession_no TEXT PRIMARY KEY, revision INTEGER, sequence INTEGER,
  filed_at TEXT, form TEXT, ticker TEXT, company_name TEXT, change TEXT);
CREATE TABLE IF NOT EXISTS progress (id INTEGER PRIMARY KEY, cursor TEXT)"""
# A correction has the accession number of its filing and replaces it. Each bucket of a watchlist goes on by
# itself, so an older revision can come after a newer one. Then the newer one stays.
WRITE_FILING = """INSERT INTO filings VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (accession_no) DO UPDATE SET
  revision = excluded.revision, sequence = excluded.sequence, filed_at = excluded.filed_at,
  form = excluded.form, ticker = excluded.ticker, company_name = excluded.company_name,
  change = excluded.change WHERE excluded.revision > filings.revision"""
WRITE_CURSOR = "INSERT INTO progress VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET cursor = excluded.cursor"


def ask(url, once):
    """Asks until there is an answer. Asks again after 429, 5xx and network errors; with --once, gives up after eight."""
    question = request.Request(url, headers={"x-api-key": os.environ["API_KEY"]})
    failures = 0
    while True:
        retry_after = ""
        try:
            with request.urlopen(question, timeout=60) as response:
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


def read_page(database, part, tickers, once):
    """Reads a page of a part of the list, and writes its rows and its cursor. Returns whether there is more now."""
    row = database.execute("SELECT cursor FROM progress WHERE id = ?", [part]).fetchone()
    month_ago = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 30 * 86400))
    start = {"cursor": row[0]} if row else {"since": os.environ.get("SINCE") or month_ago}
    path = f"/v1/sec/watchlist/changes?tickers={parse.quote(tickers)}&" if tickers else "/v1/sec/changes?"
    answer = ask(os.environ["BASE_URL"].rstrip("/") + path + parse.urlencode({**start, "limit": LIMIT}), once)
    data, meta = answer["data"], answer["meta"]
    lists = [bucket["changes"] for bucket in data] if tickers else [data]
    with database:  # one transaction: all of it or nothing
        for change in (each for changes in lists for each in changes):
            filing = change["filing"]
            columns = [filing[name] for name in ("filedAt", "form", "ticker", "companyName")] + [json.dumps(change)]
            database.execute(WRITE_FILING, [filing["accessionNo"], change["revision"], change["sequence"], *columns])
        database.execute(WRITE_CURSOR, [part, meta["nextCursor"]])
    unknown = [f"unknown: {each['ticker']}" for each in data if each.get("status") == "unknown_company"]
    print(f"{meta['count']} changes", f"data up to {meta['newestFiledAt']}", *unknown, sep="; ", flush=True)
    return any(len(changes) == LIMIT for changes in lists)


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
    has_more = any([read_page(connection, at, part, arguments.once) for at, part in enumerate(parts, 1)])
    if arguments.once and not has_more:
        break
    time.sleep(0 if has_more else arguments.interval)
