"""``tetrisprinter triplex``: packing puzzles with exactly one solution."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import click

from tetrisprinter.cli.options import NO_FOLDER, json_option, option, real, seed_option, whole
from tetrisprinter.cli.progress import show_measured_progress
from tetrisprinter.errors import InputError
from tetrisprinter.support import format_count
from tetrisprinter.support.files import (
    check_extension,
    check_writable,
    is_file,
    read_input,
    read_text,
    refuse_overwriting_inputs,
    write_text,
)
from tetrisprinter.tilings.placements import format_memory
from tetrisprinter.triplex.generator import check as check_puzzle
from tetrisprinter.triplex.generator import (
    estimate_memory,
    find_rotatable_pieces,
    find_unique_puzzles,
    generate,
    list_sizes,
)
from tetrisprinter.triplex.generator import solve as solve_puzzle
from tetrisprinter.triplex.levels import (
    KINDS,
    NAMES,
    Level,
    Puzzle,
    format_json,
    format_text,
    make_triplex_page,
    parse_levels,
    parse_puzzles,
    parse_size,
)

_DEFAULT_SIZES = ("4x3", "5x3", "4x4", "6x3", "5x4", "6x4", "5x5")

_puzzle_argument = click.argument("puzzle", nargs=-1, required=True)
_memory_option = option(
    "--memory", real(0.1), "Refuse sizes that would need more memory.", default=4.0, metavar="GIB"
)


@click.group("triplex")
def command() -> None:
    """Find, check, solve and play packing puzzles with exactly one solution.

    A level is a rectangle and some of the eight pieces I2h, I2v, I3h, I3v, V0, V1, V2 and
    V3 (dominoes, straight and bent trominoes; they are never turned) that fill it in
    exactly one way, without a straight cut from side to side.
    """


@command.command("generate")
@click.argument("size", metavar="WxH")
@option("-o --output", NO_FOLDER, "Write to a file.")
@option("--json/--text as_json", None, "Format. [default: by extension]", default=None)
@seed_option
@_memory_option
def generate_levels(
    size: str, output: Path | None, as_json: bool | None, seed: int, memory: float
) -> None:
    """Find all levels of a size, easiest first.

    The seed decides how far the rotatable piece of a level is turned at first.
    """
    if output is not None:
        check_writable(output)
        as_json = output.suffix == ".json" if as_json is None else as_json
    levels = _generate_with_progress(size, seed, memory)
    text = format_json(levels) if as_json else format_text(levels)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_text(output, text)
        click.echo(f"{output}: {format_count(len(levels), 'level')} of {size}")
    if not levels:
        click.echo(f"there are no levels of {size}", err=True)


@command.command("table")
@option("--max cells", whole(1, 400), "The largest number of cells of a rectangle.", default=36)
@_memory_option
@json_option
def count_levels(cells: int, memory: float, as_json: bool) -> None:
    """Count the levels of all sizes, up to a number of cells.

    Rectangles of one row or column have no levels.
    """
    sizes = list_sizes(cells)
    for width, height in sizes:
        _refuse_too_large(width, height, memory)
    level_counts = []
    with show_measured_progress("counting", len(sizes)) as report:
        for done, (width, height) in enumerate(sizes):
            report(done, len(sizes))
            level_counts.append((width, height, len(find_unique_puzzles(width, height))))
    if as_json:
        rows = [{"width": w, "height": h, "levels": count} for w, h, count in level_counts]
        click.echo(json.dumps({"table": rows}))
        return
    for width, height, count in level_counts:
        if count:
            click.echo(f"{width}x{height} {count}")
    sizes_without_levels = " ".join(
        f"{width}x{height}" for width, height, count in level_counts if not count
    )
    if sizes_without_levels:
        click.echo(f"no levels: {sizes_without_levels}")


@command.command()
@_puzzle_argument
@option("--number", whole(1), "Only this level of a file.")
@option(
    "--solution/--no-solution",
    None,
    "Show the solutions in the file.",
    default=True,
    show_default=False,
)
@json_option
def show(puzzle: tuple[str, ...], number: int | None, solution: bool, as_json: bool) -> None:
    """Show puzzles with their pieces drawn.

    PUZZLE is a file of levels (text or JSON; - reads standard input), or a size and
    pieces, as in 4x3 I2h I2v*2 V1 V2, or a size and eight counts, as in 4x3 1,2,0,0,0,1,1,0.
    """
    chosen_puzzles = _parse_chosen_puzzles(puzzle, number)
    if as_json:
        click.echo(json.dumps([_describe_puzzle(chosen) for chosen in chosen_puzzles]))
        return
    for index, chosen in enumerate(chosen_puzzles):
        if index:
            click.echo()
        fields = [chosen.head, f"arrangements={chosen.arrangements}"]
        if isinstance(chosen, Level):
            fields.append(f"difficulty={chosen.difficulty}")
            if chosen.rotatable is not None:
                fields.append(f"rotatable={NAMES[chosen.rotatable]} turns={chosen.turns}")
        click.echo(" ".join(fields))
        click.echo(_draw_pieces(chosen))
        if isinstance(chosen, Level) and solution:
            click.echo("\n".join(("", *chosen.solution)))


@command.command()
@_puzzle_argument
@option("--number", whole(1), "Only this level of a file.")
@option("--limit", whole(1, 1000), "Stop after this number of solutions.", default=2)
@json_option
def solve(puzzle: tuple[str, ...], number: int | None, limit: int, as_json: bool) -> None:
    """Solve puzzles; the exit code is 1 if one of them has no solution.

    PUZZLE as for `show`.
    """
    chosen_puzzles = _parse_chosen_puzzles(puzzle, number)
    results = [solve_puzzle(chosen, limit) for chosen in chosen_puzzles]
    if as_json:
        reports = [
            _describe_puzzle(chosen)
            | {"solutions": [list(s) for s in result.solutions], "steps": result.steps}
            for chosen, result in zip(chosen_puzzles, results, strict=True)
        ]
        click.echo(json.dumps({"results": reports}))
    else:
        for chosen, result in zip(chosen_puzzles, results, strict=True):
            suffix = " or more" if len(result.solutions) == limit else ""
            solutions = format_count(len(result.solutions), "solution")
            steps = format_count(result.steps, "step")
            click.echo(f"{chosen.head}: {solutions}{suffix}, {steps}")
            for drawing in result.solutions:
                click.echo("\n".join((*drawing, "")))
    if not all(result.solutions for result in results):
        raise click.exceptions.Exit(1)


@command.command()
@_puzzle_argument
@option("--number", whole(1), "Only this level of a file.")
@json_option
def check(puzzle: tuple[str, ...], number: int | None, as_json: bool) -> None:
    """Check whether puzzles are levels.

    A puzzle with no or several solutions (two are printed), with a straight cut (it is named), or
    with fewer than three pieces is not a level; the exit code is 1 then. PUZZLE as for `show`.
    """
    chosen_puzzles = _parse_chosen_puzzles(puzzle, number)
    verdicts = [check_puzzle(chosen) for chosen in chosen_puzzles]
    reports: list[dict[str, Any]] = []
    for chosen, verdict in zip(chosen_puzzles, verdicts, strict=True):
        rotatable = list(find_rotatable_pieces(chosen)) if verdict.is_level else []
        faults = list(verdict.faults)
        marked_kind = chosen.rotatable if isinstance(chosen, Level) else None
        if marked_kind is not None and not faults and marked_kind not in rotatable:
            faults.append(f"its {NAMES[marked_kind]} must not be rotatable")
        reports.append(
            {
                **_describe_puzzle(chosen),
                "is_level": not faults,
                "faults": faults,
                "solutions": [list(solution) for solution in verdict.solutions],
                "steps": verdict.steps,
                "may_be_rotatable": rotatable,
            }
        )
    if as_json:
        click.echo(json.dumps({"results": reports}))
    else:
        for chosen, report in zip(chosen_puzzles, reports, strict=True):
            _print_verdict(chosen, report)
    if not all(report["is_level"] for report in reports):
        raise click.exceptions.Exit(1)


@command.command("page")
@click.argument("sizes", nargs=-1, metavar="[WxH]...")
@option("-o --output", NO_FOLDER, "HTML file to write.", required=True)
@option(
    "--levels files",
    NO_FOLDER,
    "Take the levels of a file, instead of or besides sizes; may be given several times.",
    multiple=True,
)
@seed_option
@_memory_option
def write_page(
    sizes: tuple[str, ...], output: Path, files: tuple[Path, ...], seed: int, memory: float
) -> None:
    """Write the game as one HTML file with all levels of some sizes (default: from 4x3 to 5x5)."""
    check_extension(output, (".html", ".htm"))
    check_writable(output)
    refuse_overwriting_inputs([output], files)
    levels: list[Level] = []
    for file in files:
        levels += parse_levels(read_text(file, "a list of levels"), str(file))
    for size in sizes or (() if files else _DEFAULT_SIZES):
        levels += _generate_with_progress(size, seed, memory)
    write_text(output, make_triplex_page(levels))
    puzzles = {level.puzzle for level in levels}
    click.echo(f"{output}: {format_count(len(puzzles), 'level')}")


def _generate_with_progress(size: str, seed: int, memory: float) -> list[Level]:
    """Return all levels of a size such as 4x3; ``memory`` is the limit in GiB."""
    width, height = parse_size(size)
    _refuse_too_large(width, height, memory)
    with show_measured_progress(f"levels of {size}") as report:
        return generate(width, height, seed=seed, report=report)


def _refuse_too_large(width: int, height: int, limit: float) -> None:
    """Refuse a size whose levels would need more than ``limit`` GiB."""
    needed_memory = estimate_memory(width, height)
    if needed_memory > limit * 2**30:
        raise InputError(
            f"{width}x{height} would need about {format_memory(needed_memory)} of memory; "
            f"the limit is {limit:g} GiB (--memory)"
        )


def _parse_chosen_puzzles(arguments: Sequence[str], number: int | None) -> list[Puzzle]:
    """Read the puzzles that the command line names, or only puzzle ``number``, counted from 1."""
    puzzles = _read_puzzles(arguments)
    if number is None:
        return puzzles
    if number > len(puzzles):
        raise InputError(f"--number {number} is out of range; expected 1 to {len(puzzles)}")
    return [puzzles[number - 1]]


def _read_puzzles(arguments: Sequence[str]) -> list[Puzzle]:
    """Read one puzzle from its size and pieces, or all puzzles of files."""
    if re.fullmatch(r"[0-9]+[xX][0-9]+(\s.*)?", arguments[0], re.DOTALL) and not is_file(
        arguments[0]
    ):
        return [Puzzle.parse(" ".join(arguments))]
    all_puzzles: list[Puzzle] = []
    for argument in arguments:
        text, name = read_input(argument, "puzzles")
        puzzles = parse_puzzles(text, name)
        if not puzzles:
            raise InputError(f"{name}: no puzzle; expected lines such as 4x3 I2h I2v*2 V1 V2")
        all_puzzles += puzzles
    return all_puzzles


def _describe_puzzle(puzzle: Puzzle) -> dict[str, Any]:
    """Return a puzzle or level in its JSON form."""
    if isinstance(puzzle, Level):
        return puzzle.to_data()
    return {"width": puzzle.width, "height": puzzle.height, "counts": list(puzzle.counts)}


def _print_verdict(puzzle: Puzzle, report: dict[str, Any]) -> None:
    """Print whether a puzzle is a level, with its faults and solutions."""
    if report["is_level"]:
        rotatable = ", ".join(NAMES[kind] for kind in report["may_be_rotatable"])
        click.echo(
            f"{puzzle.head}: a level, {format_count(puzzle.pieces, 'piece')}, "
            f"difficulty {report['steps']}, {format_count(puzzle.arrangements, 'arrangement')}; "
            f"pieces that may be rotatable: {rotatable or 'none'}"
        )
    else:
        click.echo(f"{puzzle.head}: not a level: {', and '.join(report['faults'])}")
    for solution in report["solutions"]:
        click.echo("\n".join((*solution, "")))


def _draw_pieces(puzzle: Puzzle) -> str:
    """Draw one piece of each kind with the number of such pieces, side by side."""
    columns: list[list[str]] = []
    for kind, count in enumerate(puzzle.counts):
        if count:
            label = f"{count} x "
            first, *rest = str(KINDS[kind]).replace(".", " ").split("\n")
            columns.append([label + first, *(" " * len(label) + row for row in rest)])
    widths = [max(map(len, column)) for column in columns]
    rows = zip_longest(*columns, fillvalue="")
    return "\n".join(
        "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
