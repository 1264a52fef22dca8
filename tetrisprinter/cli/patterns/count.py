"""``tetrisprinter patterns count``: the exact number of packings of a matrix."""

from __future__ import annotations

import json
import time
from pathlib import Path

import click

from tetrisprinter.cli.options import COLUMNS, FILE, Whole, json_option, option
from tetrisprinter.cli.patterns.find import read_problem_file
from tetrisprinter.cli.progress import show_counted_progress
from tetrisprinter.errors import InputError
from tetrisprinter.packings.patterns import count_each, list_position_sets
from tetrisprinter.packings.problem import PackingProblem, make_emitter_problem
from tetrisprinter.packings.tables import TABLE_WIDTH


@click.command("count")
@option("--emitted", Whole(0), "Number of squares that the matrix leaves.")
@option("--rows", Whole(1, 100), "Rows of the matrix.")
@option("--width", Whole(1, 1000), "Columns.", default=TABLE_WIDTH)
@option("--at columns", COLUMNS, "First columns of the emitter pieces. [default: count each set]")
@option("--matrix", FILE, "A drawing of the matrix, as for 'patterns find'.")
@json_option
def command(
    emitted: int | None,
    rows: int | None,
    width: int,
    columns: tuple[int, ...] | None,
    matrix: Path | None,
    as_json: bool,
) -> None:
    """Count all packings of a matrix, exactly.

    Two packings are the same if their pieces lie in the same places, in any drop order. Up to four
    rows take a second at any width, five rows ten seconds. Six rows take many minutes and
    gigabytes. Taller matrices, and matrices with holes, are counted one by one. 'patterns
    automaton query' counts the sets of columns that have a packing.
    """
    problems: list[tuple[str, PackingProblem]]
    if matrix is not None:
        if emitted is not None or rows is not None or columns is not None:
            raise InputError("--matrix cannot be used with --emitted, --rows or --at")
        problems = [(str(matrix), read_problem_file(matrix))]
    elif rows is None or (emitted is None and columns is None):
        raise InputError("no matrix was given; use --rows with --emitted or --at, or --matrix")
    else:
        problems = [
            (
                f"emitters at {','.join(map(str, at)) or 'none'}",
                make_emitter_problem(width, rows, at),
            )
            for at in list_position_sets(emitted, columns, width)
        ]
    counts = []
    began = time.perf_counter()
    with show_counted_progress("counting", len(problems)) as on_result:
        numbers = count_each(problem for _, problem in problems)
        for (name, _), number in zip(problems, numbers, strict=True):
            counts.append(number)
            on_result()
            if not as_json:
                click.echo(f"{name}: {number:,}")
    if as_json:
        seconds = round(time.perf_counter() - began, 2)
        entries = [
            {"name": name, "count": number}
            for (name, _), number in zip(problems, counts, strict=True)
        ]
        click.echo(json.dumps({"matrices": entries, "total": sum(counts), "seconds": seconds}))
    elif len(counts) > 1:
        click.echo(f"all together: {sum(counts):,}")
