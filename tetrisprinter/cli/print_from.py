"""``print --from``: a game that starts on the board that another game or a picture leaves."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tetrisprinter.api import PictureRequest, PreparedTask
from tetrisprinter.cli.image_options import ImageOptions, name_preview, write_preview
from tetrisprinter.cli.output_files import OutputOptions
from tetrisprinter.cli.planner_options import PlannerOptions
from tetrisprinter.cli.print_steps import StepReport
from tetrisprinter.cli.progress import show_staged_progress
from tetrisprinter.errors import FaultError, InputError, JobError
from tetrisprinter.formats import FORMATS, find_format
from tetrisprinter.game.board import Board
from tetrisprinter.pictures.sources import Source
from tetrisprinter.planners import PLANNERS
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.types import TypeColors

_NOT_BOTH: Final = "cannot be used with --from; leave one of them out"
"""The end of messages about options that exclude each other."""


def check_start_options(
    planner_options: PlannerOptions, plan: str | None, output: OutputOptions
) -> None:
    """Refuse options that a game with squares on its first board does not support."""
    for is_used, option in (
        (output.resume, "--resume"),
        (output.prove, "--prove"),
        (output.dask, "--dask"),
        (planner_options.pieces, "--pieces"),
        (not PLANNERS[planner_options.planner].starts, f"--planner {planner_options.planner}"),
    ):
        if is_used:
            raise InputError(f"{option} {_NOT_BOTH}")
    if plan is not None and find_format(plan) is FORMATS["art"]:
        raise InputError(
            f"{plan}: the art game starts on an empty board, so it cannot be used with --from; "
            "write a plan (.txt), a drop log (.drops.json) or a fumen"
        )


def print_from_start(
    begun: str, source: Source, image_options: ImageOptions, planner_options: PlannerOptions
) -> tuple[PreparedTask, StepReport, PrintResult]:
    """Plan a game that starts on the board which the file ``begun`` leaves."""
    from tetrisprinter.api.slideshows import SharedSettings, continue_file, read_picture

    planner_options = planner_options.start_clock()
    conversion = image_options.conversion
    if conversion.background is None and conversion.usual is not None:
        conversion = replace(conversion, background="auto")
    picture, read = read_picture(source, conversion)
    board = planner_options.board if isinstance(planner_options.board, Board) else None
    types = planner_options.types if isinstance(planner_options.types, TypeColors) else None
    if planner_options.types == "classic":
        raise InputError(f"--types classic {_NOT_BOTH}")
    with show_staged_progress(f"printing {begun}") as report:
        tasks, steps, start = continue_file(
            begun,
            [picture],
            SharedSettings(board, types, conversion.colors, image_options.repair),
            planner_options.limit,
            lambda news: report(str(news), news.fraction),
        )
    task = tasks[0].with_start(start)
    request = PictureRequest(
        conversion, task.board, task.type_colors, image_options.repair, task.column
    )
    found = PreparedTask(source, request, task, read + steps)
    step_report = StepReport(source.name, planner_options.verbose)
    step_report.add(found.steps)
    preview = name_preview(image_options, source.stem)
    if preview is not None:
        write_preview(task.picture, preview)
    try:
        return found, step_report, planner_options.plan(found)
    except FaultError:
        raise
    except JobError as error:
        why = error.message.removeprefix(f"{source.name}: ")
        refused = JobError(f"{source.name}: cannot follow {begun}: {why}", *error.hints)
        refused.obstacle = error.obstacle
        raise refused from error
