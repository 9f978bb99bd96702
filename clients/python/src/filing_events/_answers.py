"""Reads answers: redirects within an origin alone, and bodies up to a bound."""
from __future__ import annotations

import email.utils
import http.client
import json
import string
import time
from typing import Any, List, Optional, Tuple
from urllib import error, parse, request

from ._pauses import bounded_seconds
from .errors import FilingEventsError

#: The most bytes of an answer, if a request does not say otherwise: 64 MiB. A longer one would fill the memory.
USUAL_MOST_BYTES = 64 * 1024 * 1024
#: The most bytes of the body of a refusal that are read.
_MOST_REFUSAL_BYTES = 64 * 1024
_PIECE_BYTES = 64 * 1024
#: After these a request that changes something is sent again as it is.
_REDIRECTS_OF_ALL = (307, 308)
_MOST_REDIRECTS = 5


class _WithinOrigin(request.HTTPRedirectHandler):
    """Follows redirects within the origin of a request: its headers have the key of the caller."""

    def http_error_302(self, req: Any, fp: Any, code: int, msg: str, headers: Any) -> Any:
        # The body is not read: it may have no end.
        fp.close()
        hops = getattr(req, "hops", 0)
        target, problem = _target_of(req, code, headers.get("Location"))
        if problem is None and hops == _MOST_REDIRECTS:
            problem = f"leads to another address more than {_MOST_REDIRECTS} times"
        if problem is not None:
            raise FilingEventsError(f"{req.full_url} {problem}", "unexpected_answer", code)
        again = request.Request(target, req.data, dict(req.headers), method=req.get_method())
        again.hops = hops + 1  # type: ignore[attr-defined]
        return self.parent.open(again, timeout=req.timeout)

    # Python before 3.11 does not know 308.
    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def _target_of(asked: request.Request, code: int, location: Optional[str]) -> Tuple[str, Optional[str]]:
    """Where a redirect leads, and why it is not followed."""
    try:
        target = parse.urljoin(asked.full_url, parse.quote(location or "", string.punctuation, "iso-8859-1"))
        origin = _origin_of(target)
    except ValueError:
        location = None
    if location is None:
        return "", "leads to no address"
    if origin != _origin_of(asked.full_url):
        return target, f"leads to {target}, another origin, to which no key is sent"
    if asked.get_method() != "GET" and code not in _REDIRECTS_OF_ALL:
        return target, f"leads to {target}, to which only a GET may go"
    return target, None


def _origin_of(address: str) -> Tuple[str, Optional[str], Optional[int]]:
    parts = parse.urlsplit(address)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


_opener = request.build_opener(_WithinOrigin)


def open_within_origin(question: request.Request, timeout: float) -> Any:
    """Opens an address as `urlopen` does, and follows redirects within its origin.

    A redirect to another origin is an error that names it. Example: `open_within_origin(Request(address), 60)`.
    """
    return _opener.open(question, timeout=bounded_seconds(timeout))


def bytes_of(answer: Any, most_bytes: float, name: str, timeout: float = 3600) -> bytes:
    """Reads a body, within the time. Raises `answer_too_long` as soon as there are more bytes than the most.

    An `OSError` or an `HTTPException` says that it was cut off or took too long.

    Example: `bytes_of(answer, 64 * 1024, "current.json")`.
    """
    text, is_whole = _beginning_of(answer, most_bytes, timeout)
    if not is_whole:
        raise FilingEventsError(f"the answer of {name} is longer than {most_bytes:.0f} bytes", "answer_too_long")
    return text


def _beginning_of(answer: Any, most_bytes: float, timeout: float) -> Tuple[bytes, bool]:
    end = time.monotonic() + bounded_seconds(timeout)
    pieces: List[bytes] = []
    length = 0
    while True:
        piece = answer.read1(_PIECE_BYTES)
        if not piece:
            break
        length += len(piece)
        if length > most_bytes:
            return b"".join([*pieces, piece])[: int(most_bytes)], False
        if time.monotonic() > end:
            raise OSError(f"no whole answer within {bounded_seconds(timeout):g} seconds")
        pieces.append(piece)
    text = b"".join(pieces)
    # Reading by pieces does not notice that the connection was cut.
    stated = answer.headers.get("Content-Length", "")
    if stated.isdecimal() and answer.headers.get("Transfer-Encoding") is None and length < int(stated[:18]):
        raise http.client.IncompleteRead(text, int(stated[:18]) - length)
    return text, True


def refusal_of(refusal: error.HTTPError, timeout: float) -> FilingEventsError:
    """The error of an answer that is not good. Of an endless one the beginning is read. Example: `refusal_of(error, 60)`."""
    try:
        with refusal:
            text, _ = _beginning_of(refusal, _MOST_REFUSAL_BYTES, timeout)
    except (OSError, http.client.HTTPException):
        text = b""
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
        code, message = found["code"], found["message"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None, None
    return (code, message) if isinstance(code, str) and isinstance(message, str) else (None, None)


def _seconds_in(value: Optional[str]) -> float:
    """Seconds of a Retry-After, which has a number or a date."""
    if value is None:
        return 0
    if value.isdecimal():
        return bounded_seconds(float(value))
    try:
        return bounded_seconds(email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return 0
