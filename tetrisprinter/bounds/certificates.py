"""Certificates of bounds: every impossible view with its proof, and the proof that these are all.

A folder has the file ``bound.json``: the picture, its board and types, and for every question
that was refuted the impossible views. Each view is a formula without a model, and so is the
catalogue of the stacks that they leave; all of these have proofs.

Nothing in it is believed. The verifier asks the questions again that lie between the bound of
arithmetic and the one that is claimed, makes every formula again from the picture, compares it
byte by byte, and gives it to the checkers with its proof.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from tetrisprinter.bounds.catalogue import Catalogue, Question
from tetrisprinter.bounds.formula import ENCODING, WindowFormula
from tetrisprinter.bounds.proving import Bound, Step, next_drops, questions
from tetrisprinter.bounds.stacks import Refuted, Scene, View, final_rows, scene
from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.packings.finders.sat import Refutation, decide
from tetrisprinter.packings.proofs.certificates import check_proof, store_proof
from tetrisprinter.packings.proofs.manifest import File, load
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.obstacles import target_of
from tetrisprinter.printing.result import GAMES
from tetrisprinter.printing.target import Target, fewest_drops
from tetrisprinter.printing.task import Task
from tetrisprinter.support.executors import HERE, Machines, in_order
from tetrisprinter.support.files import made_folder, parse_json, read_text, write_text

__all__ = [
    "BOUND",
    "BoundCertificate",
    "Checked",
    "Record",
    "certify_bound",
    "read_bound",
    "verify_bound",
]

BOUND: Final = "bound.json"
"""The name of the file that says what a folder proves."""

_BEGUN: Final = "begun.jsonl"
_FORMAT: Final = 2

_PRESET: Final = 1
"""How hard files are packed; more takes longer than to find the proofs."""

Files = tuple[File, File, File]


@dataclass(frozen=True, slots=True)
class _Unit:
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
            views = [_view_data(one) for one in self.views]
            said = repr((question.target.rows, question.target.numbers(), question.lines, views))
            return f"lines{question.lines}-{sha256(said.encode('ascii')).hexdigest()[:16]}"
        seen = self._scene
        there = seen.target
        rows = (there.allowed, sorted(there.required), there.shades, seen.window, seen.numbers)
        said = repr((there.width, there.height, rows, self.views[0].types))
        return f"view-{sha256(said.encode('ascii')).hexdigest()[:16]}"

    def formula(self) -> tuple[str, list[list[int]]]:
        """Return the formula that has no model, as text and as clauses."""
        if self.is_catalogue:
            cnf = Catalogue(self.question, self.views).cnf
        else:
            (one,) = self.views
            window = WindowFormula(self._scene)
            cnf = window.cnf
            for key in one.types:
                cnf.any_of(window.shows[key])
        return cnf.dimacs(), cnf.clauses


def _view_data(one: Refuted) -> dict[str, Any]:
    view = one.view
    return {
        "first": view.first,
        "counts": list(view.counts),
        "floor": view.floor,
        "top": view.top,
        "types": [[piece.name, shade] for piece, shade in one.types],
        "spare": one.spare,
    }


def _read_view(data: object) -> Refuted:
    match data:
        case {
            "first": int(first),
            "counts": [*counts],
            "floor": bool(floor),
            "top": bool(top),
            "types": [*types],
            "spare": int(spare),
            **_rest,
        } if min(first, spare) >= 0 and all(type(count) is int and count >= 0 for count in counts):
            try:
                shown = tuple((PieceType[str(piece)], int(shade)) for piece, shade in types)
            except (KeyError, TypeError, ValueError):
                raise InputError("an impossible view names types that there are not") from None
            return Refuted(View(first, tuple(counts), floor, top), shown, spare)
    raise InputError("an impossible view lacks first, counts, floor, top, types or spare")


def _task_data(task: Task) -> dict[str, Any]:
    """Return all that a bound depends on, as plain data."""
    colors = task.type_colors
    return {
        "picture": [list(row) for row in task.picture.rows],
        "board": [task.board.width, task.board.height],
        "column": task.column,
        "types": None if colors is None else {piece.name: c for piece, c in colors.items()},
        "background": task.background,
    }


def _read_task(data: object) -> Task:
    match data:
        case {
            "picture": [*rows],
            "board": [int(width), int(height)],
            "column": int(column),
            "types": dict() | None as types,
            "background": str() | None as background,
        }:
            try:
                picture = Picture(tuple(tuple(row) for row in rows), "the picture")
                named = "auto" if types is None else {PieceType[p]: c for p, c in types.items()}
            except (KeyError, TypeError, ValueError):
                raise InputError("the picture or its types cannot be read") from None
            return Task.of(picture, (width, height), named, background, column)
    raise InputError("the task lacks picture, board, column, types or background")


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
    known : dict of Question to list of Refuted
        Views that an earlier run found, for the same task.
    proved : dict of str to list of str
        For each formula that is proved the solver, and names and checksums of its files.
    """

    folder: Path
    task: Task
    machines: Machines = HERE
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
                        self.known.setdefault(question, []).append(_read_view(data))
                    case [str(name), [*files]]:
                        self.proved[name] = list(map(str, files))
            except (ValueError, InputError):
                continue  # torn

    @property
    def _head(self) -> str:
        return json.dumps({"task": _task_data(self.task), "encoder": ENCODING}, sort_keys=True)

    def _write(self, *entry: object) -> None:
        with (self.folder / _BEGUN).open("a", encoding="ascii") as file:
            file.write(json.dumps(entry) + "\n")

    def remember(self, question: Question, one: Refuted) -> None:
        """Write down a view."""
        self._write(question.lines, question.spare, _view_data(one))

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
        """
        units = [unit for unit in _units(steps) if unit.name not in self.proved]
        asked = [(unit, self.folder.absolute()) for unit in units]
        for unit, files in zip(units, in_order(_prove, asked, machines=self.machines), strict=True):
            self.proved[unit.name] = files
            self._write(unit.name, files)
            on_formula()


def _units(steps: Iterable[Step]) -> list[_Unit]:
    """List what is to be proved, each formula once."""
    found: dict[str, _Unit] = {}
    for step in steps:
        if step.refuted:
            for one in step.known:
                unit = _Unit(step.question, (one,), is_catalogue=False)
                found.setdefault(unit.name, unit)
            unit = _Unit(step.question, step.known, is_catalogue=True)
            found[unit.name] = unit
    return list(found.values())


def _prove(unit: tuple[_Unit, Path]) -> list[str]:
    """Prove a formula and write the files; their names and checksums, and the solver."""
    one, folder = unit
    text, clauses = one.formula()
    answer = decide(clauses)
    if not isinstance(answer, Refutation):
        raise JobError(f"{one.name}: has a model after all; this is a fault of the program")
    files = store_proof(folder, one.name, text, answer, preset=_PRESET)
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
    refuted = [step for step in bound.steps if step.refuted]
    record.prove(*refuted, on_formula=on_formula)
    data = {
        "format": _FORMAT,
        "words": f"no game of {GAMES} prints the picture in fewer than {bound.after}",
        "bound": bound.after,
        "task": _task_data(record.task),
        "encoder": ENCODING,
        "questions": [
            {
                "lines": step.question.lines,
                "spare": step.question.spare,
                "views": [_view_data(one) for one in step.known],
            }
            for step in refuted
        ],
        "proofs": {
            unit.name: {
                "solver": solver,
                **{
                    kind: {"file": name, "sha256": checksum}
                    for kind, name, checksum in zip(
                        ("formula", "drat", "lrat"), rest[::2], rest[1::2], strict=True
                    )
                },
            }
            for unit in _units(refuted)
            for solver, *rest in [record.proved[unit.name]]
        },
    }
    write_text(record.folder / BOUND, json.dumps(data, indent=1) + "\n")


@dataclass(frozen=True, slots=True)
class BoundCertificate:
    """What a folder claims.

    Attributes
    ----------
    task : Task
        The picture, on its board, with its types.
    bound : int
        No game prints it in fewer drops.
    views : mapping of (int, int) to tuple of Refuted
        For the lines and spare squares of each question that is refuted, the impossible views.
    proofs : mapping of str to tuple of File
        Formula, DRAT and LRAT of each formula, by its name.
    """

    task: Task
    bound: int
    views: Mapping[tuple[int, int], tuple[Refuted, ...]]
    proofs: Mapping[str, Files]

    def units(self) -> list[_Unit]:
        """List what has to be proved for the bound to hold.

        Raises
        ------
        JobError
            If a question is not answered that lies below the bound.
        """
        target = final_rows(target_of(self.task))
        steps = []
        for question in _asked(target, self.bound):
            key = (question.lines, question.spare)
            if key not in self.views:
                raise JobError(
                    f"nothing refutes {question.lines} cleared rows with {question.spare} spare "
                    f"squares, so fewer than {self.bound} drops are not refuted"
                )
            for one in self.views[key]:
                _check_view(one, target, question)
            steps.append(Step(question, True, self.views[key], 0))
        return _units(steps)


def _asked(target: Target, bound: int) -> Iterator[Question]:
    drops = fewest_drops(target)
    while drops < bound:
        yield from questions(target, drops)
        drops = next_drops(target, drops)
    if drops != bound:
        raise JobError(f"no game has {bound} drops, so that is no bound")


def _check_view(one: Refuted, target: Target, question: Question) -> None:
    """See that a view is one of a stack of the picture."""
    view, rows = one.view, target.rows
    last = view.picture_rows.stop
    fits = view.picture_rows and last <= rows and sum(view.counts) <= question.lines
    if not fits or (view.floor and view.first) or (view.top and last != rows):
        raise JobError(f"a view from row {view.first} on is none of this picture")
    if one.spare < question.spare:
        raise JobError(f"a view supposes fewer than {question.spare} squares too many")
    if any(shade not in target.numbers() for _, shade in one.types):
        raise JobError("a view supposes colours of types that are no colours of the picture")


def read_bound(folder: str | Path, task: Task | None = None) -> BoundCertificate:
    """Read what a folder claims.

    Parameters
    ----------
    folder : str or Path
        With a :data:`BOUND`.
    task : Task, optional
        What it has to be about.

    Raises
    ------
    InputError
        If it cannot be read, or is about something else.
    """
    path = Path(folder) / BOUND
    match parse_json(read_text(path), str(path)):
        case {
            "format": 2,
            "bound": int(bound),
            "task": read,
            "encoder": int(encoder),
            "questions": [*asked],
            "proofs": {**proofs},
        }:
            pass
        case _:
            raise InputError(f"{path}: is not the certificate of a bound in format {_FORMAT}")
    if encoder != ENCODING:
        raise InputError(
            f"{path}: was made by version {encoder} of the encoding, this is version {ENCODING}"
        )
    if task is not None and read != _task_data(task):
        raise InputError(
            f"{path}: is the certificate of another picture, board or types; give another folder"
        )
    try:
        views = {}
        for one in asked:
            match one:
                case {"lines": int(lines), "spare": int(spare), "views": [*listed]}:
                    views[lines, spare] = tuple(map(_read_view, listed))
                case _:
                    raise InputError("a question lacks lines, spare or views")
        files = {str(name): _read_files(one) for name, one in proofs.items()}
        return BoundCertificate(_read_task(read), bound, views, files)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _read_files(data: object) -> Files:
    found = []
    for kind in ("formula", "drat", "lrat"):
        match data:
            case dict() if isinstance(data.get(kind), dict):
                file = File(str(data[kind].get("file")), str(data[kind].get("sha256")))
            case _:
                raise InputError(f"a proof lacks its {kind} file")
        if Path(file.name).name != file.name:
            raise InputError("the files of proofs must lie in the folder itself")
        found.append(file)
    formula, drat, lrat = found
    return formula, drat, lrat


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
    certificate = read_bound(folder)
    units = []
    for unit in certificate.units():
        if unit.name not in certificate.proofs:
            raise JobError(f"{Path(folder) / BOUND}: the proof of {unit.name} is missing")
        units.append((unit, certificate.proofs[unit.name], Path(folder).absolute(), checkers))
    yield from in_order(_check, units, machines=machines)


def _check(asked: tuple[_Unit, Files, Path, tuple[str, ...]]) -> Checked:
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
