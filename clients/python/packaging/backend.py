"""Builds the archives of the package (PEP 517) with the standard library, so that building needs no network.

`python3 packaging/backend.py DIR` writes both archives into a folder.
"""
from __future__ import annotations

import base64
import hashlib
import io
import pathlib
import re
import sys
import tarfile
import zipfile
from typing import Any, Dict, List, Tuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME = "filing_events"
#: What the source archive has beside the modules.
FILES = ("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "packaging/backend.py", "tests/test_client.py")


def setting(name: str) -> str:
    """A text of pyproject.toml; Python before 3.11 cannot parse it as a whole."""
    match = re.search(rf'^{name} = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    if match is None:
        raise ValueError(f"pyproject.toml has no {name}")
    return match.group(1)


def metadata() -> str:
    lines = [
        "Metadata-Version: 2.4",
        "Name: filing-events",
        f"Version: {setting('version')}",
        f"Summary: {setting('description')}",
        f"License-Expression: {setting('license')}",
        "License-File: LICENSE",
        f"Requires-Python: {setting('requires-python')}",
        "Classifier: Typing :: Typed",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + (ROOT / "README.md").read_text()


def modules() -> List[pathlib.Path]:
    if not (ROOT / "src" / NAME / "_generated.py").exists():
        raise FileNotFoundError(f"src/{NAME}/_generated.py is missing: `npm ci` in the root of the repository makes it")
    return sorted(path for path in (ROOT / "src" / NAME).iterdir() if path.suffix == ".py" or path.name == "py.typed")


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    info = f"{NAME}-{setting('version')}.dist-info"
    tag = "Wheel-Version: 1.0\nGenerator: backend\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    entries: Dict[str, bytes] = {f"{NAME}/{path.name}": path.read_bytes() for path in modules()}
    entries[f"{info}/METADATA"] = metadata().encode()
    entries[f"{info}/WHEEL"] = tag.encode()
    entries[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = "".join(f"{name},sha256={_digest(text)},{len(text)}\n" for name, text in entries.items())
    entries[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    archive = f"{NAME}-{setting('version')}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory, archive), "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in entries.items():
            # The same sources give the same bytes: no time of the day is in them.
            file.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), text, zipfile.ZIP_DEFLATED)
    return archive


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    folder = f"{NAME}-{setting('version')}"
    entries: List[Tuple[str, bytes]] = [(name, (ROOT / name).read_bytes()) for name in FILES]
    entries += [(f"src/{NAME}/{path.name}", path.read_bytes()) for path in modules()]
    entries.append(("PKG-INFO", metadata().encode()))
    archive = f"{folder}.tar.gz"
    with tarfile.open(pathlib.Path(sdist_directory, archive), "w:gz", format=tarfile.PAX_FORMAT) as file:
        for name, text in entries:
            member = tarfile.TarInfo(f"{folder}/{name}")
            member.size, member.mode = len(text), 0o644
            file.addfile(member, io.BytesIO(text))
    return archive


def _digest(text: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    for build in (build_wheel, build_sdist):
        print(build(sys.argv[1]))
