"""Reads entries of the log by their sequences, from the specification in snapshots/README.md alone.

    python3 log.py DIR SHA256 FIRST LAST

SHA256 is the digest of the list of the files of the log, as the manifest has it. Prints the entries from FIRST to LAST, one in
a line, as the bytes they are. Ends with 1 and a line that names the file if a digest does not match.
"""

import gzip
import hashlib
import json
import sys
from pathlib import Path


def checked(path, data, sha256):
    """The bytes, if they have the digest."""
    if hashlib.sha256(data).hexdigest() != sha256:
        sys.exit(f"{path} is not what its digest says")
    return data


def path_of(directory, sha256):
    return Path(directory) / "files" / sha256[:2] / sha256


def whole(directory, sha256):
    """A file that is read whole."""
    path = path_of(directory, sha256)
    return checked(path, path.read_bytes(), sha256)


def member(directory, file, index, number):
    """The rows of a gzip member: its line of the index has its offset and digest, the next line the offset behind it."""
    offset, sha256 = index[number].split()[:2]
    end = index[number + 1].split()[0] if number + 1 < len(index) else file["bytes"]
    path = path_of(directory, file["sha256"])
    with open(path, "rb") as opened:
        opened.seek(int(offset))
        data = checked(path, opened.read(int(end) - int(offset)), sha256.decode())
    return gzip.decompress(data).splitlines(keepends=True)


def main(directory, list_sha256, first, last):
    log = json.loads(whole(directory, list_sha256))
    for sequence in range(int(first), int(last) + 1):
        # Everything is at a fixed position: the file, the member in it, and the row in that.
        number, row = divmod(sequence - 1, log["rowsPerFile"])
        file = log["files"][number]
        index = whole(directory, file["index"]["sha256"]).splitlines()
        rows = member(directory, file, index, row // log["rowsPerMember"])
        sys.stdout.buffer.write(rows[row % log["rowsPerMember"]])


main(*sys.argv[1:])
