"""Starts the studio's server from its settings, and runs it until it is interrupted."""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import uvicorn

from tetrisprinter.errors import InputError
from tetrisprinter.formats import FORMATS
from tetrisprinter.studio.access import AccessPolicy
from tetrisprinter.studio.app import make_app
from tetrisprinter.studio.files import name_plan_file
from tetrisprinter.studio.jobs import JobLimits, Jobs
from tetrisprinter.studio.store import BEST, JOB, Store, default_folder, read_json
from tetrisprinter.studio.studio_state import Studio

__all__ = ["Settings", "serve"]

_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
_ANYWHERE: Final = ("0.0.0.0", "::", "")
_MAX_SHOWN: Final = 300  # prints of a gallery
_MAX_CONNECTIONS: Final = 500


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a studio; the command's help explains them."""

    host: str
    port: int
    names: tuple[str, ...] = ()
    folder: Path | None = None
    gallery: Path | None = None
    memory: int = 6 * 2**30
    seconds: int = 3600
    workers: int = 1

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host in _LOOPBACK


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
    with ExitStack() as stack:
        listener = stack.enter_context(_open_socket(settings.host, settings.port))
        port = listener.getsockname()[1]
        folder = settings.folder or default_folder()
        gallery: tuple[tuple[str, Path], ...] = ()
        if settings.gallery is not None:
            gallery = tuple(list_prints(settings.gallery))
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        store = Store(folder)
        stack.callback(store.close)
        access = AccessPolicy(
            {*_LOOPBACK, settings.host, *settings.names, *_list_own_names(settings)},
            port,
            "" if settings.is_local else store.get_token(),
            settings.host in _ANYWHERE,
            settings.gallery is not None,
        )
        limits = JobLimits(settings.memory, settings.seconds, settings.workers)
        studio = Studio(store, access, limits, gallery)
        config = uvicorn.Config(
            make_app(studio),
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=_MAX_CONNECTIONS,
            timeout_keep_alive=20,
            timeout_graceful_shutdown=2,
            lifespan="on",
        )
        server = _Server(config)
        server.jobs = studio.jobs
        on_ready(_format_address(settings, access))
        server.run(sockets=[listener])


def _list_own_names(settings: Settings) -> tuple[str, ...]:
    return (socket.gethostname(),) if settings.host in _ANYWHERE else ()


def _format_address(settings: Settings, access: AccessPolicy) -> str:
    """Return the URL of the server, with the token if a visitor needs it."""
    host = settings.host
    if host in _ANYWHERE:
        host = socket.gethostname()
    if ":" in host:
        host = f"[{host}]"
    token = f"?token={access.token}" if access.token else ""
    return f"http://{host}:{access.port}/{token}"


def _open_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens on an address; refuse an unknown or taken address."""
    try:
        family = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise InputError(f"--host: {host} is not an address of this machine") from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(200)
    except OSError as error:
        listener.close()
        reason = (error.strerror or str(error)).lower()
        raise InputError(
            f"cannot listen on {host}:{port}: {reason}; --port 0 takes a free port"
        ) from (error)
    return listener


def list_prints(folder: Path) -> list[tuple[str, Path]]:
    """Return names and files of a folder's prints: game files, and studio jobs with a plan."""
    if not folder.is_dir():
        raise InputError(f"{folder}: not a folder of plans or of a studio")
    prints = []
    extensions = tuple(ext for file_format in FORMATS.values() for ext in file_format.extensions)
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.name.lower().endswith(extensions):
            prints.append((path.stem, path))
    jobs = folder / "jobs"
    for job in sorted(jobs.iterdir()) if jobs.is_dir() else ():
        job_data, best = read_json(job / JOB), read_json(job / BEST)
        if job_data is not None and best is not None:
            prints.append((str(job_data["name"]), job / name_plan_file(int(best["version"]))))
    return prints[:_MAX_SHOWN]
