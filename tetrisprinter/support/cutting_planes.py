#!/usr/bin/env python3
"""A stand-alone checker of counting proofs, which uses nothing else of the package.

    python cutting_planes.py FORMULA.opb PROOF.pbp

A formula has linear constraints over variables that are 0 or 1, in OPB form. A proof derives
further constraints until one of them cannot hold. The proof has VeriPB's form (Gocht and Nordström
2021, version 2.0), of which this checker reads these lines::

    pseudo-Boolean proof version 2.0
    f 12                      the formula has twelve constraints; an equation counts as two
    pol 1 2 + 4 d x3 2 * +    a new constraint: 1 plus 2, divided by 4, plus twice "x3 >= 0"
    output NONE
    conclusion UNSAT : 13     constraint 13 holds for no values
    end pseudo-Boolean proof

Division rounds up, which is what makes counting strong: half of ``2 x + 2 y >= 3`` is
``x + y >= 2``. Before a division the constraint is rewritten with positive coefficients,
``-x >= -1`` as ``~x >= 0``.
"""

from __future__ import annotations

import sys
from pathlib import Path

__all__ = ["CountingError", "check"]

Constraint = tuple[dict[str, int], int]
"""The coefficients of the variables, and the lower bound of the weighted sum."""

MAX_DIGITS = 100
"""The maximum number of digits in a number; sums of a hundred thousand drops have ten."""

MAX_WORK = 100_000_000
"""The maximum number of terms that a check adds or divides; that takes about a minute."""

_HEAD = "pseudo-Boolean proof version 2.0"
_TAIL = "end pseudo-Boolean proof"


class CountingError(Exception):
    """A formula or a proof is wrong."""


def check(formula: str, proof: str) -> int:
    """Check a proof that a formula is unsatisfiable; return the number of its steps."""
    constraints = _read_formula(formula)
    formula_size = len(constraints)
    work = 0
    lines = [line.split() for line in proof.splitlines() if line.strip()]
    end_lines = [["output", "NONE"], lines[-2] if len(lines) > 1 else [], _TAIL.split()]
    if lines[:2] != [_HEAD.split(), ["f", str(formula_size)]] or lines[-3:] != end_lines:
        raise CountingError(f"invalid proof; expected one about {formula_size} constraints")
    for line in lines[2:-3]:
        if line[0] != "pol":
            raise CountingError(f"not a step: {' '.join(line)[:80]}")
        if any(len(word) > MAX_DIGITS for word in line):
            raise CountingError(f"a number has more than {MAX_DIGITS} digits")
        derived, cost = _derive(line[1:], constraints, MAX_WORK - work)
        work += cost
        constraints.append(derived)
    match end_lines[1]:
        case ["conclusion", "UNSAT", ":", number]:
            terms, lower_bound = _find_constraint(number, constraints)
        case _:
            raise CountingError("the proof does not conclude that the formula is unsatisfiable")
    if sum(max(0, factor) for factor in terms.values()) >= lower_bound:
        raise CountingError(f"constraint {number} is not a contradiction")
    return len(constraints) - formula_size


def _read_formula(text: str) -> list[Constraint]:
    """Return the constraints of a formula in OPB form; an equation counts as two."""
    constraints: list[Constraint] = []
    for line in text.splitlines():
        words = line.split()
        if not words or words[0].startswith("*"):
            continue
        terms: dict[str, int] = {}
        try:
            if any(len(word) > MAX_DIGITS for word in words):
                raise ValueError
            *pairs, relation, lower_bound, semicolon = words
            for factor, name in zip(pairs[::2], pairs[1::2], strict=True):
                if not name.startswith("x"):
                    raise ValueError
                terms[name] = terms.get(name, 0) + int(factor)
            if relation not in (">=", "=") or semicolon != ";":
                raise ValueError
            constraints.append((terms, int(lower_bound)))
        except ValueError:
            raise CountingError(f"not a constraint: {line[:80]}") from None
        if relation == "=":
            constraints.append(
                ({name: -factor for name, factor in terms.items()}, -int(lower_bound))
            )
    return constraints


def _find_constraint(number: str, constraints: list[Constraint]) -> Constraint:
    """Return the constraint with a number, which counts from 1."""
    if not number.isdecimal() or not 0 < int(number) <= len(constraints):
        raise CountingError(f"there is no constraint {number}")
    return constraints[int(number) - 1]


def _derive(
    words: list[str], constraints: list[Constraint], work_left: int
) -> tuple[Constraint, int]:
    """Evaluate a reverse Polish expression; return the constraint and the number of terms used."""
    stack: list[Constraint] = []
    position = work = 0
    while position < len(words):
        if work > work_left:
            raise CountingError(f"over {MAX_WORK} terms were added or divided")
        word, next_word = words[position], words[position + 1 : position + 2]
        position += 1
        if word == "+" and len(stack) > 1:
            (added_terms, added_bound), (terms, lower_bound) = stack.pop(), stack.pop()
            names = dict.fromkeys((*terms, *added_terms))
            total = {name: terms.get(name, 0) + added_terms.get(name, 0) for name in names}
            stack.append(_check_constraint((total, lower_bound + added_bound)))
            work += len(total)
        elif next_word in (["*"], ["d"]) and word.isdecimal() and int(word) > 0 and stack:
            position += 1
            work += len(stack[-1][0])
            operation = _multiply if next_word == ["*"] else _divide
            stack.append(_check_constraint(operation(stack.pop(), int(word))))
        elif word.startswith("x"):
            stack.append(({word: 1}, 0))
        elif word.startswith("~x"):
            stack.append(({word[1:]: -1}, -1))
        else:
            stack.append(_find_constraint(word, constraints))
            work += 1
    if len(stack) != 1:
        raise CountingError(
            f"the step does not leave exactly one constraint: {' '.join(words)[:80]}"
        )
    return stack[0], work + len(stack[0][0])


def _check_constraint(constraint: Constraint) -> Constraint:
    """Refuse a constraint with huge numbers; only a hostile proof contains them."""
    if max(map(abs, (*constraint[0].values(), constraint[1]))) >= 10**MAX_DIGITS:
        raise CountingError(f"a number has more than {MAX_DIGITS} digits")
    return constraint


def _multiply(constraint: Constraint, factor: int) -> Constraint:
    terms, lower_bound = constraint
    return {name: factor * value for name, value in terms.items()}, factor * lower_bound


def _divide(constraint: Constraint, divisor: int) -> Constraint:
    """Divide and round up, after rewriting each term with a negative factor: ``-x = ~x - 1``."""
    terms, lower_bound = constraint
    negative_sum = sum(-value for value in terms.values() if value < 0)
    quotients = {
        name: (-(-value // divisor) if value > 0 else value // divisor)
        for name, value in terms.items()
    }
    negative_quotients = sum(-value for value in quotients.values() if value < 0)
    return quotients, max(0, -(-(lower_bound + negative_sum) // divisor)) - negative_quotients


if __name__ == "__main__":
    try:
        steps = check(*(Path(name).read_text(encoding="ascii") for name in sys.argv[1:3]))
    except CountingError as error:
        sys.exit(f"refused: {error}")
    print(f"verified: {steps} steps")
