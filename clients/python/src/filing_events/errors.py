"""The error of this package."""
from __future__ import annotations

from typing import Optional


class FilingEventsError(Exception):
    """Every error that this package raises. `code` says what happened, the message says it to a person.

    The code is one of the service (`company_not_found`, `rate_limited`, …), or `connection_failed`,
    `unexpected_answer`, `answer_too_long`, `digest_mismatch`, `untrusted_pointer` or `mirror_mismatch` of this side.

    Example: `except FilingEventsError as error: print(error.code)`.
    """

    def __init__(
        self,
        message: str,
        code: str,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        retry_after: float = 0,
    ) -> None:
        super().__init__(message)
        self.code = code
        #: None if no answer came.
        self.status = status
        #: The id of the request, which the log of the service has, too.
        self.request_id = request_id
        #: Seconds after which the service wants to be asked again; 0 if it does not say.
        self.retry_after = retry_after

    @property
    def is_passing(self) -> bool:
        """Whether the same request may succeed later: after 429, 5xx, or where no answer came."""
        return self.code == "connection_failed" or self.status == 429 or (self.status or 0) >= 500
