"""The checkpoint of a print row by row: each finished row is written to disk at once.

Each finished row is one line in a file, and each segment that begins with a clean row has a file of
its own. A process that is killed loses only its current row. The files lie in a folder beside the
plan. A later print of the same task continues from them, and the folder is removed when the print
is done.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import ORIENTATIONS, Placement
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.printing.task import Task
from tetrisprinter.support.executors import Journal
from tetrisprinter.support.files import write_text

_SUFFIX: Final = ".rows"


@dataclass(frozen=True, slots=True)
class RowsJournal:
    """The checkpoint folder of a print."""

    folder: Path  # holds the files; it need not exist
    # A hash of picture, board, types and background; rows of another job are refused
    job: str
    resumes: bool = False  # whether a print continues from the saved rows

    @classmethod
    def of(cls, task: Task, plan: Path, *, resumes: bool = False) -> RowsJournal:
        """Return the journal of a task whose plan is written to a file."""
        key = (
            task.picture.rows, str(task.board), task.column, str(task.types), task.background,
        )  # fmt: skip
        job = sha256(json.dumps(key).encode()).hexdigest()
        return cls(plan.with_name(plan.name + _SUFFIX), job, resumes)

    def clear(self) -> None:
        """Remove the folder and its files."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def make_writer(
        self, first_row: int = 0, skipped_passes: int = 0
    ) -> Callable[[Plan, int], None]:
        """Return a function that saves a plan after each row, without the first passes."""
        return _JournalWriter(self, first_row, skipped_passes).save_rows

    def read(self, first_row: int = 0) -> tuple[Sequence[Pass], int, Plan | None]:
        """Return the saved passes of a segment, the printed rows, and the plan without passes."""
        file = self._open_file(first_row)
        lines = file.read()
        passes: list[Pass] = []
        rows, header = first_row, None
        for number in range(len(lines)):
            line = lines.get(file.make_key(number))
            if line is None:
                break
            rows, header = line["rows"], Plan.parse(line["plan"], str(file.path))
            passes += _decode_passes(line["passes"])
        if lines and header is None:
            raise InputError(
                f"{self.folder}: rows of another picture, board or other types; remove the "
                "folder, or repeat the command that wrote it"
            )
        return passes, rows, header

    def gather_rows(self) -> Plan | None:
        """Return the plan of all saved rows from row 0 upwards; None if row 0 is missing."""
        passes: list[Pass] = []
        plan: Plan | None = None
        row = 0
        while True:
            segment_passes, rows, header = self.read(row)
            if header is None or rows <= row:
                return None if plan is None else replace(plan, passes=tuple(passes))
            passes += segment_passes
            plan, row = header, rows

    def count_segments(self) -> int:
        """Return the number of checkpoint files, one per segment."""
        return sum(1 for _ in self._list_paths())

    def _list_paths(self) -> Iterator[Path]:
        with contextlib.suppress(OSError):
            yield from self.folder.glob("*.jsonl")

    def _open_file(self, first_row: int) -> Journal:
        return Journal(self.folder / f"{first_row:05}.jsonl", self.job)


@dataclass(slots=True)
class _JournalWriter:
    """A writer that appends the passes added to a plan since its last call."""

    journal: RowsJournal
    first: int  # first row of the segment
    before: int  # number of passes that are left out
    number: int = 0  # number of written lines
    written: tuple[Pass, ...] = ()  # the passes in these lines

    def save_rows(self, plan: Plan, rows: int) -> None:
        """Add the new passes to the file, or write it again if earlier passes have changed."""
        passes = plan.passes[self.before :]
        file = self.journal._open_file(self.first)
        starts_over = not self.number or passes[: len(self.written)] != self.written
        if starts_over:
            self.number, self.written = 0, ()
        entry = {
            "rows": rows,
            "plan": str(replace(plan, passes=())),
            "passes": [_encode_pass(pass_) for pass_ in passes[len(self.written) :]],
        }
        text = json.dumps([file.make_key(self.number), entry]) + "\n"
        try:
            if starts_over:
                self.journal.folder.mkdir(parents=True, exist_ok=True)
                write_text(file.path, text)
            else:
                with file.path.open("a", encoding="utf-8") as out:
                    out.write(text)
        except OSError as error:
            raise InputError(f"{file.path}: cannot be written: {error.strerror}") from error
        self.number, self.written = self.number + 1, passes


def _encode_pass(pass_: Pass) -> list[Any]:
    return [pass_.height, [[piece.orientation.index, piece.x, piece.y] for piece in pass_.pieces]]


def _decode_passes(data: list[Any]) -> Iterator[Pass]:
    for height, pieces in data:
        yield Pass(height, tuple(Placement(ORIENTATIONS[index], x, y) for index, x, y in pieces))
