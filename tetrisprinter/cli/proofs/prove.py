"""``tetrisprinter proofs prove``: a packing, or a certificate that there is none."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from tetrisprinter.cli.options import COLUMNS, Whole, json_option
from tetrisprinter.cli.progress import show_counted_progress
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.divisibility import makes_pieces
from tetrisprinter.packings.finders.sat import check_solver
from tetrisprinter.packings.problem import Packing, emitter_problem
from tetrisprinter.packings.tables import TABLE_WIDTH, emitter_positions
from tetrisprinter.support.files import make_folder, write_text

FOUND = 10
IMPOSSIBLE = 20
"""Exit codes, those of SAT solvers."""


@click.command("prove")
@click.option("--emitted", type=Whole(0), required=True, help="Squares to leave.")
@click.option("--rows", type=Whole(1, 100), help="Rows of the matrix.")
@click.option("--minimum", is_flag=True, help="Find the least number of rows (gap-free) instead.")
@click.option(
    "--width", type=Whole(1, 1000), default=TABLE_WIDTH, show_default=True, help="Columns."
)
@click.option(
    "--at", type=COLUMNS, help="First columns of the emitter pieces; default: anywhere they fit."
)
@click.option(
    "--up-to",
    type=Whole(1, 100),
    default=12,
    show_default=True,
    help="With --minimum: give up after this number of rows.",
)
@click.option(
    "--squares-hold", is_flag=True, help="Let pieces hang on all squares below the emitter pieces."
)
@click.option("--solver", default="cadical195", show_default=True, help="A solver of python-sat.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the packing or the certificate; without it nothing is kept.",
)
@json_option
def command(
    emitted: int,
    rows: int | None,
    minimum: bool,
    width: int,
    at: tuple[int, ...] | None,
    up_to: int,
    squares_hold: bool,
    solver: str,
    output: Path | None,
    as_json: bool,
) -> None:
    """Find a packed matrix that leaves EMITTED squares, or prove that there is none.

    Matrices are packed gap-free: no piece comes to rest over a hole.
    A packing is written as text. An impossibility is written as a formula and a proof in
    two forms, which 'tetrisprinter proofs certificates verify FOLDER' checks, unless divisibility
    decides: then the arithmetic is written. Without --at the question is whether some columns
    will do.

    Exit codes, as SAT solvers have them: 10 there is a packing, 20 there is none. 1 and 2
    as with all commands.
    """
    if (rows is None) != minimum:
        raise InputError("give either --rows or --minimum")
    if at is not None and len(at) != emitted:
        raise InputError(f"--at names {len(at)} columns but --emitted is {emitted}")
    if 3 * emitted > width:
        raise InputError(f"{emitted} emitter pieces need {3 * emitted} columns, not {width}")
    check_solver(solver)
    positions = (at,) if at is not None else tuple(emitter_positions(emitted, width))
    is_kept = output is not None
    if output is None:
        output = Path(click.get_current_context().with_resource(TemporaryDirectory()))
    make_folder(output)
    steps: list[dict[str, Any]] = []
    if rows is not None:
        found = _prove(width, rows, positions, squares_hold, solver, output, steps)
    elif not any(_divides(width, r, emitted) for r in range(1, 5)):
        found = False
        text = (
            f"{width} columns, {emitted} emitter pieces: no number of rows r makes "
            f"{width} r - {3 * emitted} cells a multiple of 4."
        )
        _write(output / f"width{width}-emitted{emitted}.txt", text, steps, "arithmetic", None)
    else:
        heights = (r for r in range(1, up_to + 1) if r == 1 or 3 * emitted < width)
        found = any(
            _prove(width, r, positions, squares_hold, solver, output, steps) for r in heights
        )
        if not found:
            where = f"; what was proved is in {output}" if is_kept else ""
            raise JobError(f"no matrix of up to {up_to} rows{where}")
    if not is_kept:
        for step in steps:
            step["files"] = []
    if as_json:
        click.echo(json.dumps({"found": found, "steps": steps}))
    else:
        for step in steps:
            files = f": {', '.join(step['files'])}" if step["files"] else ""
            click.echo(step["words"] + files)
    raise click.exceptions.Exit(FOUND if found else IMPOSSIBLE)


def _divides(width: int, rows: int, emitted: int) -> bool:
    return makes_pieces(width * rows - 3 * emitted)


def _prove(
    width: int,
    rows: int,
    positions: tuple[tuple[int, ...], ...],
    squares_hold: bool,
    solver: str,
    output: Path,
    steps: list[dict[str, Any]],
) -> bool:
    """Settle one height; whether there is a packing."""
    from tetrisprinter.packings.proofs.certificates import certify
    from tetrisprinter.packings.proofs.claims import EmitterClaim
    from tetrisprinter.packings.proofs.manifest import MANIFEST, Certificate

    claim = EmitterClaim(width, rows, positions, squares_hold)
    answer: Certificate | Packing | None
    emitted = len(positions[0])
    if not _divides(width, rows, emitted):
        text = (
            f"{width} columns, {rows} rows, {emitted} emitter pieces: {width} x {rows} - "
            f"{3 * emitted} = {width * rows - 3 * emitted} cells are left to fill, which is "
            "not a multiple of 4."
        )
        _write(output / f"{claim.name}.txt", text, steps, "arithmetic", rows)
        return False
    if width * rows == 3 * emitted:
        answer = Packing(emitter_problem(width, rows, positions[0]), ())
    elif (found := _at_once(width, rows, positions)) is not None:
        answer = found
    else:
        with show_counted_progress(f"{rows} rows", None):
            answer = certify(claim, output, solver=solver)
    if not isinstance(answer, Certificate):
        _write(output / f"{claim.name}.txt", str(answer), steps, "packing", rows)
        return True
    steps.append(
        {
            "status": "certificate",
            "rows": rows,
            "words": f"{rows} rows: proved impossible",
            "files": [
                str(output / name) for name in (*(file.name for file in answer.files), MANIFEST)
            ],
        }
    )
    return False


def _at_once(width: int, rows: int, positions: tuple[tuple[int, ...], ...]) -> Packing | None:
    """Look for a packing where that takes no time: what there is need not be proved."""
    from tetrisprinter.packings.finders.automaton import AUTOMATON

    answers = (AUTOMATON.find(emitter_problem(width, rows, at)) for at in positions)
    return next((answer for answer in answers if isinstance(answer, Packing)), None)


def _write(
    path: Path, text: str, steps: list[dict[str, Any]], status: str, rows: int | None
) -> None:
    write_text(path, text + "\n")
    words = {"packing": f"{rows} rows: a packing", "arithmetic": f"{rows} rows: not divisible"}
    steps.append(
        {
            "status": status,
            "rows": rows,
            "words": words[status] if rows else "no number of rows: not divisible",
            "files": [str(path)],
        }
    )
