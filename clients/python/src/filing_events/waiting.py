"""Changes by requests that the service holds."""
from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Dict, Iterator, Optional

from ._pauses import sleep
from ._source import PAGE_ROWS, ChangePage

if TYPE_CHECKING:
    from .client import Client

#: The longest time for which the service holds a request, in seconds.
LONGEST_WAIT = 60
#: A service that stops holds no request: it is not asked again at once.
_LEAST_SECONDS = 1.0


def pages_by_waiting(client: "Client", filters: Dict[str, Any], cursor: Optional[str]) -> Iterator[ChangePage]:
    """Asks for one page after the other. The service holds each request until something matches.

    Example: `pages_by_waiting(client, {"form": "8-K"}, None)`.
    """
    patient = client.patient()
    while True:
        started = time.monotonic()
        answer = patient.list_changes(
            **filters, cursor=cursor, limit=PAGE_ROWS, wait=LONGEST_WAIT, timeout=LONGEST_WAIT + 60
        )
        cursor = answer["meta"]["nextCursor"]
        yield ChangePage(answer["data"], cursor)
        is_early = answer["meta"].get("endedEarly", False)
        if not answer["data"] and not is_early and time.monotonic() - started < _LEAST_SECONDS:
            sleep(_LEAST_SECONDS)
