"""Reads a list out of segments, from their specification in snapshots/README.md alone.

    python3 segments.py DIR TABLE PARTITION NAME=SHA256 [NAME=SHA256 ...]

NAME=SHA256 are the segments, newest first, each with the SHA-256 of its head. Prints the rows of the partition in the order
of the table, one in a line, as the bytes they are. Ends with 1 and a line that names the file if a digest does not match.
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


def block(path, entry):
    """The lines of a block, without their newlines."""
    with open(path, "rb") as file:
        file.seek(entry["offset"])
        data = checked(path, file.read(entry["bytes"]), entry["sha256"])
    lines = gzip.decompress(data).split(b"\n")[:-1]
    if len(lines) != entry["rows"]:
        sys.exit(f"{path} has a block with {len(lines)} rows, not {entry['rows']}")
    return lines


def keys_and_row(line):
    """Partition, sort key and the bytes of the row of a line. Keys are never escaped, and no note has a member called row."""
    pieces = line.split(b'"', 8)
    partition, sort = pieces[3], pieces[7]
    return partition.decode(), sort.decode(), line[line.index(b',"row":') + len(b',"row":') : -1]


def entries(path, root):
    """The entries of the blocks of rows, from the blocks of the index."""
    for page in root:
        for line in block(path, page):
            partition, sort, row = keys_and_row(line)
            yield {"partition": partition, "sort": sort, **json.loads(row)}


def rows_of(folder, table, partition):
    """The rows of a partition of one segment by their sort keys."""
    found = {}
    all_entries = list(entries(folder / f"{table['name']}.index.jsonl.gz", table["root"]))
    for at, entry in enumerate(all_entries):
        # A block begins where its entry says and ends before the next one begins.
        is_before = at + 1 < len(all_entries) and all_entries[at + 1]["partition"] < partition
        if entry["partition"] > partition or is_before:
            continue
        for line in block(folder / f"{table['name']}.jsonl.gz", entry):
            in_partition, sort, row = keys_and_row(line)
            if in_partition == partition:
                found[sort] = row
    return found


def main(directory, table_name, partition, *segments):
    merged, direction = {}, "ascending"
    for segment in segments:
        name, sha256 = segment.split("=")
        folder = Path(directory) / "segments" / name
        head = json.loads(checked(folder / "segment.json", (folder / "segment.json").read_bytes(), sha256))
        table = head["tables"][table_name]
        direction = table["direction"]
        for sort, row in rows_of(folder, {**table, "name": table_name}, partition).items():
            merged.setdefault(sort, row)
    for sort in sorted(merged, reverse=direction == "descending"):
        if merged[sort] != b"null":
            sys.stdout.buffer.write(merged[sort] + b"\n")


main(*sys.argv[1:])
