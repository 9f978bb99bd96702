"""Follows a service of this program, which answers as it is told: no stream, streams that are cut, held back or silent."""
from __future__ import annotations

import json
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from typing import Any, Callable, Dict, List
from urllib.parse import parse_qs, urlsplit

from filing_events import Changes, Client, FilingEventsError, MemoryCursor
from filing_events.streaming import ServerEvent, StreamBounds, events_in, pages_by_stream

#: What is asked: the parameters, with `stream` for whether a stream is wanted and `last` for the id.
Asked = Dict[str, str]
TYPE = "text/event-stream; charset=utf-8"


def change(sequence: int) -> bytes:
    return b'event: change\nid: c%d\ndata: {"sequence": %d}\n\n' % (sequence, sequence)


class Handler(BaseHTTPRequestHandler):
    server: "Service"
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        wanted = self.headers["accept"] == "text/event-stream"
        parameters = {name: value for name, (value,) in parse_qs(urlsplit(self.path).query).items()}
        asked = {**parameters, "last": self.headers["last-event-id"] or "", "stream": str(wanted)}
        self.server.asked.append(asked)
        self.server.times.append(time.monotonic())
        self.server.answer(self, asked)

    def send(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, *pieces: bytes, ends: bool = True) -> None:
        """Sends a chunk for each piece, and ends the stream or keeps it open without a sign of life."""
        self.send_response(200)
        self.send_header("content-type", TYPE)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
        if not ends:
            self.server.over.wait()
        self.close_connection = True

    def page(self, asked: Asked) -> None:
        """Answers a poll with the change behind the cursor."""
        sequence = int(asked.get("cursor", "c0")[1:]) + 1
        page = {"data": [{"sequence": sequence}], "meta": {"nextCursor": f"c{sequence}"}}
        self.send(200, json.dumps(page).encode())

    def log_message(self, *_: Any) -> None:
        pass


class Service(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answer: Callable[[Handler, Asked], None]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.asked: List[Asked] = []
        self.times: List[float] = []
        self.over = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Streaming(unittest.TestCase):
    def serve(self, answer: Callable[[Handler, Asked], None]) -> Service:
        service = Service(answer)

        def stop() -> None:
            service.over.set()
            service.shutdown()
            service.server_close()

        self.addCleanup(stop)
        return service

    def follow(self, service: Service, count: int, **bounds: float) -> List[int]:
        client = Client(f"http://127.0.0.1:{service.server_port}")

        def source(client: Client, filters: Dict[str, Any], cursor: Any) -> Any:
            return pages_by_stream(client, filters, cursor, StreamBounds(**bounds))

        followed = Changes(client, {"since": "2026-01-01", "event_type": "merger"}, source, lambda _: None).follow(MemoryCursor())
        return [row["sequence"] for row in islice(followed, count)]

    def test_a_stream_that_ends_is_gone_on_with_behind_its_last_change_after_retry(self) -> None:
        streams = [
            (b"retry: 300\n\n", change(1) + change(2)),
            (change(3), b":\n\n", b"id: c7\n\n", b"event: change\nid: c8\ndata: {"),
            (change(8), change(9)),
        ]
        service = self.serve(lambda handler, _: handler.stream(*streams.pop(0)))
        self.assertEqual(self.follow(service, 5), [1, 2, 3, 8, 9])
        self.assertEqual([asked["last"] for asked in service.asked], ["", "c2", "c7"])
        self.assertEqual([asked.get("cursor", "") for asked in service.asked], ["", "c2", "c7"])
        self.assertEqual({asked["stream"] + asked["eventType"] for asked in service.asked}, {"Truemerger"})
        self.assertGreaterEqual(service.times[1] - service.times[0], 0.3)

    def test_where_no_stream_comes_through_the_service_is_asked_with_wait(self) -> None:
        streams: Dict[str, Callable[[Handler, Asked], None]] = {
            "not acceptable": lambda handler, _: handler.send(406, b"{}"),
            "a page": lambda handler, asked: handler.page(asked),
            "no bytes": lambda handler, _: handler.stream(ends=False),
            "no headers": lambda handler, _: None if handler.server.over.wait() else None,
            "the first bytes alone": lambda handler, _: handler.stream(b"retry: 10\n\n", ends=False),
            "no JSON": lambda handler, _: handler.stream(b"id: c9\ndata: <html>\n\n"),
        }
        for name, stream in streams.items():
            with self.subTest(name):
                service = self.serve(
                    lambda handler, asked, stream=stream: (  # type: ignore[misc]
                        stream(handler, asked) if asked["stream"] == "True" else handler.page(asked)
                    )
                )
                self.assertEqual(self.follow(service, 3, silent=0.5), [1, 2, 3])
                self.assertEqual([asked.get("wait") for asked in service.asked], [None, "60", "60", "60"])

    def test_a_stream_that_goes_silent_is_asked_for_again_and_wait_is_used_for_a_while_alone(self) -> None:
        streams = [(b"retry: 10\n\n", change(1)), (change(2),), (b"retry: 10\n\n",), (change(4), change(5))]

        def answer(handler: Handler, asked: Asked) -> None:
            if asked["stream"] == "True":
                handler.stream(*streams.pop(0), ends=False)
            else:
                handler.page(asked)

        service = self.serve(answer)
        self.assertEqual(self.follow(service, 5, silent=0.5, waiting=0), [1, 2, 3, 4, 5])
        self.assertEqual([asked["stream"] for asked in service.asked], ["True", "True", "True", "False", "True"])

    def test_a_refusal_is_waited_for_as_it_says_and_one_that_stays_is_raised(self) -> None:
        def limited(handler: Handler, _: Asked) -> None:
            if len(service.asked) == 1:
                handler.send(429, b"{}", retry_after="3")
            else:
                handler.stream(change(1))

        service = self.serve(limited)
        self.assertEqual(self.follow(service, 1), [1])
        self.assertGreaterEqual(service.times[1] - service.times[0], 3)

        body = b'{"error": {"code": "unauthorized", "message": "no"}}'
        refusing = self.serve(lambda handler, _: handler.send(401, body))
        with self.assertRaises(FilingEventsError) as caught:
            self.follow(refusing, 1)
        self.assertEqual(caught.exception.code, "unauthorized")

    def test_a_service_that_is_gone_for_a_while_is_waited_for(self) -> None:
        def answer(handler: Handler, asked: Asked) -> None:
            if 2 <= len(service.asked) <= 5:
                handler.connection.close()
                handler.close_connection = True
            elif asked["stream"] == "True":
                handler.stream(b"retry: 10\n\n", *([change(1)] if len(service.asked) == 1 else [change(3)]))
            else:
                handler.page(asked)

        service = self.serve(answer)
        # The stream brought one, three tries nothing, then polls are asked until one is answered.
        self.assertEqual(self.follow(service, 3, waiting=0), [1, 2, 3])

    def test_events_are_read_as_the_standard_says(self) -> None:
        lines = [b": hello\n", b"\r\n", b"\n", b"id:1\r\n", b"data\n", b"data:  two\n", b"\n", b"retry: x\n", b"\n", b"id: 2\n"]
        expected = [ServerEvent("", "", None), ServerEvent("1", "\n two", None), ServerEvent("", "", None)]
        self.assertEqual(list(events_in(lines)), expected)


if __name__ == "__main__":
    unittest.main()
