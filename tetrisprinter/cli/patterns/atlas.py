"""``tetrisprinter patterns atlas``: count how many rows a matrix needs, for every width."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tetrisprinter.cli.options import NO_FOLDER, NUMBERS, dask_option, flag, option, workers_option
from tetrisprinter.cli.patterns.automaton import check_rows
from tetrisprinter.cli.progress import show_counted_progress
from tetrisprinter.errors import InputError
from tetrisprinter.packings.automaton.automaton import SHIPPED
from tetrisprinter.support.executors import Machines
from tetrisprinter.support.files import check_extension, check_writable, write_bytes

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
def command(
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
    from tetrisprinter.packings.automaton import atlas

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
    unprintable = {
        (e.width, e.emitted): list(atlas.list_unprintable(e.width, e.emitted, rows))
        for e in entries
        if positions and e.divisible_heights and e.unprintable_count
    }
    if picture is not None:
        if not entries:
            raise InputError("nothing to draw; the pieces of --emitted do not fit into --width")
        from tetrisprinter.packings.automaton.atlas import draw_heatmap

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
