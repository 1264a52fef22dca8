"""``print --from``: a game that begins with what another left, or with a picture."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tetrisprinter.api import Prepared, Wishes
from tetrisprinter.cli.imaging import Imaging, preview_of, write_preview
from tetrisprinter.cli.planning import Planning
from tetrisprinter.cli.preparing import Telling
from tetrisprinter.cli.progress import staged_progress
from tetrisprinter.errors import FaultError, InputError, JobError
from tetrisprinter.formats import FORMATS, find_format
from tetrisprinter.game.board import Board
from tetrisprinter.pictures.sources import Source
from tetrisprinter.planners import PLANNERS
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.types import TypeColors

__all__ = ["check_over", "print_over"]

_NOT_BOTH: Final = "does not go with --from, so leave one of the two out"


def check_over(
    planning: Planning, plan: str | None, resume: bool, prove: bool, dask: str | None
) -> None:
    """Refuse early what a game does not do that begins with squares on the board."""
    for asked, option in (
        (resume, "--resume"),
        (prove, "--prove"),
        (dask, "--dask"),
        (planning.pieces, "--pieces"),
        (not PLANNERS[planning.planner].starts, f"--planner {planning.planner}"),
    ):
        if asked:
            raise InputError(f"{option} {_NOT_BOTH}")
    if plan is not None and find_format(plan) is FORMATS["art"]:
        raise InputError(
            f"{plan}: an art file begins with an empty board, so it {_NOT_BOTH}; a plan (.txt), "
            "a drop log (.drops.json) or a fumen says what lies there"
        )


def print_over(
    begun: str, source: Source, imaging: Imaging, planning: Planning
) -> tuple[Prepared, Telling, PrintResult]:
    """Print a source over what a file leaves on the board."""
    from tetrisprinter.api.slideshows import Shared, over_file, read_picture

    planning = planning.begun()
    conversion = imaging.conversion
    if conversion.background is None and conversion.usual is not None:
        conversion = replace(conversion, background="auto")
    picture, read = read_picture(source, conversion)
    board = planning.board if isinstance(planning.board, Board) else None
    types = planning.types if isinstance(planning.types, TypeColors) else None
    if planning.types == "classic":
        raise InputError(f"--types classic {_NOT_BOTH}")
    with staged_progress(f"printing {begun}") as report:
        tasks, steps, lies = over_file(
            begun,
            [picture],
            Shared(board, types, conversion.colors, imaging.repair),
            planning.limit,
            lambda news: report(str(news), news.fraction),
        )
    task = tasks[0].over(lies)
    wishes = Wishes(conversion, task.board, task.type_colors, imaging.repair, task.column)
    found = Prepared(source, wishes, task, read + steps)
    telling = Telling(source.name, planning.verbose)
    telling.tell(found.steps)
    preview = preview_of(imaging, source.stem)
    if preview is not None:
        write_preview(task.picture, preview)
    try:
        return found, telling, planning.make(found)
    except FaultError:
        raise
    except JobError as error:
        why = error.message.removeprefix(f"{source.name}: ")
        refused = JobError(f"{source.name}: cannot follow {begun}: {why}", *error.hints)
        refused.obstacle = error.obstacle
        raise refused from error
