"""``tetrisprinter patterns show``: show the tables of patterns."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tetrisprinter.cli.options import COLUMNS, json_option, option
from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.packings import tables
from tetrisprinter.packings.problem import Packing, list_emitter_positions


@click.command("show")
@click.argument("table", metavar="N|platforms")
@option("--at columns", COLUMNS, "Show only the pattern with these positions.")
@json_option
def command(table: str, columns: tuple[int, ...] | None, as_json: bool) -> None:
    """Show the patterns of N emitted squares, or the platforms.

    In a terminal each piece has the colour of its type, the emitter pieces (and the T of
    a platform) are white.
    """
    packings = _select_patterns(table, columns)
    if as_json:
        entries = [
            {
                "at": [preset[0][0] for preset in packing.problem.presets],
                "rows": packing.problem.rows,
                "packing": str(packing).split("\n"),
            }
            for packing in packings
        ]
        click.echo(json.dumps({"table": table, "patterns": entries}))
    else:
        # click strips the colours if stdout is not a terminal
        click.echo("\n\n".join(map(_color_letters, packings)))


def _select_patterns(table: str, columns: tuple[int, ...] | None) -> list[Packing]:
    """Return the patterns of a table, or only those whose emitter pieces begin at ``columns``."""
    root = Path(str(tables.get_tables_folder()))
    if table == "platforms":
        platforms = tables.read_platform_table(root / tables.PLATFORMS_FILE)
        if columns is None:
            return platforms
        platforms_at_columns = [p for p in platforms if p.problem.presets[0][0][0] in columns]
        if not platforms_at_columns:
            raise InputError(f"no platform has its T at column {','.join(map(str, columns))}")
        return platforms_at_columns
    if not table.isdecimal() or int(table) not in tables.EMITTED:
        raise InputError(
            f"unknown table {table!r}; expected 'platforms' or a number of emitted squares, 1 to "
            f"{tables.EMITTED[-1]}"
        )
    emitted = int(table)
    if columns is None:
        return tables.read_emitter_table(root / tables.name_emitter_file(emitted), emitted)
    if columns not in list_emitter_positions(emitted):
        raise InputError(
            f"--at: invalid positions {','.join(map(str, columns))}; expected {emitted} columns "
            f"from 0 to {tables.TABLE_WIDTH - 3}, at least three apart"
        )
    return [tables.look_up_emitters(columns)]


_COLORS = dict(
    zip(PieceType, ("cyan", "blue", "bright_red", "yellow", "green", "magenta", "red"), strict=True)
)


def _color_letters(packing: Packing) -> str:
    """Return the text form of a packing with each letter on the colour of its piece."""
    color_of = {cell: "white" for preset in packing.problem.presets for cell in preset}
    for piece in packing.pieces:
        color_of |= dict.fromkeys(piece.cells, _COLORS[piece.orientation.piece])
    rows = packing.problem.rows
    return "\n".join(
        "".join(
            click.style(letter, fg="black", bg=color_of[x, rows - 1 - line])
            for x, letter in enumerate(text)
        )
        for line, text in enumerate(str(packing).split("\n"))
    )
