"""The change feed as an iterable."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, Optional

from ._generated import Change
from ._iterate import Rows
from ._parts import Parts, TellUnknown, filters_of_parts
from ._source import PAGE_ROWS, ChangePage, ChangeSource, is_end
from .cursor import CursorStore, MemoryCursor, Position, change_key
from .waiting import pages_by_waiting

if TYPE_CHECKING:
    from .client import Client

class Changes(Rows[Change]):
    """The changes that match a filter, oldest first, for `for` and `async for`: those that there are now.

    Example: `for change in client.changes(since="2026-08-01"): print(change["filing"]["form"])`.
    """

    def __init__(
        self, client: "Client", filters: Dict[str, Any], source: ChangeSource, tell_unknown: TellUnknown
    ) -> None:
        super().__init__(lambda: (change for page in self.pages() for change in page.changes))
        self._client = client
        self._filters = filters
        self._parts = filters_of_parts(filters)
        self._source = source
        self._tell_unknown = tell_unknown

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
        if len(self._parts) > 1:
            parts = Parts(self._client, self._parts, None, None, self._tell_unknown)
            yield from (ChangePage([change], parts.text()) for change in parts.changes())
            return
        cursor: Optional[str] = None
        while True:
            answer = self._client.list_changes(**self._filters, cursor=cursor, limit=PAGE_ROWS)
            self._tell_unknown(answer["meta"]["unknown"])
            cursor = answer["meta"]["nextCursor"]
            yield ChangePage(answer["data"], cursor)
            if is_end(answer):
                return

    def _follow(self, store: CursorStore) -> Iterator[Change]:
        saved = store.load()
        if len(self._parts) > 1:
            yield from self._follow_parts(store, saved)
            return
        position = Position(None, 0) if saved is None else Position.parse(saved.split("\n")[0])
        cursor, is_at_position = position.cursor, position.sequence == 0
        if saved is None and self._filters.get("since") is None:
            cursor = self._end()
            store.save(cursor)
        if "tickers" in self._filters:  # a stream does not say which entries are unknown
            asked = self._client.patient().list_changes(**self._filters, cursor=cursor, limit=1)
            self._tell_unknown(asked["meta"]["unknown"])
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

    def _follow_parts(self, store: CursorStore, saved: Optional[str]) -> Iterator[Change]:
        """Reads all parts whenever something is published that the filter has for anybody."""
        end = self._end()
        client, start = self._client.patient(), None if self._filters.get("since") else end
        parts = Parts(client, self._parts, saved, start, self._tell_unknown)
        of_anybody = {name: value for name, value in self._filters.items() if name not in ("tickers", "since")}
        news = pages_by_waiting(client, of_anybody, end)
        while True:
            store.save(parts.text())
            for change in parts.changes():
                # What was handled is saved with the place behind it, when the loop asks for the next change.
                behind = parts.text()
                yield change
                store.save(behind)
            next(news)

    def _end(self) -> str:
        return self._client.patient().list_bulk_files()["meta"]["nextCursor"]
