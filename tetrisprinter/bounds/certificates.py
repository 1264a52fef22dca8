"""Certificates of bounds, made: each impossible view with its proof, and that these are all.

What is found is kept in the folder while the search goes on (:class:`Record`); in the end the
folder says what it proves (:mod:`~tetrisprinter.bounds.claimed`). Who checks it is
:mod:`~tetrisprinter.bounds.verifier`, which knows nothing of how it was made.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tetrisprinter.bounds.catalogue import Question, questions_below
from tetrisprinter.bounds.claimed import (
    BOUND,
    FORMAT,
    read_bound,
    read_view,
    task_data,
    view_data,
)
from tetrisprinter.bounds.counting import COUNTING, counted_bound
from tetrisprinter.bounds.formula import ENCODING
from tetrisprinter.bounds.proving import Bound, OutOfTimeError, Step
from tetrisprinter.bounds.stacks import Refuted, final_rows
from tetrisprinter.bounds.verifier import Unit, units_of
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.packings.finders.sat import Refutation, decide
from tetrisprinter.packings.proofs.certificates import store_proof
from tetrisprinter.printing.obstacles import target_of
from tetrisprinter.printing.result import GAMES
from tetrisprinter.printing.task import Task
from tetrisprinter.support.executors import HERE, Machines, in_order
from tetrisprinter.support.files import made_folder, read_text, write_text

__all__ = ["Record", "certify_bound"]

_BEGUN: Final = "begun.jsonl"
_PRESET: Final = 1
"""How hard files are packed; more takes longer than to find the proofs."""


@dataclass(slots=True)
class Record:
    """What was found and proved so far, kept in a folder while the search goes on.

    Attributes
    ----------
    folder : Path
        Where the certificate goes; made if need be.
    task : Task
        What is bounded.
    machines : Machines
        Who writes proofs; all of them must see the folder.
    ends : float
        ``time.time()`` at which writing ends.
    known : dict of Question to list of Refuted
        Views that an earlier run found, for the same task.
    proved : dict of str to list of str
        For each formula that is proved the solver, and names and checksums of its files.
    """

    folder: Path
    task: Task
    machines: Machines = HERE
    ends: float = float("inf")
    known: dict[Question, list[Refuted]] = field(default_factory=dict)
    proved: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        made_folder(self.folder)
        target = final_rows(target_of(self.task))
        path = self.folder / _BEGUN
        lines = read_text(path).splitlines() if path.exists() else []
        if lines[:1] != [self._head]:
            if (self.folder / BOUND).exists():
                read_bound(self.folder, self.task)  # another task's is not overwritten
            write_text(path, self._head + "\n")
            return
        for line in lines[1:]:
            try:
                match json.loads(line):
                    case [int(count), int(spare), data]:
                        question = Question(target, count, spare)
                        self.known.setdefault(question, []).append(read_view(data))
                    case [str(name), [*files]]:
                        self.proved[name] = list(map(str, files))
            except (ValueError, InputError):
                continue  # torn

    @property
    def _head(self) -> str:
        return json.dumps({"task": task_data(self.task), "encoder": ENCODING}, sort_keys=True)

    def _write(self, *entry: object) -> None:
        with (self.folder / _BEGUN).open("a", encoding="ascii") as file:
            file.write(json.dumps(entry) + "\n")

    def remember(self, question: Question, one: Refuted) -> None:
        """Write down a view."""
        self._write(question.lines, question.spare, view_data(one))

    def forget(self) -> None:
        """Remove what was written down, and the folder if nothing else is in it."""
        (self.folder / _BEGUN).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    def prove(self, *steps: Step, on_formula: Callable[[], None] = lambda: None) -> None:
        """Write the proofs of questions that are refuted, as far as they are not there.

        Parameters
        ----------
        steps : Step
            What became of questions.
        on_formula : callable
            Called after each formula.

        Raises
        ------
        JobError
            If a formula has a model after all.
        ProofError
            If a proof does not pass our own checker.
        OutOfTimeError
            If time is up before the last of them is written.
        """
        units = {name: unit for name, unit in _units(steps).items() if name not in self.proved}
        asked = [(unit, self.folder.absolute(), self.ends) for unit in units.values()]
        for name, files in zip(units, in_order(_prove, asked, machines=self.machines), strict=True):
            if files is None:
                raise OutOfTimeError
            self.proved[name] = files
            self._write(name, files)
            on_formula()


def _units(steps: Iterable[Step]) -> dict[str, Unit]:
    """Return what is to be proved, each formula once, by its name."""
    every = (units_of(step.question, step.known) for step in steps if step.refuted)
    return {unit.name: unit for units in every for unit in units}


def _prove(unit: tuple[Unit, Path, float]) -> list[str] | None:
    """Prove a formula and write the files; their names and checksums, and the solver.

    None if time is up.
    """
    one, folder, ends = unit

    def pulse() -> None:
        if time.time() >= ends:
            raise OutOfTimeError

    try:
        pulse()
        return _proved(one, folder, pulse)
    except OutOfTimeError:
        return None


def _proved(one: Unit, folder: Path, pulse: Callable[[], None]) -> list[str]:
    text, clauses = one.formula()
    answer = decide(clauses)
    if not isinstance(answer, Refutation):
        raise JobError(f"{one.name}: has a model after all; this is a fault of the program")
    files = store_proof(folder, one.name, text, answer, preset=_PRESET, pulse=pulse)
    return [answer.solver, *(part for file in files for part in (file.name, file.sha256))]


def certify_bound(
    bound: Bound, record: Record, on_formula: Callable[[], None] = lambda: None
) -> None:
    """Write the certificate of a bound.

    Parameters
    ----------
    bound : Bound
        Of the task of the record.
    record : Record
        Of the folder where it is written; what is proved there is not proved again.
    on_formula : callable
        Called after each formula.

    Raises
    ------
    JobError, ProofError
        As by :meth:`Record.prove`.
    """
    below = set(questions_below(bound.target, bound.after))
    refuted = [step for step in bound.steps if step.question in below]
    record.prove(*refuted, on_formula=on_formula)
    data = {
        "format": FORMAT,
        "words": f"no game of {GAMES} prints the picture in fewer than {bound.after}",
        "bound": bound.after,
        "task": task_data(record.task),
        "encoder": ENCODING,
        "questions": [
            {
                "lines": step.question.lines,
                "spare": step.question.spare,
                "views": [view_data(one) for one in step.known],
            }
            for step in refuted
        ],
        "proofs": {
            name: {
                "solver": solver,
                **{
                    kind: {"file": file, "sha256": checksum}
                    for kind, file, checksum in zip(
                        ("formula", "drat", "lrat"), rest[::2], rest[1::2], strict=True
                    )
                },
            }
            for name in _units(refuted)
            for solver, *rest in [record.proved[name]]
        },
    }
    lines = [step.question.lines for step in refuted]
    counted = counted_bound(bound.target, bound.after, lines)
    if counted is not None:
        for name, text in zip(COUNTING, (counted.formula, counted.proof), strict=True):
            write_text(record.folder / name, text)
    write_text(record.folder / BOUND, json.dumps(data, indent=1) + "\n")
