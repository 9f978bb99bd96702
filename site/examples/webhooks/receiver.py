import base64, hmac, os, sqlite3, time
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# With PUBLIC_KEY (whpk_…) this program keeps no secret, and needs the client: the standard library has no Ed25519.
# Without it, SECRET is that of your endpoint (whsec_…).
public_key = os.environ.get("PUBLIC_KEY")
key = base64.b64decode((public_key or os.environ.get("SECRET", "")).partition("_")[2])
if len(key) < 24:  # anybody could sign with an empty key
    raise SystemExit("SECRET must be whsec_ and at least 24 bytes in base64")
bytes_maximum = 1_000_000


def execute(sql: str, *values: str) -> None:
    with closing(sqlite3.connect("inbox.db", isolation_level=None)) as store:
        store.execute(sql, values)


def is_right(given: str, signed: bytes) -> bool:
    version, _, signature = given.partition(",")
    if public_key:
        from filing_events import is_signed

        return version == "v1a" and is_signed(key, signed, base64.b64decode(signature))
    own = base64.b64encode(hmac.digest(key, signed, "sha256"))
    return version == "v1" and hmac.compare_digest(own, signature.encode())


class Receiver(BaseHTTPRequestHandler):
    timeout = 5  # seconds of silence: anybody can connect here

    def do_POST(self) -> None:
        length = self.headers["content-length"] or ""
        if not (length.isdecimal() and int(length) <= bytes_maximum):
            return self.answer(413)
        body = self.rfile.read(int(length))
        id, at, given = (self.headers[f"webhook-{name}"] or "" for name in ("id", "timestamp", "signature"))
        signed = f"{id}.{at}.".encode() + body
        if not (any(is_right(each, signed) for each in given.split()[:4]) and abs(time.time() - int(at)) < 300):
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
