"""``tetrisprinter tile``: find, count and draw the tilings of a board."""

from __future__ import annotations

import itertools
import json
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

import click

from tetrisprinter.cli.options import FILE, flag, json_option, option, seed_option, whole
from tetrisprinter.cli.progress import show_measured_progress
from tetrisprinter.errors import InputError
from tetrisprinter.support import files, format_count
from tetrisprinter.tilings.impossibility import Argument, find_argument
from tetrisprinter.tilings.placements import TilingBoard, TilingProblem, draw_tilings
from tetrisprinter.tilings.polyomino import Orientations, PieceSet
from tetrisprinter.tilings.solve import (
    Method,
    count_covers,
    find_missing_monominoes,
    iterate_covers,
    sample_covers,
)

if TYPE_CHECKING:
    Cover = tuple[int, ...]


_EXTENSIONS: Final = (".txt", ".json", ".png", ".svg")
_CHUNK_SIZE: Final = 500  # tilings written at once


@click.command("tile")
@click.argument("board")
@click.argument("pieces")
@flag("--all want_all", "List all tilings, not only the first.")
@flag("--count want_count", "Only count the tilings.")
@option("--first", whole(1), "List the first N tilings.")
@option("--sample", whole(1), "Show N tilings that a random search finds: they differ everywhere.")
@seed_option
@option(
    "--orientations",
    get_args(Orientations),
    "fixed: pieces as given; rotations: also turned; all: also turned and mirrored.",
    default="all",
)
@flag("--up-to-symmetry", "Count tilings that are turns or mirror images of each other once.")
@flag("--use-all", "Use up every piece that is not unlimited.")
@option(
    "--method", get_args(Method), "The search method; the answers are the same.", default="auto"
)
@option(
    "--style",
    ["letters", "lines", "colors"],
    "How to draw tilings as text; colors needs a terminal. [default: colors on a terminal, letters "
    "elsewhere]",
)
@option(
    "-o --output outputs",
    FILE,
    "Write the tilings to a file instead: .txt, .json, .png or .svg; may be given several times.",
    multiple=True,
    metavar="FILE",
)
@option("--scale", whole(1, 200), "Pixels per cell of a picture.", default=24)
@json_option
def command(
    board: str,
    pieces: str,
    want_all: bool,
    want_count: bool,
    first: int | None,
    sample: int | None,
    seed: int,
    orientations: Orientations,
    up_to_symmetry: bool,
    use_all: bool,
    method: Method,
    style: str | None,
    outputs: tuple[Path, ...],
    scale: int,
    as_json: bool,
) -> None:
    """Tile BOARD with PIECES.

    BOARD is a size such as 6x10 (6 wide, 10 high), or a file ('-': standard input) with a
    drawing in which '.' is a free cell and '#' a blocked one.

    PIECES are separated by commas: names of polyominoes of 1 to 6 cells (I2, V3, T4, F5,
    H01 to H35; L4' is mirrored, V3@1 turned), drawings such as ##/#., or sets (monominoes,
    dominoes, trominoes, tetrominoes, pentominoes, hexominoes, each also as one-sided-...). A piece
    may be used once, with *N up to N times, with *inf any number of times; dominoes and monominoes
    are unlimited. PIECES may also be a file ('-': standard input) of drawings with blank lines
    between them, each under an optional line NAME*N.

    Exit code 1: there is no tiling; the message gives the reason if a short one is known.
    """
    if want_all + want_count + (first is not None) + (sample is not None) > 1:
        raise InputError(
            "--all, --count, --first and --sample cannot be used together; use one of them"
        )
    if want_count and outputs:
        raise InputError("--count and --output cannot be used together; leave one of them out")
    for path in outputs:
        files.check_extension(path, _EXTENSIONS)
        files.check_writable(path)
    files.refuse_overwriting_inputs(outputs, [board, pieces])
    problem = TilingProblem(*_read_problem(board, pieces, orientations, use_all))
    if want_count:
        with show_measured_progress("counting") as report:
            tiling_count = count_covers(
                problem, method, up_to_symmetry=up_to_symmetry, report=report
            )
        if as_json:
            answer = _describe_problem(problem, up_to_symmetry) | {"count": tiling_count}
            if not tiling_count:
                answer |= _describe_argument(find_argument(problem))
            click.echo(json.dumps(answer))
        else:
            click.echo(tiling_count)
        if not tiling_count:
            _report_no_tiling(problem, board, pieces)
        return

    limit = None if want_all else (first or 1)
    with show_measured_progress("sweeping") as report:
        found_covers = (
            iterate_covers(
                problem, method, up_to_symmetry=up_to_symmetry, limit=limit, report=report
            )
            if sample is None
            else iter(sample_covers(problem, sample, seed, method, up_to_symmetry=up_to_symmetry))
        )
        first_cover = next(found_covers, None)
    if first_cover is None:
        if as_json:
            answer = _describe_problem(problem, up_to_symmetry)
            answer |= _describe_argument(find_argument(problem))
            click.echo(json.dumps(answer | {"tilings": []}))
        _report_no_tiling(problem, board, pieces)
        return
    found_covers = itertools.chain([first_cover], found_covers)
    if outputs:
        covers = list(found_covers)
        for path in outputs:
            _write_tilings(path, problem, covers, scale, up_to_symmetry)
        if as_json:
            answer = _describe_problem(problem, up_to_symmetry) | {"written": len(covers)}
            click.echo(json.dumps(answer))
        else:
            names = ", ".join(map(str, outputs))
            click.echo(f"{names}: {format_count(len(covers), 'tiling')}")
        return
    if as_json:
        sys.stdout.writelines(_yield_json(problem, found_covers, up_to_symmetry))
    else:
        _print_tilings(problem, found_covers, style)
    sys.stdout.flush()


def _read_problem(
    board: str, pieces: str, orientations: Orientations, use_all: bool
) -> tuple[TilingBoard, PieceSet]:
    """Read board and pieces from the arguments, from files or from standard input."""
    if board == pieces == "-":
        raise InputError("only one of BOARD and PIECES can come from standard input")
    if re.fullmatch(r"\d{1,9}[xX]\d{1,9}", board):
        tiling_board = TilingBoard.parse(board)
    elif board == "-" or files.is_file(board):
        tiling_board = TilingBoard.parse(*files.read_input(board, "a drawing of a board"))
    else:
        raise InputError(
            f"invalid BOARD {board!r}; expected a size such as 6x10 or an existing file"
        )
    if pieces == "-" or files.is_file(pieces):
        text, name = files.read_input(pieces, "drawings of pieces")
        return tiling_board, PieceSet.parse_drawings(text, name, orientations, use_all=use_all)
    return tiling_board, PieceSet.parse(pieces, orientations, use_all=use_all)


def _report_no_tiling(problem: TilingProblem, board: str, pieces: str) -> None:
    """Print why there is no tiling and what makes one possible, and end with exit code 1."""
    argument = find_argument(problem)
    sentence = f"no tiling: {argument or 'searched exhaustively'}"
    missing = (
        0 if "-" in (board, pieces) or files.is_file(pieces) else find_missing_monominoes(problem)
    )
    if missing:
        sentence += f"; with {shlex.quote(f'{pieces},monominoes*{missing}')} there is one"
    click.echo(sentence, err=True)
    if argument is not None and argument.name.startswith("weights"):
        for row in argument.weights:
            click.echo("".join(map(str, row)), err=True)
    raise click.exceptions.Exit(1)


def _describe_argument(argument: Argument | None) -> dict[str, object]:
    """Return the reason why there is no tiling, as entries for JSON."""
    if argument is None:
        return {"argument": None, "reason": "searched exhaustively"}
    answer: dict[str, object] = {"argument": argument.name, "reason": argument.reason}
    if argument.weights:
        answer["weights"] = argument.weights
    return answer


def _describe_problem(problem: TilingProblem, up_to_symmetry: bool) -> dict[str, object]:
    """Return the problem as entries for JSON."""
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


def _yield_json(
    problem: TilingProblem, found_covers: Iterator[Cover], up_to_symmetry: bool
) -> Iterator[str]:
    """Yield a JSON document piece by piece, since it may be too long for the memory."""
    yield json.dumps(_describe_problem(problem, up_to_symmetry))[:-1] + ', "tilings": ['
    names = [piece.name for piece in problem.pieces.pieces]
    placements = [
        json.dumps({"piece": names[placement.kind], "cells": placement.cells})
        for placement in problem.placements
    ]
    covers, to_draw = itertools.tee(found_covers)
    count = 0
    for cover, text in zip(covers, draw_tilings(problem, to_draw), strict=True):
        rows = json.dumps(text.split("\n"))
        cover_placements = ", ".join(placements[number] for number in cover)
        yield f'{", " if count else ""}\n{{"rows": {rows}, "placements": [{cover_placements}]}}'
        count += 1
    yield f'], "count": {count}}}\n'


def _print_tilings(problem: TilingProblem, covers: Iterator[Cover], style: str | None) -> None:
    """Print tilings with a blank line between them; in colours on a terminal that has some."""
    from tetrisprinter.render.terminal import detect_color_mode

    if style is None:
        has_colors = sys.stdout.isatty() and detect_color_mode() != "none"
        style = "colors" if has_colors else "letters"
    if style == "letters":
        drawings = draw_tilings(problem, covers)
    else:
        from tetrisprinter.render.still import draw_in_color

        is_plain = style == "lines" or not sys.stdout.isatty()
        mode = "none" if is_plain else detect_color_mode()
        drawings = (draw_in_color(problem.make_tiling(cover), mode) for cover in covers)
    separator = ""
    while chunk := list(itertools.islice(drawings, _CHUNK_SIZE)):
        sys.stdout.write(separator + "\n\n".join(chunk) + "\n")
        separator = "\n"


def _write_tilings(
    path: Path,
    problem: TilingProblem,
    covers: Sequence[Cover],
    scale: int,
    up_to_symmetry: bool,
) -> None:
    """Write tilings to a file in the format of its extension."""
    suffix = path.suffix.lower()
    if suffix in (".png", ".svg"):
        from tetrisprinter.render.still import draw_tilings_png, draw_tilings_svg

        tilings = [problem.make_tiling(cover) for cover in covers]
        if suffix == ".png":
            files.write_bytes(path, draw_tilings_png(tilings, scale))
        else:
            files.write_text(path, draw_tilings_svg(tilings, scale))
    elif suffix == ".json":
        files.write_text(path, "".join(_yield_json(problem, iter(covers), up_to_symmetry)))
    else:
        files.write_text(path, "\n\n".join(draw_tilings(problem, covers)) + "\n")
