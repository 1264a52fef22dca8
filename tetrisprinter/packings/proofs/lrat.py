"""LRAT proofs: every step names the clauses it follows from, so checking needs no search.

The format is that of Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp (2017): a line
has the number of a clause, its literals, 0, its hints, 0. Such a proof can be checked by
programs that were proved correct, ``cake_lpr`` among them, and by twenty lines of Python.

:func:`write` makes one from a formula and a DRAT proof. It leaves out what the empty clause
does not need. :func:`check` looks at nothing but the formula and the hints, and shares no
code with the writer: to doubt the search of ``rup`` you need to read this function
only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tetrisprinter.packings.proofs.rup import ProofError, ProofStep, parse_steps

MOST_LITERALS: Final = 10**9
"""Literals that a check looks at, one as often as it is looked at: some minutes."""


def write(formula: str, proof: str, pulse: Callable[[], None] = lambda: None) -> str:
    """Turn a DRAT proof that needs unit propagation only into an LRAT proof."""
    every: list[ProofStep] = []
    for step in parse_steps(formula, proof):
        every.append(step)
        pulse()
    given = every[0].number - 1  # clauses of the formula
    used = {every[-1].number}
    kept: list[ProofStep] = []
    for step in reversed(every):
        if step.number in used:
            used.update(step.hints)
            kept.append(step)
    kept.reverse()
    names = {step.number: given + i for i, step in enumerate(kept, 1)}
    lines = []
    for step in kept:
        hints = (names.get(hint, hint) for hint in step.hints)
        lines.append(" ".join(map(str, (names[step.number], *step.clause, 0, *hints, 0))))
    return "\n".join(lines) + "\n"


def check(formula: str, proof: str) -> int:
    """Check an LRAT proof of unsatisfiability."""
    clauses = _read_clauses(formula)
    checked = read = 0
    for line in proof.splitlines():
        words = line.split()
        if not words or words[0] == "c":
            continue
        deletes = words[1:2] == ["d"]
        number, *rest = _read_numbers(words[:1] + words[2:] if deletes else words, line)
        if rest[-1:] != [0] or rest.count(0) != 2 - deletes:
            raise ProofError(f"this is not a step of an LRAT proof: {line[:80]}")
        if deletes:
            for gone in rest[:-1]:
                if clauses.pop(gone, None) is None:
                    raise ProofError(f"clause {gone} is deleted but there is none")
            continue
        if number in clauses or number < 1:
            raise ProofError(f"there can be no new clause of this number: {line[:80]}")
        end = rest.index(0)
        clause = rest[:end]
        read += _follow(number, clause, rest[end + 1 : -1], clauses, MOST_LITERALS - read)
        checked += 1
        if not clause:
            return checked
        clauses[number] = clause
    raise ProofError("the proof ends without the empty clause")


def _follow(
    number: int, clause: list[int], hints: list[int], clauses: dict[int, list[int]], most: int
) -> int:
    """Suppose a clause false; its hints must force literals, the last one what cannot be.

    Return how many literals were looked at.
    """
    false = set(clause)
    read = len(clause)
    for hint in hints:
        if hint not in clauses:
            raise ProofError(f"clause {number}: there is no clause {hint} for its hint")
        read += len(clauses[hint])
        left = {literal for literal in clauses[hint] if literal not in false}
        if not left:
            return read
        if read > most:
            raise ProofError(f"clause {number}: over {MOST_LITERALS} literals were looked at")
        if len(left) > 1:
            raise ProofError(f"clause {number}: its hint {hint} has {len(left)} literals left")
        false.add(-left.pop())
    raise ProofError(f"clause {number} does not follow from its hints")


def _read_clauses(formula: str) -> dict[int, list[int]]:
    """Read DIMACS; clauses by number."""
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
        raise ProofError("the formula is not what its header says")
    return clauses


def _read_numbers(words: list[str], line: str) -> list[int]:
    try:
        return [int(word) for word in words]
    except ValueError:
        raise ProofError(f"these are not numbers: {line[:80]}") from None
