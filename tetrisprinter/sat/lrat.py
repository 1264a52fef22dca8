"""LRAT proofs: every step names the clauses that it follows from, so checking needs no search.

The format is that of Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp (2017): a line
has the number of a clause, its literals, 0, its hints, 0. Such a proof can be checked by
formally verified programs such as ``cake_lpr``, and by twenty lines of Python.

:func:`write` makes a proof from a formula and a DRAT proof, without the steps that the empty clause
does not need. :func:`check` reads only the formula and the hints, and shares no code with the
writer, so it does not depend on the search of ``rup``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tetrisprinter.sat.rup import ProofError, ProofStep, check_steps

MAX_LITERALS: Final = 10**9
"""The most literals that a check reads, repeats included; this takes some minutes."""


def write(formula: str, proof: str, pulse: Callable[[], None] = lambda: None) -> str:
    """Turn a DRAT proof by unit propagation into an LRAT proof; call ``pulse`` at each step."""
    steps: list[ProofStep] = []
    for step in check_steps(formula, proof):
        steps.append(step)
        pulse()
    formula_clauses = steps[0].number - 1  # number of clauses of the formula
    used_numbers = {steps[-1].number}
    used_steps: list[ProofStep] = []
    for step in reversed(steps):
        if step.number in used_numbers:
            used_numbers.update(step.hints)
            used_steps.append(step)
    used_steps.reverse()
    new_numbers = {step.number: formula_clauses + i for i, step in enumerate(used_steps, 1)}
    lines = []
    for step in used_steps:
        hints = (new_numbers.get(hint, hint) for hint in step.hints)
        lines.append(" ".join(map(str, (new_numbers[step.number], *step.clause, 0, *hints, 0))))
    return "\n".join(lines) + "\n"


def check(formula: str, proof: str) -> int:
    """Check an LRAT proof of unsatisfiability; return the number of checked steps."""
    clauses = _read_clauses(formula)
    checked_steps = literals_read = 0
    for line in proof.splitlines():
        words = line.split()
        if not words or words[0] == "c":
            continue
        deletes = words[1:2] == ["d"]
        number, *rest = _read_numbers(words[:1] + words[2:] if deletes else words, line)
        if rest[-1:] != [0] or rest.count(0) != 2 - deletes:
            raise ProofError(f"not a step of an LRAT proof: {line[:80]}")
        if deletes:
            for deleted in rest[:-1]:
                if clauses.pop(deleted, None) is None:
                    raise ProofError(f"clause {deleted} is deleted but does not exist")
            continue
        if number in clauses or number < 1:
            raise ProofError(f"invalid number for a new clause: {line[:80]}")
        end = rest.index(0)
        clause = rest[:end]
        literals_read += _check_step(
            number, clause, rest[end + 1 : -1], clauses, MAX_LITERALS - literals_read
        )
        checked_steps += 1
        if not clause:
            return checked_steps
        clauses[number] = clause
    raise ProofError("the proof ends without the empty clause")


def _check_step(
    number: int, clause: list[int], hints: list[int], clauses: dict[int, list[int]], limit: int
) -> int:
    """Check that a clause follows from its hints; return the number of literals read.

    Assume that the literals of the clause are false. Then each hint must have a single literal left
    that is not false. This literal must be true. A hint with no literal left is a contradiction.
    """
    false_literals = set(clause)
    literals_read = len(clause)
    for hint in hints:
        if hint not in clauses:
            raise ProofError(f"clause {number}: its hint {hint} does not exist")
        literals_read += len(clauses[hint])
        literals_left = {literal for literal in clauses[hint] if literal not in false_literals}
        if not literals_left:
            return literals_read
        if literals_read > limit:
            raise ProofError(f"clause {number}: the check reads over {MAX_LITERALS} literals")
        if len(literals_left) > 1:
            raise ProofError(
                f"clause {number}: its hint {hint} has {len(literals_left)} literals left"
            )
        false_literals.add(-literals_left.pop())
    raise ProofError(f"clause {number} does not follow from its hints")


def _read_clauses(formula: str) -> dict[int, list[int]]:
    """Read the clauses of a DIMACS formula, by their numbers."""
    lines = [line for line in formula.splitlines() if not line.startswith("c")]
    words = " ".join(lines).split()
    numbers = _read_numbers(words[2:], "the formula")
    if words[:2] != ["p", "cnf"] or len(numbers) < 2:
        raise ProofError("the formula has no header 'p cnf VARIABLES CLAUSES'")
    variables, count, *literals = numbers
    clauses: dict[int, list[int]] = {}
    clause: list[int] = []
    for literal in literals:
        if literal:
            clause.append(literal)
        else:
            clauses[len(clauses) + 1] = clause
            clause = []
    if clause or len(clauses) != count or max(map(abs, literals), default=0) > variables:
        raise ProofError("the formula and its header disagree")
    return clauses


def _read_numbers(words: list[str], line: str) -> list[int]:
    """Return words as integers; raise a ProofError that quotes ``line`` if a word is none."""
    try:
        return [int(word) for word in words]
    except ValueError:
        raise ProofError(f"expected numbers: {line[:80]}") from None
