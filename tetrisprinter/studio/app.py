"""The web application: its routes, their handlers, and the server, which answers this machine only.

Short computations run in a thread, long ones in their own process, so the server always answers.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import errno
import json
import mimetypes
import os
import re
import socket
import tempfile
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from functools import lru_cache, partial
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from tetrisprinter import __version__, errors
from tetrisprinter.api.request import PRESETS
from tetrisprinter.errors import InputError, TetrisPrinterError
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.render.page import make_linked_page, make_player_data
from tetrisprinter.render.paint import AUTO, Look
from tetrisprinter.studio import prints
from tetrisprinter.studio.jobs import Job, JobLimits, Jobs, default_folder, draw_identifier
from tetrisprinter.studio.worker import DOWNLOADS, LEVELS, TRIPLEX_SIZES, name_plan_file, read_plan
from tetrisprinter.support.options import (
    Limit,
    list_options,
    read_choice,
    read_field,
    read_string,
    read_whole,
)

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


MAX_UPLOAD: Final = 20_000_000
"""Bytes of the largest upload."""

PAGE_ADDRESS: Final = "TETRISPRINTER_PAGE"
"""The environment variable with the address of the page, to which links lead."""

_MAX_PLAN: Final = 2_000_000  # bytes of the largest plan
_MAX_BODY: Final = 1_000_000  # bytes of the largest body that is not a file
_FRAME_SECONDS: Final = 0.5  # for each frame of an animated picture
_PAGES: Final = {"/": "index", "/patterns": "patterns", "/tilings": "tilings"}
"""The addresses of the pages, and their names."""

mimetypes.add_type("text/javascript", ".js")  # some systems name another type
mimetypes.add_type("image/svg+xml", ".svg")


class Studio:
    """The handlers of a running studio, with its jobs."""

    def __init__(self, jobs: Jobs) -> None:
        self.jobs = jobs
        self._file_locks: dict[Path, asyncio.Lock] = {}  # by file that is being written

    def make_app(self) -> Starlette:
        """Return the application, which runs jobs as long as it runs."""
        routes = [
            *(Route(path, partial(_answer_page, name)) for path, name in _PAGES.items()),
            Mount("/static", StaticFiles(packages=[("tetrisprinter.studio", "static")])),
            Mount("/player", StaticFiles(packages=[("tetrisprinter.render", "player")])),
            Route("/play/matrix", self.matrix),
            Route("/play/{id}/{version:int}", self.player),
            Route("/triplex", self.triplex),
            Route("/api/state", self.state),
            Route("/api/events", self.events),
            Route("/api/demo", self.demo),
            Route("/api/uploads", self.upload, methods=["POST"]),
            Route("/api/uploads/{id}", self.answer_upload),
            Route("/api/examples/{name}", self.example),
            Route("/api/preview", self.preview, methods=["POST"]),
            Route("/api/jobs", self.add, methods=["POST"]),
            Route("/api/jobs/{id}", self.remove, methods=["DELETE"]),
            Route("/api/jobs/{id}/thumbnail", self.thumbnail),
            Route("/api/jobs/{id}/files/{kind}", self.file),
            Route("/api/jobs/{id}/proof/{number:int}", self.proof_file),
            Route("/api/jobs/{id}/{action}", self.act, methods=["POST"]),
            Route("/api/films", self.add_slideshow, methods=["POST"]),
            Route("/api/plans", self.add_plan, methods=["POST"]),
            Route("/api/patterns/query", self.query, methods=["POST"]),
            Route("/api/patterns/atlas", self.atlas),
            Route("/api/patterns/table", self.table),
            Route("/api/proofs", self.prove, methods=["POST"]),
            Route("/api/tilings", self.tile, methods=["POST"]),
        ]
        return Starlette(
            routes=routes,
            lifespan=self._run_jobs,
            exception_handlers={
                TetrisPrinterError: _answer_error,
                HTTPException: _answer_http_error,
                FileNotFoundError: _answer_removed,
                Exception: _answer_fault,
            },
        )

    @contextlib.asynccontextmanager
    async def _run_jobs(self, app: Starlette) -> AsyncIterator[None]:
        """Run jobs while the server runs."""
        task = asyncio.create_task(self.jobs.run())
        try:
            yield
        finally:
            await self.jobs.close()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    # ---- The state of the studio.

    async def state(self, request: Request) -> Response:
        """Answer with the version, the choices that the studio offers, and all jobs."""
        return JSONResponse(
            {
                "version": __version__,
                "examples": list(prints.list_examples()),
                # Videos need the library PyAV.
                "downloads": [name for name in DOWNLOADS if name != "mp4" or find_spec("av")],
                "videoCommand": errors.format_install_command("av"),
                "presets": {name: asdict(preset) for name, preset in PRESETS.items()},
                "widest": prints.WIDEST,
                "share": os.environ.get(PAGE_ADDRESS, ""),
                "jobs": [job.describe() for job in self.jobs.by_id.values()],
            }
        )

    async def events(self, request: Request) -> Response:
        """Stream the changes of jobs."""

        async def stream_lines() -> AsyncIterator[str]:
            yield "retry: 1000\n\n"
            async with contextlib.aclosing(self.jobs.listen()) as changes:
                async for news in changes:
                    yield ": still here\n\n" if news is None else f"data: {json.dumps(news)}\n\n"

        headers = {"cache-control": "no-store"}
        return StreamingResponse(stream_lines(), media_type="text/event-stream", headers=headers)

    async def demo(self, request: Request) -> Response:
        """Answer with the known game that plays until a picture is chosen."""
        data = await run_in_threadpool(prints.make_demo_data)
        headers = {"cache-control": "max-age=3600"}
        return Response(data, media_type="application/json", headers=headers)

    # ---- Pictures.

    async def upload(self, request: Request) -> Response:
        """Receive a picture as the body of a request."""
        name = read_field(request.query_params, "name", read_string(200), "picture")
        async with _receive_file(request, MAX_UPLOAD) as path:
            identifier = draw_identifier()
            target = self.jobs.get_upload_path(identifier)
            options = {"source": str(path), "target": str(target), "name": name}
            answer = await self.jobs.run_small("read", options)
        return JSONResponse({"id": identifier, **answer})

    async def answer_upload(self, request: Request) -> Response:
        """Answer with an uploaded picture."""
        identifier = request.path_params["id"]
        if not prints.IDENTIFIER.fullmatch(identifier):
            raise _make_not_found_error()
        path = self.jobs.get_upload_path(identifier)
        return FileResponse(path, stat_result=path.stat(), media_type="image/png")

    async def example(self, request: Request) -> Response:
        """Answer with an example picture."""
        path = prints.list_examples().get(request.path_params["name"])
        if path is None:
            raise _make_not_found_error()
        return FileResponse(path, headers={"cache-control": "max-age=3600"})

    async def preview(self, request: Request) -> Response:
        """Answer with the picture that will be printed, and its obstacles."""
        values = await _read_body(request)
        source = prints.make_source(values, prints.find_picture_file(values, self.jobs.uploads))
        return JSONResponse(await run_in_threadpool(prints.make_preview, values, source))

    # ---- Jobs.

    async def add(self, request: Request) -> Response:
        """Queue a print."""
        values = await _read_body(request)
        path = prints.find_picture_file(values, self.jobs.uploads)
        options = {
            "wanted": values,
            "path": path and str(path),
            "effort": read_field(values, "effort", read_whole(0, LEVELS - 1), 1),
            "seed": read_field(values, "seed", list_options(Limit)["seed"].read, 0),
            "place": read_field(values, "place", _read_place, ""),
        }
        source = prints.make_source(values, path)
        options |= await run_in_threadpool(prints.make_print_job, values, source)
        return JSONResponse(self.jobs.add(source.name, "print", options).describe(), 201)

    async def add_slideshow(self, request: Request) -> Response:
        """Queue a slideshow of some prints, or of the frames of an animated picture."""
        values = await _read_body(request)
        if values.get("request") is not None:
            return JSONResponse((await self._add_frames(values)).describe(), 201)
        identifiers = read_field(values, "jobs", _read_identifiers)
        jobs = [self.jobs.by_id.get(identifier) for identifier in identifiers]
        print_jobs = [job for job in jobs if job is not None and job.work in ("print", "plan")]
        if len(print_jobs) < len(jobs):
            raise InputError("jobs: at least one is not a print or was removed")
        name, options = prints.read_slideshow(
            values, [(job.name, job.options) for job in print_jobs]
        )
        return JSONResponse(self.jobs.add(name, "film", options).describe(), 201)

    async def _add_frames(self, values: dict[str, Any]) -> Job:
        """Queue a slideshow of the frames of an uploaded picture, each shown for ``hold`` s."""
        wanted = read_field(values, "request", prints.read_object)
        path = prints.find_picture_file(wanted, self.jobs.uploads)
        frames = [] if path is None else sorted(path.parent.glob(f"{path.stem}-*.png"))
        if wanted["kind"] != "upload" or not frames:
            raise InputError("request: not an animated picture, or no longer stored; open it again")
        board = prints.read_print(wanted).board
        source = prints.make_source(wanted, frames[0])
        first = await run_in_threadpool(prints.make_quick_preview, wanted, source)
        options = {
            "wanted": wanted,
            "frames": list(map(str, frames)),
            "loop": True,
            "hold": read_field(values, "hold", prints.read_hold, _FRAME_SECONDS),
            "board": None if board is None else str(board),
            "drawing": first["drawing"],
            "background": first["background"],
        }
        return self.jobs.add(source.name, "film", options)

    def _find_job(self, request: Request) -> Job:
        """Return the job that the address names; raise error 404 if there is none."""
        job = self.jobs.by_id.get(request.path_params["id"])
        if job is None:
            raise _make_not_found_error()
        return job

    async def act(self, request: Request) -> Response:
        """Stop, continue or improve a job."""
        job = self._find_job(request)
        match request.path_params["action"]:
            case "stop":
                await self.jobs.stop(job)
            case "resume" if job.work != "plan":
                self.jobs.restart(job)
            case "more" if job.work == "print":
                self.jobs.restart(job, min(LEVELS - 1, int(job.options["effort"]) + 1))
            case _:
                raise _make_not_found_error()
        return JSONResponse(job.describe())

    async def remove(self, request: Request) -> Response:
        """Cancel a job and delete it with its files."""
        self.jobs.remove(self._find_job(request))
        return JSONResponse({})

    async def add_plan(self, request: Request) -> Response:
        """Import a plan from a link or a file as a finished job."""
        name = read_field(request.query_params, "name", read_string(200), "plan")
        async with _receive_file(request, _MAX_PLAN) as path:
            text = await run_in_threadpool(path.read_bytes)
            job = await run_in_threadpool(self._find_job_of_plan, text)
            job = job or await self._import_plan(name, path, sha256(text).hexdigest()[:16])
        return JSONResponse(job.describe(), 201)

    def _find_job_of_plan(self, text: bytes) -> Job | None:
        """Return the job with this best plan; None if there is none."""
        for job in list(self.jobs.by_id.values()):
            if job.best is not None:
                path = self.jobs.get_job_folder(job.id) / name_plan_file(job.best["version"])
                with contextlib.suppress(OSError):
                    if path.read_bytes() == text:
                        return job
        return None

    async def _import_plan(self, name: str, path: Path, identifier: str) -> Job:
        """Import a game file as a finished job with this identifier."""
        folder = self.jobs.get_job_folder(identifier)
        options = {"source": str(path), "folder": str(folder), "name": name}
        answer = await self.jobs.run_small("plan", options)
        best = answer.pop("best")
        job = Job(identifier, name, "plan", answer, state="done", best=best)
        self.jobs.add_finished(job)
        return job

    async def thumbnail(self, request: Request) -> Response:
        """Answer with a job's picture, a pixel for each square."""
        options = self._find_job(request).options
        if "drawing" not in options:
            raise _make_not_found_error()
        data = await run_in_threadpool(_draw_thumbnail, options["drawing"], options["background"])
        headers = {"cache-control": "max-age=86400"}
        return Response(data, media_type="image/png", headers=headers)

    async def player(self, request: Request) -> Response:
        """Answer with the page that plays a plan of a job."""
        job = self._find_job(request)
        path = self.jobs.get_job_folder(job.id) / name_plan_file(request.path_params["version"])
        hold = job.options.get("hold", prints.USUAL_HOLD)
        data = await run_in_threadpool(_make_player, path, job.options.get("background"), hold)
        return HTMLResponse(make_linked_page(data, title=job.name))

    async def file(self, request: Request) -> Response:
        """Answer with a print as a file."""
        job = self._find_job(request)
        kind = request.path_params["kind"]
        if kind not in DOWNLOADS or job.best is None:
            raise _make_not_found_error()
        values = request.query_params
        version = read_field(values, "version", read_whole(1, 10**6), job.best["version"])
        options = {
            "scale": read_field(values, "scale", read_whole(1, 32), 8),
            "bevel": read_field(values, "bevel", read_whole(0, 1), 0),
            "full": read_field(values, "full", read_whole(0, 1), 0),
            "place": read_field(values, "place", _read_place, ""),
        }
        extension, media_type = DOWNLOADS[kind]
        folder = self.jobs.get_job_folder(job.id)
        plan = folder / name_plan_file(version)
        variant = "-".join(str(value).replace(":", "to") for value in options.values())
        target = folder / f"file-{version}-{variant}{extension}"
        if not plan.is_file():
            raise _make_not_found_error()
        options |= {
            "plan": str(plan),
            "name": job.name,
            "background": job.options.get("background"),
            "hold": job.options.get("hold", prints.USUAL_HOLD),
        }
        await self._write_file_once("file", target, options)
        quoted = quote(_name_download(job.name, extension))
        plain = _name_download("print", extension)
        headers = {
            "content-disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quoted}",
            "content-security-policy": "sandbox",
        }
        return FileResponse(
            target, media_type=media_type, headers=headers, stat_result=target.stat()
        )

    async def _write_file_once(self, work: str, target: Path, options: dict[str, Any]) -> None:
        """Let a process write a file; requests for the same file share the result."""
        async with self._file_locks.setdefault(target, asyncio.Lock()):
            if not target.is_file():
                await self.jobs.run_small(work, {**options, "target": str(target)})
        self._file_locks.pop(target, None)

    # ---- Patterns, proofs, tilings and Triplex.

    async def query(self, request: Request) -> Response:
        """Answer for each height whether there is a matrix over a row of emitters."""
        width, columns = prints.read_row(await _read_body(request))
        return JSONResponse(await run_in_threadpool(prints.query_heights, width, columns))

    async def matrix(self, request: Request) -> Response:
        """Answer with the page that plays a matrix."""
        values = request.query_params
        plan, title = await run_in_threadpool(prints.make_requested_matrix_plan, values)
        data = await run_in_threadpool(make_player_data, plan)
        return HTMLResponse(make_linked_page(data, title=title))

    async def atlas(self, request: Request) -> Response:
        """Answer with the least heights for many widths and numbers of emitters."""
        return JSONResponse(await run_in_threadpool(prints.make_atlas))

    async def table(self, request: Request) -> Response:
        """Answer with some entries of a table of patterns."""
        return JSONResponse(await run_in_threadpool(prints.read_table, request.query_params))

    async def prove(self, request: Request) -> Response:
        """Queue a proof."""
        values = await _read_body(request)
        width, columns = prints.read_row(values)
        rows = read_field(values, "rows", read_whole(1, 12))
        options = {"width": width, "rows": rows, "at": list(columns)}
        name = f"{width} × {rows}: {', '.join(map(str, columns))}"
        return JSONResponse(self.jobs.add(name, "prove", options).describe(), 201)

    async def proof_file(self, request: Request) -> Response:
        """Answer with one file of a proof job: a formula, a proof or the manifest."""
        job = self._find_job(request)
        files = (job.result or {}).get("files", [])
        number = request.path_params["number"]
        if job.work != "prove" or not 0 <= number < len(files):
            raise _make_not_found_error()
        target = self.jobs.get_job_folder(job.id) / files[number]
        return FileResponse(
            target,
            media_type="application/octet-stream",
            filename=files[number],
            stat_result=target.stat(),
        )

    async def tile(self, request: Request) -> Response:
        """Tile a board."""
        options = prints.read_tiling(await _read_body(request))
        return JSONResponse(await self.jobs.run_small("tile", options))

    async def triplex(self, request: Request) -> Response:
        """Answer with the Triplex page; its policy names the inline scripts by their digests."""
        target = self.jobs.folder / f"triplex-{__version__}.html"
        await self._write_file_once("triplex", target, {"sizes": TRIPLEX_SIZES})
        text = await run_in_threadpool(target.read_text, "utf-8")
        return HTMLResponse(text, headers={"content-security-policy": _make_inline_policy(text)})


# ---- Requests and answers.


_read_place: Final = read_choice(("", *PRESETS))


def _read_identifiers(value: Any) -> list[str]:
    """Read the identifiers of the prints of a slideshow; repetitions are allowed."""
    if not isinstance(value, list) or not 2 <= len(value) <= prints.MAX_PICTURES:
        raise InputError(f"expected a list of 2 to {prints.MAX_PICTURES}")
    return list(map(prints.read_identifier, value))


async def _read_body(request: Request) -> dict[str, Any]:
    """Read the body of a request."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MAX_BODY:
            raise _make_size_error("request", _MAX_BODY)
    return prints.parse_body(bytes(body))


@contextlib.asynccontextmanager
async def _receive_file(request: Request, max_bytes: int) -> AsyncIterator[Path]:
    """Receive the body of a request into a temporary file."""
    with tempfile.TemporaryDirectory() as folder:
        path, received = Path(folder) / "received", 0
        with path.open("wb") as file:
            async for chunk in request.stream():
                received += len(chunk)
                if received > max_bytes:
                    raise _make_size_error("file", max_bytes)
                file.write(chunk)
        if not received:
            raise InputError("this file is empty")
        yield path


def _make_size_error(thing: str, max_bytes: int) -> HTTPException:
    limit = f"expected at most {max_bytes // 10**6} MB"
    return HTTPException(413, f"the {thing} is too large; {limit}")


def _make_not_found_error() -> HTTPException:
    """Return the error for a name that does not exist."""
    return HTTPException(404, "not found")


async def _answer_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, TetrisPrinterError)
    answer = prints.describe_error(error)
    return JSONResponse({"error": answer["error"]}, int(answer["code"]))


async def _answer_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    # Starlette's own answers have no sentence.
    unknown = {404: "not found", 405: "this is not possible here; reload the page"}
    sentence = unknown.get(error.status_code, error.detail)
    return JSONResponse({"error": sentence}, error.status_code, error.headers)


async def _answer_removed(request: Request, error: Exception) -> Response:
    """Answer 404 for a missing file: its job was removed while its files were read."""
    return await _answer_http_error(request, _make_not_found_error())


async def _answer_fault(request: Request, error: Exception) -> Response:
    """Answer 500 with one sentence; the server prints the traceback."""
    return JSONResponse({"error": errors.describe_fault(error)}, 500)


async def _answer_page(name: str, request: Request) -> Response:
    """Answer with a page of the studio."""
    return FileResponse(Path(__file__).with_name("static") / f"{name}.html")


@lru_cache(maxsize=4)
def _make_inline_policy(text: str) -> str:
    """Return a content security policy that allows only the inline scripts of a page."""
    sources = []
    for script in re.findall(r"<script>(.*?)</script>", text, re.DOTALL):
        digest = base64.b64encode(sha256(script.encode()).digest()).decode()
        sources.append(f"'sha256-{digest}'")
    return (
        f"default-src 'none'; script-src {' '.join(sources)}; style-src 'unsafe-inline'; "
        "img-src data:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'"
    )


# ---- What is shown of a print.


def _name_download(name: str, extension: str) -> str:
    """Return the name under which a browser saves a file.

    >>> _name_download("Ein Bild.png", ".gif"), _name_download("../..", ".png")
    ('Ein Bild.gif', 'print.png')
    """
    stem = name.rsplit(".", 1)[0] if "." in name[-6:] else name
    stem = "".join(c if c.isalnum() or c in " -_()" else "_" for c in stem).strip(" _")
    return (stem[:60] or "print") + extension


@lru_cache(maxsize=20)
def _make_player(path: Path, background: str | None, hold: float) -> str:
    """Return the player's data for a plan; a plan file never changes."""
    if not path.is_file():
        raise FileNotFoundError(path)
    return make_player_data(read_plan(path, "plan", background), hold=hold)


@lru_cache(maxsize=200)
def _draw_thumbnail(drawing: str, background: str | None) -> bytes:
    """Return a drawing as PNG, one pixel for each square."""
    from tetrisprinter.render.still import draw_png

    look = Look(1, field=background or AUTO)
    return draw_png(Picture.parse(drawing), look=look, transparent=background is None)


# The server listens on 127.0.0.1. Nevertheless any page that a browser shows can send requests to
# it. So a request must name this machine as its host (against DNS rebinding), and a request that
# changes something must come from a page of this server. Every answer forbids the browser to load
# anything from elsewhere.

_ADDRESS: Final = "127.0.0.1"

_HEADERS: Final = {
    # Pages load nothing but the studio's own files.
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
        "connect-src 'self'; frame-src 'self'; frame-ancestors 'self'; base-uri 'none'; "
        "form-action 'none'"
    ),
    "cache-control": "no-cache",  # browsers ask whether a file has changed
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
"""Headers of every answer, unless the answer has its own."""


class _Server(uvicorn.Server):
    """A server that ends its event streams when it stops."""

    jobs: Jobs | None = None

    def handle_exit(self, sig: int, frame: Any) -> None:
        """End the event streams, then exit as uvicorn does at a signal such as Ctrl-C."""
        if self.jobs is not None:
            self.jobs.closing = True
        super().handle_exit(sig, frame)


def serve(
    port: int, folder: Path | None, limits: JobLimits, on_ready: Callable[[str], None]
) -> None:
    """Pass the server's address to ``on_ready``, then run the server until it is interrupted."""
    with _open_socket(port) as listener:
        jobs = Jobs(folder or default_folder(), limits)
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
