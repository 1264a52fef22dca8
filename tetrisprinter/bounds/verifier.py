"""The certificate of a bound: its file ``bound.json``, and the verifier.

The file has the picture, its board and types, the bound, the nogoods of each refuted question, and
for each formula the files of its proofs. Each certificate has exactly one valid text, and any other
text is refused, so no field escapes the check.

The verifier trusts nothing in a certificate folder and needs no solver. It derives from the picture
what must be proved. Some numbers of drops lie between the bound by arithmetic and parts and the
claimed bound. A game with such a number of drops clears some rows and leaves some optional squares;
each possible pair is a :class:`~tetrisprinter.bounds.stack_formulas.BoundQuestion`. For each
question the certificate lists nogoods. Each nogood has a formula without a model, and so has the
master problem with all nogoods: these formulas are the *units*. If windows were not enough, the
monolithic encoding is a unit, too, with nogoods as clauses. The verifier writes each formula again,
compares it byte by byte with the file in the folder, and gives it to the checkers with its proofs.

The verifier always ends: it accepts or refuses any folder, with work and memory limited by the
size of the folder. No formula grows beyond its file, and the first refusal ends the run.

To trust a bound, read the class ``Cnf`` in ``sat/solve.py``, ``stacks``, ``stack_formulas`` and
this module in this order, beside ``docs/bounds.md``, which proves that every game is a model of
each formula. Then read a checker, ``check_lrat`` in ``sat/proofs.py``. None of these searches or
writes certificates.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal

from tetrisprinter.bounds import stack_formulas, stacks
from tetrisprinter.bounds.parts import find_drop_bound
from tetrisprinter.bounds.stack_formulas import BoundQuestion, MasterProblem, MonolithicFormula
from tetrisprinter.bounds.stacks import Nogood, StackWindow, WindowContents, WindowFormula
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.field import LARGEST
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.result import GAMES
from tetrisprinter.printing.task import Target, Task
from tetrisprinter.sat.proof_files import (
    CheckResult,
    Files,
    check_canonical_text,
    check_files,
    check_proof,
    encode_files,
    load,
    read_files,
    run_check,
)
from tetrisprinter.sat.solve import PULSE, Cnf
from tetrisprinter.support.executors import HERE, Machines, yield_in_order
from tetrisprinter.support.files import parse_json, read_text

BOUND: Final = "bound.json"
"""The name of the file that states the claims of a certificate folder."""

FORMAT: Final = 4
"""The version of the file's format."""

_LONGEST: Final = 2**23
"""The most bytes of the file; a hundred thousand windows fit."""


@dataclass(frozen=True, slots=True)
class BoundCertificate:
    """The claims of a certificate folder."""

    task: Task  # the picture, its board and its types
    bound: int  # no game prints it in fewer drops
    # The nogoods of each refuted question, by its numbers of cleared rows and optional squares
    nogoods: Mapping[tuple[int, int], tuple[Nogood, ...]]
    proofs: Mapping[str, Files]  # the files of each formula, by its name

    def to_text(self) -> str:
        """Return the text of the file; no other text is accepted."""
        data = {
            "format": FORMAT,
            "words": f"no game of {GAMES} prints the picture in fewer than {self.bound}",
            "bound": self.bound,
            "task": encode_task(self.task),
            "encoder": stacks.ENCODING,
            "questions": [
                {"lines": lines, "spare": spare, "views": [encode_nogood(one) for one in nogoods]}
                for (lines, spare), nogoods in self.nogoods.items()
            ],
            "proofs": {name: encode_files(files) for name, files in self.proofs.items()},
        }
        return json.dumps(data, indent=1) + "\n"


def read_bound(folder: str | Path, task: Task | None = None) -> BoundCertificate:
    """Read the claims of a certificate folder."""
    path = Path(folder) / BOUND
    # The size is checked before the file is read: a folder from elsewhere may hold any file.
    if path.exists() and not (path.is_file() and path.stat().st_size <= _LONGEST):
        raise InputError(f"{path}: not a file of at most {_LONGEST} bytes")
    text = read_text(path)
    match parse_json(text, str(path)):
        case {
            "format": int(version),
            "bound": int(bound),
            "task": task_data,
            "encoder": int(encoder),
            "questions": [*questions],
            "proofs": {**proofs},
        } if version == FORMAT:
            pass
        case _:
            raise InputError(f"{path}: not the certificate of a bound in format {FORMAT}")
    if encoder != stacks.ENCODING:
        raise InputError(
            f"{path}: made by version {encoder} of the encoding; expected version {stacks.ENCODING}"
        )
    if task is not None and task_data != encode_task(task):
        raise InputError(f"{path}: is for another picture, board or types; give another folder")
    try:
        nogoods = {}
        for question in questions:
            match question:
                case {"lines": int(lines), "spare": int(spare), "views": [*nogood_list]}:
                    nogoods[lines, spare] = tuple(map(read_nogood, nogood_list))
                case _:
                    raise InputError("invalid question; expected lines, spare and views")
        files = {str(name): read_files(data, f"the proof {name}") for name, data in proofs.items()}
        certificate = BoundCertificate(_read_task(task_data), bound, nogoods, files)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    check_canonical_text(path, text, certificate.to_text())
    return certificate


def encode_nogood(nogood: Nogood) -> dict[str, Any]:
    """Return a nogood as plain data."""
    window = nogood.window
    return {
        "first": window.first,
        "counts": list(window.counts),
        "floor": window.floor,
        "top": window.top,
        "without": [[piece.name, shade] for piece, shade in nogood.without],
        "spare": nogood.spare,
    }


def read_nogood(data: object) -> Nogood:
    """Read a nogood from the plain data that :func:`encode_nogood` returns."""
    match data:
        case {
            "first": int(first),
            "counts": [*counts],
            "floor": bool(floor),
            "top": bool(top),
            "without": [*types],
            "spare": int(spare),
            # ``type``, because True is an int, too
        } if min(first, spare) >= 0 and all(type(count) is int and count >= 0 for count in counts):
            without = tuple(map(_read_type, types))
            return Nogood(StackWindow(first, tuple(counts), floor, top), without, spare)
    raise InputError("invalid nogood; expected first, counts, floor, top, without and spare")


def _read_type(data: object) -> tuple[PieceType, int]:
    """Read a piece type and the number of its colour from plain data."""
    match data:
        case [str(name), int(shade)] if name in PieceType.__members__:
            return PieceType[name], shade
    raise InputError("a nogood names an unknown piece type")


def encode_task(task: Task) -> dict[str, Any]:
    """Return what a bound depends on, as plain data."""
    colors = task.type_colors
    return {
        "picture": [list(row) for row in task.picture.rows],
        "board": [task.board.width, task.board.height],
        "column": task.column,
        "types": None if colors is None else {piece.name: c for piece, c in colors.items()},
        "background": task.background,
    }


def _read_task(data: object) -> Task:
    """Read a task from the plain data that :func:`encode_task` returns."""
    match data:
        case {
            "picture": [*rows],
            "board": [int(width), int(height)],
            "column": int(column),
            "types": dict() | None as types,
            "background": str() | None as background,
        } if max(width, height) <= LARGEST and all(isinstance(row, list) for row in rows):
            try:
                picture = Picture(tuple(tuple(row) for row in rows), "the picture")
                option = "auto" if types is None else {PieceType[p]: c for p, c in types.items()}
                if types and not all(isinstance(color, str) for color in types.values()):
                    raise TypeError
            except (KeyError, TypeError, ValueError):
                raise InputError("the picture or its types cannot be read") from None
            return Task.of(picture, (width, height), option, background, column)
    raise InputError("invalid task; expected picture, board, column, types and background")


CHECKPOINT: Final = "begun.jsonl"
"""The checkpoint of the search, which may lie in the folder; the verifier does not read it."""

MAX_CHARACTERS: Final = 2**27
"""The most characters of a formula or a proof; the limit bounds the memory of a check."""

_MOST_SQUARES: Final = 2**24
"""The most squares of all windows together, checked before any formula is written."""


@dataclass(frozen=True, slots=True)
class ProofUnit:
    """A formula that must have no model: of a window, of all stacks, or of a master problem.

    The formula of all stacks proves the first nogood and has the other nogoods as clauses.
    """

    question: BoundQuestion
    nogoods: tuple[Nogood, ...]
    kind: Literal["window", "stacks", "master"]

    @property
    def _window_contents(self) -> WindowContents:
        (nogood,) = self.nogoods
        return stacks.make_window_contents(self.question.target, nogood.window, nogood.spare)

    @property
    def name(self) -> str:
        """The name of the files, from a hash of the contents: equal formulas are proved once."""
        # The text below, with the names of its classes and fields, decides the names of files that
        # exist already: it stays as it was when the first certificates were written.
        if self.kind == "window":
            shown, without = self._window_contents, self.nogoods[0].without
            target, required = shown.target, sorted(shown.target.required)
            rows = f"rows={shown.rows}, below={shown.below}, above={shown.above}"
            window = f"WindowRows({rows}, spare={shown.spare})"
            squares = f"({target.allowed}, {required}, {target.shades}, {window}, {shown.numbers})"
            contents = f"({target.width}, {target.height}, {squares}, {without})"
            prefix = "view"
        else:
            target, lines = self.question.target, self.question.lines
            nogoods = [encode_nogood(one) for one in self.nogoods]
            contents = repr((target.rows, target.list_shades(), lines, nogoods))
            prefix = f"lines{lines}"
            if self.kind == "stacks":
                contents += repr((target, sorted(target.required)))
                prefix = f"stacks{lines}"
        return f"{prefix}-{sha256(contents.encode('ascii')).hexdigest()[:16]}"

    def get_fewest_variables(self) -> int:
        """Return a lower bound on the variables of the formula, without writing it."""
        target, lines = self.question.target, self.question.lines
        if self.kind == "master":
            return lines * (target.rows + 1)
        if self.kind == "stacks":
            return (target.rows + lines) * (target.width + lines)
        return stacks.count_fewest_parts(target.width, self._window_contents.rows)

    def write_formula(self, pulse: Callable[[], None] = lambda: None) -> Cnf:
        """Return the formula that has no model."""
        if self.kind == "master":
            return MasterProblem(self.question, self.nogoods, pulse).cnf
        first_nogood, *other_nogoods = self.nogoods
        formula: MonolithicFormula | WindowFormula
        if self.kind == "stacks":
            formula = MonolithicFormula(self.question, pulse)
            for nogood in other_nogoods:
                formula.cnf.add_clause(*stack_formulas.make_exclusion_clause(formula, nogood))
        else:
            formula = WindowFormula(self._window_contents, pulse)
        for key in first_nogood.without:
            formula.cnf.add_clause(-formula.shows[key])
        return formula.cnf


def iterate_units(question: BoundQuestion, nogoods: tuple[Nogood, ...]) -> Iterator[ProofUnit]:
    """Yield what must be proved to refute a question: each nogood and the master problem."""
    window_nogoods = tuple(nogood for nogood in nogoods if nogood.window != stacks.ALL_STACKS)
    for nogood in nogoods:
        if nogood.window == stacks.ALL_STACKS:
            yield ProofUnit(question, (nogood, *window_nogoods), "stacks")
        else:
            yield ProofUnit(question, (nogood,), "window")
    yield ProofUnit(question, nogoods, "master")


def find_needed_units(certificate: BoundCertificate) -> dict[str, ProofUnit]:
    """Return what must be proved for a bound to hold, each formula once, by name."""
    target = stacks.trim_to_final_rows(certificate.task.target)
    units: dict[str, ProofUnit] = {}
    needed_keys = set()
    squares = 0
    for question in stack_formulas.iterate_questions_below(target, certificate.bound):
        key = (question.lines, question.spare)
        if key not in certificate.nogoods:
            raise JobError(
                f"nothing refutes {question.lines} cleared rows with {question.spare} optional "
                f"squares, so the bound of {certificate.bound} drops is not proved"
            )
        for nogood in certificate.nogoods[key]:
            check_nogood(nogood, target, question)
            window = nogood.window
            squares += target.width * (len(window.picture_rows) + sum(window.counts) + 1)
            if squares > _MOST_SQUARES:
                raise JobError(f"the windows have more than {_MOST_SQUARES} squares together")
        needed_keys.add(key)
        units |= {unit.name: unit for unit in iterate_units(question, certificate.nogoods[key])}
    if needed_keys != certificate.nogoods.keys():
        lines, spare = min(certificate.nogoods.keys() - needed_keys)
        raise JobError(
            f"unexpected question: {lines} cleared rows and {spare} optional squares never give "
            f"fewer than {certificate.bound} drops"
        )
    return units


def check_nogood(nogood: Nogood, target: Target, question: BoundQuestion) -> None:
    """Raise a JobError unless a nogood fits the picture, its colours and the question."""
    window, rows = nogood.window, target.rows
    if window == stacks.ALL_STACKS:
        if not question.lines or target.count_spare():
            raise JobError("invalid nogood of all stacks: no rows clear, or squares are optional")
    else:
        end_row = window.picture_rows.stop
        fits = window.picture_rows and end_row <= rows and sum(window.counts) <= question.lines
        if not fits or (window.floor and window.first) or (window.top and end_row != rows):
            raise JobError(f"the window from row {window.first} does not fit this picture")
    if nogood.spare < question.spare:
        raise JobError(f"a nogood allows fewer than {question.spare} optional squares")
    if any(shade not in target.list_shades() for _, shade in nogood.without):
        raise JobError("a nogood names type colours that are not in the picture")


def verify_bound(
    folder: str | Path, checkers: tuple[str, ...], machines: Machines = HERE
) -> Iterator[CheckResult]:
    """Check the certificate of a bound; yield the result for each formula, up to a refusal."""
    folder = Path(folder)
    certificate = read_bound(folder)
    units_by_name = find_needed_units(certificate)
    for name in sorted(units_by_name.keys() ^ certificate.proofs.keys()):
        problem = "is missing" if name in units_by_name else "is not needed"
        raise JobError(f"{folder / BOUND}: the proof of {name} {problem}")
    check_arithmetic(stacks.trim_to_final_rows(certificate.task.target), certificate)
    proof_files = {file.name for files in certificate.proofs.values() for file in files}
    notes = {CHECKPOINT} if (folder / CHECKPOINT).exists() else set()
    check_files(folder, proof_files | {BOUND} | notes)
    jobs = [
        (unit, certificate.proofs[name], folder.absolute(), checkers)
        for name, unit in units_by_name.items()
    ]
    for result in yield_in_order(_check, jobs, machines=machines):
        yield result
        if result.error is not None:
            return


def check_arithmetic(target: Target, certificate: BoundCertificate) -> None:
    """Check that every game with fewer drops clears a number of rows that was refuted.

    Four times the drops are the squares, the optional squares that stay, and the cleared rows. This
    repeats what :func:`find_needed_units` does, without the search for questions.
    """
    for drops in range(find_drop_bound(target), certificate.bound):
        for lines in range(4 * drops // target.width + 1):
            spare = 4 * drops - len(target.required) - target.width * lines
            if 0 <= spare <= target.count_spare() and not any(
                key[0] == lines and spare <= key[1] for key in certificate.nogoods
            ):
                raise JobError(
                    f"the bound of {certificate.bound} drops does not follow by counting: a game "
                    f"of {drops} drops may clear {lines} rows"
                )


def _check(job: tuple[ProofUnit, Files, Path, tuple[str, ...]]) -> CheckResult:
    """Check that a file has the formula of a unit, and that the checkers accept its proofs."""
    unit, (formula, drat, lrat), folder, checkers = job

    def check() -> None:
        text = load(folder, formula, MAX_CHARACTERS)
        if not _is_formula(unit, text):
            raise JobError(f"{formula.name}: not the formula of the claimed nogoods")
        check_proof(folder, text, (drat, lrat), checkers, MAX_CHARACTERS)

    return run_check(unit.name, checkers, check)


def _is_formula(unit: ProofUnit, text: str) -> bool:
    """Return whether text is the formula of a unit; stop as soon as the formula is longer."""
    clauses = text.count("\n")
    # Each variable takes at least a character, so a much larger formula is not even begun.
    if unit.get_fewest_variables() > len(text):
        return False

    def count_clauses() -> None:
        nonlocal clauses
        clauses -= PULSE
        if clauses < 0:
            raise OverflowError

    try:
        return unit.write_formula(count_clauses).to_dimacs() == text
    except OverflowError:
        return False
