"""Client of the Filing Event Intelligence service: see README.md."""
from . import _generated
from ._generated import *  # noqa: F403 - the types of all records
from ._ed25519 import is_signed
from ._source import ChangePage
from .changes import Changes
from .client import Client
from .cursor import CursorStore, FileCursor, MemoryCursor, file_cursor
from .errors import FilingEventsError
from .mirror import Mirror, MirrorStep
from .pointer import verify_pointer
from .verify import VerifiedSnapshot, read_snapshot_file, verify_files, verify_snapshot

__version__ = "0.3.0"

__all__ = [
    "ChangePage",
    "Changes",
    "Client",
    "CursorStore",
    "FileCursor",
    "FilingEventsError",
    "MemoryCursor",
    "Mirror",
    "MirrorStep",
    "VerifiedSnapshot",
    "file_cursor",
    "is_signed",
    "read_snapshot_file",
    "verify_files",
    "verify_pointer",
    "verify_snapshot",
]
__all__ += _generated.__all__
