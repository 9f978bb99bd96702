"""Follows a real service, BASE_URL and API_KEY, with `async for`. It has 450 filings of the company T1."""
from __future__ import annotations

import asyncio
import contextlib
import io
import os
import pathlib
import tempfile
import time
import unittest
from itertools import islice
from typing import List

from filing_events import Client, file_cursor


class Following(unittest.TestCase):
    client = Client(os.environ["BASE_URL"], os.environ["API_KEY"])

    def test_async_for_is_the_same(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        follower = self.client.changes(since="2026-01-01").follow(cursor=file_cursor(pathlib.Path(folder.name, "state")))

        async def take(count: int) -> List[int]:
            taken: List[int] = []
            async for change in follower:
                taken.append(change["sequence"])
                if len(taken) == count:
                    break
            return taken

        async def all_filings() -> int:
            return len([row async for row in self.client.rows("list_latest_filings", limit=200)])

        self.assertEqual(asyncio.run(take(230)), list(range(1, 231)))
        self.assertEqual([change["sequence"] for change in islice(follower, 3)], [230, 231, 232])
        self.assertEqual(asyncio.run(all_filings()), 450)

    def test_companies_that_the_service_does_not_have_are_printed(self) -> None:
        with contextlib.redirect_stderr(io.StringIO()) as said:
            list(self.client.changes(tickers=["T1", "ZZZZ"], since="2026-01-01"))
        self.assertEqual(said.getvalue(), "the service holds no company with the ticker symbol or CIK 'ZZZZ'\n")

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


if __name__ == "__main__":
    unittest.main()
