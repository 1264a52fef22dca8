"""The web application: its routes and their handlers.

Short computations run in a thread, long ones in their own process, so the server always answers.
The files of ``static`` are read once; a request can name one of these files only.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route
from starlette.types import ASGIApp

from tetrisprinter import __version__
from tetrisprinter.api.presets import PRESETS
from tetrisprinter.errors import InputError, TetrisPrinterError
from tetrisprinter.formats.link import PAGE_ADDRESS
from tetrisprinter.render.page import make_linked_page
from tetrisprinter.studio import patterns
from tetrisprinter.studio.access import AccessMiddleware, RefusedBodyError
from tetrisprinter.studio.files import (
    DOWNLOADS,
    list_downloads,
    name_download,
    name_plan_file,
    name_player_file,
)
from tetrisprinter.studio.http_answers import make_not_found_error, read_fields
from tetrisprinter.studio.job_handlers import LEVELS
from tetrisprinter.studio.jobs import Job
from tetrisprinter.studio.messages import describe_error
from tetrisprinter.studio.pattern_routes import PatternRoutes
from tetrisprinter.studio.preview import (
    find_picture_file,
    list_examples,
    make_print_job,
    make_quick_preview,
    make_source,
    preview,
)
from tetrisprinter.studio.print_request import (
    IDENTIFIER,
    MAX_PICTURES,
    USUAL_HOLD,
    Fields,
    read_print_request,
    read_slideshow,
)
from tetrisprinter.studio.store import draw_identifier
from tetrisprinter.studio.studio_state import MAX_RECEIVING, Studio

__all__ = ["MAX_UPLOAD", "make_app"]

MAX_UPLOAD: Final = 20_000_000
"""Bytes of the largest upload."""

_MAX_PLAN: Final = 2_000_000
_PAGES: Final = ("index", "patterns", "tilings", "gallery")
_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}

Handler = Callable[[Request], Awaitable[Response]]


def make_app(studio: Studio) -> ASGIApp:
    """Return the application with its access control."""
    handlers = _RouteHandlers(studio)
    routes = [
        Route("/api/state", handlers.state),
        Route("/api/events", handlers.events),
        Route("/api/jobs/{id}/files/{kind}", handlers.file),
        Route("/api/jobs/{id}/thumbnail", handlers.thumbnail),
        Route("/play/{id}/{version:int}", handlers.player),
        Route("/player/{name}", handlers.player_file),
        Route("/static/{name}", handlers.static_file),
        *(Route("/" if name == "index" else f"/{name}", handlers.page(name)) for name in _PAGES),
    ]
    if not studio.access.read_only:
        routes += [
            Route("/api/uploads", handlers.upload, methods=["POST"]),
            Route("/api/uploads/{id}", handlers.answer_upload),
            Route("/api/preview", handlers.preview, methods=["POST"]),
            Route("/api/examples/{name}", handlers.example),
            Route("/api/jobs", handlers.add, methods=["POST"]),
            Route("/api/jobs/{id}", handlers.remove, methods=["DELETE"]),
            Route("/api/jobs/{id}/{action}", handlers.act, methods=["POST"]),
            Route("/api/films", handlers.add_slideshow, methods=["POST"]),
            Route("/api/plans", handlers.add_plan, methods=["POST"]),
            Route("/api/jobs/{id}/proof/{number:int}", handlers.proof_file),
            *PatternRoutes(studio).routes(),
        ]
    app = Starlette(
        routes=routes,
        lifespan=handlers.lifespan,
        exception_handlers={
            TetrisPrinterError: _answer_error,
            HTTPException: _answer_http_error,
            FileNotFoundError: _answer_removed,
            RefusedBodyError: _answer_refused_body,
        },
    )
    return AccessMiddleware(app, studio.access, MAX_UPLOAD)


async def _answer_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, TetrisPrinterError)
    answer = describe_error(error)
    return JSONResponse({"error": answer["error"]}, int(answer["code"]))


async def _answer_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, error.status_code, error.headers)


async def _answer_removed(request: Request, error: Exception) -> Response:
    """Answer 404 for a missing file: its job was removed while its files were read."""
    return await _answer_http_error(request, make_not_found_error())


async def _answer_refused_body(request: Request, error: Exception) -> Response:
    assert isinstance(error, RefusedBodyError)
    return JSONResponse({"error": str(error)}, error.status, {"connection": "close"})


@functools.cache
def _read_assets(package: str, folder: str) -> dict[str, tuple[bytes, str, str]]:
    """Read a folder of the package: bytes, media type and fingerprint of each file."""
    assets = {}
    for file in resources.files(package).joinpath(folder).iterdir():
        media_type = _TYPES.get(Path(file.name).suffix)
        if media_type is not None:
            data = file.read_bytes()
            assets[file.name] = (data, media_type, f'"{sha256(data).hexdigest()[:16]}"')
    return assets


class _RouteHandlers:
    """The handlers of the routes."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.store, self.jobs = studio.store, studio.jobs

    @contextlib.asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        """Run jobs while the server runs."""
        tasks = [asyncio.create_task(self.jobs.run())]
        if self.studio.access.read_only:
            tasks.append(asyncio.create_task(self._import_gallery()))
        try:
            yield
        finally:
            await self.jobs.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.store.close()

    async def _import_gallery(self) -> None:
        """Import every plan of a gallery; plans that cannot be played are left out."""
        for number, (name, path) in enumerate(self.studio.gallery):
            with contextlib.suppress(TetrisPrinterError):
                await self._import_plan(name, path, f"{number:016x}")

    # ---- Pages and their files.

    def page(self, name: str) -> Handler:
        """Return the handler of a page."""

        async def answer(request: Request) -> Response:
            page_name = "gallery" if self.studio.access.read_only else name
            return _answer_file(
                request, _read_assets("tetrisprinter.studio", "static"), f"{page_name}.html"
            )

        return answer

    async def static_file(self, request: Request) -> Response:
        """Answer with a static file."""
        name = request.path_params["name"]
        return _answer_file(request, _read_assets("tetrisprinter.studio", "static"), name)

    async def player_file(self, request: Request) -> Response:
        """Answer with a file that the player needs."""
        name = request.path_params["name"]
        return _answer_file(request, _read_assets("tetrisprinter.render", "player"), name)

    async def state(self, request: Request) -> Response:
        """Answer with the version, the choices that the studio offers, and all jobs."""
        read_only = self.studio.access.read_only
        return JSONResponse(
            {
                "version": __version__,
                "readOnly": read_only,
                "examples": [] if read_only else list(list_examples()),
                "downloads": list_downloads(),
                "presets": {name: asdict(preset) for name, preset in PRESETS.items()},
                "widest": patterns.WIDEST,
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

        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(stream_lines(), media_type="text/event-stream", headers=headers)

    # ---- Pictures.

    async def upload(self, request: Request) -> Response:
        """Receive a picture as the body of a request."""
        name = Fields(request.query_params).text("name", 200, "picture")
        async with self._receive_body(request, MAX_UPLOAD) as path:
            identifier = draw_identifier()
            answer = await self.jobs.run_small(
                "read",
                {
                    "source": str(path),
                    "target": str(self.store.get_upload_path(identifier)),
                    "name": name,
                },
            )
        sizes = {key: answer[key] for key in ("width", "height", "was")}
        return JSONResponse({"id": identifier, **sizes})

    async def answer_upload(self, request: Request) -> Response:
        """Answer with an uploaded picture."""
        identifier = request.path_params["id"]
        if (
            not IDENTIFIER.fullmatch(identifier)
            or not self.store.get_upload_path(identifier).is_file()
        ):
            raise make_not_found_error()
        headers = {"cache-control": "max-age=86400"}
        return FileResponse(
            self.store.get_upload_path(identifier), media_type="image/png", headers=headers
        )

    @contextlib.asynccontextmanager
    async def _receive_body(self, request: Request, max_bytes: int) -> AsyncIterator[Path]:
        """Receive a body into a temporary file.

        The total size of unfinished files is limited, not their number, so slow clients do not
        block others.
        """
        path, received = self.store.make_temporary_path(), 0
        try:
            with path.open("wb") as file:
                async for chunk in request.stream():
                    received += len(chunk)
                    self.studio.receiving += len(chunk)
                    if received > max_bytes:
                        raise HTTPException(
                            413, f"the file is too large; expected at most {max_bytes // 10**6} MB"
                        )
                    if self.studio.receiving > MAX_RECEIVING:
                        raise HTTPException(503, "too many uploads at once; try again in a moment")
                    file.write(chunk)
            if not received:
                raise InputError("this file is empty")
            yield path
        finally:
            self.studio.receiving -= received
            path.unlink(missing_ok=True)

    async def example(self, request: Request) -> Response:
        """Answer with an example picture."""
        path = list_examples().get(request.path_params["name"])
        if path is None:
            raise make_not_found_error()
        return FileResponse(path, headers={"cache-control": "max-age=3600"})

    async def preview(self, request: Request) -> Response:
        """Answer with the picture that will be printed, and its obstacles."""
        start = time.perf_counter()
        fields = await read_fields(request)
        print_request = read_print_request(fields, list_examples())
        make_answer = make_quick_preview if fields.flag("glance") else preview
        source = make_source(print_request, find_picture_file(print_request, self.store))
        answer = await run_in_threadpool(make_answer, print_request, source)
        answer["milliseconds"] = round(1000 * (time.perf_counter() - start), 1)
        return JSONResponse(answer)

    # ---- Jobs.

    async def add(self, request: Request) -> Response:
        """Queue a print."""
        fields = await read_fields(request)
        print_request = read_print_request(fields, list_examples())
        effort = fields.integer("effort", 0, LEVELS - 1, 1)
        seed = fields.integer("seed", 0, 2**31, 0)
        place = fields.choice("place", ("", *PRESETS), "")
        path = find_picture_file(print_request, self.store)
        options = await run_in_threadpool(
            make_print_job, print_request, make_source(print_request, path), path
        )
        options |= {"effort": effort, "seed": seed, "place": place}
        return JSONResponse(self.jobs.add(print_request.name, "print", options).describe(), 201)

    async def add_slideshow(self, request: Request) -> Response:
        """Queue a slideshow of the pictures of some prints."""
        fields = await read_fields(request)
        identifiers = fields.identifiers("jobs", 2, MAX_PICTURES)
        jobs = [self.jobs.by_id.get(identifier) for identifier in identifiers]
        prints = [job for job in jobs if job is not None and job.work in ("print", "plan")]
        if len(prints) < len(jobs):
            raise InputError("jobs: at least one is not a print or was removed")
        tasks = [(job.name, job.options["task"]) for job in prints]
        name, options = read_slideshow(fields, tasks)
        return JSONResponse(self.jobs.add(name, "film", options).describe(), 201)

    def _find_job(self, request: Request) -> Job:
        """Return the job that the address names; raise error 404 if there is none."""
        identifier = request.path_params["id"]
        if not IDENTIFIER.fullmatch(identifier) or identifier not in self.jobs.by_id:
            raise make_not_found_error()
        return self.jobs.get(identifier)

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
                raise make_not_found_error()
        return JSONResponse(job.describe())

    async def remove(self, request: Request) -> Response:
        """Cancel a job and delete it with its files."""
        self.jobs.remove(self._find_job(request))
        return JSONResponse({})

    async def add_plan(self, request: Request) -> Response:
        """Import a plan from a link or a file as a finished job."""
        name = Fields(request.query_params).text("name", 200, "plan")
        async with self._receive_body(request, _MAX_PLAN) as path:
            data = await run_in_threadpool(path.read_bytes)
            identifier = await run_in_threadpool(self._choose_job_identifier, data)
            if identifier not in self.jobs.by_id:
                await self._import_plan(name, path, identifier)
        return JSONResponse(self.jobs.get(identifier).describe(), 201)

    def _choose_job_identifier(self, plan: bytes) -> str:
        """Return the identifier of the job with this best plan, or that of a new job."""
        for job in list(self.jobs.by_id.values()):
            if job.best is not None:
                path = self.store.get_job_folder(job.id) / name_plan_file(job.best["version"])
                with contextlib.suppress(OSError):
                    if path.read_bytes() == plan:
                        return job.id
        return sha256(plan).hexdigest()[:16]

    async def _import_plan(self, name: str, path: Path, identifier: str) -> None:
        """Import a game file as a finished job with this identifier."""
        folder = self.store.get_job_folder(identifier)
        folder.mkdir(exist_ok=True)
        options = {"source": str(path), "folder": str(folder), "name": name}
        best: dict[str, Any] = {}
        try:
            answer = await self.jobs.run_small("plan", options)
            best = json.loads((folder / "best.json").read_text("utf-8"))
        except TetrisPrinterError:
            self.store.remove(identifier)
            raise
        task = {key: answer[key] for key in ("drawing", "board", "background")}
        job = Job(identifier, name, "plan", {"task": task}, state="done", best=best)
        self.jobs.add_finished(job)

    async def thumbnail(self, request: Request) -> Response:
        """Answer with a job's picture, a pixel for each square."""
        job = self._find_job(request)
        if "task" not in job.options:
            raise make_not_found_error()
        drawing = job.options["task"]["drawing"]
        data = await run_in_threadpool(_draw_thumbnail, drawing, _find_background(job))
        headers = {"cache-control": "max-age=86400"}
        return Response(data, media_type="image/png", headers=headers)

    async def player(self, request: Request) -> Response:
        """Answer with the page that plays a plan of a job."""
        job = self._find_job(request)
        version = request.path_params["version"]
        folder = self.store.get_job_folder(job.id)
        plan, data = folder / name_plan_file(version), folder / name_player_file(version)
        if not plan.is_file():
            raise make_not_found_error()
        if not data.is_file():
            options = {
                "plan": str(plan),
                "background": _find_background(job),
                "hold": _find_hold(job),
            }
            await self.studio.write_file_once("player", data, options)
        text = await run_in_threadpool(data.read_text, "utf-8")
        return HTMLResponse(make_linked_page(text, title=job.name))

    async def file(self, request: Request) -> Response:
        """Answer with a print as a file."""
        job = self._find_job(request)
        kind = request.path_params["kind"]
        if kind not in DOWNLOADS or job.best is None:
            raise make_not_found_error()
        fields = Fields(request.query_params)
        version = fields.integer("version", 1, 10**6, job.best["version"])
        scale = fields.integer("scale", 1, 32, 8)
        bevel = fields.integer("bevel", 0, 1, 0)
        full = fields.integer("full", 0, 1, 0)
        extension, media_type = DOWNLOADS[kind]
        folder = self.store.get_job_folder(job.id)
        plan = folder / name_plan_file(version)
        if not plan.is_file():
            raise make_not_found_error()
        background = _find_background(job)
        place = fields.choice("place", ("", *PRESETS), "")
        shape = PRESETS[place].shape if place else None
        variant = f"{scale}-{bevel}-{full}-{(shape or '').replace(':', 'to')}-on-{background}"
        target = folder / f"file-{version}-{variant}{extension}"
        if not target.is_file():
            options = {"plan": str(plan), "name": job.name, "scale": scale}
            options |= {"bevel": bool(bevel), "full": bool(full), "background": background}
            options |= {"hold": _find_hold(job), "place": place}
            await self.studio.write_file_once("file", target, options)
        quoted = quote(name_download(job.name, extension))
        plain = name_download("print", extension)
        headers = {
            "content-disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quoted}",
            "content-security-policy": "sandbox",
        }
        return FileResponse(
            target, media_type=media_type, headers=headers, stat_result=target.stat()
        )

    async def proof_file(self, request: Request) -> Response:
        """Answer with one file of a proof job: a formula, a proof or the manifest."""
        job = self._find_job(request)
        files = (job.result or {}).get("files", [])
        number = request.path_params["number"]
        if job.work != "prove" or not 0 <= number < len(files):
            raise make_not_found_error()
        target = self.store.get_job_folder(job.id) / files[number]
        return FileResponse(
            target,
            media_type="application/octet-stream",
            filename=files[number],
            stat_result=target.stat(),
        )


def _find_background(job: Job) -> str | None:
    """Return the background colour of a job's picture."""
    background = job.options.get("task", {}).get("background")
    return background if isinstance(background, str) else None


def _find_hold(job: Job) -> float:
    """Return the seconds for which a slideshow shows each picture."""
    hold = job.options.get("hold")
    return float(hold) if isinstance(hold, int | float) else USUAL_HOLD


def _answer_file(request: Request, files: dict[str, tuple[bytes, str, str]], name: str) -> Response:
    """Answer with a file of an asset folder; with 304 if the browser already has it."""
    if name not in files:
        raise make_not_found_error()
    data, media_type, fingerprint = files[name]
    headers = {"etag": fingerprint, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == fingerprint:
        return Response(status_code=304, headers=headers)
    return Response(data, media_type=media_type, headers=headers)


@functools.lru_cache(maxsize=200)
def _draw_thumbnail(drawing: str, background: str | None) -> bytes:
    """Return a drawing as PNG, one pixel for each square."""
    from tetrisprinter.pictures.picture import Picture
    from tetrisprinter.render.field_color import AUTO
    from tetrisprinter.render.paint import Look
    from tetrisprinter.render.still import draw_png

    look = Look(1, field=background or AUTO)
    return draw_png(Picture.parse(drawing), look=look, transparent=background is None)
