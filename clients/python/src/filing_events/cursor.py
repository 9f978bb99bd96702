"""Where a follower keeps how far it is."""
from __future__ import annotations

import os
from typing import NamedTuple, Optional, Protocol, Union

from .errors import FilingEventsError


class CursorStore(Protocol):
    """Keeps how far a follower is: a class with these two methods, for example over a row of a database.

    The text is the cursor of a page, and behind it the sequence of the last change of the next page that was handled,
    if there is one.
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
    """How far a follower is. Example: `Position("aH5…", 17)`."""

    #: The cursor of the page; None on the first page, which begins at a date.
    cursor: Optional[str]
    #: Changes of the page up to this sequence were handled.
    sequence: int

    @classmethod
    def parse(cls, text: str) -> "Position":
        """Reads what `text` wrote; a plain cursor of the service is a position, too. Example: `Position.parse("aH5… 17")`."""
        cursor, _, sequence = text.partition(" ")
        if not cursor or (sequence and not sequence.isdecimal()):
            raise FilingEventsError("what the store of the cursor holds is no position", "invalid_cursor")
        return cls(None if cursor == _NO_CURSOR else cursor, int(sequence or 0))

    def text(self) -> str:
        """Writes the position. Example: `Position("aH5…", 17).text()` is `aH5… 17`."""
        cursor = self.cursor or _NO_CURSOR
        return f"{cursor} {self.sequence}" if self.sequence else cursor
