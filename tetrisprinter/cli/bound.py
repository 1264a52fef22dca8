"""``tetrisprinter bound``: prove how many drops any game on a board needs for a picture."""

from __future__ import annotations

import json
import time
from functools import partial
from itertools import count
from math import inf
from pathlib import Path
from typing import Any

import click

from tetrisprinter.api.preparation import prepare_source
from tetrisprinter.api.request import OPTIONS
from tetrisprinter.bounds.bound_search import Bound, BoundStep, prove_bound
from tetrisprinter.bounds.certificate_writer import ProofCheckpoint, certify_bound
from tetrisprinter.cli.files import choose_previews, write_preview
from tetrisprinter.cli.options import (
    FILE,
    FOLDER,
    LIMITS,
    add_options,
    dask_option,
    declare,
    json_option,
    option,
    whole,
    workers_option,
)
from tetrisprinter.cli.print_options import PICTURE_OPTIONS, check_game_name, read_request
from tetrisprinter.cli.printing import StepReport
from tetrisprinter.cli.progress import format_bound_progress, show_search_progress
from tetrisprinter.errors import JobError
from tetrisprinter.formats import format_game
from tetrisprinter.pictures.sources import find_source
from tetrisprinter.planners.proved import find_game
from tetrisprinter.planners.run import Progress
from tetrisprinter.printing.obstacles import find_obstacle
from tetrisprinter.printing.result import GAMES, PrintResult
from tetrisprinter.printing.task import Task
from tetrisprinter.support import format_count
from tetrisprinter.support.executors import Machines
from tetrisprinter.support.files import check_writable, refuse_overwriting_inputs, write_text
from tetrisprinter.support.signals import announce_on_stop


@click.command("bound")
@click.argument("image", type=FILE)
@add_options(*PICTURE_OPTIONS, *declare(OPTIONS, "types", "board"))
@option("--steps", whole(0), "Raise the bound at most this many times.")
@option(
    "--until",
    whole(1),
    "Stop when the bound reaches this number, for instance the drops of a known game.",
    metavar="DROPS",
)
@option("--plan", FILE, "If a game reaches the bound, write it here.")
@option(
    "--certificate",
    FOLDER,
    "Write formulas and proofs to this folder; the same command continues from them.",
)
@add_options(*declare(LIMITS, "time_limit"))
@workers_option
@dask_option
@json_option
def command(
    image: Path,
    steps: int | None,
    until: int | None,
    plan: Path | None,
    certificate: Path | None,
    time_limit: float | None,
    workers: int,
    dask: str | None,
    as_json: bool,
    **values: Any,
) -> None:
    """Prove how many hard drops any game on a board needs for IMAGE.

    The first bounds come from arithmetic (fewer drops clear fewer rows) and from the number of
    one-coloured parts of pieces that the picture needs. Each step then refutes all games with the
    next number of cleared rows, until such a game may exist or the time is up. Small windows of
    rows, solved one by one, bound large pictures within seconds. If a game is found, it has the
    fewest drops on this board. The last step, which finds no proof, can take most of the time;
    --until leaves it out. All pieces are turned and shifted, then dropped straight; a tuck under an
    overhang can save drops. With a background, squares of its colour may stay filled. Ctrl-C ends
    the search and reports the bound so far.

    --certificate writes everything that was refuted as formulas and proofs, which 'tetrisprinter
    verify FOLDER' checks. Without it you have to trust the solver.
    """
    if plan is not None:
        check_game_name(plan)
        check_writable(plan)
    began = time.monotonic()
    source = find_source(image)
    (preview,) = choose_previews([source], values["preview"])
    refuse_overwriting_inputs([plan, preview], [image])
    request = read_request(values)
    prepared = prepare_source(source, request)
    step_report = StepReport(source.name)
    step_report.add(prepared.steps)
    if preview is not None:
        write_preview(prepared.task.picture, preview)
    if time_limit is not None:  # it covers reading the image
        time_limit = max(0.0, began + time_limit - time.monotonic())
    bound = _prove_bound(
        prepared.task, certificate, until, steps, time_limit, Machines(workers, dask)
    )
    task, report = prepared.task, step_report.report(prepared.changes)
    if bound.impossible:
        raise JobError(
            f"{task.name}: no game of {GAMES} on {task.board} leaves this picture: all fields that "
            "games reach were searched; use a larger board"
        )
    result = find_game(task, bound, "bound")
    if plan is not None and result is not None:
        write_text(plan, format_game(result.plan, plan, task.name))
    _print_bound(task, bound, result, certificate, report if as_json else None)
    if request.board is None and not as_json:
        click.echo(
            "the command print may choose another board with fewer drops; --board WxH bounds the "
            "games on that board"
        )


def _prove_bound(
    task: Task,
    certificate: Path | None,
    until: int | None,
    steps: int | None,
    seconds: float | None,
    machines: Machines,
) -> Bound:
    """Prove the bound of a task; write each proof to the certificate folder, if given."""
    obstacle = find_obstacle(task)
    if obstacle is not None:
        raise obstacle.error(task.name)
    stop_notice = announce_on_stop("stopping; the bound so far follows")
    with stop_notice, show_search_progress(f"bounding {task.name}") as report:

        def show_progress(drops: int, lines: int, stacks: int, nogoods: int) -> None:
            report(Progress(format_bound_progress(drops, lines, stacks, nogoods)))

        prove = partial(
            prove_bound,
            task.target,
            max_bound=until,
            steps=steps,
            seconds=seconds,
            machines=machines,
            report=show_progress,
        )
        if certificate is None:
            return prove()
        deadline = time.time() + (inf if seconds is None else seconds)
        checkpoint = ProofCheckpoint(certificate, task, machines, deadline)

        def certify_step(step: BoundStep) -> None:
            refuted_rows = f"{step.question.lines} cleared rows refuted"
            formulas = count(1)
            checkpoint.prove(
                step,
                on_formula=lambda: report(
                    Progress(f"{refuted_rows}: {next(formulas)} formulas proved")
                ),
            )

        bound = prove(
            certified=True,
            known_nogoods=checkpoint.known_nogoods,
            remember=checkpoint.remember,
            settle=certify_step,
        )
        certify_bound(bound, checkpoint)
        return bound


def _print_bound(
    task: Task,
    bound: Bound,
    result: PrintResult | None,
    certificate: Path | None,
    json_report: dict[str, object] | None,
) -> None:
    """Print the bound as text, or as JSON with the entries of ``json_report`` if it is not None."""
    if json_report is not None:
        report = {
            "image": task.name,
            "board": str(task.board),
            "pixels": task.pixels,
            "before": bound.before,
            "parts": bound.parts,
            "bound": bound.after,
            "games": GAMES,
            "game": None if result is None else result.drops,
            "steps": [_describe_step(step) for step in bound.steps],
            "certificate": None if certificate is None else str(certificate),
            "stopped": bound.stopped,
            "seconds": round(bound.seconds, 2),
            **json_report,
        }
        click.echo(json.dumps(report))
        return
    squares = format_count(task.pixels, "square")
    click.echo(
        f"{task.name}: {squares} on {task.board}: at least {format_count(bound.before, 'drop')}"
    )
    if bound.parts > bound.before:
        drops = format_count(bound.parts, "drop")
        click.echo(f"  counting the parts of pieces in the picture: at least {drops}")
    for step in {step.question.lines: step for step in bound.steps}.values():
        click.echo(f"  {_format_step(step)}")  # a later step includes earlier ones with its rows
    sentence = f"no game of {GAMES} on {task.board} has fewer than {bound.after}"
    if result is not None:
        sentence += f", and one has {result.drops}"
    elif bound.stopped:
        sentence += "; the search was stopped early"
    if task.background is not None:
        sentence += "; background squares may stay filled"
    click.echo(sentence)
    if certificate is not None:
        click.echo(f"{certificate}: the proofs; 'tetrisprinter verify {certificate}' checks them")
    elif bound.after > bound.parts:
        click.echo(
            "not certified; --certificate FOLDER writes proofs that other programs can check"
        )


def _describe_step(step: BoundStep) -> dict[str, object]:
    """Return a step of the proof as plain data."""
    return {
        "lines": step.question.lines,
        "spare": step.question.spare,
        "refuted": step.refuted,
        "views": len(step.nogoods),
        "at_once": step.is_monolithic,
        "stacks": step.stacks,
        "seconds": round(step.seconds, 2),
    }


def _format_step(step: BoundStep) -> str:
    """Return a line on a step of the proof: the question, the answer, and the method."""
    lines, extra_squares = step.question.lines, step.question.spare
    rows = format_count(lines, "cleared row")
    if extra_squares:
        rows += f" and up to {format_count(extra_squares, 'more filled background square')}"
    answer = "not decided"
    if step.refuted:
        answer = "refuted"
    elif step.drops:
        answer = "possible"
    nogoods = format_count(len(step.nogoods), "nogood")
    how = "then one formula for all stacks" if step.is_monolithic else nogoods
    return f"{rows}: {answer} ({format_count(step.stacks, 'stack')}, {how}, {step.seconds:.1f} s)"
