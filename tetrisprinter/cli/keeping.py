"""The rows of a print that was interrupted: kept beside the plan, and gone on from.

While a planner prints, each row it finishes is put down in a journal beside the plan. When
the command ends before the print does, for whatever reason that lets it do anything at all,
the rows are written to the plan itself, in the plan's own format; a process that is killed
leaves the journal. Either is what ``--resume`` goes on from.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import click

from tetrisprinter.errors import JobError
from tetrisprinter.formats import FORMATS, find_format, game_text, read_game
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.picture import Color
from tetrisprinter.planners.journal import RowsJournal
from tetrisprinter.printing.task import Task
from tetrisprinter.support.files import write_text

__all__ = ["Kept"]


@dataclass(slots=True)
class Kept:
    """The rows of a task that are to survive an interrupt.

    Attributes
    ----------
    task : Task
        What is printed.
    path : Path
        Where the plan is going to be.
    resumes : bool
        Whether the print goes on from them.
    background : str or None
        What plans of theirs are drawn on.
    journal : RowsJournal
        Where the rows are until then.
    """

    task: Task
    path: Path
    resumes: bool = False
    background: Color | None = None
    journal: RowsJournal = field(init=False)
    _last: Plan | None = None

    def __post_init__(self) -> None:
        self.journal = RowsJournal.of(self.task, self.path, resumes=self.resumes)

    def keep(self, plan: Plan) -> None:
        """Remember the plan so far."""
        self._last = plan

    def begun(self) -> Plan | None:
        """Return the plan of the rows that are there; None, and a word of it, if none are.

        Raises
        ------
        InputError
            If the plan cannot be read, or the rows are those of another print.
        """
        found = self.journal.gathered()
        if found is None and self.path.is_file():
            found = read_game(self.path)
        if found is None:
            click.echo(f"{self.path}: there is nothing to go on from; begun anew", err=True)
        return found

    @contextmanager
    def saved(self) -> Iterator[None]:
        """Write the rows to the plan if the block does not end well."""
        try:
            yield
        except BaseException:
            self._save()
            raise

    def done(self) -> None:
        """Forget the rows: the plan is written."""
        self.journal.clear()

    def _save(self) -> None:
        plan = self.journal.gathered() or self._last
        if plan is None:
            return
        plan = replace(plan, background=self.background)
        path = self.path
        try:
            text = game_text(plan, path, self.task.name)
        except JobError:  # the format cannot express what there is so far
            path = path.with_name(f"{path.name}.txt")
            text = str(plan)
        write_text(path, text)
        is_text = (find_format(path) or FORMATS["text"]) is FORMATS["text"]
        if path == self.path and is_text and self.journal.segments() == 1:
            self.journal.clear()  # the plan says it all
        click.echo(
            f"{path}: the plan of the rows so far; the same command with --resume goes on from "
            "there",
            err=True,
        )
