"""``tetrisprinter patterns automaton`` and ``atlas``: questions about matrices of all widths.

A column automaton reads the rows that matrices of one height can print. ``automaton`` builds,
checks and queries the automata, ``atlas`` counts how many rows a matrix needs for each width.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import click

from tetrisprinter.cli.options import (
    COLUMNS,
    FOLDER,
    NO_FOLDER,
    NUMBERS,
    dask_option,
    flag,
    json_option,
    option,
    print_report,
    whole,
    workers_option,
)
from tetrisprinter.cli.progress import show_counted_progress, show_measured_progress
from tetrisprinter.errors import InputError
from tetrisprinter.packings.automaton import (
    PRESET,
    SHIPPED,
    SQUARE,
    atlas,
    format_file_name,
    verify_automata,
)
from tetrisprinter.packings.automaton.atlas import (
    draw_heatmap,
    explain_unprintable,
    find_counterexamples,
    find_emitter_widths,
    find_single_positions,
    take_census,
)
from tetrisprinter.packings.problem import Infeasible, Packing, PackingProblem, make_emitter_problem
from tetrisprinter.support import format_count
from tetrisprinter.support.executors import Machines
from tetrisprinter.support.files import (
    check_extension,
    check_writable,
    make_folder,
    write_bytes,
    write_text,
)

_LETTERS = {".": 0, "#": PRESET, "o": SQUARE, "@": PRESET | SQUARE}


def check_rows(rows: Sequence[int]) -> None:
    """Refuse heights for which the package has no automaton."""
    for number in rows:
        if number not in SHIPPED:
            raise InputError(
                f"--rows: {number} is out of range; expected {SHIPPED[0]} to {SHIPPED[-1]}"
            )


@click.group("automaton")
def automaton() -> None:
    """Answer questions about all widths with the column automaton of a height."""


@automaton.command()
@click.argument("rows", nargs=-1, required=True, type=whole(SHIPPED[0], SHIPPED[-1]))
@option("-o --output", FOLDER, "Folder to write to.", default=Path("automata"))
@option(
    "--squares/--no-squares",
    None,
    "Include rows with squares below the matrix. [default: for up to 5 rows]",
    default=None,
)
@flag(
    "--by-subsets",
    "Also follow sets of states for 4 or more rows, and count their classes.",
    default=None,
)
@json_option
def build(
    rows: tuple[int, ...],
    output: Path,
    squares: bool | None,
    by_subsets: bool | None,
    as_json: bool,
) -> None:
    """Build the automata of some ROWS from the placement model.

    Up to 4 rows take at most a minute; 5 and 6 rows (without squares) take five to fifteen
    minutes and 7 GB of memory, with --by-subsets half an hour or more.
    """
    from tetrisprinter.packings.automaton.build import build as build_automaton

    if squares and SHIPPED[-1] in rows:
        raise InputError(f"--squares: {SHIPPED[-1]} rows; expected at most {SHIPPED[-1] - 1}")
    make_folder(output)
    reports = []
    for height in rows:
        started = time.perf_counter()

        def report_stage(sentence: str, height: int = height, started: float = started) -> None:
            if not as_json:
                seconds = time.perf_counter() - started
                click.echo(f"{height} rows: {sentence} ({seconds:.1f} s)", err=True)

        with_squares = height <= 5 if squares is None else squares
        built = build_automaton(
            height, squares=with_squares, by_subsets=by_subsets, on_stage=report_stage
        )
        path = output / format_file_name(height)
        write_text(path, built.to_text())
        report = {
            "file": str(path),
            "rows": height,
            "squares": with_squares,
            "reachable": built.reachable,
            "trim": built.trim,
            "classes": built.classes,
            "minimal": len(built.dfa.table),
            "core": len(built.core),
        }
        reports.append(report | {"seconds": round(time.perf_counter() - started, 2)})
        if not as_json:
            click.echo(
                "{file}: {reachable} states, {trim} of them trim; {minimal} states in the minimal "
                "DFA, {core} transitions in its core".format_map(report)
            )
    if as_json:
        click.echo(json.dumps({"automata": reports}))


@automaton.command()
@click.argument("folder", required=False, type=FOLDER)
@option(
    "--rows",
    NUMBERS,
    "Heights to check.",
    default=tuple(SHIPPED),
    show_default=f"{SHIPPED[0]}..{SHIPPED[-1]}",
)
@flag("--thorough", "Also follow the game for 5 rows over squares and for 6 rows.")
@json_option
def verify(folder: Path | None, rows: tuple[int, ...], thorough: bool, as_json: bool) -> None:
    """Check the automata of a FOLDER, or those of the package.

    Runs verify_automata.py, which shares no code with the package and also runs alone. It takes 15
    seconds, with --thorough ten minutes and 1.5 GB of memory. Exit code 1: an automaton is wrong;
    2: a file is not an automaton.
    """
    from importlib.resources import as_file, files

    check_rows(rows)
    reports: list[dict[str, object]] = []
    with as_file(files("tetrisprinter.packings.automaton") / "data") as shipped:
        for height in rows:
            with show_measured_progress(f"{height} rows: states") as report_states:
                try:
                    report = verify_automata.check(
                        folder or shipped,
                        height,
                        thorough,
                        lambda states: report_states(states, None),
                    )
                except verify_automata.RefutedError as error:
                    report = {"rows": height, "refuted": f"{height} rows: {error}"}
                except ValueError as error:
                    is_missing = folder and not (folder / format_file_name(height)).exists()
                    hint = "; --rows names the heights to check" if is_missing else ""
                    raise InputError(f"{error}{hint}") from error
            reports.append(report)
            if not as_json:
                click.echo(report.get("said") or report["refuted"], err="refuted" in report)
    if as_json:
        click.echo(json.dumps({"automata": reports}))
    if any("refuted" in report for report in reports):
        raise click.exceptions.Exit(1)


@automaton.command()
@option("--row", None, "A row: . free, # preset; o and @ the same above a square.")
@option("--width", whole(1, 1000), "Width of the row, with --at; or of all rows, with --emitted.")
@option("--at columns", COLUMNS, "First columns of the emitter pieces of the row; needs --width.")
@option("--emitted", whole(1, 64), "All rows with this number of emitter pieces; needs --rows.")
@option("--rows", whole(SHIPPED[0], SHIPPED[-1]), "Rows of the matrix.")
@flag("--pattern", "Also show the matrix.")
@flag("--list list_all", "With --width and --emitted: list all.")
@json_option
def query(
    row: str | None,
    width: int | None,
    columns: tuple[int, ...] | None,
    emitted: int | None,
    rows: int | None,
    pattern: bool,
    list_all: bool,
    as_json: bool,
) -> None:
    """Query a row, or all rows with some emitted squares.

    For a row (--row, or --width and --at): the least number of rows that print it, or with --rows
    whether that number does. The exit code is 1 if none does. All answers are about gap-free games,
    in which no piece rests over a hole.

    For --emitted and --rows: the widths at which some and all positions can be printed, the
    smallest counterexamples, and the possible places of a single square. With --width also the
    positions of that width that can be printed, and which.
    """
    if emitted is not None:
        if row is not None or columns is not None or rows is None:
            raise InputError(
                "--emitted needs --rows and cannot be used with --row or --at; only --width may be "
                "added"
            )
        if width is not None:
            _report_census(width, emitted, rows, as_json, list_all)
            return
        _report_emitted(emitted, rows, as_json)
        return
    problem = _read_problem(row, width, columns)
    answer = _find_least_matrix(problem, [rows] if rows else SHIPPED)
    report: dict[str, object] = {"width": problem.width, "least" if not rows else "rows": rows}
    if isinstance(answer, Packing):
        report |= {"status": "packing", "least" if not rows else "rows": answer.problem.rows}
        if pattern:
            report["packing"] = str(answer).split("\n")
        height = answer.problem.rows
        verdict = f"{height} rows print it" if height > 1 else "1 row prints it"
    else:
        is_infeasible = isinstance(answer, Infeasible)
        report |= {"status": "infeasible" if is_infeasible else "unknown", "reason": answer}
        heights = str(rows) if rows else f"{SHIPPED[0]} to {SHIPPED[-1]}"
        sentence = "1 row does not print it" if rows == 1 else f"{heights} rows do not print it"
        verdict = sentence if is_infeasible else f"not known: {answer}"
        report["reason"] = verdict
    drawing = f"\n{answer}" if pattern and isinstance(answer, Packing) else ""
    print_report(as_json, report, verdict + drawing)
    if not isinstance(answer, Packing):
        raise click.exceptions.Exit(1)


def _find_least_matrix(
    problem: PackingProblem, heights: Sequence[int]
) -> Packing | Infeasible | str:
    """Return the packing of the least height; if none, Infeasible or why this is not known."""
    from tetrisprinter.packings.finders import AUTOMATON

    unknown_reason = ""
    if min(problem.start):  # the presets fill row 0, so the only possible height is one row
        heights = [rows for rows in heights if rows == 1]
    for rows in heights:
        result = AUTOMATON.find(replace(problem, rows=rows))
        if isinstance(result, Packing) and not unknown_reason:
            return result
        if not isinstance(result, Infeasible):
            unknown_reason = unknown_reason or getattr(result, "reason", "")
    return unknown_reason or Infeasible()


def _read_problem(
    row: str | None, width: int | None, columns: tuple[int, ...] | None
) -> PackingProblem:
    """Return the problem of a row that is given as a drawing or by its emitter positions."""
    if row is not None and width is None and columns is None:
        if not row:
            raise InputError("--row: is empty; expected a row of . # o or @")
        for x, letter in enumerate(row):
            if letter not in _LETTERS:
                raise InputError(f"--row: invalid {letter!r} in column {x}; expected . # o or @")
        letters = [_LETTERS[letter] for letter in row]
        return PackingProblem(
            len(letters),
            1,
            tuple(((x, 0),) for x, letter in enumerate(letters) if letter & PRESET),
            frozenset(x for x, letter in enumerate(letters) if letter & SQUARE),
        )
    if row is None and width is not None and columns is not None:
        return make_emitter_problem(width, 1, columns)
    raise InputError("no row was given, or two; use --row, or --width with --at, or --emitted")


def _report_emitted(emitted: int, rows: int, as_json: bool) -> None:
    """Print at which widths rows with ``emitted`` emitter pieces can be printed."""
    widths = find_emitter_widths(emitted, rows)
    failing = [
        "".join(".#"[letter] for letter in row) for row in find_counterexamples(emitted, rows)
    ]
    positions = list(find_single_positions(rows)) if emitted == 1 else []
    if as_json:
        report: dict[str, object] = {
            "emitted": emitted,
            "rows": rows,
            **{name: one.to_data() for name, one in widths.items()},
            "smallest_counterexamples": failing,
        }
        if emitted == 1:
            report["positions"] = [
                {"left": left.to_data(), "right": right.to_data()} for left, right in positions
            ]
        click.echo(json.dumps(report))
        return
    click.echo(f"widths that divisibility allows: {widths['allowed']}")
    click.echo(f"widths at which some positions can be printed: {widths['some']}")
    click.echo(f"widths at which all positions can be printed: {widths['all']}")
    for row in failing:
        click.echo(f"smallest counterexample: {row} (width {len(row)})")
    for left, right in positions:
        click.echo(f"can be printed with {left} columns to the left, {right} to the right")


def _report_census(width: int, emitted: int, rows: int, as_json: bool, list_all: bool) -> None:
    """Count and list the positions that have a matrix; exit with code 1 if there are none."""
    census = take_census(width, emitted, rows)
    cells = width * rows - 3 * emitted  # that the emitter pieces leave free
    reason = ""
    if census.unprintable_count or not census.total:
        reason = explain_unprintable(width, emitted, rows)
    if as_json:
        report: dict[str, object] = {
            "width": width,
            "emitted": emitted,
            "rows": rows,
            "positions": census.total,
            "printable": census.printable_count,
            "cells": cells,
            "divisible": cells >= 0 and cells % 4 == 0,
            "reason": reason or None,
        }
        if list_all:
            report |= {
                "at": list(census.list_printable()),
                "without": list(census.list_unprintable()),
            }
        click.echo(json.dumps(report))
    else:
        click.echo(
            f"width {width}, {format_count(emitted, 'emitter piece')}, "
            f"{format_count(rows, 'row')}: {census.printable_count:,} of "
            f"{format_count(census.total, 'set')} of positions have a matrix"
        )
        limit = None if list_all else _MAX_LISTED
        if census.printable_count:
            texts = _format_position_sets(census.list_printable(), census.printable_count, limit)
            click.echo(f"emitter positions with a matrix: {texts}")
        if census.unprintable_count and census.printable_count:
            positions = _format_position_sets(
                census.list_unprintable(), census.unprintable_count, limit
            )
            click.echo(f"emitter positions without a matrix: {positions}")
        if reason:
            click.echo(f"reason: {reason}")
    if not census.printable_count:
        raise click.exceptions.Exit(1)


def _format_position_sets(
    position_sets: Iterable[tuple[int, ...]], set_count: int, limit: int | None
) -> str:
    """Return up to ``limit`` position sets as text, and the number of further sets."""
    texts = [
        ",".join(map(str, position_set)) or "none" for position_set in islice(position_sets, limit)
    ]
    further_sets = set_count - len(texts)
    return "; ".join(texts) + (
        f"; and {further_sets:,} more (--list shows all)" if further_sets else ""
    )


_MAX_LISTED = 12
"""The number of positions in a line of ``--positions``."""
_SMALL_PRODUCT = 2_000
"""If width times emitted squares is at most this, more processes are not worth the time."""


@click.command("atlas")
@option("--width", NUMBERS, "Columns.", default="5..64")
@option("--emitted", NUMBERS, "Numbers of emitted squares.", default="1..7")
@option(
    "--rows", NUMBERS, "Heights of matrices to consider.", default=f"{SHIPPED[0]}..{SHIPPED[-1]}"
)
@option(
    "--format table_format",
    ["text", "csv", "json"],
    "Format of the table on stdout.",
    default="text",
)
@flag("--positions", "List the positions that none of the heights can print.")
@workers_option
@dask_option
@option("--picture", NO_FOLDER, "Draw a heat map (PNG).")
def draw_atlas(
    width: tuple[int, ...],
    emitted: tuple[int, ...],
    rows: tuple[int, ...],
    table_format: str,
    positions: bool,
    workers: int,
    dask: str | None,
    picture: Path | None,
) -> None:
    """Count, for each width and number of squares, how many rows a matrix needs.

    Each line counts the sets of emitter positions: all sets, the sets with each least height, and
    the sets that need more rows. The line ends with the heights that divisibility allows.
    The counts are exact and cover gap-free games, in which no piece rests over a hole.
    """
    check_rows(rows)
    if max(width) > 1000 or min(width) < 1 or max(emitted) > 100 or min(emitted) < 0:
        raise InputError(
            "--width or --emitted is out of range; expected --width 1 to 1000, --emitted 0 to 100"
        )
    if picture is not None:
        check_extension(picture, (".png",))
        check_writable(picture)
    machines = Machines(workers if max(width) * max(emitted) > _SMALL_PRODUCT else 1, dask)
    with show_counted_progress("counting", len(emitted)) as on_result:
        entries = atlas.build_atlas(width, emitted, rows, machines=machines, on_count=on_result)
    if not entries:
        raise InputError("nothing to count; the pieces of --emitted do not fit into --width")
    unprintable = {
        (e.width, e.emitted): list(e.list_unprintable())
        for e in entries
        if positions and e.divisible_heights and e.unprintable_count
    }
    if picture is not None:
        write_bytes(picture, draw_heatmap(entries))
    if table_format == "csv":
        click.echo(atlas.format_csv(entries), nl=False)
    elif table_format == "json":
        data = [e.to_data() for e in entries]
        for entry, e in zip(data, entries, strict=True):
            if positions:
                entry["positions_without"] = unprintable.get((e.width, e.emitted), [])
        click.echo(json.dumps({"atlas": data}))
    else:
        click.echo(atlas.format_table(entries))
        for (columns, count), position_sets in unprintable.items():
            texts = " ".join(
                ",".join(map(str, position_set)) for position_set in position_sets[:_MAX_LISTED]
            )
            suffix = (
                f" and {len(position_sets) - _MAX_LISTED} more"
                if len(position_sets) > _MAX_LISTED
                else ""
            )
            click.echo(f"width {columns}, {count} emitted, none at: {texts}{suffix}")
