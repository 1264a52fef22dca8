"""``tetrisprinter import``: a game of another program -> plan."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click

from tetrisprinter.cli.options import json_option
from tetrisprinter.errors import InputError
from tetrisprinter.formats import game_text, read_game
from tetrisprinter.support.files import check_writable, write_text

__all__ = ["command", "game_board_option"]

_BOARD = re.compile(r"([1-9]\d{0,3})x([1-9]\d{0,3})")


def _read_board(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    if value is None:
        return None
    match = _BOARD.fullmatch(value)
    if match is None:
        raise InputError(f"--board: {value!r} is not a board such as 10x22")
    return int(match[1]), int(match[2])


game_board_option = click.option(
    "--board",
    metavar="WxH",
    callback=_read_board,
    help="Board of an art file that does not say. [default: 10x22]",
)


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="Plan to write; .json is an art file, .fumen a fumen.",
)
@game_board_option
@json_option
def command(file: Path, output: Path, board: tuple[int, int] | None, as_json: bool) -> None:
    """Read FILE, an art file or a fumen, play it by its rules, and write it as a plan."""
    check_writable(output)
    plan = read_game(file, board)
    write_text(output, game_text(plan, output.suffix, str(file)))
    report = {
        "file": str(file),
        "plan": str(output),
        "board": f"{plan.width}x{plan.height}",
        "drops": len(plan),
        "passes": len(plan.passes),
    }
    if as_json:
        click.echo(json.dumps(report))
    else:
        click.echo(
            "{plan}: {drops} drops in {passes} passes on a board of {board}".format_map(report)
        )
