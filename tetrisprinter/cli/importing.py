"""``tetrisprinter import``: a game of another program -> plan."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tetrisprinter.cli.exporting import Exporting, exporting_options, start_line
from tetrisprinter.cli.naming import formats_by_extension
from tetrisprinter.cli.options import Size, json_option
from tetrisprinter.cli.words import counted
from tetrisprinter.formats import FORMATS, count_skipped_moves, read_game
from tetrisprinter.support.files import check_apart, check_writable, write_text

__all__ = ["command", "foreign_formats", "game_board_option"]


def foreign_formats() -> str:
    """List the formats besides the plan's own: ``an art file, a fumen or ...``."""
    *others, last = [form.summary for name, form in FORMATS.items() if name != "text"]
    return f"{', '.join(others)} or {last}"


game_board_option = click.option(
    "--board",
    type=Size("board such as 10x22"),
    help="Board of an art file that does not say. [default: 10x22]",
)


@click.command(
    "import",
    help=f"Read FILE, {foreign_formats()}, play it by its rules, and write it as a plan.",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help=f"Plan to write; {formats_by_extension()}.",
)
@game_board_option
@exporting_options
@click.option(
    "--strict", is_flag=True, help="Say which moves of an art file its game does not make."
)
@json_option
def command(
    file: Path,
    output: Path,
    board: tuple[int, int] | None,
    exporting: Exporting,
    strict: bool,
    as_json: bool,
) -> None:
    """Read a game, play it by its rules, and write it as a plan."""
    check_writable(output)
    check_apart([output], [file])
    exporting.writer(output)
    plan = read_game(file, board)
    skipped = count_skipped_moves(file, board) if strict else []
    for sentence in skipped:
        click.echo(sentence, err=True)
    plan, text = exporting.export(output).text(plan, str(file))
    write_text(output, text)
    start = start_line(output)
    report = {
        "file": str(file),
        "plan": str(output),
        "board": f"{plan.width}x{plan.height}",
        "drops": len(plan),
        "passes": len(plan.passes),
        **({"skipped": skipped} if strict else {}),
        **({"start": start} if start else {}),
    }
    if as_json:
        click.echo(json.dumps(report))
    else:
        passes = counted(len(plan.passes), "pass", "passes")
        board_size = report["board"]
        click.echo(f"{output}: {counted(len(plan), 'drop')} in {passes} on a board of {board_size}")
        if start:
            click.echo(f"in the game's folder: {start}")
