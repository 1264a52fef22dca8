#!/usr/bin/env python3
"""A stand-alone checker of counting proofs, which uses nothing else of the package.

    python cutting_planes.py FORMULA.opb PROOF.pbp

A formula has linear constraints over variables that are 0 or 1, in OPB form. A proof derives
further constraints until one cannot hold. The proof has VeriPB's form (Gocht and Nordström
2021, version 2.0), of which this checker reads these lines::

    pseudo-Boolean proof version 2.0
    f 12                      the formula has twelve constraints; an equation counts as two
    pol 1 2 + 4 d x3 2 * +    a new one: 1 plus 2, divided by 4, plus two times "x3 >= 0"
    output NONE
    conclusion UNSAT : 13     number 13 holds for no values
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
"""The coefficients of the variables, and the least value of their sum."""

MOST_DIGITS = 100
"""The maximum number of digits in a number; sums of a hundred thousand drops have ten."""

MOST_WORK = 100_000_000
"""The maximum number of terms that a check adds or divides; that takes about a minute."""

_HEAD = "pseudo-Boolean proof version 2.0"
_TAIL = "end pseudo-Boolean proof"


class CountingError(Exception):
    """A formula or a proof is wrong."""


def check(formula: str, proof: str) -> int:
    """Check a proof that a formula is unsatisfiable; return the number of its steps."""
    known = _read_formula(formula)
    formula_size = len(known)
    work = 0
    lines = [line.split() for line in proof.splitlines() if line.strip()]
    ends = [["output", "NONE"], lines[-2] if len(lines) > 1 else [], _TAIL.split()]
    if lines[:2] != [_HEAD.split(), ["f", str(formula_size)]] or lines[-3:] != ends:
        raise CountingError(f"invalid proof; expected one about {formula_size} constraints")
    for line in lines[2:-3]:
        if line[0] != "pol":
            raise CountingError(f"not a step: {' '.join(line)[:80]}")
        if any(len(word) > MOST_DIGITS for word in line):
            raise CountingError(f"a number has more than {MOST_DIGITS} digits")
        derived, cost = _derive(line[1:], known, MOST_WORK - work)
        work += cost
        known.append(derived)
    match ends[1]:
        case ["conclusion", "UNSAT", ":", number]:
            terms, least = _find_constraint(number, known)
        case _:
            raise CountingError("the proof does not conclude that the formula is unsatisfiable")
    if sum(max(0, factor) for factor in terms.values()) >= least:
        raise CountingError(f"constraint {number} is not a contradiction")
    return len(known) - formula_size


def _read_formula(text: str) -> list[Constraint]:
    found: list[Constraint] = []
    for line in text.splitlines():
        words = line.split()
        if not words or words[0].startswith("*"):
            continue
        terms: dict[str, int] = {}
        try:
            if any(len(word) > MOST_DIGITS for word in words):
                raise ValueError
            *pairs, relation, least, end = words
            for factor, name in zip(pairs[::2], pairs[1::2], strict=True):
                if not name.startswith("x"):
                    raise ValueError
                terms[name] = terms.get(name, 0) + int(factor)
            if relation not in (">=", "=") or end != ";":
                raise ValueError
            found.append((terms, int(least)))
        except ValueError:
            raise CountingError(f"not a constraint: {line[:80]}") from None
        if relation == "=":
            found.append(({name: -factor for name, factor in terms.items()}, -int(least)))
    return found


def _find_constraint(number: str, known: list[Constraint]) -> Constraint:
    if not number.isdecimal() or not 0 < int(number) <= len(known):
        raise CountingError(f"there is no constraint {number}")
    return known[int(number) - 1]


def _derive(words: list[str], known: list[Constraint], work_left: int) -> tuple[Constraint, int]:
    """Evaluate a reverse Polish expression; return the constraint and the work in terms."""
    stack: list[Constraint] = []
    at = work = 0
    while at < len(words):
        if work > work_left:
            raise CountingError(f"over {MOST_WORK} terms were added or divided")
        word, after = words[at], words[at + 1 : at + 2]
        at += 1
        if word == "+" and len(stack) > 1:
            (more, much), (terms, least) = stack.pop(), stack.pop()
            names = dict.fromkeys((*terms, *more))
            total = {name: terms.get(name, 0) + more.get(name, 0) for name in names}
            stack.append(_check_constraint((total, least + much)))
            work += len(total)
        elif after in (["*"], ["d"]) and word.isdecimal() and int(word) > 0 and stack:
            at += 1
            work += len(stack[-1][0])
            change = _multiply if after == ["*"] else _divide
            stack.append(_check_constraint(change(stack.pop(), int(word))))
        elif word.startswith("x"):
            stack.append(({word: 1}, 0))
        elif word.startswith("~x"):
            stack.append(({word[1:]: -1}, -1))
        else:
            stack.append(_find_constraint(word, known))
            work += 1
    if len(stack) != 1:
        raise CountingError(f"the step leaves no single constraint: {' '.join(words)[:80]}")
    return stack[0], work + len(stack[0][0])


def _check_constraint(one: Constraint) -> Constraint:
    """Refuse a constraint with huge numbers; only a hostile proof contains them."""
    if max(map(abs, (*one[0].values(), one[1]))) >= 10**MOST_DIGITS:
        raise CountingError(f"a number has more than {MOST_DIGITS} digits")
    return one


def _multiply(one: Constraint, factor: int) -> Constraint:
    terms, least = one
    return {name: factor * its for name, its in terms.items()}, factor * least


def _divide(one: Constraint, divisor: int) -> Constraint:
    """Divide and round up, after rewriting each term with a negative factor: ``-x = ~x - 1``."""
    terms, least = one
    less = sum(-its for its in terms.values() if its < 0)
    parts = {
        name: (-(-its // divisor) if its > 0 else its // divisor) for name, its in terms.items()
    }
    lower = sum(-its for its in parts.values() if its < 0)
    return parts, max(0, -(-(least + less) // divisor)) - lower


if __name__ == "__main__":
    try:
        steps = check(*(Path(name).read_text(encoding="ascii") for name in sys.argv[1:3]))
    except CountingError as error:
        sys.exit(f"refused: {error}")
    print(f"verified: {steps} steps")
