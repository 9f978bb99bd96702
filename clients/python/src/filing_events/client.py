"""The client."""
from __future__ import annotations

import copy
import json
import os
import sys
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Set, TypeVar, Union

from ._answers import USUAL_MOST_BYTES
from ._files import require_files
from ._generated import PAGED_OPERATIONS, BulkListResponse, Histories, Operations, Values
from ._iterate import Rows
from ._parts import TellUnknown
from ._source import PAGE_ROWS
from ._transport import ApiKey, OnRetry, Transport
from ._url import fill
from .changes import Changes
from .errors import FilingEventsError
from .mirror import Mirror
from .streaming import pages_by_stream

Result = TypeVar("Result")


class Client(Histories):
    """A client of the service: a method for each operation, and the lists as iterables.

    `api_key` may be a function. It is asked before the first request, and again when the service refuses the key (401):
    if it gives another one, the request is sent once more. So a key can be changed while a program runs.
    `retries` says how often a request is repeated that may succeed later, and `timeout` how many seconds a try may
    take beside the time for which it asks the service to wait, an hour at most. `headers` go with each request, for example those of a
    gateway. `on_retry` is told of each failure that is followed by another try, and `on_unknown` which companies of a
    list of `changes` the service does not have, each once; without it they are printed to stderr.

    Example: `Client("http://127.0.0.1:8787", "key").get_company_profile("AAPL")["data"]["name"]`.
    """

    def __init__(
        self,
        base_url: str,
        api_key: ApiKey = None,
        *,
        headers: Optional[Mapping[str, str]] = None,
        retries: int = 5,
        timeout: float = 60,
        on_retry: Optional[OnRetry] = None,
        on_unknown: Optional[TellUnknown] = None,
    ) -> None:
        self._transport = Transport(base_url, api_key, headers or {}, retries, timeout, on_retry)
        self._on_unknown = _print_unknown if on_unknown is None else on_unknown
        self._retries: Optional[float] = None
        self._most_bytes: float = USUAL_MOST_BYTES

    def patient(self) -> "Client":
        """The same client, which repeats a request that may succeed later for ever. Example: `client.patient().get_stats()`."""
        patient = copy.copy(self)
        patient._retries = float("inf")
        return patient

    def limited(self, most_bytes: float) -> "Client":
        """The same client, to which a longer answer is an error, `answer_too_long`. Example: `client.limited(1024).get_health()`."""
        limited = copy.copy(self)
        limited._most_bytes = most_bytes
        return limited

    def list_bulk_files(self, *, timeout: Optional[float] = None) -> BulkListResponse:
        """As the operation says, and the list is checked: its names become paths. Example: `client.list_bulk_files()`."""
        listed = super().list_bulk_files(timeout=timeout)
        require_files(listed["data"])
        return listed

    def changes(
        self,
        *,
        ticker: Optional[str] = None,
        tickers: Optional[Values] = None,
        form: Optional[Values] = None,
        event_type: Optional[str] = None,
        items: Optional[Values] = None,
        transaction_code: Optional[Values] = None,
        min_value: Optional[float] = None,
        sic: Optional[Values] = None,
        exchange: Optional[Values] = None,
        listed: Optional[bool] = None,
        accepted_since: Optional[str] = None,
        accepted_until: Optional[str] = None,
        exhibit: Optional[Values] = None,
        since: Optional[str] = None,
        until: Optional[str] = None,
        corrections: Optional[Values] = None,
    ) -> Changes:
        """The change feed. Example: `for change in client.changes(form="8-K").follow(cursor=file_cursor("state")): …`."""
        filters = {
            "ticker": ticker,
            "tickers": tickers,
            "form": form,
            "event_type": event_type,
            "items": items,
            "transaction_code": transaction_code,
            "min_value": min_value,
            "sic": sic,
            "exchange": exchange,
            "listed": listed,
            "accepted_since": accepted_since,
            "accepted_until": accepted_until,
            "exhibit": exhibit,
            "since": since,
            "until": until,
            "corrections": corrections,
        }
        given = {name: value for name, value in filters.items() if value is not None}
        return Changes(self, given, pages_by_stream, _telling_once(self._on_unknown))

    def mirror(
        self,
        database: Any,
        *,
        tickers: Optional[Values] = None,
        since: Optional[str] = None,
        folder: Union[None, str, "os.PathLike[str]"] = None,
    ) -> Mirror:
        """A copy of the log in SQLite or Postgres. Example: `list(client.mirror("filings.db").update())`.

        database: The path of an SQLite file, or a connection.
        tickers: Only these companies, any number of them. One that is added at the end later is mirrored from the
            beginning, too. Without it, the whole log.
        since: Filing date to begin at; the first one if not given. Only the first run reads it.
        folder: Keeps the files of the whole log there. A closed one is fetched once; a mirror that goes on looks for new
            ones once a day.
        """
        return Mirror(self, database, tickers, since, folder)

    def open_changes(self, filters: Mapping[str, Any], cursor: Optional[str], timeout: float) -> Any:
        """Opens the stream of changes behind a cursor, which ends when nothing comes for so many seconds.

        Example: `client.open_changes({"form": "8-K"}, cursor, 35)`.
        """
        headers = {"accept": "text/event-stream", **({} if cursor is None else {"last-event-id": cursor})}
        return _Opener(self._transport, headers).list_changes(**filters, cursor=cursor, timeout=timeout)

    def _pages(self, operation: str, arguments: Sequence[Any], parameters: Mapping[str, Any]) -> Rows[Any]:
        if operation not in PAGED_OPERATIONS:
            raise ValueError(f"operation: must be one of {', '.join(PAGED_OPERATIONS)}, not {operation!r}")
        return Rows(lambda: self._pages_of(operation, arguments, parameters))

    def _rows(self, operation: str, arguments: Sequence[Any], parameters: Mapping[str, Any]) -> Rows[Any]:
        pages = self._pages(operation, arguments, {"limit": PAGE_ROWS, **parameters})
        return Rows(lambda: (row for page in pages for row in page["data"]))

    def _pages_of(self, operation: str, arguments: Sequence[Any], parameters: Mapping[str, Any]) -> Iterator[Any]:
        cursor = None
        while True:
            page = getattr(self, operation)(*arguments, **{**parameters, "cursor": cursor})
            yield page
            cursor = page["meta"]["nextCursor"]
            if cursor is None:
                return

    def _call(self, method: str, path: str, values: Mapping[str, Any], timeout: Optional[float] = None) -> Any:
        return self._ask(method, path, values, timeout, lambda text: _parse(text, path))

    def _file(self, path: str, values: Mapping[str, Any], timeout: Optional[float] = None) -> bytes:
        return self._ask("GET", path, values, timeout, bytes)

    def _ask(
        self,
        method: str,
        path: str,
        values: Mapping[str, Any],
        timeout: Optional[float],
        read: Callable[[bytes], Result],
    ) -> Result:
        others = dict(values)
        message = others.pop("message", None)
        if timeout is None:
            timeout = self._transport.timeout + (others.get("wait") or 0)
        body = None if message is None else json.dumps(message).encode()
        return self._transport.ask(method, fill(path, others), read, body, timeout, self._retries, self._most_bytes)


def _print_unknown(entries: Sequence[str]) -> None:
    print(f"the service holds no company with the ticker symbol or CIK {', '.join(map(repr, entries))}", file=sys.stderr)


def _telling_once(tell: TellUnknown) -> TellUnknown:
    told: Set[str] = set()

    def tell_others(entries: Sequence[str]) -> None:
        others = [each for each in entries if each not in told]
        told.update(others)
        if others:
            tell(others)

    return tell_others


class _Opener(Operations):
    """Opens answers of operations, and leaves their bodies to be read."""

    def __init__(self, transport: Transport, headers: Mapping[str, str]) -> None:
        self._transport = transport
        self._headers = headers

    def _call(self, method: str, path: str, values: Mapping[str, Any], timeout: Optional[float] = None) -> Any:
        return self._transport.open(fill(path, values), self._headers, self._transport.timeout if timeout is None else timeout)


def _parse(text: bytes, path: str) -> Any:
    """Reads an answer. Every one below `/v1/` has `data`; a page of a proxy has none."""
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError) as failure:
        raise _no_answer(path, "is no JSON") from failure
    if not isinstance(answer, dict) or (path.startswith("/v1/") and "data" not in answer):
        raise _no_answer(path, "has no data")
    return answer


def _no_answer(path: str, problem: str) -> FilingEventsError:
    message = f"the answer of {path} {problem}: is this the address of the service?"
    return FilingEventsError(message, "unexpected_answer", 200)
