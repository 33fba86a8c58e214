"""An HTTP server on loopback whose responses a test writes as functions of the request."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit


class Query(NamedTuple):
    """A request: method, path, parameters, JSON body and headers."""

    method: str
    path: str
    parameters: dict[str, str]
    body: Any
    headers: dict[str, str]


class Response(NamedTuple):
    """A response: JSON, or plain text."""

    says: Any = None
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


def answered(says: object, _: Query) -> Response:
    """Return the same response to everybody."""
    return Response(says)


@contextmanager
def serving(answer: Callable[[Query], Response]) -> Iterator[str]:
    """Yield the address, host and port, of a server with these responses."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def answer(self) -> None:
            url = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length)
            asked = Query(
                self.command,
                unquote(url.path),
                dict(parse_qsl(url.query, keep_blank_values=True)),
                json.loads(body) if body else None,
                {name.lower(): value for name, value in self.headers.items()},
            )
            said = answer(asked)
            data = said.says.encode() if isinstance(said.says, str) else json.dumps(said.says).encode()
            self.send_response(said.status)
            for name, value in said.headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Content-Type", "text/plain" if isinstance(said.says, str) else "application/json")
            self.end_headers()
            try:
                self.wfile.write(data)
            except ConnectionError:  # the client has closed the connection
                self.close_connection = True

        do_GET = do_POST = do_DELETE = answer  # noqa: N815

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
