"""Where changes come from."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, NamedTuple, Optional

from ._generated import Change

if TYPE_CHECKING:
    from .client import Client

#: The most rows of a page.
PAGE_ROWS = 200


def is_end(answer: Any) -> bool:
    """Whether the feed has no more behind a page of at most `PAGE_ROWS` rows.

    A shorter page may have ended early, where filters rarely match together. Example: `is_end(answer)`.
    """
    return len(answer["data"]) < PAGE_ROWS and not answer["meta"].get("endedEarly", False)


class ChangePage(NamedTuple):
    """Changes that came together, and the cursor behind them. Example: `ChangePage([], "aH5…")`."""

    changes: List[Change]
    cursor: str


#: Where new changes come from: pages without an end, each as soon as there is one, from behind a cursor or from the
#: date of the filter: `pages_by_stream` or `pages_by_waiting`. It gives each change once, in order, with a cursor behind
#: each page.
ChangeSource = Callable[["Client", Dict[str, Any], Optional[str]], Iterator[ChangePage]]
