import base64, hmac, os, sqlite3, time
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

key = base64.b64decode(os.environ["SECRET"].replace("whsec_", ""))
bytes_maximum = 1_000_000


def execute(sql: str, *values: str) -> None:
    with closing(sqlite3.connect("inbox.db", isolation_level=None)) as store:
        store.execute(sql, values)


class Receiver(BaseHTTPRequestHandler):
    timeout = 5  # seconds of silence: anybody can connect here

    def do_POST(self) -> None:
        length = self.headers["content-length"] or ""
        if not (length.isdecimal() and int(length) <= bytes_maximum):
            return self.answer(413)
        body = self.rfile.read(int(length))
        id, at, given = (self.headers[f"webhook-{name}"] or "" for name in ("id", "timestamp", "signature"))
        own = b"v1," + base64.b64encode(hmac.digest(key, f"{id}.{at}.".encode() + body, "sha256"))
        is_genuine = any(hmac.compare_digest(own, each.encode()) for each in given.split())
        if not (is_genuine and abs(time.time() - int(at)) < 300):
            return self.answer(401)
        # A message that comes again changes nothing. It is on the disk before it is acknowledged.
        execute("INSERT OR IGNORE INTO messages VALUES (?, ?)", id, body.decode())
        self.answer(204)

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.end_headers()


execute("CREATE TABLE IF NOT EXISTS messages (id TEXT PRIMARY KEY, body TEXT)")
# Each connection has a thread of its own, so that a silent one holds up nobody.
ThreadingHTTPServer(("", int(os.environ["PORT"])), Receiver).serve_forever()
