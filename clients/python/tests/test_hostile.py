"""Asks servers of this program that answer as no service would: redirects, long pauses, answers without an end."""
from __future__ import annotations

import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Iterator, List
from unittest import mock

from filing_events import Client, FilingEventsError
from filing_events._pauses import bounded_seconds, pause_after
from filing_events.streaming import events_in

HOUR = 3600.0


class Handler(BaseHTTPRequestHandler):
    server: "Hostile"

    def do_GET(self) -> None:
        self.server.asked.append(f"{self.command} {self.path} {self.headers['x-api-key']}")
        try:
            self.server.answer(self)
        except (ConnectionError, BrokenPipeError):
            pass  # the client has seen enough

    do_POST = do_GET

    def send(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def pour(self, status: int, piece: bytes, **headers: str) -> None:
        """Sends without an end."""
        self.send(status, **headers)
        while True:
            self.wfile.write(piece)

    def log_message(self, *_: Any) -> None:
        pass


class Hostile(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answer: Callable[[Handler], None]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.asked: List[str] = []
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()


class HostileTest(unittest.TestCase):
    def serve(self, answer: Callable[[Handler], None]) -> Hostile:
        service = Hostile(answer)
        self.addCleanup(service.server_close)
        self.addCleanup(service.shutdown)
        return service

    def client(self, service: Hostile, **settings: Any) -> Client:
        return Client(f"http://127.0.0.1:{service.server_port}", "secret", **{"retries": 0, **settings})

    def error_of(self, work: Callable[[], Any]) -> FilingEventsError:
        with self.assertRaises(FilingEventsError) as caught:
            work()
        return caught.exception

    def pauses_of(self, service: Hostile, count: int) -> List[str]:
        """What a follower is told, and the changes that it gets; no time passes in its pauses."""
        told: List[str] = []

        def sleep(seconds: float) -> None:
            self.assertLessEqual(seconds, HOUR)
            if len(told) >= count:
                raise KeyboardInterrupt

        def tell(failure: FilingEventsError, seconds: float) -> None:
            told.append(f"{seconds:g}" if seconds > 60 else f"short: {failure}")

        client = self.client(service, on_retry=tell)
        with mock.patch("filing_events._pauses.time.sleep", sleep):
            try:
                for change in client.changes(since="2026-01-01").follow():
                    told.append(str(change["sequence"]))
                    break
            except KeyboardInterrupt:
                pass
        return told


class Redirects(HostileTest):
    def test_no_redirect_takes_the_key_to_another_origin(self) -> None:
        other = self.serve(lambda handler: handler.send(200, b'{"data":[],"meta":{}}'))
        for status in (301, 302, 303, 307, 308):
            for target in (f"http://localhost:{other.server_port}", f"//127.0.0.1:{other.server_port}"):
                service = self.serve(
                    lambda handler, status=status, target=target: (  # type: ignore[misc]
                        handler.send(status, location=target + handler.path)
                    )
                )
                client = self.client(service, retries=2)
                error = self.error_of(client.get_stats)
                self.assertEqual((error.code, error.status), ("unexpected_answer", status))
                self.assertRegex(str(error), f"leads to (http:)?{target}/v1/sec/stats, another origin")
                stream = self.error_of(lambda client=client: list(client.changes(since="2026-01-01").follow()))  # type: ignore[misc]
                self.assertIn("another origin", str(stream))
        self.assertEqual(other.asked, [])

    def test_a_redirect_within_the_origin_is_followed(self) -> None:
        leads = {"/v1/sec/stats": "/moved/", "/health": "/health", "/livez": "http://[", "/readyz": None}

        def answer(handler: Handler) -> None:
            if handler.path not in leads:
                return handler.send(200, b'{"data":{}}')
            location = leads[handler.path]
            handler.send(307, **({} if location is None else {"location": location}))

        service = self.serve(answer)
        client = self.client(service)
        self.assertEqual(client.get_stats(), {"data": {}})
        self.assertEqual(service.asked, ["GET /v1/sec/stats secret", "GET /moved/ secret"])
        self.assertIn("more than 5 times", str(self.error_of(client.get_health)))
        for method in (client.get_live, client.get_ready):
            self.assertIn("leads to no address", str(self.error_of(method)))

    def test_the_body_of_a_redirect_is_not_read(self) -> None:
        def answer(handler: Handler) -> None:
            if handler.path == "/health":
                handler.pour(307, b" " * 65536, location="/livez")
            else:
                handler.send(200, b"{}")

        self.assertEqual(self.client(self.serve(answer)).get_health(), {})


class Pauses(HostileTest):
    def test_any_number_is_a_time_that_a_timer_takes(self) -> None:
        for seconds in (float("nan"), float("inf"), float("-inf"), -1, 0, 1.5, 2**31, 3_000_000, 10**400):
            for bounded in (bounded_seconds(seconds), pause_after(3, seconds)):
                self.assertTrue(0 <= bounded <= HOUR, bounded)
        self.assertEqual([bounded_seconds(each) for each in (0, 1.5, 3600, 3601)], [0, 1.5, 3600, 3600])
        self.assertEqual(pause_after(1, 30), 30)

    def test_retry_after_is_an_hour_at_most(self) -> None:
        values = {
            "3000000": HOUR,
            "9999999999": HOUR,
            "9" * 5000: HOUR,
            "Fri, 31 Dec 9999 23:59:59 GMT": HOUR,
            "120": 120,
            "-5": 0,
            "Fri, 31 Dec 1999 23:59:59 GMT": 0,
            "Fri, 31 Dec 99999999999999999999 23:59:59 GMT": 0,
            "soon": 0,
        }
        for value, seconds in values.items():
            with self.subTest(value):
                service = self.serve(lambda handler, value=value: handler.send(503, b"<html>", retry_after=value))  # type: ignore[misc]
                self.assertEqual(self.error_of(self.client(service).get_stats).retry_after, seconds)
                expected = f"{seconds:g}" if seconds else "short: 503 <html>"
                self.assertEqual(self.pauses_of(service, 3), [expected] * 3)

    def test_a_stream_that_says_retry_is_asked_again_in_an_hour(self) -> None:
        for retry in (b"99999999999", b"9" * 5000):
            (event,) = events_in([b"retry: " + retry + b"\n", b"\n"])
            self.assertEqual(event.retry, HOUR)

    def test_a_timeout_may_be_any_number(self) -> None:
        service = self.serve(lambda handler: handler.send(200, b'{"data":{}}'))
        for timeout in (3_000_000, 10**12, float("inf")):
            self.assertEqual(self.client(service, timeout=timeout).get_stats(), {"data": {}})


class Bounds(HostileTest):
    def test_an_answer_and_the_page_of_a_refusal_are_read_up_to_a_bound(self) -> None:
        service = self.serve(lambda handler: handler.pour(200 if handler.path == "/health" else 404, b" " * (1 << 20)))
        error = self.error_of(self.client(service).get_health)
        self.assertEqual(error.code, "answer_too_long")
        self.assertEqual(str(error), "the answer of /health is longer than 67108864 bytes")
        refusal = self.error_of(self.client(service).get_stats)
        self.assertEqual((refusal.code, refusal.status), ("unexpected_answer", 404))

    def test_a_body_that_drips_ends_with_the_time_of_a_try(self) -> None:
        def drip(handler: Handler) -> None:
            handler.send(200)
            while True:
                handler.wfile.write(b" ")
                time.sleep(0.05)

        started = time.monotonic()
        error = self.error_of(self.client(self.serve(drip), timeout=0.5).get_health)
        self.assertEqual(error.code, "connection_failed")
        self.assertLess(time.monotonic() - started, 10)

    def test_a_body_that_is_cut_is_no_answer(self) -> None:
        service = self.serve(lambda handler: handler.send(200, b'{"data":{}}', content_length="100"))
        error = self.error_of(self.client(service).get_stats)
        self.assertEqual(error.code, "connection_failed")

    def test_a_line_and_an_event_of_a_stream_are_read_up_to_a_bound(self) -> None:
        def many(line: bytes) -> Iterator[bytes]:
            yield from (b"id: c1\n", b"data: {}\n", b"\n")
            while True:
                yield line

        for line in (b"x" * (4 * 1024 * 1024 + 1), b"data: " + b"x" * 1000 + b"\n"):
            ids = []
            with self.assertRaises(FilingEventsError) as caught:
                for event in events_in(many(line)):
                    ids.append(event.id)
            self.assertEqual((caught.exception.code, ids), ("answer_too_long", ["c1"]))
        events = [b"data: " + b"x" * (1 << 20) + b"\n", b"\n"] * 6
        self.assertEqual(len(list(events_in(events))), 6)

    def test_a_follower_of_a_line_without_an_end_asks_with_wait(self) -> None:
        def answer(handler: Handler) -> None:
            if handler.headers["accept"] == "text/event-stream":
                handler.pour(200, b"x" * 65536, content_type="text/event-stream")
            handler.send(200, b'{"data":[{"sequence":7}],"meta":{"nextCursor":"c7"}}')

        self.assertEqual(self.pauses_of(self.serve(answer), 3), ["7"])


class Pages(HostileTest):
    def test_a_follower_waits_while_a_proxy_shows_a_page_with_status_200(self) -> None:
        for body in (b"<html>We will be back soon</html>", b'{"status":"maintenance"}', b"null", b""):
            pages: List[int] = []

            def answer(handler: Handler, body: bytes = body, pages: List[int] = pages) -> None:
                if handler.headers["accept"] != "text/event-stream":
                    pages.append(1)
                if len(pages) <= 3:
                    return handler.send(200, body, content_type="text/html")
                handler.send(200, b'{"data":[{"sequence":7}],"meta":{"nextCursor":"c7"}}')

            told = self.pauses_of(self.serve(answer), 10)
            self.assertEqual((len(told), told[-1]), (4, "7"))
            for each in told[:3]:
                self.assertIn("is this the address of the service?", each)

    def test_who_asks_once_is_told_at_once(self) -> None:
        service = self.serve(lambda handler: handler.send(200, b"<html>"))
        self.assertEqual(self.error_of(self.client(service, retries=5).get_stats).code, "unexpected_answer")
        self.assertEqual(len(service.asked), 1)


if __name__ == "__main__":
    unittest.main()
