"""The routes of patterns, proofs, tilings and Triplex."""

from __future__ import annotations

import base64
import functools
import re
from hashlib import sha256

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from tetrisprinter import __version__
from tetrisprinter.render.page import make_linked_page, make_player_data
from tetrisprinter.studio import patterns
from tetrisprinter.studio.files import TRIPLEX_SIZES
from tetrisprinter.studio.http_answers import read_fields
from tetrisprinter.studio.print_request import Fields, read_tiling
from tetrisprinter.studio.studio_state import Studio


class PatternRoutes:
    """The handlers of patterns, proofs, tilings and Triplex."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.store, self.jobs = studio, studio.store, studio.jobs

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/api/patterns/query", self.query, methods=["POST"]),
            Route("/api/patterns/atlas", self.atlas),
            Route("/api/patterns/table", self.table),
            Route("/play/matrix", self.matrix),
            Route("/api/proofs", self.prove, methods=["POST"]),
            Route("/api/tilings", self.tile, methods=["POST"]),
            Route("/triplex", self.triplex),
        ]

    async def query(self, request: Request) -> Response:
        """Answer for each height whether there is a matrix over a row of emitters."""
        width, columns = patterns.read_row(await read_fields(request))
        return JSONResponse(await run_in_threadpool(patterns.query_heights, width, columns))

    async def matrix(self, request: Request) -> Response:
        """Answer with the page that plays a matrix."""
        fields = Fields(request.query_params)
        plan, title = await run_in_threadpool(patterns.make_requested_matrix_plan, fields)
        data = await run_in_threadpool(make_player_data, plan)
        return HTMLResponse(make_linked_page(data, title=title))

    async def atlas(self, request: Request) -> Response:
        """Answer with the least heights for many widths and numbers of emitters."""
        return JSONResponse(await run_in_threadpool(patterns.make_atlas))

    async def table(self, request: Request) -> Response:
        """Answer with some entries of a table of patterns."""
        fields = Fields(request.query_params)
        return JSONResponse(await run_in_threadpool(patterns.read_table, fields))

    async def prove(self, request: Request) -> Response:
        """Queue a proof."""
        fields = await read_fields(request)
        width, columns = patterns.read_row(fields)
        rows = fields.integer("rows", 1, 12)
        options = {"width": width, "rows": rows, "at": list(columns)}
        name = f"{width} × {rows}: {', '.join(map(str, columns))}"
        return JSONResponse(self.jobs.add(name, "prove", options).describe(), 201)

    async def tile(self, request: Request) -> Response:
        """Tile a board."""
        options = read_tiling(await read_fields(request))
        answer = await self.jobs.run_small("tile", options)
        return JSONResponse({k: v for k, v in answer.items() if k != "event"})

    async def triplex(self, request: Request) -> Response:
        """Answer with the Triplex page; its policy names the inline scripts by their digests."""
        fields = Fields(request.query_params)
        language = fields.choice("language", ("en", "ru"), "en")
        target = self.store.folder / f"triplex-{__version__}-{language}.html"
        if not target.is_file():
            options = {"sizes": TRIPLEX_SIZES, "language": language}
            await self.studio.write_file_once("triplex", target, options)
        text = await run_in_threadpool(target.read_text, "utf-8")
        return HTMLResponse(text, headers={"content-security-policy": _make_inline_policy(text)})


@functools.lru_cache(maxsize=4)
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
