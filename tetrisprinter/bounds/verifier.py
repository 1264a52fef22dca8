"""The verifier of bounds, which believes nothing and needs no solver.

What is to be proved is asked again here, from the picture on. Between the bound of arithmetic
and the one that is claimed lie some numbers of drops; a game of so many clears some number of
rows and leaves some squares more than required, and each such pair is a
:class:`~tetrisprinter.bounds.catalogue.Question`. The certificate names views that no game has
for each. Every view is a formula without a model, and so is the catalogue of all stacks
that these views leave: these are the *units*. The formula of each is made again, compared
byte by byte with the one in the folder, and given to the checkers with its proofs.

To read all that a bound depends on, read ``windows``, ``stacks``, ``cnf``, ``formula``,
``catalogue`` and this, in that order, beside ``docs/bounds.md``, which proves that every game gives
a model of each of these formulas; then a checker, ``packings/proofs/lrat.py``. No solver and no
search is among them, and nothing that makes certificates.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from tetrisprinter.bounds.catalogue import Catalogue, Question, questions_below
from tetrisprinter.bounds.claimed import BOUND, BoundCertificate, Files, read_bound, view_data
from tetrisprinter.bounds.counting import COUNTING, counted_bound
from tetrisprinter.bounds.formula import WindowFormula
from tetrisprinter.bounds.stacks import Refuted, Scene, final_rows, scene
from tetrisprinter.errors import JobError, TetrisPrinterError
from tetrisprinter.packings.proofs.checkers import check_proof
from tetrisprinter.packings.proofs.files import load
from tetrisprinter.printing.target import Target
from tetrisprinter.support.cutting_planes import CountingError, check
from tetrisprinter.support.executors import HERE, Machines, in_order
from tetrisprinter.support.files import read_text

__all__ = ["Checked", "Unit", "needed", "units_of", "verify_bound"]


@dataclass(frozen=True, slots=True)
class Unit:
    """A formula to be proved or checked: a view, or the catalogue of a question."""

    question: Question
    views: tuple[Refuted, ...]
    is_catalogue: bool

    @property
    def _scene(self) -> Scene:
        (one,) = self.views
        return scene(self.question.target, one.view, one.spare)

    @property
    def name(self) -> str:
        """A name for files, of what is said: the same formula is proved once."""
        if self.is_catalogue:
            question = self.question
            views = [view_data(one) for one in self.views]
            said = repr((question.target.rows, question.target.numbers(), question.lines, views))
            return f"lines{question.lines}-{sha256(said.encode('ascii')).hexdigest()[:16]}"
        seen = self._scene
        there = seen.target
        rows = (there.allowed, sorted(there.required), there.shades, seen.window, seen.numbers)
        said = repr((there.width, there.height, rows, self.views[0].without))
        return f"view-{sha256(said.encode('ascii')).hexdigest()[:16]}"

    def formula(self) -> tuple[str, list[tuple[int, ...]]]:
        """Return the formula that has no model, as text and as clauses."""
        if self.is_catalogue:
            cnf = Catalogue(self.question, self.views).cnf
        else:
            (one,) = self.views
            window = WindowFormula(self._scene)
            cnf = window.cnf
            for key in one.without:
                cnf.any_of(-window.shows[key])
        return cnf.dimacs(), cnf.clauses


def units_of(question: Question, views: tuple[Refuted, ...]) -> Iterator[Unit]:
    """Yield what has to be proved to refute a question: each view, and that these are all."""
    for one in views:
        yield Unit(question, (one,), is_catalogue=False)
    yield Unit(question, views, is_catalogue=True)


def needed(claimed: BoundCertificate) -> dict[str, Unit]:
    """Return what has to be proved for a bound to hold, each formula once, by its name.

    Raises
    ------
    JobError
        If a question is not answered that lies below the bound, or a view is none of this picture.
    """
    target = final_rows(claimed.task.target)
    found: dict[str, Unit] = {}
    for question in questions_below(target, claimed.bound):
        key = (question.lines, question.spare)
        if key not in claimed.views:
            raise JobError(
                f"nothing refutes {question.lines} cleared rows with {question.spare} spare "
                f"squares, so fewer than {claimed.bound} drops are not refuted"
            )
        for one in claimed.views[key]:
            _check_view(one, target, question)
        found |= {unit.name: unit for unit in units_of(question, claimed.views[key])}
    return found


def _check_view(one: Refuted, target: Target, question: Question) -> None:
    """See that a view is one of a stack of the picture."""
    view, rows = one.view, target.rows
    last = view.picture_rows.stop
    fits = view.picture_rows and last <= rows and sum(view.counts) <= question.lines
    if not fits or (view.floor and view.first) or (view.top and last != rows):
        raise JobError(f"a view from row {view.first} on is none of this picture")
    if one.spare < question.spare:
        raise JobError(f"a view supposes fewer than {question.spare} squares too many")
    if any(shade not in target.numbers() for _, shade in one.without):
        raise JobError("a view supposes colours of types that are no colours of the picture")


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of a formula: by whom its proof was checked, or why it was refused."""

    name: str
    checkers: tuple[str, ...]
    error: str | None
    seconds: float


def verify_bound(
    folder: str | Path, checkers: tuple[str, ...], machines: Machines = HERE
) -> Iterator[Checked]:
    """Check the certificate of a bound.

    Parameters
    ----------
    folder : str or Path
        With a :data:`BOUND`.
    checkers : tuple of str
        Who checks.
    machines : Machines
        Who does it; all of them must see the folder.

    Yields
    ------
    Checked
        One for each formula, whether it was accepted or not.

    Raises
    ------
    InputError
        If the certificate cannot be read.
    JobError
        If a question or a proof is missing.
    """
    claimed = read_bound(folder)
    units = []
    for name, unit in needed(claimed).items():
        if name not in claimed.proofs:
            raise JobError(f"{Path(folder) / BOUND}: the proof of {name} is missing")
        units.append((unit, claimed.proofs[name], Path(folder).absolute(), checkers))
    yield from in_order(_check, units, machines=machines)
    yield from _counted(claimed, Path(folder))


def _counted(claimed: BoundCertificate, folder: Path) -> Iterator[Checked]:
    """Check the arithmetic where it is there as a proof; :func:`needed` did the same sums."""
    began, error = time.perf_counter(), ""
    lines = {lines for lines, _ in claimed.views}
    asked = counted_bound(final_rows(claimed.task.target), claimed.bound, lines)
    if asked is None or not all((folder / name).exists() for name in COUNTING):
        return
    formula, proof = (read_text(folder / name) for name in COUNTING)
    try:
        if formula != asked.formula:
            raise CountingError("is not the formula of what is claimed")
        check(formula, proof)
    except CountingError as refusal:
        error = f"{COUNTING[formula == asked.formula]}: {refusal}"
    yield Checked("counting", ("own",), error or None, time.perf_counter() - began)


def _check(asked: tuple[Unit, Files, Path, tuple[str, ...]]) -> Checked:
    unit, (formula, drat, lrat), folder, checkers = asked
    began = time.perf_counter()
    error = None
    try:
        text, _ = unit.formula()
        if load(folder, formula) != text:
            raise JobError(f"{formula.name}: is not the formula of what is claimed")
        check_proof(folder, text, (drat, lrat), checkers)
    except TetrisPrinterError as refusal:
        error = str(refusal)
    return Checked(unit.name, checkers, error, time.perf_counter() - began)
