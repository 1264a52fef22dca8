"""``tetrisprinter search``: packed matrices for emitted squares."""

from __future__ import annotations

import json

import click

from tetrisprinter.cli.options import COLUMNS, json_option, seed_option, workers_option
from tetrisprinter.cli.progress import progress
from tetrisprinter.errors import InputError
from tetrisprinter.finders.backtracker import DEFAULT_ATTEMPTS, DEFAULT_RETRIES, find
from tetrisprinter.packing import Infeasible, Packing, Result, emitter_problem
from tetrisprinter.patterns import TABLE_WIDTH, emitter_positions

__all__ = ["command"]


@click.command("search")
@click.option("--emitted", type=click.IntRange(0), required=True, help="Squares to leave.")
@click.option("--rows", type=click.IntRange(1, 100), required=True, help="Rows of the matrix.")
@click.option(
    "--width", type=click.IntRange(1, 1000), default=TABLE_WIDTH, show_default=True, help="Columns."
)
@click.option(
    "--at",
    type=COLUMNS,
    help="First columns of the emitter pieces (three columns each); default: try them all.",
)
@click.option("--exhaustive", is_flag=True, help="Search until it is certain.")
@click.option(
    "--attempts",
    type=click.IntRange(1),
    default=DEFAULT_ATTEMPTS,
    show_default=True,
    help="Placements to try before starting again.",
)
@click.option(
    "--retries", type=click.IntRange(1), default=DEFAULT_RETRIES, show_default=True, help="Starts."
)
@click.option(
    "--permutations",
    type=click.IntRange(1),
    help="Different random orders to use in turn; default: a new one at each start.",
)
@click.option(
    "--order",
    type=click.Choice(["sweep", "random"]),
    default="sweep",
    show_default=True,
    help="Fill from the left, or anywhere as the article does.",
)
@seed_option
@workers_option
@json_option
def command(
    emitted: int,
    rows: int,
    width: int,
    at: tuple[int, ...] | None,
    exhaustive: bool,
    attempts: int,
    retries: int,
    permutations: int | None,
    order: str,
    seed: int,
    workers: int,
    as_json: bool,
) -> None:
    """Search a packed matrix that leaves EMITTED squares below its ROWS rows.

    Prints the matrices in the text form of the tables. The exit code is 1 if one of them
    does not exist or was not found; stderr (or the JSON) says which.
    """
    if at is not None and len(at) != emitted:
        raise InputError(f"--at names {len(at)} columns but --emitted is {emitted}")
    if 3 * emitted > width:
        raise InputError(f"{emitted} emitter pieces need {3 * emitted} columns, not {width}")
    all_positions = [at] if at is not None else list(emitter_positions(emitted, width))
    found: list[dict[str, object]] = []
    failed = 0
    with progress("searching", len(all_positions)) as on_result:
        for positions in all_positions:
            result = find(
                emitter_problem(width, rows, positions),
                max_attempts=None if exhaustive else attempts,
                retries=retries,
                permutation_sets=permutations,
                order="random" if order == "random" else "sweep",
                seed=seed,
                workers=workers,
            )
            on_result()
            failed += not isinstance(result, Packing)
            if as_json:
                found.append(_as_json(positions, result))
            elif isinstance(result, Packing):
                click.echo(f"{result}\n")
            else:
                verdict = "no packing" if isinstance(result, Infeasible) else "not found"
                where = ",".join(map(str, positions)) or "none"
                click.echo(f"emitters at {where}: {verdict}: {result.reason}", err=True)
    if as_json:
        click.echo(json.dumps({"width": width, "rows": rows, "results": found}))
    if failed:
        raise click.exceptions.Exit(1)


def _as_json(positions: tuple[int, ...], result: Result) -> dict[str, object]:
    if isinstance(result, Packing):
        return {"at": positions, "status": "packing", "packing": str(result).split("\n")}
    status = "infeasible" if isinstance(result, Infeasible) else "unknown"
    return {"at": positions, "status": status, "reason": result.reason}
