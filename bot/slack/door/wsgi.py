"""The ingress as a WSGI application, and the server that runs it in a thread."""

import socket
import threading
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import waitress
from waitress import wasyncore

from bot.slack.door.ingress import MAX_BODY_BYTES, Ingress, Response

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

# What answers path, query and headers of a visit; None for one that is not its own.
Visits = Callable[[str, str, Mapping[str, str]], Response | None]

THREADS = 4
CLOSE_S = 5.0
CONNECTIONS = 1000  # waitress's own 100 are filled by people who connect and say nothing
IDLE_S = 10  # Slack has given up after three


def wsgi_app(ingress: Ingress, visits: Visits | None = None) -> "WSGIApplication":
    """Return the WSGI application that answers through `ingress`.

    `visits` answers people who add the app to their workspace, where any workspace may.
    """

    def application(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        path, headers = environ["PATH_INFO"], _headers(environ)
        answer = None
        if visits is not None and environ["REQUEST_METHOD"] == "GET":
            answer = visits(path, environ.get("QUERY_STRING", ""), headers)
        if answer is None:
            body = environ["wsgi.input"].read(MAX_BODY_BYTES + 1)
            answer = ingress.handle(environ["REQUEST_METHOD"], path, headers, body)
        phrase = HTTPStatus(answer.status).phrase
        headers = {**answer.headers, "content-length": str(len(answer.body))}
        start_response(f"{answer.status} {phrase}", list(headers.items()))
        return [answer.body]

    return application


def _headers(environ: Mapping[str, Any]) -> dict[str, str]:
    headers = {
        name.removeprefix("HTTP_").replace("_", "-").lower(): value
        for name, value in environ.items()
        if name.startswith("HTTP_")
    }
    headers["content-type"] = environ.get("CONTENT_TYPE", "")
    return headers


class HttpServer:
    """Serves a WSGI application from a thread of its own."""

    def __init__(self, application: "WSGIApplication", host: str, port: int) -> None:
        """Bind to `host` and `port` (0: any free one).

        Raises:
            OSError: the address cannot be bound.
        """
        listening = socket.create_server((host, port))
        self.port = int(listening.getsockname()[1])
        self._map: dict[int, Any] = {}  # every open socket of the loop
        self._stopping = threading.Event()
        self._server = waitress.create_server(
            application,
            map=self._map,
            sockets=[listening],
            threads=THREADS,
            ident="",
            connection_limit=CONNECTIONS,
            channel_timeout=IDLE_S,
            cleanup_interval=IDLE_S,
            # Waitress refuses what reaches its bound; the ingress what exceeds its own.
            max_request_body_size=MAX_BODY_BYTES + 1,
        )
        self._thread = threading.Thread(target=self._loop, name="http", daemon=True)

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Stop accepting, let answers under way end, close."""
        self._server.accepting = False
        self._server.task_dispatcher.shutdown(timeout=CLOSE_S)
        self._stopping.set()
        self._server.trigger.pull_trigger()
        self._thread.join(CLOSE_S)
        # After the loop, which must not find its sockets closed under it, nor we the trigger.
        if not self._thread.is_alive():
            wasyncore.close_all(self._map)

    def _loop(self) -> None:
        while not self._stopping.is_set():
            wasyncore.loop(timeout=1, map=self._map, count=1)
