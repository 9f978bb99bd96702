"""Asks the service, and asks again where that may help."""
from __future__ import annotations

import http.client
import re
from typing import Any, Callable, Dict, Mapping, Optional, TypeVar, Union
from urllib import error, parse, request

from ._answers import USUAL_MOST_BYTES, bytes_of, open_within_origin, refusal_of
from ._pauses import pause_after, sleep
from .errors import FilingEventsError

#: Is told of each failure that is followed by another try, and after how many seconds that is.
OnRetry = Callable[[FilingEventsError, float], None]

#: A key, or what gives one.
ApiKey = Union[None, str, Callable[[], str]]

Result = TypeVar("Result")


class Transport:
    """Sends requests to one service. Example: `Transport("http://127.0.0.1:8787", "key").ask("GET", "/health", json.loads)`."""

    def __init__(
        self,
        base_url: str,
        api_key: ApiKey,
        headers: Mapping[str, str],
        retries: int,
        timeout: float,
        on_retry: Optional[OnRetry],
    ) -> None:
        self.base = base_url.rstrip("/")
        self._api_key = api_key
        self._known_key: Optional[str] = None if callable(api_key) else api_key
        self._headers = headers
        self.retries = retries
        self.timeout = timeout
        self.on_retry = on_retry

    def ask(
        self,
        method: str,
        path: str,
        read: Callable[[bytes], Result],
        body: Optional[bytes] = None,
        timeout: Optional[float] = None,
        retries: Optional[float] = None,
        most_bytes: float = USUAL_MOST_BYTES,
    ) -> Result:
        """Returns what `read` makes of the body of a good answer.

        A caller that never gives up also asks again where `read` raises a `FilingEventsError` with a good status:
        proxies show a page of theirs while they wait for the service.

        Example: `transport.ask("GET", "/health", json.loads)`.
        """
        most = self.retries if retries is None else retries
        failures = 0
        while True:
            try:
                return read(self._try(method, path, body, self.timeout if timeout is None else timeout, most_bytes))
            except FilingEventsError as refusal:
                is_page = refusal.code == "unexpected_answer" and refusal.status == 200
                is_waited_for = refusal.is_passing or (is_page and most == float("inf"))
                if not is_waited_for or failures >= most:
                    raise
                failures += 1
                seconds = pause_after(failures, refusal.retry_after)
                self.tell(refusal, seconds)
            sleep(seconds)

    def tell(self, failure: FilingEventsError, seconds: float) -> None:
        """Tells of a failure that is followed by another try, and after how many seconds. Example: `transport.tell(error, 2)`."""
        if self.on_retry:
            self.on_retry(failure, seconds)

    def open(self, path: str, headers: Mapping[str, str], timeout: float) -> Any:
        """Asks once for a path, and returns a good answer whose body is still to be read.

        Each read of it ends with an `OSError` if nothing comes for so many seconds. Example: `transport.open("/", {}, 35)`.
        """
        return self._open("GET", path, None, headers, timeout)

    def _try(self, method: str, path: str, body: Optional[bytes], timeout: float, most_bytes: float) -> bytes:
        headers = {} if body is None else {"content-type": "application/json"}
        with self._open(method, path, body, headers, timeout) as answer:
            try:
                return bytes_of(answer, most_bytes, path, timeout)
            except (OSError, http.client.HTTPException) as failure:
                raise self.lost(failure) from failure

    def _open(self, method: str, path: str, body: Optional[bytes], more: Mapping[str, str], timeout: float) -> Any:
        if callable(self._api_key) and self._known_key is None:
            self._known_key = self._api_key()
        key = self._known_key
        try:
            return self._send(method, path, body, more, timeout)
        except FilingEventsError as refusal:
            if refusal.status != 401 or not callable(self._api_key):
                raise
            # Another request may have asked for a new key meanwhile.
            if self._known_key == key:
                self._known_key = self._api_key()
            if self._known_key == key:
                raise
            return self._send(method, path, body, more, timeout)

    def _send(self, method: str, path: str, body: Optional[bytes], more: Mapping[str, str], timeout: float) -> Any:
        own: Dict[str, str] = {} if self._known_key is None else {"x-api-key": self._known_key}
        headers = {**own, **self._headers, **more}
        # Who asks again for ever would do so in silence.
        if not _is_address(self.base):
            raise FilingEventsError("base_url: must begin with http:// or https://, and have no user", "invalid_parameter")
        try:
            return open_within_origin(request.Request(self.base + path, body, headers, method=method), timeout)
        except error.HTTPError as refusal:
            raise refusal_of(refusal, timeout) from None
        except (OSError, http.client.HTTPException) as failure:
            raise self.lost(failure) from failure
        except ValueError:
            # Its message may have the key.
            raise FilingEventsError(
                "a header of the request has what no header can have: is the key one line?", "invalid_parameter"
            ) from None

    def lost(self, failure: BaseException) -> FilingEventsError:
        """The error of a connection that was refused, came too late, or was cut off. Example: `transport.lost(failure)`."""
        reason = failure.reason if isinstance(failure, error.URLError) else failure
        return FilingEventsError(f"no answer from {self.base}: {reason!r}", "connection_failed")


def _is_address(text: str) -> bool:
    """Whether a request can go to an address."""
    try:
        parts = parse.urlsplit(text)
        is_host = bool(parts.hostname) and parts.port != 0 and re.search(r"[@\s]", parts.netloc) is None
        return parts.scheme in ("http", "https") and is_host and parts.path.isascii()
    except ValueError:
        return False
