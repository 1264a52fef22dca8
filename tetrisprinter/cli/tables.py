"""``tetrisprinter patterns show`` and ``build``: the tables of patterns, shown and built again."""

from __future__ import annotations

import json
import time
from pathlib import Path

import click

from tetrisprinter.cli.options import (
    COLUMNS,
    FILE,
    FOLDER,
    dask_option,
    flag,
    json_option,
    option,
    seed_option,
    whole,
    workers_option,
)
from tetrisprinter.cli.progress import show_counted_progress
from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.packings import tables
from tetrisprinter.packings.finders import FINDERS
from tetrisprinter.packings.problem import Packing, list_emitter_positions
from tetrisprinter.support.counts import format_count
from tetrisprinter.support.executors import Machines
from tetrisprinter.support.files import make_folder, write_text


@click.command("show")
@click.argument("table", metavar="N|platforms")
@option("--at columns", COLUMNS, "Show only the pattern with these positions.")
@json_option
def show_table(table: str, columns: tuple[int, ...] | None, as_json: bool) -> None:
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


_PLATFORM_COLUMNS = tables.TABLE_WIDTH - 2


@click.command("build")
@option("-o --output", FILE, "The folder for the tables.", default=Path("patterns"))
@option(
    "--emitted",
    whole(1, len(tables.EMITTED)),
    "Build only the table for this number of emitted squares; may be given several times.",
    multiple=True,
)
@option(
    "--finder",
    list(FINDERS),
    "The search method. Only the default builds the tables of the package, byte for byte; other "
    "methods find other patterns of the same heights.",
    default="fastest",
)
@flag("--prove", "Certify that no smaller pattern exists; existing certificates are kept.")
@option("--encodings", FOLDER, "The folder for the certificates.", default=Path("encodings"))
@seed_option
@workers_option
@dask_option
@json_option
def build_tables(
    output: Path,
    emitted: tuple[int, ...],
    prove: bool,
    encodings: Path,
    finder: str,
    seed: int,
    workers: int,
    dask: str | None,
    as_json: bool,
) -> None:
    """Search all patterns again and write their tables.

    Each table is written as soon as it is complete; until then its patterns are stored in
    a .journal file beside it, and the same command continues from there after an interrupt.
    Without --emitted the platforms are built, too. With --prove a table is complete when every
    smaller height has been proved impossible for gap-free games; if a proof finds a smaller
    pattern, it replaces the larger one.
    """
    make_folder(output)
    reports: list[dict[str, object]] = []

    def write_table(name: str, packings: list[Packing], started: float) -> None:
        write_text(output / name, tables.format_table(packings))
        by_rows: dict[str, int] = {}
        for packing in packings:
            key = str(packing.problem.rows)
            by_rows[key] = by_rows.get(key, 0) + 1
        seconds = round(time.perf_counter() - started, 2)
        reports.append(
            {"file": name, "patterns": len(packings), "by_rows": by_rows, "seconds": seconds}
        )
        if not as_json:
            counts = ", ".join(f"{count} of {rows} rows" for rows, count in by_rows.items())
            total = format_count(len(packings), "pattern")
            click.echo(f"{output / name}: {total} ({counts}), {seconds} s")

    for emitted_count in sorted(set(emitted)) or tables.EMITTED:
        started = time.perf_counter()
        total = sum(1 for _ in list_emitter_positions(emitted_count))
        with show_counted_progress(f"patterns of {emitted_count}", total) as on_pattern:
            packings = tables.build_emitters(
                emitted_count,
                seed=seed,
                finder=finder,
                machines=Machines(workers, dask),
                journal=output / f".{tables.name_emitter_file(emitted_count)}.journal",
                on_pattern=on_pattern,
            )
        if prove:
            from tetrisprinter.packings.certificates import prove_emitters

            with show_counted_progress(f"proofs of {emitted_count}", None) as on_certificate:
                packings = prove_emitters(
                    packings, encodings, on_certificate=lambda _: on_certificate()
                )
        write_table(tables.name_emitter_file(emitted_count), packings, started)
    if not emitted:
        started = time.perf_counter()
        with show_counted_progress("platforms", _PLATFORM_COLUMNS) as on_pattern:
            packings = tables.build_platforms(seed=seed, finder=finder, on_pattern=on_pattern)
        if prove:
            from tetrisprinter.packings.certificates import prove_platforms

            with show_counted_progress("proof", None):
                prove_platforms(packings, encodings)
        write_table(tables.PLATFORMS_FILE, packings, started)
    if as_json:
        click.echo(json.dumps({"tables": reports}))
