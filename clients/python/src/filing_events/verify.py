"""Proves files: from the signature of the pointer down to their digests."""
from __future__ import annotations

import http.client
import json
import os
import pathlib
from typing import Any, Dict, List, Literal, NamedTuple, Optional, Sequence, Union
from urllib import error, request

from ._answers import USUAL_MOST_BYTES, bytes_of, open_within_origin
from ._files import FetchBytes, is_beginning, is_intact, is_sha256, is_whole, read_or_none, require_file, require_files
from ._generated import BulkFile
from .errors import FilingEventsError
from .pointer import verify_pointer

#: A pointer or a manifest is never longer.
_MOST_POINTER_BYTES = 64 * 1024
#: Nor is the list of the files of the log: it has some 300 bytes for 16,384 changes.
_MOST_LIST_BYTES = 16 * 1024 * 1024


class VerifiedSnapshot(NamedTuple):
    """A snapshot whose pointer and files of the log are proven. Example: `verify_snapshot(folder, key).number`."""

    snapshot_id: str
    #: The number of the pointer. Keep it, and give it as `at_least` next time.
    number: int
    #: The files of the log, with the digests that follow from the signature.
    files: List[BulkFile]


def verify_snapshot(source: str, trusted_key: str, at_least: int = 0) -> VerifiedSnapshot:
    """Reads a folder of snapshots, or its copy on a host, from the signature down to the digests of the files.

    Example: `verify_snapshot("https://files.example/snapshots", key).files`.
    """
    pointer = _parse(_read(source, "current.json", _MOST_POINTER_BYTES), "the pointer")
    verify_pointer(pointer, trusted_key, at_least)
    name = pointer["snapshotId"]
    path = f"manifests/{name}.json"
    manifest = _parse(_read_proven(source, path, pointer["manifestSha256"], _MOST_POINTER_BYTES), "the manifest")
    try:
        sha256 = manifest["documents"]["bulk"]["sha256"]
    except (KeyError, TypeError):
        sha256 = None
    if not is_sha256(sha256):
        raise _unexpected("the manifest names no list of the files of the log")
    listed = _parse(_read_proven(source, _path_of(sha256), sha256, _MOST_LIST_BYTES), "the list")
    return VerifiedSnapshot(name, pointer["signature"]["number"], require_files(listed.get("data")))


def read_snapshot_file(source: str, file: BulkFile) -> bytes:
    """Reads a file of the log from a folder of snapshots, or from its copy on a host, and checks its digest.

    Example: `read_snapshot_file("https://files.example/snapshots", file)`.
    """
    require_file(file)
    return _read_proven(source, _path_of(file["sha256"]), file["sha256"], file["bytes"])


#: `older`: its rows are the first rows of the listed file, which was open when this one was fetched. `unproven`: nothing
#: shows that they are. `damaged`: they are not, and the listed file is closed.
FileState = Literal["ok", "missing", "older", "unproven", "damaged"]


def verify_files(
    folder: Union[str, "os.PathLike[str]"], files: Sequence[BulkFile], fetch_listed: Optional[FetchBytes] = None
) -> Dict[str, FileState]:
    """Compares the files of a mirror with their digests.

    A file that is not what the list says is compared with the listed one, row by row, if `fetch_listed` gives that.

    Example: `verify_files("bulk", client.list_bulk_files()["data"], lambda file: client.get_bulk_file(file["name"]))`.
    """
    states: Dict[str, FileState] = {}
    for file in files:
        require_file(file)
        states[file["name"]] = _state_of(pathlib.Path(folder, file["name"]), file, fetch_listed)
    return states


def _state_of(path: pathlib.Path, file: BulkFile, fetch_listed: Optional[FetchBytes]) -> FileState:
    kept = read_or_none(path, USUAL_MOST_BYTES)
    if kept is None:
        return "missing"
    if is_whole(kept, file):
        return "ok"
    listed = _listed_bytes(file, fetch_listed)
    if listed is not None and is_beginning(kept, listed):
        return "older"
    if not file["closed"] or (listed is None and is_intact(kept)):
        return "unproven"
    return "damaged"


def _listed_bytes(file: BulkFile, fetch_listed: Optional[FetchBytes]) -> Optional[bytes]:
    """The listed file; None if it cannot be had as it is listed, as when it has grown meanwhile."""
    if fetch_listed is None:
        return None
    try:
        text = fetch_listed(file)
    except FilingEventsError as failure:
        if failure.code != "digest_mismatch":
            raise
        return None
    return text if is_whole(text, file) else None


def _parse(text: bytes, name: str) -> Dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise _unexpected(f"{name} is no JSON object")
    return value


def _unexpected(message: str) -> FilingEventsError:
    return FilingEventsError(message, "unexpected_answer")


def _path_of(sha256: str) -> str:
    return f"files/{sha256[:2]}/{sha256}"


def _read_proven(source: str, path: str, sha256: str, most_bytes: int) -> bytes:
    text = _read(source, path, most_bytes)
    if not is_whole(text, {"sha256": sha256}):
        raise FilingEventsError(f"{path} is not what its SHA-256 says", "digest_mismatch")
    return text


def _read(source: str, path: str, most_bytes: int) -> bytes:
    """Reads a file, of which nothing counts if it has more bytes than the most."""
    if source.startswith(("http://", "https://")):
        return _read_from_host(source, path, most_bytes)
    text = read_or_none(pathlib.Path(source, path), most_bytes)
    if text is None:
        raise _unexpected(f"{source} has no {path}")
    if len(text) > most_bytes:
        raise _unexpected(f"{path} has more than {most_bytes} bytes")
    return text


def _read_from_host(source: str, path: str, most_bytes: int) -> bytes:
    try:
        with open_within_origin(request.Request(f"{source.rstrip('/')}/{path}"), 60) as answer:
            return bytes_of(answer, most_bytes, path, 60)
    except error.HTTPError as refusal:
        raise FilingEventsError(f"{source} has no {path}: {refusal.code}", "unexpected_answer", refusal.code) from None
    except (OSError, http.client.HTTPException) as failure:
        raise FilingEventsError(f"no answer from {source}: {failure!r}", "connection_failed") from failure
