"""Where a follower keeps how far it is."""
from __future__ import annotations

import os
import re
from typing import List, NamedTuple, Optional, Protocol, Union

from ._generated import Change
from .errors import FilingEventsError


class CursorStore(Protocol):
    """Keeps how far a follower is: a class with these two methods, for example over a row of a database.

    The text is the cursor of a page, and behind it the last change of the next page that was handled, if there is one.
    """

    def load(self) -> Optional[str]:
        """Returns the text that was saved last; None if there is none."""

    def save(self, text: str) -> None:
        """Keeps a text in place of the one before: whole, or not at all."""


class FileCursor:
    """Keeps the cursor in a file, which is replaced as a whole: a kill or a power cut leaves the old text or the new one.

    Only one program at a time may use a file. Example: `FileCursor("state")`.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.path = os.fspath(path)

    def load(self) -> Optional[str]:
        try:
            with open(self.path, encoding="utf-8") as file:
                return file.read().strip() or None
        except FileNotFoundError:
            return None

    def save(self, text: str) -> None:
        aside = f"{self.path}.new"
        with open(aside, "w", encoding="utf-8") as file:
            file.write(f"{text}\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, self.path)


class MemoryCursor:
    """Keeps the cursor in memory, from a text that was saved before or from the beginning. Example: `MemoryCursor()`."""

    def __init__(self, text: Optional[str] = None) -> None:
        self.text = text

    def load(self) -> Optional[str]:
        return self.text

    def save(self, text: str) -> None:
        self.text = text


def file_cursor(path: Union[str, "os.PathLike[str]"]) -> FileCursor:
    """Keeps the cursor in a file. Example: `client.changes(form="8-K").follow(cursor=file_cursor("state"))`."""
    return FileCursor(path)


#: Stands for the cursor of the first page, which has none.
_NO_CURSOR = "-"


class Position(NamedTuple):
    """How far a follower is. Example: `Position("aH5…", 17, "0000320193-26-000079.1@2026-08-31T20:01:02.345Z")`."""

    #: The cursor of the page; None on the first page, which begins at a date.
    cursor: Optional[str]
    #: Changes of the page up to this sequence were handled; 0 if none was.
    sequence: int
    #: What `change_key` says of the change with this sequence. Texts of older versions do not have it.
    change: Optional[str] = None

    @classmethod
    def parse(cls, text: str) -> "Position":
        """Reads what `text` wrote; a plain cursor of the service is a position, too.

        Example: `Position.parse("aH5… 17 0000320193-26-000079.1@2026-08-31T20:01:02.345Z")`.
        """
        words = re.fullmatch(r"(\S+)(?: ([0-9]+)(?: (\S+))?)?", text)
        if words is None:
            raise _invalid("what the store of the cursor holds is no position")
        cursor, sequence, change = words.groups()
        return cls(None if cursor == _NO_CURSOR else cursor, int(sequence or 0), change)

    def text(self) -> str:
        """Writes the position. Example: `Position("aH5…", 17).text()` is `aH5… 17`."""
        cursor = self.cursor or _NO_CURSOR
        if not self.sequence:
            return cursor
        return f"{cursor} {self.sequence}" if self.change is None else f"{cursor} {self.sequence} {self.change}"

    def behind(self, changes: List[Change]) -> Optional[List[Change]]:
        """The changes of a page behind the last one that was handled.

        None if the page ends before it, as where the service went back to an older snapshot for a while. Raises
        `invalid_cursor` if the feed has another change in its place, or none: then the sequence says nothing about what
        was handled. A position without a change proves nothing, so it gives the whole page.

        Example: `position.behind(page.changes)`.
        """
        if self.change is None:
            return changes
        at = next((at for at, each in enumerate(changes) if each["sequence"] >= self.sequence), None)
        if at is None:
            return None
        if changes[at]["sequence"] == self.sequence and change_key(changes[at]) == self.change:
            return changes[at + 1 :]
        raise _invalid(
            f"the feed no longer has the change that was handled last, {self.change} with the sequence"
            f" {self.sequence}: its ledger was restored from a backup and continued differently, or other changes are"
            " asked for than before. Begin again with since, or keep the first word of the position alone: then all"
            " changes behind that cursor come again"
        )


def change_key(change: Change) -> str:
    """What tells a change from any other one that could have its sequence.

    It is the filing, the revision, and when the service recorded it. A ledger that was restored from a backup and
    continued differently gives the same sequences to other changes.

    Example: `change_key(change)` is `0000320193-26-000079.1@2026-08-31T20:01:02.345Z`.
    """
    return f"{change['filing']['accessionNo']}.{change['revision']}@{change['observedAt'] or _NO_CURSOR}"


def _invalid(message: str) -> FilingEventsError:
    return FilingEventsError(message, "invalid_cursor")
