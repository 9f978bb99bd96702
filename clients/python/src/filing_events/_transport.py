"""Asks the service, and asks again where that may help."""
from __future__ import annotations

import email.utils
import http.client
import json
import random
import time
from typing import Any, Callable, Mapping, Optional, Tuple
from urllib import error, request

from .errors import FilingEventsError

LONGEST_PAUSE = 60.0

#: Is told of each failure that is followed by another try, and after how many seconds that is.
OnRetry = Callable[[FilingEventsError, float], None]


class Transport:
    """Sends requests to one service. Example: `Transport("http://127.0.0.1:8787", "key").ask("GET", "/health")`."""

    def __init__(
        self,
        base_url: str,
        api_key: Optional[str],
        headers: Mapping[str, str],
        retries: int,
        timeout: float,
        on_retry: Optional[OnRetry],
    ) -> None:
        self.base = base_url.rstrip("/")
        self.headers = {**({} if api_key is None else {"x-api-key": api_key}), **headers}
        self.retries = retries
        self.timeout = timeout
        self.on_retry = on_retry

    def ask(
        self,
        method: str,
        path: str,
        body: Optional[bytes] = None,
        timeout: Optional[float] = None,
        retries: Optional[float] = None,
    ) -> bytes:
        """Returns the body of a good answer. Example: `transport.ask("GET", "/health")`."""
        most = self.retries if retries is None else retries
        failures = 0
        while True:
            try:
                return self._try(method, path, body, self.timeout if timeout is None else timeout)
            except FilingEventsError as refusal:
                if not refusal.is_passing or failures >= most:
                    raise
                failures += 1
                seconds = pause_after(failures, refusal.retry_after)
                self.tell(refusal, seconds)
            time.sleep(seconds)

    def tell(self, failure: FilingEventsError, seconds: float) -> None:
        """Tells of a failure that is followed by another try after so many seconds. Example: `transport.tell(error, 2)`."""
        if self.on_retry:
            self.on_retry(failure, seconds)

    def open(self, path: str, headers: Mapping[str, str], timeout: float) -> Any:
        """Asks once for a path, and returns a good answer whose body is still to be read.

        Each read of it ends with an `OSError` if nothing comes for so many seconds. Example: `transport.open("/", {}, 35)`.
        """
        return self._open(request.Request(self.base + path, headers={**self.headers, **headers}), timeout)

    def _try(self, method: str, path: str, body: Optional[bytes], timeout: float) -> bytes:
        headers = self.headers if body is None else {**self.headers, "content-type": "application/json"}
        question = request.Request(self.base + path, data=body, headers=headers, method=method)
        with self._open(question, timeout) as answer:
            try:
                return answer.read()
            except (OSError, http.client.HTTPException) as failure:
                raise self.lost(failure) from failure

    def _open(self, question: request.Request, timeout: float) -> Any:
        try:
            return request.urlopen(question, timeout=timeout)
        except error.HTTPError as refusal:
            try:
                text = refusal.read()
            except (OSError, http.client.HTTPException):
                text = b""
            raise _refusal_of(refusal, text) from None
        except (OSError, http.client.HTTPException) as failure:
            raise self.lost(failure) from failure

    def lost(self, failure: BaseException) -> FilingEventsError:
        """The error of a connection that was refused, came too late, or was cut off. Example: `transport.lost(failure)`."""
        reason = failure.reason if isinstance(failure, error.URLError) else failure
        return FilingEventsError(f"no answer from {self.base}: {reason!r}", "connection_failed")


def pause_after(failures: int, retry_after: float) -> float:
    """How long to wait after so many failures: as long as the service asks for, and longer after each one.

    The random part keeps clients apart that were cut off at the same moment. Example: `pause_after(1, 30)` is 30.
    """
    own = min(LONGEST_PAUSE, 2.0 ** min(failures, 6)) * random.uniform(0.25, 0.5)
    return max(retry_after, own)


def _refusal_of(refusal: error.HTTPError, text: bytes) -> FilingEventsError:
    code, message = _error_in(text)
    return FilingEventsError(
        message or f"{refusal.code} {text[:200].decode('utf-8', 'replace')}",
        # A proxy between here and the service has no codes.
        code or "unexpected_answer",
        refusal.code,
        refusal.headers.get("X-Request-Id"),
        _seconds_in(refusal.headers.get("Retry-After")),
    )


def _error_in(text: bytes) -> Tuple[Optional[str], Optional[str]]:
    try:
        found = json.loads(text)["error"]
        return found["code"], found["message"]
    except (ValueError, KeyError, TypeError):
        return None, None


def _seconds_in(value: Optional[str]) -> float:
    """Seconds of a Retry-After, which has a number or a date."""
    if value is None:
        return 0
    if value.isdecimal():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return 0
