"""Keeps an SQLite file in step with the change feed. Python 3.10 or newer; install the client first, as
/docs/clients of the service says.

    python3 poller.py                  runs until you stop it, and has what is new at once
    python3 poller.py --interval 300   asks once in 300 seconds while nothing is new
    python3 poller.py --once           reads what is new and ends, for cron

Environment: BASE_URL and API_KEY; DATABASE, filings.db if not set; SINCE, the filing date to begin at; TICKERS,
tickers or CIKs with commas between, any number, every company if not set.
"""
import argparse
import os
import sys

from filing_events import Client, FilingEventsError

parser = argparse.ArgumentParser()
parser.add_argument("--once", action="store_true")
parser.add_argument("--interval", type=float, default=60)
arguments = parser.parse_args()
setting = os.environ.get
base_url, api_key = setting("BASE_URL"), setting("API_KEY")
if not base_url or not api_key:
    parser.error("BASE_URL and API_KEY must be set")


def tell(failure: FilingEventsError, seconds: float) -> None:
    print(f"{failure}; asking again in {seconds:.1f} s", file=sys.stderr)


client = Client(base_url, api_key, on_retry=tell)
tickers = setting("TICKERS")
mirror = client.mirror(
    setting("DATABASE") or "filings.db",
    tickers=tickers.split(",") if tickers else None,
    since=setting("SINCE") or None,
)
try:
    for step in mirror.update() if arguments.once else mirror.follow(arguments.interval):
        unknown = [f"unknown: {ticker}" for ticker in step.unknown]
        print(f"{step.changes} changes", f"data up to {step.newest_filed_at}", *unknown, sep="; ", flush=True)
except FilingEventsError as failure:
    sys.exit(f"{failure.status} {failure.code}: {failure}")
