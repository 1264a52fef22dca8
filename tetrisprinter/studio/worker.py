"""The process that runs one job, and the handlers of all jobs by name.

The request is one line of JSON on standard input, the news are lines of JSON on standard output.
The input stays open: a line ``stop`` ends the job with its best plan, and its end means that the
server is gone, so this process exits, too. Memory and processor time are limited before any file is
read, so a picture that decodes to gigabytes ends this process only.

A handler gets the request and a function that sends news. The page without a server calls the same
handlers (:mod:`~tetrisprinter.studio.page_engine`).
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import IO, Any, Final

from tetrisprinter.api import print_prepared
from tetrisprinter.api.preparation import prepare_source
from tetrisprinter.api.request import PRESETS, PictureRequest
from tetrisprinter.errors import InputError, JobError, TetrisPrinterError, describe_fault
from tetrisprinter.formats import find_patchy_colors, format_game, read_game
from tetrisprinter.game.pieces import GREY
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.packings.problem import Packing
from tetrisprinter.pictures.convert import DEFAULT_LIMITS, Step
from tetrisprinter.pictures.images import list_shown_frames, open_image, silence_pillow
from tetrisprinter.pictures.picture import Picture, make_field_picture
from tetrisprinter.planners import Run
from tetrisprinter.planners.run import Progress
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task
from tetrisprinter.render import Rendering, list_extensions, save
from tetrisprinter.render.frames import Timing
from tetrisprinter.render.paint import Look
from tetrisprinter.studio import prints
from tetrisprinter.support import format_size, signals
from tetrisprinter.support.files import open_atomically, read_text, write_bytes, write_text
from tetrisprinter.support.options import Limit
from tetrisprinter.support.signals import Stop, TimeLeft

LEVELS: Final = 11
"""The number of effort levels on the page."""

MAX_PIXELS: Final = 50_000_000
"""Pixels of the largest picture."""

TRIPLEX_SIZES: Final = ((4, 3), (5, 3), (4, 4), (6, 3), (5, 4))
"""Columns and rows of the levels in the game Triplex."""

DOWNLOADS: Final[Mapping[str, tuple[str, str]]] = {
    "png": (".png", "image/png"),
    "gif": (".gif", "image/gif"),
    "apng": (".apng", "image/apng"),
    "webp": (".webp", "image/webp"),
    "mp4": (".mp4", "video/mp4"),
    "html": (".html", "text/html; charset=utf-8"),
    "plan": (".txt", "text/plain; charset=utf-8"),
    "art": (".json", "application/json"),
    "fumen": (".fumen", "text/plain; charset=utf-8"),
    "drops": (".drops.json", "application/json"),
    "tetrio": (".tetrio", "text/plain; charset=utf-8"),
    "lesson": (".lesson", "text/plain; charset=utf-8"),
}
"""The kinds of download: the extension and the media type."""

_STOP_SECONDS: Final = 10.0  # the server kills a process that takes longer to stop

_COMPRESSION: Final = 1
"""The compression level of uploads as PNG: the fastest, because a request waits for it."""

_SHOWN_PROOF_LINES: Final = 300
"""Lines of a proof on the page; the complete proof can be downloaded."""

_REPORT_INTERVAL: Final = 0.2  # the least seconds between two reports without fewer drops

Send = Callable[[dict[str, Any]], None]
"""Sends news to the server."""


def name_plan_file(version: int) -> str:
    """Return the file name of a version of a job's plan."""
    return f"plan-{version}.txt"


# ---- The process.


def main() -> None:
    """Run the job that the first line of the input requests, and exit."""
    out = _take_over_stdout()
    lock = threading.Lock()

    def send(news: dict[str, Any]) -> None:
        with lock:
            out.write(json.dumps(news, separators=(",", ":")) + "\n")
            out.flush()

    options = json.loads(sys.stdin.buffer.readline())
    _limit_resources(options["memory"], options["seconds"])
    try:
        # A stop may interrupt the import of a library, which then raises an error of its own.
        with signals.stop_cleanly(), signals.announce_on_stop("stopping", _STOP_SECONDS):
            threading.Thread(target=_listen, daemon=True).start()
            send({"event": "done", **JOB_HANDLERS[options["work"]](options, send)})
    except KeyboardInterrupt:
        send({"event": "stopped"})
    except TetrisPrinterError as error:
        send({"event": "failed", **prints.describe_error(error)})
    except MemoryError:
        sentence = "out of memory: this is too large for a job; try something smaller"
        send({"event": "failed", "error": sentence, "code": 409})
    except Exception as error:
        if signals.get_stop_signal():
            send({"event": "stopped"})
        else:
            send({"event": "failed", "error": describe_fault(error), "code": 500})
    out.flush()
    os._exit(0)  # without waiting for threads of solvers


def _take_over_stdout() -> IO[str]:
    """Return the original standard output, and redirect all prints to stderr."""
    descriptor = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return os.fdopen(descriptor, "w", encoding="utf-8")


def _limit_resources(memory: int, seconds: int) -> None:
    """Limit memory (bytes) and processor time."""
    try:
        import resource
    except ImportError:  # no such limits on this system; the server watches the clock
        return
    for resource_kind, limit in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds * (os.cpu_count() or 1)),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(resource_kind)[1]
        allowed = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(resource_kind, (allowed, allowed))
    os.nice(5)  # the page stays quick while a job takes all processors


def _listen() -> None:
    """Interrupt the job at a line ``stop``; exit when the input ends."""
    for line in sys.stdin.buffer:
        if line.strip() == b"stop":
            os.kill(os.getpid(), signal.SIGINT)
    os._exit(3)


# ---- The handlers.


def read_picture(options: Mapping[str, Any], send: Send) -> dict[str, Any]:
    """Read an uploaded image, turn it upright and store it as PNG; an animation also by frames."""
    from PIL.PngImagePlugin import PngInfo

    name, source, target = options["name"], options["source"], Path(options["target"])
    _refuse_too_many_pixels(source, name)

    def store(frame: int | None, path: Path) -> tuple[tuple[int, int], tuple[int, int]]:
        opened = open_image(source, name, frame, DEFAULT_LIMITS.as_is)
        info = PngInfo()
        info.add_text(prints.SIZE_READ, format_size(*opened.size))
        with open_atomically(path) as file:
            opened.image.save(file, "PNG", compress_level=_COMPRESSION, pnginfo=info)
        return opened.image.size, opened.size

    (width, height), size = store(None, target)
    frames = list_shown_frames(source, name)
    kept = min(len(frames), prints.MAX_PICTURES)
    for number in range(kept if kept > 1 else 0):
        frame = frames[number * len(frames) // kept]
        store(frame, target.with_name(f"{target.stem}-{number:02}.png"))
    return {"width": width, "height": height, "was": list(size), "frames": len(frames)}


def _refuse_too_many_pixels(source: str, name: str) -> None:
    """Refuse a file whose header has too many pixels, before it is decoded."""
    from PIL import Image

    try:
        with silence_pillow(), Image.open(source) as image:
            if image.width * image.height <= MAX_PIXELS:
                return
    except Image.DecompressionBombError:
        pass
    except (OSError, SyntaxError, ValueError, EOFError):
        return  # the reader of the file reports what is wrong
    raise InputError(f"{name}: has more than {MAX_PIXELS // 10**6} megapixels")


@dataclass(slots=True)
class _RunningPrint:
    """A running print: its best plan and its reports."""

    folder: Path  # the job's folder, in which the plans are stored
    send: Send  # sends news
    began: float = field(default_factory=time.monotonic)  # as ``time.monotonic()``
    best: PrintResult | None = None  # the plan with the fewest drops so far
    steps: tuple[Step, ...] = ()  # the changes and choices that led to the best plan
    version: int = 0  # the number of the best plan, from 1; 0: there is none
    known: Plan | None = None  # the plan of this version that an earlier run found
    fraction: float = 0.0  # the share of the search that is done; it never falls
    time_left: TimeLeft = field(default_factory=TimeLeft)
    _last_report: float = 0.0  # ``time.monotonic()`` of the last progress report

    def keep(self, result: PrintResult) -> None:
        """Store and report a plan if it is shorter than the best plan."""
        best = self.best
        known = self.known if best is None else best.plan
        if best is None and known and result.plan != known and result.drops >= len(known):
            return
        if best is None or result.drops < best.drops or result.plan == best.plan:
            self.steps = result.steps
        if best is not None and result.drops >= best.drops:
            # The report is about the stored plan; another plan may have brought the proof.
            is_same_task = result.task == best.task
            result = best.raise_bound(result.drop_bound) if is_same_task else best
        self.best = result
        if result.plan != known:
            self.version += 1
            self.folder.mkdir(exist_ok=True)
            write_text(self.folder / name_plan_file(self.version), str(result.plan))
        report = _describe_best(result.plan, [result], self.version, result.bound) | {
            "proof": result.proof.value,
            "planner": result.planner,
            "steps": list(map(str, self.steps)),
            "patchy": list(find_patchy_colors(result.plan, result.game.field)),
        }
        self.send({"event": "best", "best": report})

    def report(self, progress: Progress) -> None:
        """Report the progress of the planner, at most every 0.2 s."""
        now = time.monotonic()
        is_better = progress.drops is not None and self.best and progress.drops < self.best.drops
        if now - self._last_report < _REPORT_INTERVAL and not is_better:
            return
        self._last_report = now
        self.fraction = max(self.fraction, progress.fraction)
        self.time_left.update(self.fraction)
        seconds_left = self.time_left.seconds
        self.send(
            {
                "event": "progress",
                "stage": progress.stage,
                "fraction": round(self.fraction, 3),
                "seconds_left": None if seconds_left is None else round(seconds_left),
                "drops": progress.drops,
                # The search may have gone on to another board or a repaired picture
                "bound": None if self.best is None else self.best.bound,
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
    request = prints.read_print(options["wanted"])
    # Without a server, the browser passes the decoded pixels.
    path = options.get("path") and Path(options["path"])
    source = options.get("pixels") or prints.make_source(options["wanted"], path)
    if "converted" in options:
        source = prints.remember_conversion(source, request, options["converted"])
    prepared = prepare_source(source, request)
    folder, stop = Path(options["folder"]), Stop()
    job = _RunningPrint(folder, send)
    if options.get("best"):  # the job continues
        job.version = options["best"]["version"]
        job.known = Plan.parse(read_text(folder / name_plan_file(job.version)))
    limit = Limit(
        workers=options["workers"], seed=options["seed"], effort=choose_effort(options["effort"])
    )
    known_plans = () if job.known is None else (job.known,)
    run = Run(limit, report=job.report, stop=stop, known=known_plans)
    simplifications: list[str] = []
    with stop.stop_on_signals(lambda: "stopping"):
        try:
            for attempt in print_prepared(prepared, "auto", run):
                if attempt.result is not None:
                    job.keep(attempt.result)
                elif attempt.reason:
                    simplifications.append(attempt.reason)
        except JobError as error:
            if not job.version:
                raise
            return {"said": prints.format_message(error)}
    if stop.is_requested:
        return {"stopped": True}
    return {"said": "; ".join(simplifications) or None}


def choose_effort(level: int) -> float:
    """Return the effort for a level of the page's setting.

    >>> choose_effort(0), choose_effort(1), choose_effort(2), choose_effort(3)
    (0.1, 1.0, 4.0, 8.0)
    """
    return 0.1 if level == 0 else 1.0 if level == 1 else 2.0**level


def print_slideshow(options: Mapping[str, Any], send: Send) -> dict[str, Any]:
    """Plan a slideshow: several pictures in one game."""
    from tetrisprinter.api.slideshows import make_slideshow_tasks, plan_slideshow

    last_report, fraction = -inf, 0.0

    def report_progress(news: Progress) -> None:
        nonlocal last_report, fraction
        now, fraction = time.monotonic(), max(fraction, news.fraction)
        if now - last_report >= _REPORT_INTERVAL:
            last_report = now
            send({"event": "progress", "stage": news.stage, "fraction": round(fraction, 3)})

    if "frames" in options:
        pictures = _read_frames(options)
    else:
        pictures = [Picture.parse(drawing, name) for name, drawing in options["pictures"]]
    request = PictureRequest.of({"board": options["board"]})
    tasks, steps = make_slideshow_tasks(pictures, request)
    slideshow = plan_slideshow(
        tasks,
        loop=options["loop"],
        limit=Limit(workers=options["workers"]),
        report=report_progress,
        may_enlarge_board=not request.has_named_board,
        background=options["background"],
    )
    plan = slideshow.plan
    write_text(Path(options["folder"]) / name_plan_file(1), str(plan))
    send({"event": "best", "best": _describe_best(plan, slideshow.results, 1, None)})
    return {"said": "; ".join(map(str, steps)) or None}


def _read_frames(options: Mapping[str, Any]) -> list[Picture]:
    """Convert the frames of an animated picture, each as the page has shown the first one."""
    conversion = prints.read_print(options["wanted"]).conversion
    return [
        Picture(
            prints.make_source(options["wanted"], Path(path)).read(conversion).picture.trim().rows,
            f"frame {number}",
        )
        for number, path in enumerate(options["frames"], 1)
    ]


def _make_final_picture_task(plan: Plan, name: str) -> Task:
    """Return the task of printing the final picture of a plan."""
    picture = make_field_picture(plan, play_through(plan).field).trim().trim_columns()
    if not picture.rows:
        raise JobError(f"{name}: the board is empty after this game; there is no picture to show")
    types = "auto" if GREY in plan.square_colors else plan.color_of  # no type leaves grey
    named = Picture(picture.rows, name)
    task = Task.of(named, plan.board, types, plan.background, picture.columns_left)
    return task.with_start(plan.start)


def write_file(options: Mapping[str, Any], send: Send) -> dict[str, Any]:
    """Write a finished print as a file."""
    plan = read_plan(options["plan"], options["name"], options["background"])
    target = Path(options["target"])
    if target.suffix in list_extensions():
        look = Look(options["scale"], "bevel" if options["bevel"] else "plain")
        timing, shape = choose_timing(plan, options["hold"]), find_shape(options.get("place", ""))
        rendering = Rendering(look, timing, full=bool(options["full"]), shape=shape)
        save(plan, target, rendering, title=options["name"])
    else:
        write_text(target, format_game(plan, target, options["name"]))
    return {}


def choose_timing(plan: Plan, hold: float) -> Timing:
    """Return the timing of an animation; a slideshow shows each picture for ``hold`` seconds."""
    from tetrisprinter.api.slideshows import compute_default_seconds

    return Timing(seconds=compute_default_seconds(plan), hold=hold) if plan.stops else Timing()


def find_shape(place: str) -> tuple[int, int] | None:
    """Return the proportions (width, height) of a preset's animations; None: the board's."""
    return PRESETS[place].proportions if place else None


def read_plan(path: str | Path, name: str, background: str | None) -> Plan:
    """Read the plan of a job; a plan without background gets that of the request."""
    plan = Plan.parse(read_text(path), name)
    return replace(plan, background=plan.background or background)


def import_plan(options: Mapping[str, Any], send: Send) -> dict[str, Any]:
    """Import a game file (a plan, a drawing of pieces as JSON, a fumen) as a finished print."""
    try:
        plan = read_game(options["source"])
    except InputError as error:
        raise InputError(str(error).replace(options["source"], options["name"])) from error
    if len(plan) > 20_000:
        raise InputError(
            f"{options['name']}: {len(plan)} drops are too many; expected at most 20000"
        )
    task = _make_final_picture_task(plan, options["name"])
    reports: list[dict[str, Any]] = []
    _RunningPrint(Path(options["folder"]), reports.append).keep(PrintResult.of(task, plan, "given"))
    send(reports[0])
    picture = {"drawing": str(task.picture), "background": plan.background}
    return {**picture, "best": reports[0]["best"]}


def prove(options: Mapping[str, Any], send: Send) -> dict[str, Any]:
    """Prove that no matrix with this number of rows fits over the emitters, or return a matrix."""
    from tetrisprinter.packings.certificates import MANIFEST, EmitterClaim, certify
    from tetrisprinter.sat.proof_files import load

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
    import random

    from tetrisprinter.tilings import PieceSet, TilingBoard, TilingProblem, find_argument
    from tetrisprinter.tilings.solve import count_covers, iterate_covers, sample_covers

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
    # A random search, because the first tilings of an exhaustive one are the most regular.
    samples = sample_covers(problem, limit, method=method, up_to_symmetry=up_to_symmetry)
    random.Random(0).shuffle(samples)
    tilings = [str(problem.make_tiling(cover)) for cover in samples]
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
    from tetrisprinter.triplex.levels import make_triplex_page

    levels = [
        level for width, height in options["sizes"] for level in generate(width, height, seed=0)
    ]
    write_text(options["target"], make_triplex_page(levels))
    return {"levels": len(levels)}


JOB_HANDLERS: Final[Mapping[str, Callable[[Mapping[str, Any], Send], dict[str, Any]]]] = {
    "read": read_picture,
    "print": print_picture,
    "film": print_slideshow,
    "file": write_file,
    "plan": import_plan,
    "prove": prove,
    "tile": tile,
    "triplex": write_triplex_page,
}
"""The handlers of all kinds of jobs."""


if __name__ == "__main__":
    main()
