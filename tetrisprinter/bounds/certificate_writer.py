"""Write the certificate of a bound: a proof of each nogood and of each master problem.

The folder keeps nogoods and proofs while the search runs (:class:`ProofCheckpoint`). At the end
``bound.json`` lists what the folder proves (:mod:`~tetrisprinter.bounds.verifier`). The
verifier (:mod:`~tetrisprinter.bounds.verifier`) does not use this module.
"""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tetrisprinter.bounds import verifier
from tetrisprinter.bounds.bound_search import Bound, BoundStep
from tetrisprinter.bounds.stack_formulas import BoundQuestion, iterate_questions_below
from tetrisprinter.bounds.stacks import ALL_STACKS, ENCODING, Nogood, trim_to_final_rows
from tetrisprinter.bounds.verifier import BoundCertificate, ProofUnit
from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.printing.task import Task
from tetrisprinter.sat.proof_files import File, Files, load, store_proof
from tetrisprinter.sat.proofs import TooLongError
from tetrisprinter.sat.solve import OutOfTimeError, find_model_or_proof
from tetrisprinter.support.executors import HERE, Machines, yield_in_order
from tetrisprinter.support.files import make_folder, parse_json, read_text, write_text

_PROOF: Final = re.compile(r"(view|lines\d+|stacks\d+)-[0-9a-f]{16}\.(cnf|drat|lrat)\.xz")
"""The names of proof files."""

_PRESET: Final = 1
"""The compression preset of xz; with a higher one, compressing takes longer than proving."""


@dataclass(slots=True)
class ProofCheckpoint:
    """The nogoods and proofs so far, kept in a folder while the search runs."""

    folder: Path  # the folder of the certificate; created if necessary
    task: Task
    machines: Machines = HERE  # the machines that write proofs; all need access to the folder
    ends: float = float("inf")  # when writing stops, on the clock of ``time.time()``
    # Nogoods that an earlier run on the same task found
    known_nogoods: dict[BoundQuestion, list[Nogood]] = field(default_factory=dict)
    proved: dict[str, Files] = field(default_factory=dict)  # the files of each proved formula
    # Lines of the checkpoint with nogoods not proved yet, by formula name or question and nogood
    _unproved_lines: dict[str | tuple[BoundQuestion, Nogood], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        make_folder(self.folder)
        path = self.folder / verifier.CHECKPOINT
        lines = read_text(path).splitlines() if path.exists() else []
        if lines[:1] != [self._head]:
            if (self.folder / verifier.BOUND).exists():
                # raises an error for the files of another task
                verifier.read_bound(self.folder, self.task)
            write_text(path, self._head + "\n")
            return
        for line_number, line in enumerate(lines[1:], 2):
            with contextlib.suppress(TetrisPrinterError):  # skip incomplete and wrong lines
                self._read_line(parse_json(line, verifier.CHECKPOINT), line_number)

    def _read_line(self, entry: object, line_number: int) -> None:
        """Read a line of an earlier run: an unproved nogood, or the files of a proved formula."""
        match entry:
            case [int(line_count), int(spare), data]:
                target = trim_to_final_rows(self.task.target)
                if not 0 <= line_count <= target.width * target.height or spare < 0:
                    return
                question, nogood = (
                    BoundQuestion(target, line_count, spare),
                    verifier.read_nogood(data),
                )
                verifier.check_nogood(nogood, target, question)
                self.known_nogoods.setdefault(question, []).append(nogood)
                if nogood.window == ALL_STACKS:
                    self._unproved_lines[question, nogood] = line_number
                else:
                    self._unproved_lines[ProofUnit(question, (nogood,), "window").name] = (
                        line_number
                    )
            case [str(name), [[str(), str()], [str(), str()], [str(), str()]] as files]:
                formula, drat, lrat = (File(*file) for file in files)
                for kind, file in zip(("cnf", "drat", "lrat"), (formula, drat, lrat), strict=True):
                    if file.name != f"{name}.{kind}.xz" or Path(file.name).name != file.name:
                        return
                    load(self.folder, file, verifier.MAX_CHARACTERS)
                self.proved[name] = formula, drat, lrat

    @property
    def _head(self) -> str:
        return json.dumps(
            {"task": verifier.encode_task(self.task), "encoder": ENCODING}, sort_keys=True
        )

    def _write(self, *entry: object) -> None:
        with (self.folder / verifier.CHECKPOINT).open("a", encoding="ascii") as file:
            file.write(json.dumps(entry) + "\n")

    def remember(self, question: BoundQuestion, nogood: Nogood) -> None:
        """Append a nogood to the checkpoint."""
        self._write(question.lines, question.spare, verifier.encode_nogood(nogood))

    def forget(self) -> None:
        """Delete the checkpoint, and the folder if it is then empty."""
        (self.folder / verifier.CHECKPOINT).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    def prove(self, *steps: BoundStep, on_formula: Callable[[], None] = lambda: None) -> None:
        """Write the missing proofs of refuted questions; call ``on_formula`` after each formula."""
        units = {
            name: unit for name, unit in _collect_units(steps).items() if name not in self.proved
        }
        jobs = [
            (unit, self.folder.absolute(), self.ends, self._find_source(unit))
            for unit in units.values()
        ]
        for name, files in zip(
            units, yield_in_order(_prove, jobs, machines=self.machines), strict=True
        ):
            if files is None:
                raise OutOfTimeError
            self.proved[name] = files
            self._write(name, [[file.name, file.sha256] for file in files])
            on_formula()

    def _find_source(self, unit: ProofUnit) -> str:
        """Return ``path:line`` of the checkpoint line that claims a formula, or an empty string."""
        key = (unit.question, unit.nogoods[0]) if unit.kind == "stacks" else unit.name
        number = self._unproved_lines.get(key)
        return f"{self.folder / verifier.CHECKPOINT}:{number}" if number else ""


def _collect_units(steps: Iterable[BoundStep]) -> dict[str, ProofUnit]:
    """Return the formulas to prove, each once, by name."""
    unit_lists = (
        verifier.iterate_units(step.question, step.nogoods) for step in steps if step.refuted
    )
    return {unit.name: unit for units in unit_lists for unit in units}


def _prove(job: tuple[ProofUnit, Path, float, str]) -> Files | None:
    """Prove a formula and write its files; None if time is up or they would be too large."""
    unit, folder, end_time, source = job

    def check_clock() -> None:
        # Not the monotonic clock, which differs on the other machines that may write proofs.
        if time.time() >= end_time:
            raise OutOfTimeError

    try:
        check_clock()
        cnf = unit.write_formula(check_clock)
        text = cnf.to_dimacs()
        if len(text) > verifier.MAX_CHARACTERS:
            return None
        model, proof = find_model_or_proof(cnf.clauses)
        if model is None:
            return store_proof(folder, unit.name, text, proof, preset=_PRESET, pulse=check_clock)
    except (OutOfTimeError, TooLongError):
        return None
    if source:
        raise InputError(f"{source}: wrong nogood: some game may fit its window; remove the line")
    raise JobError(f"internal error: {unit.name} should have no model; please report it")


def certify_bound(bound: Bound, checkpoint: ProofCheckpoint) -> None:
    """Write the certificate of a bound, and delete proofs that it does not need from the folder."""
    questions = set(iterate_questions_below(bound.target, bound.after))
    refuted = [step for step in bound.steps if step.question in questions]
    checkpoint.prove(*refuted)
    nogoods = {(step.question.lines, step.question.spare): step.nogoods for step in refuted}
    proofs = {name: checkpoint.proved[name] for name in _collect_units(refuted)}
    certificate = BoundCertificate(checkpoint.task, bound.after, nogoods, proofs)
    write_text(checkpoint.folder / verifier.BOUND, certificate.to_text())
    needed_files = {file.name for files in proofs.values() for file in files}
    for path in checkpoint.folder.iterdir():
        if path.name not in needed_files and _PROOF.fullmatch(path.name):
            path.unlink()
    for name in checkpoint.proved.keys() - proofs.keys():
        del checkpoint.proved[name]
