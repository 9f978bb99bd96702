"""Mirrors a real service, BASE_URL and API_KEY, through a connection that has the manners of a driver for Postgres."""
from __future__ import annotations

import asyncio
import os
import re
import sqlite3
import tempfile
import unittest
from typing import Any, List, Sequence
from unittest import mock

from filing_events import Client


class Cursor:
    """Takes `%s` for values, as the drivers for Postgres do, and no `?`."""

    def __init__(self, driver: "Driver") -> None:
        self.driver = driver
        self.cursor = driver.connection.cursor()

    def execute(self, sql: str, values: Sequence[Any]) -> None:
        if "?" in sql or re.search(r"\b(PRAGMA|REPLACE|json_)", sql):
            raise AssertionError(f"Postgres does not know {sql}")
        self.driver.is_open = True  # any statement begins a transaction
        self.cursor.execute(sql.replace("%s", "?"), values)

    def fetchall(self) -> List[Any]:
        return self.cursor.fetchall()

    @property
    def description(self) -> Any:
        return self.cursor.description


class Driver:
    """A connection of the Python database API with nothing beside it."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:", check_same_thread=False)
        self.commits = 0
        self.is_open = False

    def cursor(self) -> Cursor:
        return Cursor(self)

    def commit(self) -> None:
        self.commits += 1
        self.is_open = False
        self.connection.commit()

    def rollback(self) -> None:
        self.is_open = False
        self.connection.rollback()


class Mirror(unittest.TestCase):
    client = Client(os.environ["BASE_URL"], os.environ["API_KEY"])

    def test_a_driver_that_is_given_is_used(self) -> None:
        driver = Driver()
        steps = list(self.client.mirror(driver, tickers=["T1", "T9"]).update())
        self.assertEqual(sum(step.changes for step in steps), 450)
        self.assertEqual({name for step in steps for name in step.unknown}, {"T9"})
        self.assertEqual(driver.connection.execute("SELECT count(*) FROM filings").fetchone(), (450,))
        self.assertGreaterEqual(driver.commits, len(steps))

    def test_tickers_may_be_one_text_with_commas(self) -> None:
        tickers = "T9,T8,T7,T6,T5,T4,T3,T2,T1"
        found = [
            [(step.changes, step.unknown) for step in self.client.mirror(Driver(), tickers=each).update()]
            for each in (tickers, tickers.split(","))
        ]
        self.assertEqual(found[0], found[1])

    def test_no_transaction_is_open_while_the_service_is_asked(self) -> None:
        driver = Driver()
        open_at: List[str] = []

        class Asking(Client):
            def _ask(self, method: str, path: str, *rest: Any) -> Any:
                if driver.is_open:
                    open_at.append(path)
                return super()._ask(method, path, *rest)

        for tickers in (None, ["T1"]):
            driver = Driver()
            client = Asking(os.environ["BASE_URL"], os.environ["API_KEY"])
            self.assertGreater(len(list(client.mirror(driver, tickers=tickers).update())), 1)
        self.assertEqual(open_at, [])

    def test_async_for_mirrors_too(self) -> None:
        driver = Driver()

        async def update() -> int:
            return sum([step.changes async for step in self.client.mirror(driver).update()])

        self.assertEqual(asyncio.run(update()), 450)

    def test_a_mirror_that_goes_on_fetches_once_a_day_the_files_that_its_folder_lacks(self) -> None:
        with tempfile.TemporaryDirectory() as folder, mock.patch("filing_events.mirror.time.monotonic") as clock:
            clock.return_value = 0.0
            steps = iter(self.client.mirror(Driver(), folder=folder).follow(interval=0))
            while next(steps).changes > 0:
                pass
            (name,) = os.listdir(folder)
            os.remove(os.path.join(folder, name))
            next(steps)
            self.assertEqual(os.listdir(folder), [])
            clock.return_value = 24 * 3600.0
            next(steps)
            self.assertEqual(os.listdir(folder), [name])

    def test_it_waits_while_replicas_of_the_service_differ_in_what_they_know_of_the_open_file(self) -> None:
        with mock.patch("filing_events.mirror.sleep") as pause:

            class Behind(Client):
                def get_bulk_file(self, *words: Any, **options: Any) -> bytes:
                    return super().get_bulk_file(*words, **options) if pause.called else b"of before"

            driver = Driver()
            list(Behind(os.environ["BASE_URL"], os.environ["API_KEY"]).mirror(driver).update())
        self.assertEqual(pause.call_count, 1)
        self.assertEqual(driver.connection.execute("SELECT count(*) FROM changes").fetchone(), (450,))

    def test_a_page_that_cannot_be_written_leaves_nothing(self) -> None:
        driver = Driver()
        list(self.client.mirror(driver, since="2027-01-01").update())
        driver.connection.execute("DELETE FROM progress")
        driver.connection.execute(
            "CREATE TRIGGER full BEFORE INSERT ON progress BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
        )
        with self.assertRaises(sqlite3.IntegrityError):
            list(self.client.mirror(driver, since="2026-01-01").update())
        self.assertEqual(driver.connection.execute("SELECT count(*) FROM changes").fetchone(), (0,))


if __name__ == "__main__":
    unittest.main()
