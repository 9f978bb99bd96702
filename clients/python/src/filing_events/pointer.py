"""Proves the pointer of a folder of snapshots by its signature."""
from __future__ import annotations

import base64
import datetime
import re
from typing import Any, List, Mapping, Optional

from . import _ed25519
from ._files import is_count, is_sha256
from .errors import FilingEventsError

#: What an Ed25519 key in DER has before its 32 bytes.
DER_PREFIX = bytes.fromhex("302a300506032b6570032100")
#: How far a number may be beyond the seconds of `madeAt`: a greater one is refused.
_NUMBERS_AHEAD = 1_000_000


def verify_pointer(
    pointer: Mapping[str, Any],
    trusted_key: str,
    at_least: int = 0,
    now: Optional[datetime.datetime] = None,
) -> None:
    """Checks that a trusted key signed a pointer, that it has not expired, and that it is not older than one before.

    `trusted_key` has public Ed25519 keys: PEM blocks, or the base64 lines of them with commas between. `at_least` is
    the greatest number that was accepted before. A number far beyond the time at which the pointer was made is refused,
    so that nobody can use up all numbers. Raises `untrusted_pointer`. Example: `verify_pointer(pointer, key)`.
    """
    problem = _problem_of(pointer)
    if problem is not None:
        raise _untrusted(problem)
    signed = pointer["signature"]
    members = ["filing-event-intelligence pointer", pointer["snapshotId"], pointer["manifestSha256"]]
    members += [",".join(pointer["previous"]), str(signed["number"]), signed["madeAt"], signed["expiresAt"]]
    text = "".join(f"{member}\n" for member in members).encode()
    signature = _bytes_of(signed["signature"])
    if not any(_ed25519.is_signed(key, text, signature) for key in _keys_in(trusted_key)):
        raise _untrusted("its signature was not made by the trusted key, or is of another pointer")
    made, expires = _time_of(signed["madeAt"]), _time_of(signed["expiresAt"])
    if (now or datetime.datetime.now(datetime.timezone.utc)) >= expires:
        raise _untrusted(f"it expired at {signed['expiresAt']}")
    if signed["number"] > made.timestamp() + _NUMBERS_AHEAD:
        raise _untrusted(f"its number is {signed['number']}, far beyond the time at which it was made, {signed['madeAt']}")
    if signed["number"] < at_least:
        raise _untrusted(f"its number is {signed['number']}, and one with {at_least} was accepted before")


_NAME = re.compile(r"[0-9]{8}-[0-9a-f]{16}")
_TIMESTAMP = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]{1,3})?Z")


def _problem_of(pointer: Any) -> Optional[str]:
    """Why something is no signed pointer. It comes from another party, and its names become paths."""
    if not isinstance(pointer, Mapping) or not isinstance(pointer.get("previous"), list):
        return "it is no pointer"
    if not all(_is_text(each, _NAME) for each in [pointer.get("snapshotId"), *pointer["previous"]]):
        return "it is no pointer"
    if not is_sha256(pointer.get("manifestSha256")):
        return "it is no pointer"
    signed = pointer.get("signature")
    if signed is None:
        return "it is not signed"
    is_signature = (
        isinstance(signed, Mapping)
        and is_count(signed.get("number"))
        and all(_is_time(signed.get(name)) for name in ("madeAt", "expiresAt"))
        and isinstance(signed.get("signature"), str)
    )
    return None if is_signature else "it has no signature that can be read"


def _is_text(value: Any, pattern: "re.Pattern[str]") -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _is_time(value: Any) -> bool:
    try:
        return _is_text(value, _TIMESTAMP) and _time_of(value) is not None
    except ValueError:
        return False


def _time_of(text: str) -> datetime.datetime:
    seconds, fraction = _TIMESTAMP.fullmatch(text).groups()  # type: ignore[union-attr]
    time = datetime.datetime.fromisoformat(f"{seconds}+00:00")
    return time + datetime.timedelta(seconds=float(fraction or 0))


def _bytes_of(text: str) -> bytes:
    try:
        return base64.b64decode(text)
    except ValueError:
        raise _untrusted("it has no signature that can be read") from None


def _untrusted(reason: str) -> FilingEventsError:
    return FilingEventsError(f"the pointer is not to be trusted: {reason}", "untrusted_pointer")


def _keys_in(text: str) -> List[bytes]:
    blocks = re.findall(r"-----BEGIN PUBLIC KEY-----([^-]+)-----END PUBLIC KEY-----", text)
    try:
        ders = [base64.b64decode(block) for block in blocks or text.split(",")]
    except ValueError:
        ders = []
    if not ders or not all(der.startswith(DER_PREFIX) for der in ders):
        raise _untrusted("the key to check it by is no Ed25519 public key, its PEM or the base64 line of it")
    return [der[len(DER_PREFIX) :] for der in ders]
