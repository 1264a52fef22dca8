"""The server: addresses, and what is done at each.

Whatever takes a moment of a processor is done in a thread, whatever takes longer in a process
of its own, so that the server itself is always there to answer. Everything in ``static`` is
read once when it starts; a request names one of these files or none.
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
from tetrisprinter.game.board import Board
from tetrisprinter.render.page import make_linked_page
from tetrisprinter.studio import patterns
from tetrisprinter.studio.answering import fields_of, not_here
from tetrisprinter.studio.asking import IDENTIFIER, Fields, wanted_of
from tetrisprinter.studio.files import (
    DOWNLOADS,
    download_name,
    downloads,
    plan_name,
    player_name,
)
from tetrisprinter.studio.finding import Finding
from tetrisprinter.studio.guard import Guard, TooLargeError, TooSlowError
from tetrisprinter.studio.jobs import Job
from tetrisprinter.studio.preview import (
    examples,
    glance,
    path_of,
    prepare,
    preview,
    source_wanted,
    task_data,
)
from tetrisprinter.studio.running import MAX_RECEIVING, Studio
from tetrisprinter.studio.store import new_identifier
from tetrisprinter.studio.words import told
from tetrisprinter.studio.works import LEVELS

__all__ = ["MAX_UPLOAD", "make_app"]

MAX_UPLOAD: Final = 20_000_000
"""Bytes of the largest picture that is taken."""

_MAX_PLAN: Final = 2_000_000
_PAGES: Final = ("index", "patterns", "tilings", "gallery")
_USUAL_HOLD: Final = 2.0  # seconds for which each picture stands, as on the command line
_MOST_PICTURES: Final = 40  # of a film: as many as an hour, a job's time, is enough for
_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}

Handler = Callable[[Request], Awaitable[Response]]


def make_app(studio: Studio) -> ASGIApp:
    """Return the server's application, guarded."""
    answers = _Answers(studio)
    routes = [
        Route("/api/state", answers.state),
        Route("/api/events", answers.events),
        Route("/api/jobs/{id}/files/{kind}", answers.file),
        Route("/api/jobs/{id}/thumbnail", answers.thumbnail),
        Route("/play/{id}/{version:int}", answers.player),
        Route("/player/{name}", answers.player_file),
        Route("/static/{name}", answers.static_file),
        *(Route("/" if name == "index" else f"/{name}", answers.page(name)) for name in _PAGES),
    ]
    if not studio.doors.read_only:
        routes += [
            Route("/api/uploads", answers.upload, methods=["POST"]),
            Route("/api/uploads/{id}", answers.uploaded),
            Route("/api/preview", answers.preview, methods=["POST"]),
            Route("/api/examples/{name}", answers.example),
            Route("/api/jobs", answers.add, methods=["POST"]),
            Route("/api/jobs/{id}", answers.remove, methods=["DELETE"]),
            Route("/api/jobs/{id}/{action}", answers.act, methods=["POST"]),
            Route("/api/films", answers.add_film, methods=["POST"]),
            Route("/api/plans", answers.bring_plan, methods=["POST"]),
            Route("/api/jobs/{id}/proof/{number:int}", answers.proof_file),
            *Finding(studio).routes(),
        ]
    app = Starlette(
        routes=routes,
        lifespan=answers.lifespan,
        exception_handlers={
            TetrisPrinterError: _refused,
            HTTPException: _missing,
            TooLargeError: _too_large,
            TooSlowError: _too_slow,
        },
    )
    return Guard(app, studio.doors, MAX_UPLOAD)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, TetrisPrinterError)
    status = 400 if isinstance(error, InputError) else 409
    return JSONResponse({"error": told(error)}, status)


async def _missing(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, error.status_code, error.headers)


async def _too_large(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 413, {"connection": "close"})


async def _too_slow(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": "the request does not come"}, 408, {"connection": "close"})


@functools.cache
def _shipped(package: str, folder: str) -> dict[str, tuple[bytes, str, str]]:
    """Read a folder of the package: for each file its bytes, kind and fingerprint."""
    found = {}
    for item in resources.files(package).joinpath(folder).iterdir():
        kind = _TYPES.get(Path(item.name).suffix)
        if kind is not None:
            data = item.read_bytes()
            found[item.name] = (data, kind, f'"{sha256(data).hexdigest()[:16]}"')
    return found


class _Answers:
    """What is answered at each address."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.store, self.jobs = studio.store, studio.jobs

    @contextlib.asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        """Work while the server is there."""
        tasks = [asyncio.create_task(self.jobs.run())]
        if self.studio.doors.read_only:
            tasks.append(asyncio.create_task(self._show_gallery()))
        try:
            yield
        finally:
            await self.jobs.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.store.close()

    async def _show_gallery(self) -> None:
        """Play every plan of a gallery, one after the other; what cannot be played is not shown."""
        for number, (name, path) in enumerate(self.studio.gallery):
            with contextlib.suppress(TetrisPrinterError):
                await self._take(name, path, f"{number:016x}")

    # ---- Pages and their files.

    def page(self, name: str) -> Handler:
        """Return what answers with a page."""

        async def answer(request: Request) -> Response:
            shown = "gallery" if self.studio.doors.read_only else name
            return _file(request, _shipped("tetrisprinter.studio", "static"), f"{shown}.html")

        return answer

    async def static_file(self, request: Request) -> Response:
        """Answer with a file that the pages link to."""
        name = request.path_params["name"]
        return _file(request, _shipped("tetrisprinter.studio", "static"), name)

    async def player_file(self, request: Request) -> Response:
        """Answer with a file of the player."""
        name = request.path_params["name"]
        return _file(request, _shipped("tetrisprinter.render", "player"), name)

    async def state(self, request: Request) -> Response:
        """Tell what there is to choose from, and all jobs."""
        read_only = self.studio.doors.read_only
        return JSONResponse(
            {
                "version": __version__,
                "readOnly": read_only,
                "examples": [] if read_only else list(examples()),
                "downloads": downloads(),
                "presets": {name: asdict(one) for name, one in PRESETS.items()},
                "widest": patterns.WIDEST,
                "share": os.environ.get(PAGE_ADDRESS, ""),
                "jobs": [job.seen() for job in self.jobs.known.values()],
            }
        )

    async def events(self, request: Request) -> Response:
        """Tell everything that happens, for as long as somebody listens."""

        async def lines() -> AsyncIterator[str]:
            yield "retry: 1000\n\n"
            async with contextlib.aclosing(self.jobs.listen()) as news:
                async for one in news:
                    yield ": still here\n\n" if one is None else f"data: {json.dumps(one)}\n\n"

        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(lines(), media_type="text/event-stream", headers=headers)

    # ---- Pictures.

    async def upload(self, request: Request) -> Response:
        """Take a picture: its bytes are the body."""
        name = Fields(request.query_params).text("name", 200, "picture")
        async with self._received(request, MAX_UPLOAD) as path:
            identifier = new_identifier()
            answer = await self.jobs.small(
                "read",
                {"source": str(path), "target": str(self.store.upload(identifier)), "name": name},
            )
        seen = {key: answer[key] for key in ("width", "height", "was")}
        return JSONResponse({"id": identifier, **seen})

    async def uploaded(self, request: Request) -> Response:
        """Answer with a picture that was sent, as it was kept."""
        identifier = request.path_params["id"]
        if not IDENTIFIER.fullmatch(identifier) or not self.store.upload(identifier).is_file():
            raise not_here()
        headers = {"cache-control": "max-age=86400"}
        return FileResponse(self.store.upload(identifier), media_type="image/png", headers=headers)

    @contextlib.asynccontextmanager
    async def _received(self, request: Request, most: int) -> AsyncIterator[Path]:
        """Receive a body into a file, which is deleted after its use.

        What is limited is the bytes of all unfinished files, not their number: a client that
        sends slowly takes no place from the others.
        """
        path, taken = self.store.incoming(), 0
        try:
            with path.open("wb") as file:
                async for chunk in request.stream():
                    taken += len(chunk)
                    self.studio.receiving += len(chunk)
                    if taken > most:
                        raise HTTPException(413, f"more than {most // 10**6} MB are not taken")
                    if self.studio.receiving > MAX_RECEIVING:
                        raise HTTPException(503, "too many at once; try again in a moment")
                    file.write(chunk)
            if not taken:
                raise InputError("this file is empty")
            yield path
        finally:
            self.studio.receiving -= taken
            path.unlink(missing_ok=True)

    async def example(self, request: Request) -> Response:
        """Answer with a picture that comes with the package."""
        path = examples().get(request.path_params["name"])
        if path is None:
            raise not_here()
        return FileResponse(path, headers={"cache-control": "max-age=3600"})

    async def preview(self, request: Request) -> Response:
        """Tell what will be printed, and what is in its way."""
        began = time.perf_counter()
        fields = await fields_of(request)
        wanted = wanted_of(fields, examples())
        look = glance if fields.flag("glance") else preview
        source = source_wanted(wanted, path_of(wanted, self.store))
        answer = await run_in_threadpool(look, wanted, source)
        answer["milliseconds"] = round(1000 * (time.perf_counter() - began), 1)
        return JSONResponse(answer)

    # ---- Jobs.

    async def add(self, request: Request) -> Response:
        """Let a print wait for its turn."""
        fields = await fields_of(request)
        wanted = wanted_of(fields, examples())
        effort = fields.integer("effort", 0, LEVELS - 1, 1)
        seed = fields.integer("seed", 0, 2**31, 0)
        place = fields.choice("place", ("", *PRESETS), "")
        path = path_of(wanted, self.store)
        ready = await run_in_threadpool(prepare, wanted, source_wanted(wanted, path))
        if ready.still is not None:
            raise ready.still.error(wanted.name)
        asked = {
            "task": task_data(ready),
            "wanted": wanted.data(),
            "path": None if path is None else str(path),
            "effort": effort,
            "seed": seed,
            "place": place,
        }
        return JSONResponse(self.jobs.add(wanted.name, "print", asked).seen(), 201)

    async def add_film(self, request: Request) -> Response:
        """Let a film of the pictures of some prints, in their order, wait for its turn."""
        fields = await fields_of(request)
        found = [self.jobs.known.get(one) for one in fields.identifiers("jobs", 2, _MOST_PICTURES)]
        prints = [job for job in found if job is not None and job.work in ("print", "plan")]
        if len(prints) < len(found):
            raise InputError("jobs: one of them is no print, or was removed")
        hold = fields.number("hold", 0.1, 60, _USUAL_HOLD)
        board = fields.text("board", 9, "")
        if board:
            board = str(Board.of(board))
        grounds = {_background(job) for job in prints}
        drawn = [(job.name, job.asked["task"]["drawing"]) for job in prints]
        asked = {
            "pictures": drawn,
            "loop": fields.flag("loop"),
            "hold": hold,
            "board": board or None,
            # Its thumbnail is the first picture's; empty squares have the colour all agree on.
            "task": {
                "drawing": drawn[0][1],
                "background": grounds.pop() if len(grounds) == 1 else None,
            },
        }
        name = ", ".join(job.name for job in prints)[:80]
        return JSONResponse(self.jobs.add(name, "film", asked).seen(), 201)

    def _job(self, request: Request) -> Job:
        identifier = request.path_params["id"]
        if not IDENTIFIER.fullmatch(identifier) or identifier not in self.jobs.known:
            raise not_here()
        return self.jobs.get(identifier)

    async def act(self, request: Request) -> Response:
        """Stop a job, let it go on, or let it look harder."""
        job = self._job(request)
        match request.path_params["action"]:
            case "stop":
                await self.jobs.stop(job)
            case "resume" if job.work != "plan":
                self.jobs.again(job)
            case "more" if job.work == "print":
                self.jobs.again(job, min(LEVELS - 1, int(job.asked["effort"]) + 1))
            case _:
                raise not_here()
        return JSONResponse(job.seen())

    async def remove(self, request: Request) -> Response:
        """Cancel a job and forget it."""
        self.jobs.remove(self._job(request))
        return JSONResponse({})

    async def bring_plan(self, request: Request) -> Response:
        """Take a plan that somebody has: one that a link carried, or a file."""
        name = Fields(request.query_params).text("name", 200, "plan")
        async with self._received(request, _MAX_PLAN) as path:
            data = await run_in_threadpool(path.read_bytes)
            identifier = await run_in_threadpool(self._job_with, data)
            if identifier not in self.jobs.known:
                await self._take(name, path, identifier)
        return JSONResponse(self.jobs.get(identifier).seen(), 201)

    def _job_with(self, plan: bytes) -> str:
        """Return the identifier of the job whose best plan this is; else a new one."""
        for job in list(self.jobs.known.values()):
            if job.best is not None:
                path = self.store.job(job.id) / plan_name(job.best["version"])
                with contextlib.suppress(OSError):
                    if path.read_bytes() == plan:
                        return job.id
        return sha256(plan).hexdigest()[:16]

    async def _take(self, name: str, path: Path, identifier: str) -> None:
        folder = self.store.job(identifier)
        folder.mkdir(exist_ok=True)
        asked = {"source": str(path), "folder": str(folder), "name": name}
        best: dict[str, Any] = {}
        try:
            answer = await self.jobs.small("plan", asked)
            best = json.loads((folder / "best.json").read_text("utf-8"))
        except TetrisPrinterError:
            self.store.remove(identifier)
            raise
        task = {key: answer[key] for key in ("drawing", "board", "background")}
        job = Job(identifier, name, "plan", {"task": task}, state="done", best=best)
        self.jobs.adopt(job)

    async def thumbnail(self, request: Request) -> Response:
        """Answer with a job's picture, a pixel for each square."""
        job = self._job(request)
        if "task" not in job.asked:
            raise not_here()
        drawing = job.asked["task"]["drawing"]
        data = await run_in_threadpool(_thumbnail, drawing, _background(job))
        headers = {"cache-control": "max-age=86400"}
        return Response(data, media_type="image/png", headers=headers)

    async def player(self, request: Request) -> Response:
        """Answer with the page that plays a plan of a job."""
        job = self._job(request)
        version = request.path_params["version"]
        folder = self.store.job(job.id)
        plan, data = folder / plan_name(version), folder / player_name(version)
        if not plan.is_file():
            raise not_here()
        if not data.is_file():
            asked = {"plan": str(plan), "background": _background(job), "hold": _hold(job)}
            await self.studio.written("player", data, asked)
        text = await run_in_threadpool(data.read_text, "utf-8")
        return HTMLResponse(make_linked_page(text, title=job.name, folder="/player"))

    async def file(self, request: Request) -> Response:
        """Answer with a print as a file."""
        job = self._job(request)
        kind = request.path_params["kind"]
        if kind not in DOWNLOADS or job.best is None:
            raise not_here()
        fields = Fields(request.query_params)
        version = fields.integer("version", 1, 10**6, job.best["version"])
        scale = fields.integer("scale", 1, 32, 8)
        bevel = fields.integer("bevel", 0, 1, 0)
        full = fields.integer("full", 0, 1, 0)
        extension, media = DOWNLOADS[kind]
        folder = self.store.job(job.id)
        plan = folder / plan_name(version)
        if not plan.is_file():
            raise not_here()
        background = _background(job)
        place = fields.choice("place", ("", *PRESETS), "")
        shape = PRESETS[place].shape if place else None
        form = f"{scale}-{bevel}-{full}-{(shape or '').replace(':', 'to')}-on-{background}"
        target = folder / f"file-{version}-{form}{extension}"
        if not target.is_file():
            asked = {"plan": str(plan), "name": job.name, "scale": scale}
            asked |= {"bevel": bool(bevel), "full": bool(full), "background": background}
            asked |= {"hold": _hold(job), "place": place}
            await self.studio.written("file", target, asked)
        named = quote(download_name(job.name, extension))
        plain = download_name("print", extension)
        headers = {
            "content-disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{named}",
            "content-security-policy": "sandbox",
        }
        return FileResponse(target, media_type=media, headers=headers)

    async def proof_file(self, request: Request) -> Response:
        """Answer with a formula, a proof, or the list of them."""
        job = self._job(request)
        files = (job.result or {}).get("files", [])
        number = request.path_params["number"]
        if job.work != "prove" or not 0 <= number < len(files):
            raise not_here()
        return FileResponse(
            self.store.job(job.id) / files[number],
            media_type="application/octet-stream",
            filename=files[number],
        )


def _background(job: Job) -> str | None:
    """Return the colour that a job's picture had for a background."""
    found = job.asked.get("task", {}).get("background")
    return found if isinstance(found, str) else None


def _hold(job: Job) -> float:
    """Return how many seconds each picture of a film stands."""
    found = job.asked.get("hold")
    return float(found) if isinstance(found, int | float) else _USUAL_HOLD


def _file(request: Request, files: dict[str, tuple[bytes, str, str]], name: str) -> Response:
    if name not in files:
        raise not_here()
    data, kind, fingerprint = files[name]
    headers = {"etag": fingerprint, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == fingerprint:
        return Response(status_code=304, headers=headers)
    return Response(data, media_type=kind, headers=headers)


@functools.lru_cache(maxsize=200)
def _thumbnail(drawing: str, background: str | None) -> bytes:
    from tetrisprinter.pictures.picture import Picture
    from tetrisprinter.render.field_color import AUTO
    from tetrisprinter.render.paint import Look
    from tetrisprinter.render.still import draw_png

    look = Look(1, field=background or AUTO)
    return draw_png(Picture.parse(drawing), look=look, transparent=background is None)
