"""Mirrors the files of the change feed. Downloads what is new, goes on where a download broke off, and checks each file by its SHA-256.

Usage: KEY=... python3 mirror.py <address of the service> <folder>
Run it as often as you like. Needs Python 3.8 and nothing else."""
import hashlib, http.client, json, os, re, sys, time, urllib.error, urllib.parse, urllib.request
from pathlib import Path
from typing import Any, Mapping

File = Mapping[str, Any]
LIST_BYTES, PIECE_BYTES = 10_000_000, 1_000_000


class SameOrigin(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        if urllib.parse.urlsplit(newurl)[:2] != urllib.parse.urlsplit(req.full_url)[:2]:
            raise OSError(f"{req.full_url} leads to {newurl}, where the key must not go")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


opener = urllib.request.build_opener(SameOrigin)


def ask(base: str, path: str, headers: Mapping[str, str] = {}) -> Any:
    return opener.open(urllib.request.Request(urllib.parse.urljoin(base, path), headers={"x-api-key": os.environ["KEY"], **headers}), timeout=60)


def read_list(base: str) -> Any:
    with ask(base, "/v1/sec/bulk") as answer:
        text = answer.read(LIST_BYTES + 1)
    if len(text) > LIST_BYTES:
        sys.exit("the list of files is too long")
    listed = json.loads(text)
    for file in listed["data"]:
        # What the service sends becomes paths, so it is taken only as the service makes it.
        if not (re.fullmatch(r"changes-\d{12}\.jsonl\.gz", file["name"]) and re.fullmatch("[0-9a-f]{64}", file["sha256"])):
            sys.exit(f"the list of files has an entry that cannot be right: {file!a:.300}")
    return listed


def is_there(path: Path, file: File) -> bool:
    if not path.exists() or path.stat().st_size != file["bytes"]:
        return False
    digest = hashlib.sha256()
    with path.open("rb") as content:
        while piece := content.read(PIECE_BYTES):
            digest.update(piece)
    return digest.hexdigest() == str(file["sha256"])


def download(base: str, folder: Path, file: File) -> None:
    # The name of a part contains the digest of its file, because the open file changes with each publication.
    part = folder / f"{file['name']}.{file['sha256'][:16]}.part"
    have = part.stat().st_size if part.exists() else 0
    if have < file["bytes"]:
        headers = {"Range": f"bytes={have}-", "If-Range": f'"{file["sha256"][:32]}"'} if have else {}
        with ask(base, f"/v1/sec/bulk/{file['name']}", headers) as answer, part.open("ab" if answer.status == 206 else "wb") as out:
            while out.tell() < file["bytes"] and (piece := answer.read(min(PIECE_BYTES, file["bytes"] - out.tell()))):
                out.write(piece)
    if is_there(part, file):
        part.replace(folder / file["name"])
        return
    if part.stat().st_size >= file["bytes"]:
        part.unlink()
    raise OSError(f"{file['name']} broke off, or the file has grown since it was listed")


def mirror(base: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    listed = read_list(base)
    missing = [file for file in listed["data"] if not is_there(folder / file["name"], file)]
    for file in missing:
        download(base, folder, file)
        print(f"{file['name']}: {file['rows']} rows, {file['bytes']} bytes")
    # All files are there, so what is left of a download is that of a file that has grown since it broke off.
    for part in folder.glob("changes-*.part"):
        part.unlink()
    # With this cursor, GET /v1/sec/changes continues after these files.
    (folder / "cursor.txt").write_text(listed["meta"]["nextCursor"])


if __name__ == "__main__":
    for attempt in range(5):
        try:
            mirror(sys.argv[1], Path(sys.argv[2]))
            break
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, urllib.error.HTTPError) and error.code < 429:
                text = error.read(2000).decode("utf-8", "replace")
                sys.exit(f"{error.url}: {error.code} {''.join(filter(str.isprintable, text))}")
            print(f"{error}; trying again", file=sys.stderr)
            time.sleep(2**attempt)
    else:
        sys.exit("gave up; run it again to go on")
