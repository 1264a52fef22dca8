"""``tetrisprinter bound``: how few drops any game needs that prints a picture."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from math import inf
from pathlib import Path
from typing import Any, Literal

import click

from tetrisprinter.api import PreparedTask
from tetrisprinter.bounds.bound_search import Bound, BoundStep, ProofHooks, ProofLimits, prove_bound
from tetrisprinter.bounds.certificate_writer import ProofCheckpoint, certify_bound
from tetrisprinter.cli.error_messages import format_count
from tetrisprinter.cli.image_options import ImageOptions, add_image_options, preview_path
from tetrisprinter.cli.options import Real, Whole, dask_option, json_option, workers_option
from tetrisprinter.cli.planner_options import PlannerOptions, make_setting_options
from tetrisprinter.cli.print_steps import StepReport, plan_source
from tetrisprinter.cli.progress import show_staged_progress
from tetrisprinter.errors import InputError
from tetrisprinter.formats import game_text
from tetrisprinter.game.board import CLASSIC_BOARD, Board
from tetrisprinter.pictures.sources import sources
from tetrisprinter.planners.shortest.proved import game_found
from tetrisprinter.printing.obstacles import find_obstacle
from tetrisprinter.printing.result import GAMES, PrintResult
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import TypesOption
from tetrisprinter.support.executors import Machines
from tetrisprinter.support.files import check_apart, check_writable, write_text
from tetrisprinter.support.limits import Limit
from tetrisprinter.support.signals import on_stop


def _with_setting(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say where the picture is printed."""
    for option in reversed(make_setting_options({})):
        command = option(command)
    return command


@click.command("bound")
@click.argument("image", type=click.Path(path_type=Path))
@add_image_options
@_with_setting
@click.option("--steps", type=Whole(0), help="Raise the bound at most this often.")
@click.option(
    "--plan",
    type=click.Path(path_type=Path),
    help="Write the game, if one reaches the bound.",
)
@click.option(
    "--certificate",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write formulas and proofs; the same command continues from there.",
)
@click.option(
    "--time-limit",
    type=Real(min=0, min_open=True),
    metavar="SECONDS",
    help="Stop after this time and report the bound.",
)
@workers_option
@dask_option
@json_option
def command(
    image: Path,
    image_options: ImageOptions,
    types: TypesOption | None,
    board: Board | Literal["auto"] | None,
    classic: bool,
    steps: int | None,
    plan: Path | None,
    certificate: Path | None,
    time_limit: float | None,
    workers: int,
    dask: str | None,
    as_json: bool,
) -> None:
    """Prove how many hard drops any game for IMAGE needs.

    The first bounds are arithmetic (fewer drops are fewer cleared rows) and the number of
    one-coloured parts of pieces that make up the picture. They are raised by refuting all
    games with as few rows, until some game may have them, or the time is up. If
    a game is found, no other has fewer drops. Pieces are turned and shifted, then dropped
    straight: to slide under an overhang can save drops. With a background, squares of it that
    a game keeps are part of the claim. Ctrl-C ends the search and reports
    what has been proved by then.

    With --certificate everything that was refuted is written as formulas and proofs, which
    'tetrisprinter proofs certificates verify FOLDER' checks. Without it, it is a solver's word.
    """
    if plan is not None:
        check_writable(plan)
    check_apart([plan, preview_path(image_options, image.stem)], [image])
    found = sources([image])
    if len(found) != 1:
        raise InputError(f"{image}: {len(found)} glyphs; expected one picture")
    if classic:
        board, types = CLASSIC_BOARD, "classic"
    terms = ProofLimits(
        None, steps, time_limit, Machines(workers, dask), certified=certificate is not None
    )
    planner_options = PlannerOptions("auto", Limit(time_limit, workers), types, board)
    work = partial(_run_bound, terms, certificate)
    ready, step_report, bound = plan_source(found[0], image_options, planner_options, work)
    task, report = ready.task, step_report.report(ready.changes)
    printed = game_found(task, bound, "bound")
    if plan is not None and printed is not None:
        write_text(plan, game_text(printed.plan, plan, task.name))
    _report(task, bound, printed, certificate, report if as_json else None)


def _run_bound(
    terms: ProofLimits,
    certificate: Path | None,
    ready: PreparedTask,
    step_report: StepReport,
    planner_options: PlannerOptions,
) -> tuple[PreparedTask, StepReport, Bound]:
    task = ready.task
    step_report.add(ready.steps)
    known = find_obstacle(task)
    if known is not None:
        raise known.error(task.name)
    ending = on_stop("stopping; the bound so far follows")
    with ending, show_staged_progress(f"bounding {task.name}") as report:

        def tell(drops: int, lines: int, stacks: int, nogoods: int) -> None:
            report(
                f"{drops} drops, {format_count(lines, 'cleared row')}: "
                f"{format_count(stacks, 'stack')}, "
                f"{format_count(nogoods, 'nogood')}",
                0.0,
            )

        if certificate is None:
            return ready, step_report, prove_bound(task.target, terms, ProofHooks(tell=tell))
        ends = time.time() + (inf if terms.seconds is None else terms.seconds)
        record = ProofCheckpoint(certificate, task, terms.machines, ends)

        def settle(step: BoundStep) -> None:
            rows = f"{step.question.lines} cleared rows refuted"
            formulas = count(1)
            record.prove(
                step, on_formula=lambda: report(f"{rows}: {next(formulas)} formulas proved", 0.0)
            )

        notes = ProofHooks(record.known, record.remember, tell, settle)
        bound = prove_bound(task.target, terms, notes)
        certify_bound(bound, record)
        return ready, step_report, bound


def _report(
    task: Task,
    bound: Bound,
    printed: PrintResult | None,
    certificate: Path | None,
    more: dict[str, object] | None,
) -> None:
    if more is not None:
        report = {
            "image": task.name,
            "board": str(task.board),
            "pixels": task.pixels,
            "before": bound.before,
            "parts": bound.parts,
            "bound": bound.after,
            "games": GAMES,
            "game": None if printed is None else printed.drops,
            "steps": [_step_data(step) for step in bound.steps],
            "certificate": None if certificate is None else str(certificate),
            "stopped": bound.stopped,
            "seconds": round(bound.seconds, 2),
            **more,
        }
        click.echo(json.dumps(report))
        return
    squares = format_count(task.pixels, "square")
    click.echo(f"{task.name}: {squares} on {task.board}: {bound.before} drops at least")
    if bound.parts > bound.before:
        click.echo(f"  parts of pieces that make up the picture: {bound.parts} drops at least")
    for step in bound.steps:
        click.echo(f"  {_format_bound(step)}")
    said = f"no game of {GAMES} has fewer than {bound.after}"
    if printed is not None:
        said += f", and one has {printed.drops}"
    elif bound.stopped:
        said += "; the search was stopped early"
    if task.background is not None:
        said += "; background squares may stay filled"
    click.echo(said)
    if certificate is not None:
        click.echo(
            f"{certificate}: the proofs; 'tetrisprinter proofs certificates verify' checks them"
        )
    elif bound.after > bound.parts:
        click.echo(
            "not certified; --certificate FOLDER writes proofs that other programs can check"
        )


def _step_data(step: BoundStep) -> dict[str, object]:
    return {
        "lines": step.question.lines,
        "spare": step.question.spare,
        "refuted": step.refuted,
        "views": len(step.known),
        "at_once": step.is_at_once,
        "stacks": step.stacks,
        "seconds": round(step.seconds, 2),
    }


def _format_bound(step: BoundStep) -> str:
    lines, spare = step.question.lines, step.question.spare
    rows = format_count(lines, "cleared row")
    if spare:
        rows += f" and up to {format_count(spare, 'unseen square')}"
    answer = "not decided"
    if step.refuted:
        answer = "refuted"
    elif step.drops:
        answer = "possible"
    nogoods = format_count(len(step.known), "nogood")
    how = "then all at once" if step.is_at_once else nogoods
    return f"{rows}: {answer} ({format_count(step.stacks, 'stack')}, {how}, {step.seconds:.1f} s)"
