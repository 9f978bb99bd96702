"""Does with the client for Python what a test says: a line of JSON on stdin for each deed, and one on stdout for what came of it."""
from __future__ import annotations

import json
import os
import re
import sys
import threading
from itertools import islice
from typing import Any, Dict, List, Optional
from unittest import mock

from filing_events import Changes, Client, FilingEventsError, MemoryCursor, file_cursor, verify_files, verify_snapshot
from filing_events.streaming import StreamBounds, pages_by_stream


def snake(name: str) -> str:
    return re.sub("[A-Z]", lambda letter: "_" + letter.group().lower(), name)


def named(values: Dict[str, Any]) -> Dict[str, Any]:
    return {snake(name): value for name, value in values.items()}


class Driven:
    """A client, and what it tells."""

    def __init__(self, base_url: str, keys: List[str], **settings: Any) -> None:
        self.retries: List[str] = []
        self.unknown: List[str] = []
        self.client = Client(
            base_url,
            # The last key of several is given for ever.
            keys[0] if len(keys) == 1 else lambda: keys.pop(0) if len(keys) > 1 else keys[0],
            on_retry=self.tell,
            on_unknown=self.unknown.extend,
            **settings,
        )

    def tell(self, failure: FilingEventsError, seconds: float) -> None:
        self.retries.append(f"{f'{seconds:g}' if seconds > 60 else 'short'}: {failure.code}: {failure}")

    def call(self, method: str, parameters: Dict[str, Any]) -> Any:
        answer = getattr(self.client, snake(method))(**named(parameters))
        return len(answer) if isinstance(answer, bytes) else answer

    def history(self, by: str, operation: str, parameters: Dict[str, Any]) -> Any:
        return list(getattr(self.client, by)(snake(operation), **named(parameters)))

    def changes(self, filter: Dict[str, Any]) -> Any:
        return list(self.client.changes(**named(filter)))

    def follow(
        self,
        filter: Dict[str, Any],
        most: int,
        file: Optional[str] = None,
        text: Optional[str] = None,
        bounds: Optional[Dict[str, float]] = None,
    ) -> Any:
        store = MemoryCursor(text) if file is None else file_cursor(file)
        saved: List[str] = []
        save = store.save
        store.save = lambda text: (saved.append(text), save(text))[1]  # type: ignore[method-assign]
        changes = self.client.changes(**named(filter))
        if bounds is not None:
            ends = StreamBounds(bounds["silentSeconds"], bounds["waitingSeconds"])
            changes = Changes(
                self.client, named(filter), lambda *given: pages_by_stream(*given, ends), self.unknown.extend
            )
        found = list(islice(changes.follow(cursor=store), most))
        return {"changes": found, "cursor": store.load(), "saves": len(saved)}

    def pauses(self, filter: Dict[str, Any], most: int) -> Any:
        """Follows until it is told of so many failures, or of a change; no time passes in its pauses."""

        def sleep(seconds: float) -> None:
            assert seconds <= 3600, seconds
            if len(self.retries) >= most:
                raise KeyboardInterrupt

        with mock.patch("filing_events._pauses.time.sleep", sleep):
            try:
                for change in self.client.changes(**named(filter)).follow():
                    return change["sequence"]
            except KeyboardInterrupt:
                return None

    def mirror(self, database: str, options: Dict[str, Any]) -> Any:
        steps = self.client.mirror(database, **options).update()
        return [{"changes": step.changes, "unknown": list(step.unknown)} for step in steps]

    def verify_files(self, folders: List[str], files: Any, is_fetched: bool) -> Any:
        fetch = (lambda file: self.client.get_bulk_file(file["name"])) if is_fetched else None
        return [list(verify_files(each, files, fetch).values()) for each in folders]

    def verify_snapshot(self, source: str, trusted_key: str, at_least: int) -> Any:
        _, number, files = verify_snapshot(source, trusted_key, at_least)
        return {"number": number, "files": [file["sha256"] for file in files]}

    def peak_megabytes(self) -> Any:
        # The peak that getrusage tells may be that of the process which started this one.
        status = "/proc/self/status"
        if not os.path.exists(status):
            return 0
        with open(status) as text:
            peak = int(text.read().split("VmHWM:")[1].split()[0]) / 1024
        with open("/proc/self/clear_refs", "w") as clear:
            clear.write("5")
        return peak

    def told(self) -> Any:
        return {"retries": self.retries, "unknown": self.unknown}


clients: Dict[int, Driven] = {}
writing = threading.Lock()


def do(number: int, client: int, deed: str, values: Dict[str, Any]) -> None:
    answer: Dict[str, Any] = {"number": number}
    try:
        if deed == "open":
            clients[client] = Driven(**named(values))
        else:
            answer["value"] = getattr(clients[client], snake(deed))(**named(values))
    except FilingEventsError as error:
        answer["error"] = {
            "code": error.code,
            "status": error.status,
            "requestId": error.request_id,
            "message": str(error),
            "retryAfterSeconds": error.retry_after,
        }
    except Exception as error:
        answer["error"] = {"code": type(error).__name__, "message": str(error)}
    with writing:
        print(json.dumps(answer), flush=True)


for line in sys.stdin:
    threading.Thread(target=do, kwargs=json.loads(line), daemon=True).start()
