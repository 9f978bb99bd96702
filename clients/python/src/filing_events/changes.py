"""The change feed as an iterable."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, NamedTuple, Optional

from ._generated import Change
from ._iterate import Rows
from .cursor import CursorStore, MemoryCursor, Position, change_key

if TYPE_CHECKING:
    from .client import Client

#: The most rows of a page.
PAGE_ROWS = 200


class ChangePage(NamedTuple):
    """Changes that came together, and the cursor behind them. Example: `ChangePage([], "aH5…")`."""

    changes: List[Change]
    cursor: str


#: Where new changes come from: pages without an end, each as soon as there is one, from behind a cursor or from the
#: date of the filter: `pages_by_stream` or `pages_by_waiting`. It gives each change once, in order, with a cursor behind
#: each page.
ChangeSource = Callable[["Client", Dict[str, Any], Optional[str]], Iterator[ChangePage]]


class Changes(Rows[Change]):
    """The changes that match a filter, oldest first, for `for` and `async for`: those that there are now.

    Example: `for change in client.changes(since="2026-08-01"): print(change["filing"]["form"])`.
    """

    def __init__(self, client: "Client", filters: Dict[str, Any], source: ChangeSource) -> None:
        super().__init__(lambda: (change for page in self.pages() for change in page.changes))
        self._client = client
        self._filters = filters
        self._source = source

    def pages(self) -> Rows[ChangePage]:
        """The same, in the pages in which they come. Example: `for page in client.changes(since="2026-08-01").pages(): …`."""
        return Rows(self._pages)

    def follow(self, cursor: Optional[CursorStore] = None) -> Rows[Change]:
        """Goes on for ever, from where the store of the cursor says.

        If the store is empty, it begins at `since`; without that, now. The cursor is saved when the loop asks for the
        next change: one whose handling was cut comes again, and no other one. Failures that pass are waited for.
        Raises `invalid_cursor` if the feed no longer has what was handled last.

        Example: `for change in client.changes(form="8-K").follow(cursor=file_cursor("state")): …`.
        """
        return Rows(lambda: self._follow(MemoryCursor() if cursor is None else cursor))

    def _pages(self) -> Iterator[ChangePage]:
        cursor: Optional[str] = None
        while True:
            answer = self._client.list_changes(**self._filters, cursor=cursor, limit=PAGE_ROWS)
            cursor = answer["meta"]["nextCursor"]
            yield ChangePage(answer["data"], cursor)
            if len(answer["data"]) < PAGE_ROWS:
                return

    def _follow(self, store: CursorStore) -> Iterator[Change]:
        saved = store.load()
        position = Position(None, 0) if saved is None else Position.parse(saved)
        cursor, is_at_position = position.cursor, position.sequence == 0
        if saved is None and self._filters.get("since") is None:
            cursor = self._client.patient().list_bulk_files()["meta"]["nextCursor"]
            store.save(cursor)
        for page in self._source(self._client, self._filters, cursor):
            changes = page.changes if is_at_position else position.behind(page.changes)
            is_at_position = changes is not None
            for change in changes or []:
                yield change
                if change is not page.changes[-1]:
                    store.save(Position(cursor, change["sequence"], change_key(change)).text())
            # Before the last change that was handled, the position that was loaded still holds.
            if cursor != page.cursor and is_at_position:
                store.save(page.cursor)
            cursor = page.cursor
