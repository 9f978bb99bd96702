"""Follows made-up logs that are restored from a backup and continued differently. It needs no service."""
from __future__ import annotations

import random
import unittest
from itertools import islice
from typing import Any, Callable, Dict, Iterator, List, Optional

from filing_events import Change, FilingEventsError, MemoryCursor
from filing_events import ChangePage
from filing_events.changes import Changes
from filing_events.cursor import Position, change_key

Source = Callable[[Any, Dict[str, Any], Optional[str]], Iterator[ChangePage]]


def log_of(batches: List[List[int]], forked_at: int) -> List[Change]:
    """The changes of a ledger: the numbers of the filings of each batch. Its name tells ledgers apart."""
    changes: List[Any] = []
    for at, numbers in enumerate(batches):
        for number in numbers:
            filing = {"accessionNo": f"0000000001-26-{number:06}"}
            batch = f"{at}{'b' if at >= forked_at else 'a'}"
            changes.append(
                {"sequence": len(changes) + 1, "revision": 1, "observedAt": batch, "filing": filing}
            )
    return changes


def source_of(log: List[Change], every: int, rows: int) -> Source:
    """Pages of a few rows, which end where the log ends. Cursors name the batch of their last row."""

    def pages(client: Any, filters: Dict[str, Any], cursor: Optional[str]) -> Iterator[ChangePage]:
        text, _, batch = (cursor or "0:").partition(":")
        read = int(text)
        if 0 < read <= len(log) and log[read - 1]["observedAt"] != batch:
            raise FilingEventsError("the ledger was rolled back and continued differently", "invalid_cursor")
        while True:
            wanted = [each for each in log if each["sequence"] > read and each["sequence"] % every == 0]
            found = wanted[:rows]
            # The cursor of a page that is not full is at the end of the log.
            end = found[-1] if len(found) == rows else (log[-1] if log else None)
            if end is not None and end["sequence"] > read:
                read, batch = end["sequence"], end["observedAt"] or ""
            yield ChangePage(found, f"{read}:{batch}")
            if len(found) < rows:
                return

    return pages


def handled(source: Source, store: MemoryCursor, most: Optional[int] = None) -> List[str]:
    """Handles changes until there are no more, or so many. The last one of those is cut."""
    client: Any = None
    rows = iter(Changes(client, {"since": "2026-01-01"}, source, lambda _: None).follow(cursor=store))
    return [key_of(change) for change in islice(rows, most)]


def key_of(change: Change) -> str:
    return f"{change['sequence']} {change_key(change)}"


class Positions(unittest.TestCase):
    def test_nothing_is_lost_after_a_restore_or_the_follower_is_refused(self) -> None:
        dice = random.Random(12)
        batches = lambda least: [  # noqa: E731
            [dice.randint(1, 6) for _ in range(dice.randint(1, 5))] for _ in range(dice.randint(least, 6))
        ]
        refusals = 0
        for _ in range(600):
            before, after, later = batches(1), batches(0), batches(4)
            every, rows, store = dice.randint(1, 3), dice.randint(1, 9), MemoryCursor()
            first = handled(source_of(log_of(before, 99), every, rows), store, dice.randint(1, 30))
            kept = dice.randint(0, 6)
            begin = before[:kept]
            seen = set(first)
            # The first time the log may be shorter than what was handled.
            for ledger in (begin + after, begin + after + 8 * later):
                log = log_of(ledger, len(begin))
                there = {key_of(change) for change in log if change["sequence"] % every == 0}
                try:
                    again = handled(source_of(log, every, rows), store)
                except FilingEventsError as failure:
                    self.assertEqual(failure.code, "invalid_cursor")
                    # Nobody is refused while nothing was replaced.
                    self.assertLess(kept, len(before))
                    refusals += 1
                    break
                self.assertFalse(set(again) & set(first[:-1]))
                seen.update(again)
            else:
                self.assertLessEqual(there, seen)
        self.assertGreater(refusals, 50)

    def test_a_sequence_alone_brings_the_changes_behind_its_cursor_again(self) -> None:
        log = log_of([[1, 2, 3, 4]], 99)
        keys = [key_of(change) for change in log]
        self.assertEqual(handled(source_of(log, 1, 4), MemoryCursor("1:0a 3")), keys[1:])

    def test_positions_are_the_same_after_they_were_written_and_read(self) -> None:
        for position in (Position("abc", 0), Position("abc", 7), Position(None, 7, "0000000001-26-000001.1@2026")):
            self.assertEqual(Position.parse(position.text()), position)
        for text in ("", "no cursor at all", "a b", "a 7 b c", "a  7", "a -7", "a ７"):
            with self.assertRaises(FilingEventsError):
                Position.parse(text)


if __name__ == "__main__":
    unittest.main()
