"""Starts the studio's server, which answers this machine only, and runs it until Ctrl-C.

The server listens on 127.0.0.1. Nevertheless any page that a browser shows can send requests to it.
So a request must name this machine as its host (against DNS rebinding), and a request that changes
something must come from a page of this server. Every answer forbids the browser to load anything
from elsewhere.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import uvicorn
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import JSONResponse

from tetrisprinter.errors import InputError
from tetrisprinter.studio.app import Studio
from tetrisprinter.studio.jobs import JobLimits, Jobs, default_folder

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ADDRESS: Final = "127.0.0.1"

_HEADERS: Final = {
    # Pages load nothing but the studio's own files.
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
        "connect-src 'self'; frame-src 'self'; frame-ancestors 'self'; base-uri 'none'; "
        "form-action 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
"""Headers of every answer, unless the answer has its own."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a studio; the command's help explains them."""

    port: int
    folder: Path | None = None
    memory: int = 6 * 2**30  # bytes
    seconds: int = 3600
    workers: int = 1


class _Server(uvicorn.Server):
    """A server that ends its event streams when it stops."""

    jobs: Jobs | None = None

    def handle_exit(self, sig: int, frame: Any) -> None:
        """End the event streams, then exit as uvicorn does at a signal such as Ctrl-C."""
        if self.jobs is not None:
            self.jobs.closing = True
        super().handle_exit(sig, frame)


def serve(settings: Settings, on_ready: Callable[[str], None]) -> None:
    """Pass the server's address to ``on_ready``, then run the server until it is interrupted."""
    with _open_socket(settings.port) as listener:
        limits = JobLimits(settings.memory, settings.seconds, settings.workers)
        jobs = Jobs(settings.folder or default_folder(), limits)
        config = uvicorn.Config(
            make_app(Studio(jobs)),
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=2,
            lifespan="on",
        )
        server = _Server(config)
        server.jobs = jobs
        on_ready(f"http://{_ADDRESS}:{listener.getsockname()[1]}/")
        server.run(sockets=[listener])


def _open_socket(port: int) -> socket.socket:
    """Return a socket that listens on this machine's own address; refuse a port that is taken."""
    listener = socket.socket()
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((_ADDRESS, port))
        listener.listen()
    except OSError as error:
        listener.close()
        taken = "another program uses it" if error.errno == errno.EADDRINUSE else error.strerror
        raise InputError(
            f"--port: cannot listen on {port}: {taken}; 0 takes a free port"
        ) from error
    return listener


def make_app(studio: Studio) -> ASGIApp:
    """Return the application with its protection against pages of other servers."""
    app = _refuse_other_origins(studio.make_app())
    app = TrustedHostMiddleware(app, [_ADDRESS, "localhost"], www_redirect=False)
    return _add_headers(app)


def _refuse_other_origins(app: ASGIApp) -> ASGIApp:
    """Return an application that lets only its own pages change something."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] not in ("GET", "HEAD"):
            headers = Headers(scope=scope)
            own = f"http://{headers.get('host')}"
            site = headers.get("sec-fetch-site", "same-origin")
            if headers.get("origin", own) != own or site not in ("same-origin", "none"):
                refusal = JSONResponse({"error": "requests from other pages are refused"}, 403)
                await refusal(scope, receive, send)
                return
        await app(scope, receive, send)

    return answer


def _add_headers(app: ASGIApp) -> ASGIApp:
    """Return an application whose answers have the headers that protect the pages."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await app(scope, receive, send_with_headers)

    return answer
