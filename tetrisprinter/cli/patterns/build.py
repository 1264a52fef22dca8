"""``tetrisprinter patterns build``: build the tables of patterns again."""

from __future__ import annotations

import json
import time
from pathlib import Path

import click

from tetrisprinter.cli.options import (
    FILE,
    FOLDER,
    Whole,
    dask_option,
    flag,
    json_option,
    option,
    seed_option,
    workers_option,
)
from tetrisprinter.cli.progress import show_counted_progress
from tetrisprinter.packings import tables
from tetrisprinter.packings.finders import FINDERS
from tetrisprinter.packings.problem import Packing, list_emitter_positions
from tetrisprinter.support.counts import format_count
from tetrisprinter.support.executors import Machines
from tetrisprinter.support.files import make_folder, write_text

_PLATFORM_COLUMNS = tables.TABLE_WIDTH - 2


@click.command("build")
@option("-o --output", FILE, "The folder for the tables.", default=Path("patterns"))
@option(
    "--emitted",
    Whole(1, len(tables.EMITTED)),
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
def command(
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
            click.echo(f"{output / name}: {_format_counts(len(packings), by_rows)}, {seconds} s")

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


def _format_counts(patterns: int, by_rows: dict[str, int]) -> str:
    """Return the number of patterns as text: the total, and the number for each height."""
    counts_by_rows = ", ".join(f"{count} of {rows} rows" for rows, count in by_rows.items())
    return f"{format_count(patterns, 'pattern')} ({counts_by_rows})"
