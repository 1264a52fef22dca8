"""``tetrisprinter tile``: a board and a piece set -> tilings."""

from __future__ import annotations

import itertools
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

import click

from tetrisprinter.cli.options import Whole, json_option
from tetrisprinter.cli.progress import show_measured_progress
from tetrisprinter.errors import InputError
from tetrisprinter.support.files import (
    check_apart,
    check_writable,
    is_file,
    open_atomically,
    read_standard_input,
    read_text,
)
from tetrisprinter.tilings.board import TilingBoard
from tetrisprinter.tilings.impossibility import Argument, find_argument
from tetrisprinter.tilings.pieces import PieceSet
from tetrisprinter.tilings.placements import TilingProblem
from tetrisprinter.tilings.polyomino import Orientations
from tetrisprinter.tilings.solve import Method, count_covers, iterate_covers

if TYPE_CHECKING:
    Cover = tuple[int, ...]


_EXTENSIONS: Final = (".txt", ".json", ".png", ".svg")
_CHUNK: Final = 500  # boards written at once


@click.command("tile")
@click.argument("board")
@click.argument("pieces")
@click.option("--all", "want_all", is_flag=True, help="All tilings; without it, the first.")
@click.option("--count", "want_count", is_flag=True, help="Only how many there are.")
@click.option("--first", type=Whole(1), metavar="N", help="The first N tilings.")
@click.option(
    "--orientations",
    type=click.Choice(get_args(Orientations)),
    default="all",
    show_default=True,
    help="Whether pieces stay as they are, may be turned, or turned and turned over.",
)
@click.option(
    "--up-to-symmetry",
    is_flag=True,
    help="Tilings that are turns or mirror images of each other count once.",
)
@click.option("--use-all", is_flag=True, help="Every piece that is not unlimited is to be used up.")
@click.option(
    "--method",
    type=click.Choice(get_args(Method)),
    default="auto",
    show_default=True,
    help="How to look; the answers are the same.",
)
@click.option(
    "--style",
    type=click.Choice(["letters", "lines", "colors"]),
    default="letters",
    show_default=True,
    help="How tilings are drawn as text; colors are for terminals.",
)
@click.option(
    "-o",
    "--output",
    "outputs",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="Write the tilings to a file instead: .txt, .json, .png or .svg; may be given "
    "several times.",
)
@click.option(
    "--scale",
    type=Whole(1, 200),
    default=24,
    show_default=True,
    help="Pixels per cell of a picture.",
)
@json_option
def command(
    board: str,
    pieces: str,
    want_all: bool,
    want_count: bool,
    first: int | None,
    orientations: Orientations,
    up_to_symmetry: bool,
    use_all: bool,
    method: Method,
    style: str,
    outputs: tuple[Path, ...],
    scale: int,
    as_json: bool,
) -> None:
    """Tile BOARD with PIECES.

    BOARD is a size such as 6x10 (6 wide, 10 high), or a file ('-': standard input) with a
    drawing in which '.' is a free cell and '#' a blocked one.

    PIECES are separated by commas: names of polyominoes of 1 to 6 cells (I2, V3, T4, F5,
    H01 to H35; L4' is mirrored, V3@1 turned), drawings such as ##/#., or a set:
    monominoes, dominoes, trominoes, tetrominoes, pentominoes, hexominoes, and each with
    one-sided- before it. *N behind a piece: it may be used up to N times; *inf: as often
    as you like; else once (dominoes, monominoes: as often as you like). Or a file ('-':
    standard input) with drawings, each perhaps under a line NAME*N, and blank lines between.

    Exit code 1: there is no tiling; the message names the argument if one settles it.
    """
    if want_all + want_count + (first is not None) > 1:
        raise InputError("--all, --count and --first exclude each other")
    if want_count and outputs:
        raise InputError("--count draws nothing, so --output has no meaning with it")
    suffixes = [_check_output(path) for path in outputs]
    check_apart(outputs, [board, pieces])
    problem = TilingProblem(*_problem(board, pieces, orientations, use_all))
    if want_count:
        with show_measured_progress("counting") as report:
            number = count_covers(problem, method, up_to_symmetry=up_to_symmetry, tell=report)
        if as_json:
            answer = _head(problem, up_to_symmetry) | {"count": number}
            if not number:
                answer |= _why(find_argument(problem))
            click.echo(json.dumps(answer))
        else:
            click.echo(number)
        if not number:
            _fail(problem)
        return

    limit = None if want_all else (first or 1)
    with show_measured_progress("sweeping") as report:
        found = iterate_covers(
            problem, method, up_to_symmetry=up_to_symmetry, limit=limit, tell=report
        )
        begun = next(found, None)
    if begun is None:
        if as_json:
            answer = _head(problem, up_to_symmetry) | _why(find_argument(problem))
            click.echo(json.dumps(answer | {"tilings": []}))
        _fail(problem)
        return
    found = itertools.chain([begun], found)
    if outputs:
        kept = list(found)
        for path, suffix in zip(outputs, suffixes, strict=True):
            _write(path, suffix, problem, kept, scale, up_to_symmetry)
        if as_json:
            click.echo(json.dumps(_head(problem, up_to_symmetry) | {"written": len(kept)}))
        return
    if as_json:
        parts: Iterator[str] = _json_parts(problem, found, up_to_symmetry)
        for part in parts:
            sys.stdout.write(part)
    else:
        _print(problem, found, style)
    sys.stdout.flush()


def _problem(
    board: str, pieces: str, orientations: Orientations, use_all: bool
) -> tuple[TilingBoard, PieceSet]:
    if board == pieces == "-":
        raise InputError("only one of BOARD and PIECES can come from standard input")
    if re.fullmatch(r"\d{1,9}[xX]\d{1,9}", board):
        field = TilingBoard.parse(board)
    elif board == "-":
        field = TilingBoard.parse(read_standard_input(), "standard input")
    else:
        if not is_file(board):
            raise InputError(
                f"invalid BOARD {board!r}; expected a size such as 6x10 or an existing file"
            )
        field = TilingBoard.parse(read_text(board), board)
    if pieces == "-" or is_file(pieces):
        text = read_standard_input() if pieces == "-" else read_text(pieces)
        name = "standard input" if pieces == "-" else pieces
        return field, PieceSet.parse_drawings(text, name, orientations, use_all=use_all)
    return field, PieceSet.parse(pieces, orientations, use_all=use_all)


def _check_output(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in _EXTENSIONS:
        what = f"unknown file type {suffix!r}" if suffix else "a name without an extension"
        raise InputError(f"{path}: {what}; use one of {' '.join(_EXTENSIONS)}")
    check_writable(path)
    return suffix


def _fail(problem: TilingProblem) -> None:
    """Say why there is no tiling, and end with exit code 1."""
    argument = find_argument(problem)
    click.echo(f"no tiling: {argument or 'searched exhaustively'}", err=True)
    if argument is not None and argument.name.startswith("weights"):
        for row in argument.weights:
            click.echo("".join(map(str, row)), err=True)
    raise click.exceptions.Exit(1)


def _why(argument: Argument | None) -> dict[str, object]:
    if argument is None:
        return {"argument": None, "reason": "searched exhaustively"}
    answer: dict[str, object] = {"argument": argument.name, "reason": argument.reason}
    if argument.weights:
        answer["weights"] = argument.weights
    return answer


def _head(problem: TilingProblem, up_to_symmetry: bool) -> dict[str, object]:
    return {
        "board": str(problem.board).split("\n"),
        "pieces": [
            {"name": p.name, "shape": str(p.shape).split("\n"), "most": p.most}
            for p in problem.pieces.pieces
        ],
        "orientations": problem.pieces.orientations,
        "use_all": problem.pieces.use_all,
        "up_to_symmetry": up_to_symmetry,
    }


def _json_parts(
    problem: TilingProblem, found: Iterator[Cover], up_to_symmetry: bool
) -> Iterator[str]:
    """Yield a JSON document piece by piece, so that it may be longer than memory."""
    from tetrisprinter.tilings.placements import draw_tilings

    yield json.dumps(_head(problem, up_to_symmetry))[:-1] + ', "tilings": ['
    names = [piece.name for piece in problem.pieces.pieces]
    placed = [
        json.dumps({"piece": names[placement.kind], "cells": placement.cells})
        for placement in problem.placements
    ]
    ours, theirs = itertools.tee(found)
    total = 0
    for cover, text in zip(ours, draw_tilings(problem, theirs), strict=True):
        rows = json.dumps(text.split("\n"))
        listed = ", ".join(placed[number] for number in cover)
        yield f'{", " if total else ""}\n{{"rows": {rows}, "placements": [{listed}]}}'
        total += 1
    yield f'], "count": {total}}}\n'


def _print(problem: TilingProblem, found: Iterator[Cover], style: str) -> None:
    """Print tilings with a blank line between them."""
    from tetrisprinter.tilings.placements import draw_tilings

    if style == "letters":
        drawn = draw_tilings(problem, found)
    else:
        from tetrisprinter.render.halfblocks import detect_color_mode
        from tetrisprinter.render.tilings import lines_text, terminal_text

        mode = detect_color_mode() if sys.stdout.isatty() else "none"
        drawn = (
            lines_text(problem.tiling(cover))
            if style == "lines"
            else terminal_text(problem.tiling(cover), mode)
            for cover in found
        )
    between = ""
    while chunk := list(itertools.islice(drawn, _CHUNK)):
        sys.stdout.write(between + "\n\n".join(chunk) + "\n")
        between = "\n"


def _write(
    path: Path,
    suffix: str,
    problem: TilingProblem,
    found: Sequence[Cover],
    scale: int,
    up_to_symmetry: bool,
) -> None:
    from tetrisprinter.tilings.placements import draw_tilings

    if suffix == ".png":
        from tetrisprinter.render.tilings import tilings_png

        data = tilings_png([problem.tiling(cover) for cover in found], scale)
    elif suffix == ".svg":
        from tetrisprinter.render.tilings import draw_tilings_svg

        data = draw_tilings_svg([problem.tiling(cover) for cover in found], scale).encode("utf-8")
    elif suffix == ".json":
        data = "".join(_json_parts(problem, iter(found), up_to_symmetry)).encode("utf-8")
    else:
        data = ("\n\n".join(draw_tilings(problem, found)) + "\n").encode("utf-8")
    with open_atomically(path) as file:
        file.write(data)
