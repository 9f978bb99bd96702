"""Client of the Filing Event Intelligence service: see README.md."""
from ._generated import *  # noqa: F401,F403 - the types of all records
from .changes import ChangePage, Changes
from .client import Client
from .cursor import CursorStore, FileCursor, MemoryCursor, file_cursor
from .errors import FilingEventsError
from .mirror import Mirror, MirrorStep
from .pointer import verify_pointer
from .verify import VerifiedSnapshot, read_snapshot_file, verify_files, verify_snapshot

__version__ = "0.2.0"
