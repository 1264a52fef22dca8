"""The rows of a print that was interrupted: kept beside the plan, and continued from.

While a large picture is printed, each finished row is put down in a folder beside the plan, its
checkpoint, whatever ends the command. ``--resume`` continues from there. The plan itself is
written only when it is complete.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import click

from tetrisprinter.formats import read_game
from tetrisprinter.game.plan import Plan
from tetrisprinter.planners.journal import RowsJournal
from tetrisprinter.printing.task import Task


@dataclass(slots=True)
class RowsCheckpoint:
    """The rows of a task that survive an interrupt."""

    task: Task  # what is printed
    path: Path  # where the plan is going to be
    resumes: bool = False  # whether the print goes on from them
    journal: RowsJournal = field(init=False)  # where the rows are until then

    def __post_init__(self) -> None:
        self.journal = RowsJournal.of(self.task, self.path, resumes=self.resumes)

    def read_plan(self) -> Plan | None:
        """Return the plan of the rows that are there; None, and a word of it, if none are."""
        found = self.journal.gather_rows()
        if found is None and self.path.is_file():
            found = read_game(self.path)
        if found is None:
            click.echo(f"{self.path}: nothing to resume; starting over", err=True)
        return found

    @contextmanager
    def announce_on_failure(self) -> Iterator[None]:
        """Say where the rows are if the block does not end well."""
        try:
            yield
        except BaseException:
            if self.journal.segments():
                click.echo(
                    f"{self.journal.folder}: the rows so far; the same command with --resume "
                    "continues from there",
                    err=True,
                )
            raise

    def delete(self) -> None:
        """Forget the rows: the plan is written."""
        self.journal.clear()
