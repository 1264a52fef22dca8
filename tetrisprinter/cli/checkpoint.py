"""The rows of an interrupted print, stored in a folder beside the plan.

While a large picture is printed, each finished row is stored there, so that ``--resume`` continues
from the last one. The plan itself is written only when it is complete.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from tetrisprinter.formats import read_game
from tetrisprinter.game.plan import Plan
from tetrisprinter.planners.journal import RowsJournal


def read_stored_plan(journal: RowsJournal, path: Path) -> Plan | None:
    """Return the plan of the stored rows, else of the file; if there is none, say so."""
    stored = journal.gather_rows()
    if stored is None and path.is_file():
        stored = read_game(path)
    if stored is None:
        click.echo(f"{path}: nothing to resume; starting over", err=True)
    return stored


@contextmanager
def announce_rows_on_failure(journal: RowsJournal) -> Iterator[None]:
    """Print where the rows are stored if the block raises an error."""
    try:
        yield
    except BaseException:
        if journal.list_segments():
            click.echo(
                f"{journal.folder}: the rows so far; the same command with --resume "
                "continues from there",
                err=True,
            )
        raise
