"""Changes by a stream of server-sent events."""
from __future__ import annotations

import http.client
import json
import random
import socket
import time
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, NamedTuple, Optional

from ._generated import Change
from ._pauses import LONGEST, bounded_seconds, pause_after, sleep
from ._source import ChangePage
from .errors import FilingEventsError
from .waiting import pages_by_waiting

if TYPE_CHECKING:
    from .client import Client

#: No stream is expected to come through when this many in a row brought nothing.
_MOST_TRIES = 3
#: The most bytes of an event. A change has far fewer; more would fill the memory of whoever waits for their end.
_MOST_EVENT_BYTES = 4 * 1024 * 1024


class StreamBounds(NamedTuple):
    """When a stream is given up. Example: `StreamBounds(silent=35, waiting=60)`."""

    #: After how many seconds without anything a stream is dead: the service sends a comment every 15 seconds.
    silent: float = 35
    #: For how many seconds `wait` is used where no stream comes through, until one is tried again; each time twice
    #: as long.
    waiting: float = 60


class ServerEvent(NamedTuple):
    """A server-sent event, or a part between two empty lines that is none. Example: `ServerEvent("aH5…", "", None)`."""

    #: Where the next stream goes on behind it; empty if it does not say.
    id: str
    #: Empty if it is no event: a comment, an id alone, or a time.
    data: str
    #: After how many seconds, an hour at most, a client whose stream ended asks again; None if it does not say.
    retry: Optional[float]


def pages_by_stream(
    client: "Client", filters: Dict[str, Any], cursor: Optional[str], bounds: StreamBounds = StreamBounds()
) -> Iterator[ChangePage]:
    """Reads the stream of changes, a page for each change, and goes on behind the last one when the stream ends.

    Where no stream comes through (a service that has none, a proxy that holds back or closes), it asks with `wait` for
    a while. That also tells what is wrong where the service refuses.

    Example: `pages_by_stream(client, {"form": "8-K"}, None)`.
    """
    waiting = bounds.waiting
    while True:
        for page in _pages_while_streamed(client, filters, cursor, bounds.silent):
            waiting = bounds.waiting
            cursor = page.cursor
            yield page
        end = time.monotonic() + waiting
        for page in pages_by_waiting(client, filters, cursor):
            cursor = page.cursor
            yield page
            if time.monotonic() >= end:
                break
        waiting = min(LONGEST, 2 * waiting)


def _pages_while_streamed(
    client: "Client", filters: Dict[str, Any], cursor: Optional[str], silent: float
) -> Iterator[ChangePage]:
    """Gives pages as long as streams come through."""
    transport, retry, failures = client._transport, 2.0, 0
    while failures < _MOST_TRIES:
        failure: Optional[FilingEventsError] = None
        has_brought = False
        try:
            for event in _events_from(client, filters, cursor, silent):
                retry = retry if event.retry is None else event.retry
                changes = [_change_of(event.data)] if event.data else []
                # A proxy that holds back may let the first bytes through.
                has_brought = has_brought or event.retry is None
                if event.id and event.id != cursor:
                    cursor = event.id
                    yield ChangePage(changes, cursor)
        except FilingEventsError as error:
            failure = error
            if not has_brought and not failure.is_passing:
                return
        failures = 0 if has_brought else failures + 1
        own = bounded_seconds(retry * random.uniform(1, 1.5))
        pause = max(own, pause_after(failures, failure.retry_after if failure else 0))
        if failure:
            transport.tell(failure, pause)
        sleep(pause)


def _events_from(
    client: "Client", filters: Dict[str, Any], cursor: Optional[str], silent: float
) -> Iterator[ServerEvent]:
    """Gives the events of one stream. Its error passes if the stream was cut, and does not if it is none."""
    try:
        with client.open_changes(filters, cursor, silent) as answer:
            if answer.headers.get_content_type() != "text/event-stream":
                raise _no_stream("the service gives no stream")
            yield from events_in(_lines_of(answer))
    except (OSError, http.client.HTTPException) as failure:
        raise _failure_of(client, failure, silent) from failure
    except FilingEventsError as failure:
        if failure.__cause__ is None:
            raise
        # No headers came.
        raise _failure_of(client, failure.__cause__, silent) from failure


def _failure_of(client: "Client", failure: BaseException, silent: float) -> FilingEventsError:
    if isinstance(getattr(failure, "reason", failure), socket.timeout):
        return _no_stream(f"nothing came from the stream for {silent:g} seconds")
    return client._transport.lost(failure)


def _lines_of(answer: Any) -> Iterator[bytes]:
    """Gives the lines of a stream. A line without an end is given in parts, which `events_in` counts."""
    while True:
        line = answer.readline(_MOST_EVENT_BYTES + 1)
        if not line:
            return
        yield line


def events_in(lines: Iterable[bytes]) -> Iterator[ServerEvent]:
    """Reads server-sent events (HTML standard, section 9.2) from the lines of a stream.

    Comments are given, too, because they are signs of life. What the end of the stream cut off is not given. Raises
    `answer_too_long` for an event without an end.

    Example: `events_in([b"id: 7\\n", b"data: {}\\n", b"\\n"])`.
    """
    block: List[str] = []
    length = 0
    for line in lines:
        length += len(line)
        if length > _MOST_EVENT_BYTES:
            raise FilingEventsError(
                f"an event of the stream has more than {_MOST_EVENT_BYTES} bytes", "answer_too_long"
            )
        text = line.rstrip(b"\r\n").decode("utf-8", "replace")
        if text:
            block.append(text)
            continue
        if block:
            yield _event_of(block)
        block, length = [], 0


def _event_of(block: List[str]) -> ServerEvent:
    data: List[str] = []
    others = {"id": "", "retry": ""}
    for line in block:
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            data.append(value)
        elif name in others:
            others[name] = value
    retry = others["retry"]
    return ServerEvent(others["id"], "\n".join(data), bounded_seconds(float(retry) / 1000) if retry.isdecimal() else None)


def _no_stream(message: str) -> FilingEventsError:
    return FilingEventsError(message, "unexpected_answer")


def _change_of(data: str) -> Change:
    try:
        change: Change = json.loads(data)
        return change
    except ValueError:
        raise _no_stream("the data of an event is no JSON") from None
