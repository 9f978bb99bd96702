"""Proves files: from the signature of the pointer down to their digests."""
from __future__ import annotations

import base64
import datetime
import hashlib
import json
import os
import pathlib
import re
from typing import Any, Dict, List, Literal, Mapping, NamedTuple, Optional, Sequence, Union
from urllib import error, request

from . import _ed25519
from ._generated import BulkFile
from .errors import FilingEventsError
from .mirror import is_whole

#: What an Ed25519 key in DER has before its 32 bytes.
DER_PREFIX = bytes.fromhex("302a300506032b6570032100")


class VerifiedSnapshot(NamedTuple):
    """A snapshot whose pointer and files of the log are proven. Example: `verify_snapshot(folder, key).number`."""

    snapshot_id: str
    #: The number of the pointer. Keep it, and give it as `at_least` next time.
    number: int
    #: The files of the log, with the digests that follow from the signature.
    files: List[BulkFile]


def verify_pointer(
    pointer: Mapping[str, Any],
    trusted_key: str,
    at_least: int = 0,
    now: Optional[datetime.datetime] = None,
) -> None:
    """Checks that a trusted key signed a pointer, that it has not expired, and that it is not older than one before.

    `trusted_key` has public Ed25519 keys: PEM blocks, or the base64 lines of them with commas between. `at_least` is
    the greatest number that was accepted before. Raises `untrusted_pointer`. Example: `verify_pointer(pointer, key)`.
    """
    signed = pointer.get("signature")
    if signed is None:
        raise _untrusted("it is not signed")
    members = ["filing-event-intelligence pointer", pointer["snapshotId"], pointer["manifestSha256"]]
    members += [",".join(pointer["previous"]), str(signed["number"]), signed["madeAt"], signed["expiresAt"]]
    text = "".join(f"{member}\n" for member in members).encode()
    signature = base64.b64decode(signed["signature"])
    if not any(_ed25519.is_signed(key, text, signature) for key in _keys_in(trusted_key)):
        raise _untrusted("its signature was not made by the trusted key, or is of another pointer")
    expires = datetime.datetime.fromisoformat(signed["expiresAt"].replace("Z", "+00:00"))
    if (now or datetime.datetime.now(datetime.timezone.utc)) >= expires:
        raise _untrusted(f"it expired at {signed['expiresAt']}")
    if signed["number"] < at_least:
        raise _untrusted(f"its number is {signed['number']}, and one with {at_least} was accepted before")


def verify_snapshot(source: str, trusted_key: str, at_least: int = 0) -> VerifiedSnapshot:
    """Reads a folder of snapshots, or its copy on a host, from the signature down to the digests of the files.

    Example: `verify_snapshot("https://files.example/snapshots", key).files`.
    """
    pointer = json.loads(_read(source, "current.json"))
    verify_pointer(pointer, trusted_key, at_least)
    name = pointer["snapshotId"]
    manifest = json.loads(_read_proven(source, f"manifests/{name}.json", pointer["manifestSha256"]))
    sha256 = manifest["documents"]["bulk"]["sha256"]
    files = json.loads(_read_proven(source, f"files/{sha256[:2]}/{sha256}", sha256))["data"]
    return VerifiedSnapshot(name, pointer["signature"]["number"], files)


#: `older`: the open file, which has grown since it was fetched.
FileState = Literal["ok", "missing", "older", "damaged"]


def verify_files(folder: Union[str, "os.PathLike[str]"], files: Sequence[BulkFile]) -> Dict[str, FileState]:
    """Compares the files of a mirror with their digests. Example: `verify_files("bulk", client.list_bulk_files()["data"])`."""
    return {file["name"]: _state_of(pathlib.Path(folder, file["name"]), file) for file in files}


def _state_of(path: pathlib.Path, file: BulkFile) -> FileState:
    if not path.exists():
        return "missing"
    text = path.read_bytes()
    if is_whole(text, file):
        return "ok"
    # Of the file that is open, or was when it was fetched, only the length can be held against the list.
    return "older" if not file["closed"] and len(text) < file["bytes"] else "damaged"


def _untrusted(reason: str) -> FilingEventsError:
    return FilingEventsError(f"the pointer is not to be trusted: {reason}", "untrusted_pointer")


def _keys_in(text: str) -> List[bytes]:
    blocks = re.findall(r"-----BEGIN PUBLIC KEY-----([^-]+)-----END PUBLIC KEY-----", text)
    ders = [base64.b64decode(block) for block in blocks or text.split(",")]
    if not all(der.startswith(DER_PREFIX) for der in ders):
        raise ValueError("trusted_key: must be an Ed25519 public key, its PEM or the base64 line of it")
    return [der[len(DER_PREFIX) :] for der in ders]


def _read_proven(source: str, path: str, sha256: str) -> bytes:
    text = _read(source, path)
    if hashlib.sha256(text).hexdigest() != sha256:
        raise FilingEventsError(f"{path} is not what its SHA-256 says", "digest_mismatch")
    return text


def _read(source: str, path: str) -> bytes:
    if not source.startswith(("http://", "https://")):
        return pathlib.Path(source, path).read_bytes()
    try:
        with request.urlopen(f"{source.rstrip('/')}/{path}", timeout=60) as answer:
            return bytes(answer.read())
    except error.HTTPError as refusal:
        raise FilingEventsError(f"{source} has no {path}: {refusal.code}", "unexpected_answer", refusal.code) from None
