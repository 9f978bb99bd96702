"""Asks a real service: BASE_URL and API_KEY. FAULTY_URL is the same one behind a proxy that fails.

The service has 450 filings of the company T1; every other one, from the first on, is an 8-K.
"""
from __future__ import annotations

import asyncio
import os
import pathlib
import tempfile
import threading
import time
import unittest
from inspect import signature
from itertools import islice
from typing import Callable, List, Set

from filing_events import Change, Client, FilingEventsError, MemoryCursor, file_cursor

BASE_URL, FAULTY_URL = os.environ["BASE_URL"], os.environ["FAULTY_URL"]
API_KEY = os.environ["API_KEY"]


class Operations(unittest.TestCase):
    client = Client(BASE_URL, API_KEY)

    def test_operations_are_answered(self) -> None:
        client = self.client
        self.assertEqual(client.get_company_profile("T1")["data"]["name"], "Company 1")
        self.assertEqual(len(client.list_watchlist_changes(["T1", "T2"], limit=1)["data"]), 2)
        self.assertEqual(client.list_companies(listed=True)["meta"]["filters"]["listed"], True)
        file = client.list_bulk_files()["data"][0]
        self.assertEqual(len(client.get_bulk_file(file["name"])), file["bytes"])
        tools = client.call_tools({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        self.assertIn("sec_company_search", str(tools))
        self.assertEqual(client.get_health()["filingCount"], 450)
        number = client.list_latest_filings(limit=1)["data"][0]["accessionNo"]
        self.assertEqual(client.get_filing_summary(number)["data"]["accessionNo"], number)

    def test_changes_take_every_filter_of_the_feed(self) -> None:
        def names(method: Callable[..., object]) -> Set[str]:
            return set(signature(method).parameters)

        self.assertEqual(names(Client.changes), names(Client.list_changes) - {"limit", "cursor", "wait", "timeout"})
        for change in self.client.changes(since="2026-01-01", listed=False, accepted_since="2026-01-01T00:00:00Z"):
            self.fail(f"the company has a symbol: {change}")

    def test_errors_have_codes(self) -> None:
        def code_of(client: Client, **parameters: object) -> str:
            with self.assertRaises(FilingEventsError) as caught:
                client.list_changes(**parameters)  # type: ignore[arg-type]
            return caught.exception.code

        self.assertEqual(code_of(self.client, since="2026-01-01", ticker="ZZZZ"), "company_not_found")
        self.assertEqual(code_of(self.client), "invalid_parameter")
        self.assertEqual(code_of(Client(BASE_URL, "a wrong key"), since="2026-01-01"), "unauthorized")
        self.assertEqual(code_of(Client("http://127.0.0.1:1", retries=0), since="2026-01-01"), "connection_failed")

    def test_histories_are_read_by_page_and_by_row(self) -> None:
        pages = list(self.client.pages("list_latest_filings", form="8-K", limit=100))
        self.assertEqual([len(page["data"]) for page in pages], [100, 100, 25])
        rows = list(self.client.rows("list_company_filings", "T1", limit=200))
        self.assertEqual(len({row["accessionNo"] for row in rows}), 450)
        with self.assertRaises(ValueError):
            self.client.pages("list_changes")

    def test_a_request_that_failed_is_repeated(self) -> None:
        """The proxy answers 429 with Retry-After 2, then cuts an answer, then loses one."""
        told: List[str] = []
        client = Client(FAULTY_URL, API_KEY, on_retry=lambda error, _: told.append(error.code))
        started = time.monotonic()
        self.assertEqual(client.get_stats()["data"]["filingCount"], 450)
        self.assertGreater(time.monotonic() - started, 1.99)
        self.assertEqual(told[1:], ["connection_failed", "connection_failed"])


class Following(unittest.TestCase):
    client = Client(BASE_URL, API_KEY)

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = pathlib.Path(folder.name, "state")

    def followed(self, count: int) -> List[int]:
        changes = self.client.changes(since="2026-01-01").follow(cursor=file_cursor(self.state))
        return [change["sequence"] for change in islice(changes, count)]

    def test_the_loop_gives_each_change_that_matches(self) -> None:
        found = [change["sequence"] for change in self.client.changes(since="2026-01-01", form=["8-K"])]
        self.assertEqual((len(found), found), (225, sorted(found)))

    def test_a_follower_goes_on_where_its_loop_was_cut(self) -> None:
        for count, first in [(1, 1), (120, 1), (81, 120), (100, 200), (150, 299)]:
            self.assertEqual(self.followed(count), list(range(first, first + count)))
        self.assertRegex(self.state.read_text(), r"^\S+\n$")

    def test_async_for_is_the_same(self) -> None:
        async def take(count: int) -> List[int]:
            taken: List[int] = []
            async for change in self.client.changes(since="2026-01-01").follow(cursor=file_cursor(self.state)):
                taken.append(change["sequence"])
                if len(taken) == count:
                    break
            return taken

        async def all_filings() -> int:
            return len([row async for row in self.client.rows("list_latest_filings", limit=200)])

        self.assertEqual(asyncio.run(take(230)), list(range(1, 231)))
        self.assertEqual(self.followed(3), [230, 231, 232])
        self.assertEqual(asyncio.run(all_filings()), 450)

    def test_a_task_that_waits_can_be_cancelled(self) -> None:
        async def wait() -> None:
            async for _ in self.client.changes().follow():
                self.fail("nothing is published")

        async def cancel() -> None:
            task = asyncio.create_task(wait())
            await asyncio.sleep(0.5)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        started = time.monotonic()
        asyncio.run(cancel())
        self.assertLess(time.monotonic() - started, 5)

    def test_a_follower_without_a_date_begins_now_and_keeps_that_place(self) -> None:
        store = MemoryCursor()
        found: List[Change] = []
        follower = self.client.changes().follow(cursor=store)
        threading.Thread(target=lambda: found.extend(islice(follower, 1)), daemon=True).start()
        while store.text is None:
            time.sleep(0.01)
        after = self.client.list_changes(cursor=store.text)
        self.assertEqual((after["data"], found), ([], []))

    def test_what_is_no_position_is_refused(self) -> None:
        self.state.write_text("no cursor at all")
        with self.assertRaises(FilingEventsError) as caught:
            self.followed(1)
        self.assertEqual(caught.exception.code, "invalid_cursor")


if __name__ == "__main__":
    unittest.main()
