"""The files of the log: what a list says of them, and what is in them."""
from __future__ import annotations

import hashlib
import json
import pathlib
import re
import zlib
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Mapping, Optional

from ._answers import USUAL_MOST_BYTES
from ._generated import BulkFile, Change
from .errors import FilingEventsError

if TYPE_CHECKING:
    from typing import TypeGuard

    from .client import Client

#: Fetches the bytes of a file of the log.
FetchBytes = Callable[[BulkFile], bytes]

_SHA256 = re.compile(r"[0-9a-f]{64}")
_MOST_SEQUENCE = 2**53
_SLICE_BYTES = 64 * 1024
_PIECE_BYTES = 256 * 1024
#: The most bytes of a line. A change has about a thousand; more would fill the memory of whoever waits for its end.
_MOST_LINE_BYTES = 4 * 1024 * 1024
#: The most changes that are given together: enough for a transaction, few for the memory.
_ROWS_TOGETHER = 1000
_BYTES_TOGETHER = 4 * 1024 * 1024


def require_files(files: Any) -> List[BulkFile]:
    """Checks the list of the files of the log.

    It comes from another party, its names become paths, and what it says of a file bounds how much is read of it.
    Raises `unexpected_answer`. Example: `require_files(listed["data"])`.
    """
    if not isinstance(files, list):
        raise _unexpected("it has no files")
    last = 0
    for number, file in enumerate(files, 1):
        problem = _problem_of(file, last + 1, number == len(files))
        if problem is not None:
            raise _unexpected(f"its file {number} {problem}")
        last = file["lastSequence"]
    return files


def require_file(file: Mapping[str, Any]) -> None:
    """Checks what a list says of one file, wherever in the list that is. Example: `require_file(listed["data"][3])`."""
    first = file.get("firstSequence")
    problem = _problem_of(file, first if is_count(first) else 1, True)
    if problem is not None:
        raise _unexpected(f"its file {problem}")


def is_sha256(text: Any) -> bool:
    """Whether a value is written as a SHA-256. Example: `is_sha256("abc")` is False."""
    return isinstance(text, str) and _SHA256.fullmatch(text) is not None


def is_count(value: object) -> "TypeGuard[int]":
    """Whether a value is a whole number above 0 that every program can read. Example: `is_count(7)`."""
    return type(value) is int and 0 < value < _MOST_SEQUENCE


def _problem_of(file: Any, first: int, is_last: bool) -> Optional[str]:
    """What is wrong with a file that has to begin with a sequence; None if nothing is."""
    if not isinstance(file, dict):
        return "is no object"
    name = f"changes-{first:012}.jsonl.gz"
    if file.get("name") != name:
        return f"has another name than {name}"
    if not is_sha256(file.get("sha256")):
        return "has no SHA-256"
    if not is_count(file.get("bytes")) or file["bytes"] > USUAL_MOST_BYTES:
        return f"does not have 1 to {USUAL_MOST_BYTES} bytes"
    rows, last = file.get("rows"), file.get("lastSequence")
    if not is_count(rows) or not is_count(last) or file.get("firstSequence") != first or last != first + rows - 1:
        return "does not go on behind the file before it"
    if not isinstance(file.get("closed"), bool) or not (is_last or file["closed"]):
        return "is not closed"
    return None


def _unexpected(problem: str) -> FilingEventsError:
    return FilingEventsError(
        f"the list of the files of the log is not one that the service makes: {problem}", "unexpected_answer"
    )


def is_whole(text: bytes, file: Mapping[str, Any]) -> bool:
    """Whether bytes are those of a file. Example: `is_whole(text, file)`."""
    digest: str = file["sha256"]
    return hashlib.sha256(text).hexdigest() == digest


def read_or_none(path: pathlib.Path, most_bytes: int) -> Optional[bytes]:
    """Reads a file. None if there is none.

    Of one that is longer than the most, nothing but the first bytes are read, and one more: it is not what anybody asks
    for. Example: `read_or_none(pathlib.Path("current.json"), 64 * 1024)`.
    """
    try:
        with path.open("rb") as file:
            return file.read(most_bytes + 1)
    except FileNotFoundError:
        return None


def fetch_listed(client: "Client", file: BulkFile) -> bytes:
    """Fetches a file of the log and checks its digest: as many bytes as the list says, and no more.

    Raises `digest_mismatch`, also if the open file has grown since it was listed. Example: `fetch_listed(client, file)`.
    """
    try:
        text = client.limited(file["bytes"]).get_bulk_file(file["name"])
    except FilingEventsError as failure:
        if failure.code != "answer_too_long":
            raise
        text = b""
    if not is_whole(text, file):
        mismatch = FilingEventsError if file["closed"] else OpenFileChanged
        raise mismatch(f"{file['name']} is not what its SHA-256 says", "digest_mismatch")
    return text


class OpenFileChanged(FilingEventsError):
    """The open file is another one than listed: it has grown, or the list was that of another replica of the service."""


def fetch_file(client: "Client", file: BulkFile, folder: Optional[pathlib.Path] = None) -> bytes:
    """As `fetch_listed`. With a folder the file is kept there, and fetched only if it is not there.

    Example: `fetch_file(client, file, pathlib.Path("bulk"))`.
    """
    if folder is None:
        return fetch_listed(client, file)
    path = folder / file["name"]
    kept = read_or_none(path, file["bytes"])
    if kept is not None and is_whole(kept, file):
        return kept
    text = fetch_listed(client, file)
    folder.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f"{path.name}.new")
    aside.write_bytes(text)
    try:
        aside.replace(path)
    except FileNotFoundError:
        pass  # another mirror of this folder has moved it; whoever reads it checks its digest
    return text


def lines_in(text: bytes) -> Iterator[bytes]:
    """The lines of a file of the log, one after the other: a few bytes of gzip can become gigabytes.

    Raises an error at the first byte that is no gzip (`zlib.error`), at the end of a file that was cut, and at a line
    that is too long (`ValueError`). Example: `for line in lines_in(text): …`.
    """
    rest = b""
    for piece in _pieces_in(text):
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
        if len(rest) > _MOST_LINE_BYTES:
            raise ValueError("it has a line that is too long")
    if rest:
        raise ValueError("its last line has no end")


def _pieces_in(text: bytes) -> Iterator[bytes]:
    """What is in gzip members, one behind the other."""
    inflater = zlib.decompressobj(31)
    for at in range(0, len(text), _SLICE_BYTES):
        data, is_more = text[at : at + _SLICE_BYTES], True
        while data or is_more:
            if inflater.eof:
                if not data:
                    break
                inflater = zlib.decompressobj(31)
            piece = inflater.decompress(data, _PIECE_BYTES)
            data = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
            is_more = len(piece) == _PIECE_BYTES
            yield piece
    if not inflater.eof:
        raise ValueError("it is cut")


def changes_in(text: bytes, file: BulkFile) -> Iterator[List[Change]]:
    """The changes in a file of the log, some together.

    Raises `unexpected_answer` if its rows are not those that the list says.

    Example: `for changes in changes_in(fetch_listed(client, file), file): …`.
    """
    changes: List[Change] = []
    rows = length = 0
    try:
        for line in lines_in(text):
            change = json.loads(line.decode())
            if rows == file["rows"] or change["sequence"] != file["firstSequence"] + rows:
                raise ValueError(f"its row {rows + 1} has another sequence than its name tells, or is one too many")
            rows += 1
            length += len(line)
            changes.append(change)
            if len(changes) == _ROWS_TOGETHER or length >= _BYTES_TOGETHER:
                yield changes
                changes, length = [], 0
        if rows != file["rows"]:
            raise ValueError(f"it has {rows} rows in place of {file['rows']}")
    except (ValueError, KeyError, TypeError, RecursionError, zlib.error) as failure:
        raise FilingEventsError(f"{file['name']} is no file of the log: {failure}", "unexpected_answer") from failure
    yield changes


def is_beginning(kept: bytes, listed: bytes) -> bool:
    """Whether the rows of a file are the first rows of another one, as those of the open file are of a later one.

    It has one row at least. Example: `is_beginning(kept, listed)`.
    """
    others, rows = lines_in(listed), 0
    try:
        for line in lines_in(kept):
            rows += 1
            if next(others, None) != line:
                return False
    except (ValueError, zlib.error):
        return False
    return rows > 0


def is_intact(text: bytes) -> bool:
    """Whether bytes are a file of lines that ends as it should. Example: `is_intact(kept)`."""
    return is_beginning(text, text)
