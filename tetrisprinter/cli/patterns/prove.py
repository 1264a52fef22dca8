"""``tetrisprinter patterns prove``: find a packed matrix, or prove that none exists."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from tetrisprinter.cli.options import COLUMNS, FOLDER, Whole, flag, json_option, option
from tetrisprinter.cli.progress import show_counted_progress
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.board import can_make_pieces
from tetrisprinter.packings.certificates import MANIFEST, EmitterClaim
from tetrisprinter.packings.patterns import Verdict, list_position_sets, prove
from tetrisprinter.packings.tables import TABLE_WIDTH
from tetrisprinter.sat.solve import DEFAULT_SOLVER, check_solver
from tetrisprinter.support.files import make_folder, write_text

FOUND_EXIT_CODE = 10
IMPOSSIBLE_EXIT_CODE = 20
"""The exit codes, like those of SAT solvers."""


@click.command("prove")
@option("--emitted", Whole(0), "Number of squares that the matrix leaves.", required=True)
@option("--rows", Whole(1, 100), "Rows of the matrix.")
@flag("--minimum", "Find the least number of rows instead.")
@option("--width", Whole(1, 1000), "Columns.", default=TABLE_WIDTH)
@option("--at columns", COLUMNS, "First columns of the emitter pieces. [default: try all columns]")
@option("--up-to", Whole(1, 100), "With --minimum: the most rows to try.", default=12)
@flag("--squares-hold", "Let the squares below the emitter pieces support other pieces.")
@option("--solver", None, "A solver of python-sat.", default=DEFAULT_SOLVER)
@option(
    "-o --output",
    FOLDER,
    "The folder for the packing or the certificate. [default: keep nothing]",
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

    An emitter piece leaves a square: it lies in the lowest row of the matrix with three cells, and
    its fourth cell stays below. Without --at the emitter pieces may lie anywhere. No piece of the
    matrix rests over a hole.

    Two solvers decide whether it is impossible, and must agree: CP-SAT, and CaDiCaL (or --solver)
    with a proof, which is checked. With -o the formula and the proof are kept; 'tetrisprinter
    verify FOLDER' checks them again, and other programs can, too.

    Exit codes, like those of SAT solvers: 10 a packing exists, 20 none exists. 1 and 2 as with all
    commands.
    """
    if (rows is None) != minimum:
        raise InputError("give either --rows or --minimum")
    list_position_sets(emitted, columns, width)
    check_solver(solver)
    if output is not None:
        make_folder(output)
    verdicts: list[Verdict] = []
    if minimum and not any(can_make_pieces(width * r - 3 * emitted) for r in range(1, 5)):
        reason = f"impossible: {width} r - {3 * emitted} is never a multiple of 4"
        _report([], [f"r rows: {reason}"], as_json, output, is_found=False)
    for height in [rows] if rows is not None else range(1, up_to + 1):
        if height * width < 3 * emitted or (height > 1 and 3 * emitted == width):
            continue
        with show_counted_progress(f"{height} rows", None):
            verdict = prove(
                emitted,
                height,
                columns,
                width=width,
                squares_hold=squares_hold,
                folder=output,
                solver=solver,
            )
        verdicts.append(verdict)
        if not as_json:
            click.echo(str(verdict))
        if verdict.packing is not None:
            break
    is_found = bool(verdicts) and verdicts[-1].packing is not None
    if minimum and not is_found:
        where = f"; the certificates are in {output}" if output is not None else ""
        raise JobError(f"no matrix of up to {up_to} rows{where}")
    _report(verdicts, [], as_json, output, is_found=is_found)


def _report(
    verdicts: list[Verdict],
    sentences: list[str],
    as_json: bool,
    output: Path | None,
    *,
    is_found: bool,
) -> None:
    """Show the packing, say what was kept, and end with the exit code."""
    steps = [_describe(verdict, output) for verdict in verdicts]
    packing = verdicts[-1].packing if verdicts else None
    if packing is not None and output is not None:
        columns = tuple(preset[0][0] for preset in packing.problem.presets)
        claim = EmitterClaim(packing.problem.width, packing.problem.rows, (columns,))
        path = output / f"{claim.name}.txt"
        write_text(path, f"{packing}\n")
        steps[-1]["files"] = [str(path)]
    if as_json:
        click.echo(json.dumps({"found": is_found, "steps": steps, "reasons": sentences}))
    else:
        for sentence in sentences:
            click.echo(sentence)
        if packing is not None:
            click.echo(f"\n{packing}")
        if any(verdict.certificate for verdict in verdicts):
            click.echo(
                f"{output}: the certificate; 'tetrisprinter verify {output}' checks it"
                if output is not None
                else "not kept; -o FOLDER keeps the formula and its proof"
            )
    raise click.exceptions.Exit(FOUND_EXIT_CODE if is_found else IMPOSSIBLE_EXIT_CODE)


def _describe(verdict: Verdict, output: Path | None) -> dict[str, Any]:
    """Return a verdict as plain data."""
    step: dict[str, Any] = {
        "rows": verdict.rows,
        "status": "arithmetic" if verdict.certificate is None else "certificate",
        "words": str(verdict),
        "files": [],
    }
    if verdict.packing is not None:
        step |= {"status": "packing", "packing": str(verdict.packing).split("\n")}
    if verdict.cpsat_seconds is not None:
        step["cpsat_seconds"] = round(verdict.cpsat_seconds, 2)
    if verdict.certificate is not None:
        certificate = verdict.certificate
        step |= {"solver": certificate.entry.solver, "proof_steps": certificate.steps}
        if output is not None:
            names = [*(file.name for file in certificate.entry.files), MANIFEST]
            step["files"] = [str(output / name) for name in names]
    return step
