"""The handlers of jobs, by name: each gets the request and a function that sends news.

A print is improved plan by plan, and a job that is stopped keeps the best plan.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tetrisprinter.api.presets import PRESETS
from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.studio.files import name_plan_file, name_player_file
from tetrisprinter.studio.messages import format_message
from tetrisprinter.studio.store import BEST, SIZE_READ, read_json
from tetrisprinter.support.files import open_atomically, read_text, write_bytes, write_text
from tetrisprinter.support.sizes import format_size

if TYPE_CHECKING:
    from tetrisprinter.api import PreparedTask
    from tetrisprinter.game.plan import Plan
    from tetrisprinter.planners.run import Progress
    from tetrisprinter.printing.result import PrintResult
    from tetrisprinter.printing.task import Task
    from tetrisprinter.render.frames import Timing
    from tetrisprinter.studio.worker import Send

__all__ = ["JOB_HANDLERS", "LEVELS", "MAX_PIXELS", "choose_effort"]

LEVELS: Final = 11
"""The number of effort levels on the page."""

MAX_PIXELS: Final = 50_000_000
"""Pixels of the largest picture."""

_COMPRESSION: Final = 1
"""The compression level of uploads as PNG: the fastest, because a request waits for it."""

_SHOWN_PROOF_LINES: Final = 300
"""Lines of a proof on the page; the complete proof can be downloaded."""

_REPORT_INTERVAL: Final = 0.2  # the least seconds between two reports without fewer drops


def read_picture(options: Mapping[str, Any], send: Send) -> dict[str, Any]:
    """Read an uploaded image, turn it upright and store it as PNG."""
    from PIL.PngImagePlugin import PngInfo

    from tetrisprinter.pictures.convert import DEFAULT_LIMITS
    from tetrisprinter.pictures.images import open_image

    name = options["name"]
    _refuse_too_many_pixels(options["source"], name)
    opened = open_image(options["source"], name, 0, DEFAULT_LIMITS.as_is)
    image, info = opened.image, PngInfo()
    info.add_text(SIZE_READ, format_size(*opened.size))
    with open_atomically(options["target"]) as file:
        image.save(file, "PNG", compress_level=_COMPRESSION, pnginfo=info)
    return {"width": image.width, "height": image.height, "was": list(opened.size)}


def _refuse_too_many_pixels(source: str, name: str) -> None:
    """Refuse a file whose header has too many pixels, before it is decoded."""
    from PIL import Image

    try:
        with Image.open(source) as image:
            if image.width * image.height <= MAX_PIXELS:
                return
    except Image.DecompressionBombError:
        pass
    except (OSError, SyntaxError, ValueError, EOFError):
        return  # the reader of the file reports what is wrong
    raise InputError(f"{name}: has more than {MAX_PIXELS // 10**6} megapixels")


@dataclass(slots=True)
class _PrintJob:
    """A running print: its best plan and its reports."""

    folder: Path  # the job's folder, in which the plans are stored
    send: Send  # sends news
    began: float = field(default_factory=time.monotonic)  # as ``time.monotonic()``
    best: PrintResult | None = None  # the plan with the fewest drops so far
    version: int = 0  # the number of the best plan, from 1; 0: there is none
    bound: int = 0  # no game of hard drops has fewer drops than this
    _last_report: float = 0.0  # ``time.monotonic()`` of the last progress report

    def keep(self, result: PrintResult) -> None:
        """Store and report a plan if it is shorter than the best plan."""
        from tetrisprinter.render.page import make_player_data

        self.bound = max(self.bound, result.bound)
        best = self.best
        if best is not None and result.drops >= best.drops:
            # The report is about the stored plan; another plan may have brought the proof.
            proof = result.proof if result.drops == best.drops else best.proof
            steps = result.steps if result.plan == best.plan else best.steps
            result = replace(best, proof=proof, steps=steps)
        self.best = result
        if best is None or result.plan != best.plan:
            self.version += 1
            write_text(self.folder / name_plan_file(self.version), str(result.plan))
            write_text(self.folder / name_player_file(self.version), make_player_data(result.plan))
        self._announce(result)

    def _announce(self, result: PrintResult) -> None:
        """Store and send the figures of the best plan."""
        from tetrisprinter.formats.own_colors import find_patchy_colors

        report = _describe_best(result.plan, [result], self.version, self.bound) | {
            "proof": result.proof.value,
            "planner": result.planner,
            "steps": list(map(str, result.steps)),
            "patchy": list(find_patchy_colors(result.plan, result.game.field)),
        }
        write_text(self.folder / BEST, json.dumps(report))
        self.send({"event": "best", "best": report})

    def report(self, progress: Progress) -> None:
        """Report the progress of the planner, at most every 0.2 s."""
        now = time.monotonic()
        is_better = progress.drops is not None and self.best and progress.drops < self.best.drops
        if now - self._last_report < _REPORT_INTERVAL and not is_better:
            return
        self._last_report = now
        self.bound = max(self.bound, progress.bound or 0)
        self.send(
            {
                "event": "progress",
                "stage": progress.stage,
                "fraction": round(progress.fraction, 3),
                "drops": progress.drops,
                "bound": self.bound or None,
            }
        )


def _describe_best(
    plan: Plan, results: Sequence[PrintResult], version: int, bound: int | None
) -> dict[str, Any]:
    """Return the figures of a game that prints one picture or several."""
    pixels = sum(result.pixels for result in results)
    return {
        "version": version,
        "drops": len(plan),
        "lines": sum(result.lines for result in results),
        "passes": len(plan.passes),
        "bound": bound,
        "proof": "no",
        "pixels": pixels,
        "stack": max(result.stack for result in results),
        "cells_per_pixel": round(4 * len(plan) / max(1, pixels), 3),
        "board": [plan.width, plan.height],
        "stops": list(plan.stops),
    }


def print_picture(options: Mapping[str, Any], send: Send) -> dict[str, Any]:
    """Plan a print and report each plan that is shorter than the one before.

    The job prepares and plans the picture as the command and the library do.
    """
    from tetrisprinter.api import plan_with_fallbacks
    from tetrisprinter.api.prints import find_plans
    from tetrisprinter.game.plan import Plan
    from tetrisprinter.planners import Run
    from tetrisprinter.support.limits import Limit
    from tetrisprinter.support.stop import Stop

    prepared = _prepare_again(options)
    folder, stop = Path(options["folder"]), Stop()
    job = _PrintJob(folder, send)
    stored_best = read_json(folder / BEST)
    if stored_best is not None:
        plan = Plan.parse(read_text(folder / name_plan_file(stored_best["version"])))
        job.version, job.bound = stored_best["version"], stored_best["bound"]
        job.best = _rebuild_result(prepared, plan, stored_best["planner"])
    limit = Limit(
        workers=options["workers"], seed=options["seed"], effort=choose_effort(options["effort"])
    )
    known_plans = () if job.best is None else (job.best.plan,)
    run = Run(limit, report=job.report, stop=stop, known=known_plans)
    simplifications: list[str] = []

    def keep_plans(version: PreparedTask) -> None:
        for result in find_plans(version, "auto", replace(run, fallbacks={})):
            job.keep(result)

    with stop.stop_on_signals(lambda: "stopping"):
        try:
            plan_with_fallbacks(prepared, keep_plans, simplifications.append)
        except JobError as error:
            if job.best is None:
                raise
            return {"said": format_message(error)}
    if stop.is_requested:
        return {"stopped": True}
    return {"said": "; ".join(simplifications) or None}


def choose_effort(level: int) -> float:
    """Return the effort for a level of the page's setting.

    >>> choose_effort(0), choose_effort(1), choose_effort(2), choose_effort(3)
    (0.1, 1.0, 20.0, 40.0)
    """
    return 0.1 if level == 0 else 1.0 if level == 1 else 20.0 * 2 ** (level - 2)


def print_slideshow(options: Mapping[str, Any], send: Send) -> dict[str, Any]:
    """Plan a slideshow: several pictures in one game."""
    from tetrisprinter.api.slideshows import SharedSettings, make_slideshow_tasks, plan_slideshow
    from tetrisprinter.pictures.picture import Picture
    from tetrisprinter.render.page import make_player_data
    from tetrisprinter.support.limits import Limit

    def report_progress(news: Progress) -> None:
        send({"event": "progress", "stage": news.stage, "fraction": round(news.fraction, 3)})

    pictures = [Picture.parse(drawing, name) for name, drawing in options["pictures"]]
    tasks, steps = make_slideshow_tasks(pictures, SharedSettings(options["board"]))
    limit = Limit(workers=options["workers"])
    slideshow = plan_slideshow(tasks, loop=options["loop"], limit=limit, report=report_progress)
    plan = replace(slideshow.plan, background=options["task"]["background"])
    folder, version = Path(options["folder"]), 1
    write_text(folder / name_plan_file(version), str(plan))
    write_text(folder / name_player_file(version), make_player_data(plan, hold=options["hold"]))
    figures = _describe_best(plan, slideshow.results, version, None)
    write_text(folder / BEST, json.dumps(figures))
    send({"event": "best", "best": figures})
    return {"said": "; ".join(map(str, steps)) or None}


def _prepare_again(options: Mapping[str, Any]) -> PreparedTask:
    """Prepare the picture of a job again; without its file, use the stored drawing."""
    from tetrisprinter.api import PictureRequest
    from tetrisprinter.api.preparation import PreparedTask, prepare_source
    from tetrisprinter.pictures.picture import Picture
    from tetrisprinter.pictures.sources import make_drawn_source
    from tetrisprinter.printing.task import Task
    from tetrisprinter.studio.preview import make_picture_request, make_source
    from tetrisprinter.studio.print_request import PrintRequest

    stored_task = options["task"]
    if "wanted" in options:
        print_request = PrintRequest.of(options["wanted"])
        path = None if options["path"] is None else Path(options["path"])
        # Without a server, the browser passes the decoded pixels.
        source = options.get("pixels")
        if source is None and (
            path.is_file() if path else print_request.kind in ("text", "drawing")
        ):
            source = make_source(print_request, path)
        if source is not None:
            prepared = prepare_source(source, make_picture_request(print_request))
            if str(prepared.task.picture) == stored_task["drawing"]:
                return prepared
    picture = Picture.parse(stored_task["drawing"], options["name"])
    pieces = PrintRequest.of(options["wanted"]).queue_rules if "wanted" in options else None
    task = Task.of(
        picture,
        stored_task["board"],
        stored_task["types"],
        stored_task["background"],
        pieces=pieces,
    )
    request = PictureRequest(board=task.board, types=task.types, repairs=False, pieces=pieces)
    return PreparedTask(make_drawn_source(picture), request, task, background=task.background)


def _rebuild_result(prepared: PreparedTask, plan: Plan, planner: str) -> PrintResult:
    """Return the result of a stored plan for the first possible task that the plan solves."""
    from tetrisprinter.printing.result import PrintResult
    from tetrisprinter.printing.task import Task

    for candidate in (prepared, prepared.alternative):
        if candidate is None:
            continue
        tasks = [candidate.task]
        for background in (candidate.task.background, plan.background):
            picture = candidate.task.picture
            with contextlib.suppress(TetrisPrinterError):
                tasks.append(Task.of(picture, plan.board, "auto", background))
                tasks.append(Task.of(picture, plan.board, plan.color_of, background))
        for task in tasks:
            with contextlib.suppress(TetrisPrinterError):
                result = PrintResult.of(task, plan, planner)
                return replace(result, steps=candidate.steps)
    return PrintResult.of(_make_final_picture_task(plan, prepared.task.name), plan, planner)


def _make_final_picture_task(plan: Plan, name: str) -> Task:
    """Return the task of printing the final picture of a plan."""
    from tetrisprinter.game.replay import play_through
    from tetrisprinter.pictures.picture import Picture, make_field_picture
    from tetrisprinter.printing.task import Task

    picture = make_field_picture(plan, play_through(plan).field).trim()
    if not picture.rows:
        raise JobError(f"{name}: the board is empty after this game; there is no picture to show")
    filled_columns = [x for row in picture.rows for x, color in enumerate(row) if color]
    left, right = min(filled_columns), max(filled_columns) + 1
    rows = tuple(row[left:right] for row in picture.rows)
    return Task.of(Picture(rows, name), plan.board, plan.color_of, plan.background, left)


def write_file(options: Mapping[str, Any], send: Send) -> dict[str, Any]:
    """Write a finished print as a file."""
    from tetrisprinter.formats import format_game
    from tetrisprinter.render import Rendering, list_extensions
    from tetrisprinter.render.paint import Look
    from tetrisprinter.render.save import save

    plan = _read_plan(options)
    target = Path(options["target"])
    if target.suffix in list_extensions():
        look = Look(options["scale"], "bevel" if options["bevel"] else "plain")
        timing, shape = choose_timing(plan, options["hold"]), find_shape(options.get("place", ""))
        rendering = Rendering(look, timing, full=options["full"], shape=shape)
        save(plan, target, rendering, title=options["name"])
    else:
        write_text(target, format_game(plan, target, options["name"]))
    return {}


def choose_timing(plan: Plan, hold: float) -> Timing:
    """Return the timing of an animation; a slideshow shows each picture for ``hold`` seconds."""
    from tetrisprinter.api.slideshows import compute_default_seconds
    from tetrisprinter.render.frames import Timing

    return Timing(seconds=compute_default_seconds(plan), hold=hold) if plan.stops else Timing()


def find_shape(place: str) -> tuple[int, int] | None:
    """Return the proportions (width, height) of a preset's animations; None: the board's."""
    return PRESETS[place].proportions if place else None


def write_player_data(options: Mapping[str, Any], send: Send) -> dict[str, Any]:
    """Rewrite a plan's player data, because the player itself has changed."""
    from tetrisprinter.render.page import make_player_data

    write_text(options["target"], make_player_data(_read_plan(options), hold=options["hold"]))
    return {}


def _read_plan(options: Mapping[str, Any]) -> Plan:
    """Read the plan of a job; a plan without background gets the background of the request."""
    from tetrisprinter.game.plan import Plan

    plan = Plan.parse(read_text(options["plan"]), options.get("name", "plan"))
    return replace(plan, background=plan.background or options["background"])


def import_plan(options: Mapping[str, Any], send: Send) -> dict[str, Any]:
    """Import a game file (a plan, a drawing of pieces as JSON, a fumen) as a finished print."""
    from tetrisprinter.formats import read_game
    from tetrisprinter.printing.result import PrintResult

    try:
        plan = read_game(options["source"])
    except InputError as error:
        raise InputError(str(error).replace(options["source"], options["name"])) from error
    if len(plan) > 20_000:
        raise InputError(
            f"{options['name']}: {len(plan)} drops are too many; expected at most 20000"
        )
    task = _make_final_picture_task(plan, options["name"])
    _PrintJob(Path(options["folder"]), send).keep(PrintResult.of(task, plan, "given"))
    return {
        "drawing": str(task.picture),
        "board": str(plan.board),
        "background": plan.background,
    }


def prove(options: Mapping[str, Any], send: Send) -> dict[str, Any]:
    """Prove that no matrix with this number of rows fits over the emitters, or return a matrix."""
    from tetrisprinter.packings.problem import Packing
    from tetrisprinter.packings.proofs import EmitterClaim, certify
    from tetrisprinter.packings.proofs.files import load
    from tetrisprinter.packings.proofs.manifest import MANIFEST

    claim = EmitterClaim(options["width"], options["rows"], (tuple(options["at"]),), False)
    folder = Path(options["folder"])
    answer = certify(claim, folder)
    if answer is None or isinstance(answer, Packing):  # the claim is wrong
        drawing = "" if answer is None else str(answer)
        write_bytes(folder / "packing.txt", drawing.encode())
        files = ["packing.txt"]
        return {"proved": False, "words": claim.sentence, "packing": drawing, "files": files}
    steps = load(folder, answer.drat).splitlines()
    return {
        "proved": True,
        "words": claim.sentence,
        "files": [*(file.name for file in answer.files), MANIFEST],
        "steps": len(steps),
        "proof": steps[:_SHOWN_PROOF_LINES],
        "solver": answer.solver,
    }


def tile(options: Mapping[str, Any], send: Send) -> dict[str, Any]:
    """Tile a board: return some tilings, their number, or the reason why there is none.

    The method ``search`` needs no other library.
    """
    import itertools

    from tetrisprinter.tilings import PieceSet, TilingBoard, TilingProblem, find_argument
    from tetrisprinter.tilings.solve import count_covers, iterate_covers

    board = TilingBoard.parse(options["board"])
    pieces = PieceSet.parse(options["pieces"], options["orientations"], use_all=options["use_all"])
    problem = TilingProblem(board, pieces)
    up_to_symmetry = options["up_to_symmetry"]
    if options["count"]:
        count = count_covers(problem, up_to_symmetry=up_to_symmetry)
        send({"event": "progress", "count": str(count)})
        if not count:
            return {"tilings": [], "count": "0", **_describe_argument(find_argument(problem))}
        covers = iterate_covers(problem, up_to_symmetry=up_to_symmetry, limit=1)
        tilings = [str(problem.make_tiling(cover)) for cover in covers]
        return {"tilings": tilings, "count": str(count)}
    limit = options["first"]
    method = options.get("method", "auto")
    argument = find_argument(problem, thorough=False) if method == "search" else None
    if argument is not None:
        return {"tilings": [], **_describe_argument(argument)}
    covers = iterate_covers(problem, method, up_to_symmetry=up_to_symmetry, limit=limit)
    tilings = [str(problem.make_tiling(cover)) for cover in itertools.islice(covers, limit)]
    if tilings:
        return {"tilings": tilings}
    return {"tilings": [], **_describe_argument(find_argument(problem, thorough=method == "auto"))}


def _describe_argument(argument: Any) -> dict[str, Any]:
    """Return why no tiling exists, as plain data; without an argument, a search has shown it."""
    if argument is None:
        return {"argument": "", "reason": "searched exhaustively"}
    return {
        "argument": argument.name,
        "reason": argument.reason,
        "weights": [list(row) for row in argument.weights],
    }


def write_triplex_page(options: Mapping[str, Any], send: Send) -> dict[str, Any]:
    """Write the Triplex page."""
    from tetrisprinter.triplex.generator import generate
    from tetrisprinter.triplex.page import make_triplex_page

    levels = [
        level for width, height in options["sizes"] for level in generate(width, height, seed=0)
    ]
    write_text(options["target"], make_triplex_page(levels, language=options["language"]))
    return {"levels": len(levels)}


JOB_HANDLERS: Final[Mapping[str, Callable[[Mapping[str, Any], Send], dict[str, Any]]]] = {
    "read": read_picture,
    "print": print_picture,
    "film": print_slideshow,
    "file": write_file,
    "player": write_player_data,
    "plan": import_plan,
    "prove": prove,
    "tile": tile,
    "triplex": write_triplex_page,
}
"""The handlers of all kinds of jobs."""
