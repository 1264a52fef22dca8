"""``tetrisprinter proofs prove``: find a packing, or write a certificate that none exists."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from tetrisprinter.cli.options import COLUMNS, FOLDER, Whole, flag, json_option, option
from tetrisprinter.cli.progress import show_counted_progress
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.divisibility import can_make_pieces
from tetrisprinter.packings.finders.sat import check_solver
from tetrisprinter.packings.problem import Packing, make_emitter_problem
from tetrisprinter.packings.tables import TABLE_WIDTH, list_emitter_positions
from tetrisprinter.support.files import make_folder, write_text

FOUND_EXIT_CODE = 10
IMPOSSIBLE_EXIT_CODE = 20
"""The exit codes, like those of SAT solvers."""


@click.command("prove")
@option("--emitted", Whole(0), "Number of emitted squares.", required=True)
@option("--rows", Whole(1, 100), "Rows of the matrix.")
@flag("--minimum", "Find the least number of rows instead.")
@option("--width", Whole(1, 1000), "Columns.", default=TABLE_WIDTH)
@option("--at columns", COLUMNS, "First columns of the emitter pieces. [default: try all columns]")
@option("--up-to", Whole(1, 100), "With --minimum: the most rows to try.", default=12)
@flag("--squares-hold", "Let the squares below the emitter pieces support other pieces.")
@option("--solver", None, "A solver of python-sat.", default="cadical195")
@option(
    "-o --output", FOLDER, "The folder for the packing or the certificate. [default: write nothing]"
)
@json_option
def command(
    emitted: int,
    rows: int | None,
    minimum: bool,
    width: int,
    columns: tuple[int, ...] | None,
    up_to: int,
    squares_hold: bool,
    solver: str,
    output: Path | None,
    as_json: bool,
) -> None:
    """Find a packed matrix that leaves EMITTED squares, or prove that none exists.

    Matrices are packed gap-free: no piece rests over a hole. A packing is written as text. An
    impossibility is written as a formula with a proof in two forms, which 'tetrisprinter proofs
    certificates verify FOLDER' checks; if divisibility decides, the arithmetic is written instead.
    Without --at the matrix may leave the squares in any columns.

    Exit codes, like those of SAT solvers: 10 a packing exists, 20 none exists. 1 and 2 as with all
    commands.
    """
    if (rows is None) != minimum:
        raise InputError("give either --rows or --minimum")
    if columns is not None and len(columns) != emitted:
        raise InputError(
            f"--at: {len(columns)} columns; expected {emitted}, the number of --emitted"
        )
    if columns is not None and not 0 <= min(columns) <= max(columns) <= width - 3:
        raise InputError(f"--at: no emitter piece fits there; expected columns 0 to {width - 3}")
    if 3 * emitted > width:
        raise InputError(
            f"--width {width} is too small; {emitted} emitter pieces need {3 * emitted} columns"
        )
    check_solver(solver)
    positions = (columns,) if columns is not None else tuple(list_emitter_positions(emitted, width))
    is_written = output is not None
    if output is None:
        output = Path(click.get_current_context().with_resource(TemporaryDirectory()))
    make_folder(output)
    steps: list[dict[str, Any]] = []
    if rows is not None:
        is_found = _settle_height(width, rows, positions, squares_hold, solver, output, steps)
    elif not any(can_make_pieces(width * r - 3 * emitted) for r in range(1, 5)):
        is_found = False
        text = (
            f"{width} columns, {emitted} emitter pieces: no number of rows r makes "
            f"{width} r - {3 * emitted} cells a multiple of 4."
        )
        path = output / f"width{width}-emitted{emitted}.txt"
        _write_answer(path, text, steps, "arithmetic", None)
    else:
        heights = (r for r in range(1, up_to + 1) if r == 1 or 3 * emitted < width)
        is_found = any(
            _settle_height(width, r, positions, squares_hold, solver, output, steps)
            for r in heights
        )
        if not is_found:
            location = f"; the certificates are in {output}" if is_written else ""
            raise JobError(f"no matrix of up to {up_to} rows{location}")
    if not is_written:
        for step in steps:
            step["files"] = []
    if as_json:
        click.echo(json.dumps({"found": is_found, "steps": steps}))
    else:
        for step in steps:
            files = f": {', '.join(step['files'])}" if step["files"] else ""
            click.echo(step["words"] + files)
    raise click.exceptions.Exit(FOUND_EXIT_CODE if is_found else IMPOSSIBLE_EXIT_CODE)


def _settle_height(
    width: int,
    rows: int,
    positions: tuple[tuple[int, ...], ...],
    squares_hold: bool,
    solver: str,
    output: Path,
    steps: list[dict[str, Any]],
) -> bool:
    """Find a packing of a height, or prove that none exists; return whether a packing was found."""
    from tetrisprinter.packings.proofs.certificates import certify
    from tetrisprinter.packings.proofs.claims import EmitterClaim
    from tetrisprinter.packings.proofs.manifest import MANIFEST, Certificate

    claim = EmitterClaim(width, rows, positions, squares_hold)
    answer: Certificate | Packing | None
    emitted = len(positions[0])
    if not can_make_pieces(width * rows - 3 * emitted):
        text = (
            f"{width} columns, {rows} rows, {emitted} emitter pieces: {width} x {rows} - "
            f"{3 * emitted} = {width * rows - 3 * emitted} cells are left to fill, which is "
            "not a multiple of 4."
        )
        _write_answer(output / f"{claim.name}.txt", text, steps, "arithmetic", rows)
        return False
    if width * rows == 3 * emitted:
        answer = Packing(make_emitter_problem(width, rows, positions[0]), ())
    elif (packing := _find_with_automaton(width, rows, positions)) is not None:
        answer = packing
    else:
        with show_counted_progress(f"{rows} rows", None):
            answer = certify(claim, output, solver=solver)
    if not isinstance(answer, Certificate):
        _write_answer(output / f"{claim.name}.txt", str(answer), steps, "packing", rows)
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


def _find_with_automaton(
    width: int, rows: int, positions: tuple[tuple[int, ...], ...]
) -> Packing | None:
    """Return a packing that the automaton finds; None if it finds none."""
    from tetrisprinter.packings.finders.automaton import AUTOMATON

    answers = (
        AUTOMATON.find(make_emitter_problem(width, rows, position_set))
        for position_set in positions
    )
    return next((answer for answer in answers if isinstance(answer, Packing)), None)


def _write_answer(
    path: Path, text: str, steps: list[dict[str, Any]], status: str, rows: int | None
) -> None:
    """Write the answer for a height, and add it to the report's steps."""
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
