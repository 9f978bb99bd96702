"""Parts of the client that need no service: pauses, and the events of a stream."""
from __future__ import annotations

import unittest
from inspect import signature
from typing import Callable, Iterator, Set

from filing_events import Client, FilingEventsError
from filing_events._pauses import bounded_seconds, pause_after
from filing_events._url import fill
from filing_events.streaming import ServerEvent, events_in

HOUR = 3600.0


class Units(unittest.TestCase):
    def test_any_number_is_a_time_that_a_timer_takes(self) -> None:
        for seconds in (float("nan"), float("inf"), float("-inf"), -1, 0, 1.5, 2**31, 3_000_000, 10**400):
            for bounded in (bounded_seconds(seconds), pause_after(3, seconds)):
                self.assertTrue(0 <= bounded <= HOUR, bounded)
        self.assertEqual([bounded_seconds(each) for each in (0, 1.5, 3600, 3601)], [0, 1.5, 3600, 3600])
        self.assertEqual(pause_after(1, 30), 30)

    def test_a_stream_that_says_retry_is_asked_again_in_an_hour(self) -> None:
        for retry in (b"99999999999", b"9" * 5000):
            (event,) = events_in([b"retry: " + retry + b"\n", b"\n"])
            self.assertEqual(event.retry, HOUR)

    def test_a_line_and_an_event_of_a_stream_are_read_up_to_a_bound(self) -> None:
        def many(line: bytes) -> Iterator[bytes]:
            yield from (b"id: c1\n", b"data: {}\n", b"\n")
            while True:
                yield line

        for line in (b"x" * (4 * 1024 * 1024 + 1), b"data: " + b"x" * 1000 + b"\n"):
            ids = []
            with self.assertRaises(FilingEventsError) as caught:
                for event in events_in(many(line)):
                    ids.append(event.id)
            self.assertEqual((caught.exception.code, ids), ("answer_too_long", ["c1"]))
        events = [b"data: " + b"x" * (1 << 20) + b"\n", b"\n"] * 6
        self.assertEqual(len(list(events_in(events))), 6)

    def test_events_are_read_as_the_standard_says(self) -> None:
        lines = [b": hello\n", b"\r\n", b"\n", b"id:1\r\n", b"data\n", b"data:  two\n", b"\n", b"retry: x\n", b"\n", b"id: 2\n"]
        expected = [ServerEvent("", "", None), ServerEvent("1", "\n two", None), ServerEvent("", "", None)]
        self.assertEqual(list(events_in(lines)), expected)

    def test_changes_take_every_filter_of_the_feed(self) -> None:
        def names(method: Callable[..., object]) -> Set[str]:
            return set(signature(method).parameters)

        self.assertEqual(names(Client.changes), names(Client.list_changes) - {"limit", "cursor", "wait", "timeout"})

    def test_a_parameter_may_be_any_value_of_its_type(self) -> None:
        values = {"minValue": 2500.5, "limit": 7, "listed": False, "form": ["3", "4"], "q": "a b", "until": None}
        self.assertEqual(fill("/x", values), "/x?minValue=2500.5&limit=7&listed=false&form=3%2C4&q=a+b")

    def test_what_is_no_history_is_refused(self) -> None:
        with self.assertRaises(ValueError):
            Client("http://127.0.0.1:1").pages("list_changes")


if __name__ == "__main__":
    unittest.main()
