"""Reads a list of companies that is too long for one request."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Sequence, Set

from ._generated import Change
from ._source import PAGE_ROWS, is_end
from .cursor import Position, change_key
from .errors import FilingEventsError

if TYPE_CHECKING:
    from .client import Client

#: The most companies of a request. A longer list is asked for in parts, each with a place of its own.
_MOST_TICKERS = 250
#: How many changes that name several parties are remembered, so that no second part of a list gives one again.
_MOST_REMEMBERED = 500
#: Begins the last line of a text with several places: sequences that were handled, and that another part may bring.
_HANDLED = "handled"

#: Is told which entries of a list no company has.
TellUnknown = Callable[[Sequence[str]], None]


def filters_of_parts(filters: Dict[str, Any]) -> List[Dict[str, Any]]:
    """The filters of the requests for a list of companies: one, or as many as the list needs.

    Example: `len(filters_of_parts({"tickers": many_tickers}))`.
    """
    tickers = filters.get("tickers") or []
    entries = tickers.split(",") if isinstance(tickers, str) else list(tickers)
    if len(entries) <= _MOST_TICKERS:
        return [filters]
    starts = range(0, len(entries), _MOST_TICKERS)
    return [{**filters, "tickers": entries[at : at + _MOST_TICKERS]} for at in starts]


class _Part:
    def __init__(self, filters: Dict[str, Any], position: Position) -> None:
        self.filters = filters
        self.position = position
        #: What is left of the page behind the position, and the cursor behind that page.
        self.left: List[Change] = []
        self.next: Optional[str] = None
        #: Whether the feed had nothing more for this part when it was asked last.
        self.is_at_end = False


class Parts:
    """Reads a list of companies in parts.

    It goes on where a text says, as `text` gives it. A part that the text does not have begins at a cursor, or at the
    date of the filter. Example: `Parts(client, filters_of_parts(filters), saved, cursor, tell_unknown)`.
    """

    def __init__(
        self,
        client: "Client",
        filters: Sequence[Dict[str, Any]],
        saved: Optional[str],
        start: Optional[str],
        tell_unknown: TellUnknown,
    ) -> None:
        self._client = client
        self._tell_unknown = tell_unknown
        lines = saved.split("\n") if saved else []
        self._handled: List[int] = []
        if lines and lines[-1].split(" ")[0] == _HANDLED:
            self._handled = [int(word) for word in lines.pop().split(" ")[1:]]
        positions = [Position.parse(line) for line in lines]
        begun = positions + [Position(start, 0)] * len(filters)
        self._parts = [_Part(each, position) for each, position in zip(filters, begun)]

    def text(self) -> str:
        """The text of all places: a line for each part, and one for what was handled. Example: `store.save(parts.text())`."""
        handled = " ".join([_HANDLED, *map(str, self._handled)])
        return "\n".join([*(part.position.text() for part in self._parts), handled])

    def changes(self) -> Iterator[Change]:
        """Gives what there is now, in the order of sequences. Behind each change `text` is the place behind it.

        Example: `for change in parts.changes(): …`.
        """
        unknown: Set[_Part] = set()
        # What is published meanwhile waits: a part that was at its end before would have it later than the others.
        files = self._client.list_bulk_files()["data"]
        end = files[-1]["lastSequence"] if files else 0
        for part in self._parts:
            part.is_at_end = False
        while True:
            for part in self._parts:
                while not part.left and not part.is_at_end:
                    self._read(part, unknown)
            waiting = [part for part in self._parts if part.left and part.left[0]["sequence"] <= end]
            if not waiting:
                return
            first = min(waiting, key=lambda part: part.left[0]["sequence"])
            change, first.left = first.left[0], first.left[1:]
            sequence = change["sequence"]
            if first.left:
                first.position = Position(first.position.cursor, sequence, change_key(change))
            else:
                first.position = Position(first.next, 0)
            if sequence in self._handled:
                continue
            if len(change["filing"]["parties"]) > 1:
                self._handled = [*self._handled, sequence][-_MOST_REMEMBERED:]
            yield change

    def _read(self, part: _Part, unknown: Set[_Part]) -> None:
        """Reads a page of a part, which has what is behind its position. A part of which no company is known has nothing, unless no part has one."""
        position = part.position
        part.next = position.cursor
        left: Optional[List[Change]] = None
        try:
            # Before the last change that was handled, the place that was known still holds.
            while left is None and not part.is_at_end:
                answer = self._client.list_changes(**part.filters, cursor=part.next, limit=PAGE_ROWS)
                self._tell_unknown(answer["meta"]["unknown"])
                left = position.behind(answer["data"]) if position.sequence else answer["data"]
                part.is_at_end = is_end(answer)
                part.next = answer["meta"]["nextCursor"]
        except FilingEventsError as failure:
            unknown.add(part)
            if failure.code != "company_not_found" or len(unknown) == len(self._parts):
                raise
            self._tell_unknown(part.filters["tickers"])
            part.is_at_end = True
            return
        part.left = left or []
        if left == []:
            part.position = Position(part.next, 0)
