"""Times that another party or a caller says."""
from __future__ import annotations

import random
import time

#: No pause is longer, in seconds: an hour.
LONGEST = 3600.0
#: After failures, this package waits no longer than this of its own accord.
LONGEST_OWN = 60.0


def bounded_seconds(seconds: float) -> float:
    """What another party or a caller says of a time, as a time that a timer takes: 0 to 3,600 seconds.

    `time.sleep` and sockets raise `OverflowError` beyond their own bounds.

    Example: `bounded_seconds(float("inf"))` is 3600, `bounded_seconds(float("nan"))` is 0.
    """
    return float(min(seconds, LONGEST)) if seconds > 0 else 0.0


def pause_after(failures: int, retry_after: float) -> float:
    """How long to wait after failures in a row: as long as the service asks for, and longer after each one.

    The random part keeps clients apart that were cut off at the same moment. Example: `pause_after(1, 30)` is 30.
    """
    own = min(LONGEST_OWN, 2.0 ** min(failures, 6)) * random.uniform(0.25, 0.5)
    return max(bounded_seconds(retry_after), own)


def sleep(seconds: float) -> None:
    """Waits, an hour at most. Example: `sleep(1.5)`."""
    time.sleep(bounded_seconds(seconds))
