"""A second checker of counting proofs, written from the description of VeriPB's format alone.

VeriPB could not be installed (no package index has it). This program reads the lines that the
package writes: ``pseudo-Boolean proof version 2.0``, ``f``, ``pol`` with ``+``, ``*``, ``d`` and
literals, ``output NONE``, ``conclusion UNSAT``. It shares no code with the package and works
otherwise: a constraint is kept in normalized form, positive coefficients of literals at least a
degree, where both literals of a variable cancel; the package keeps integer terms of variables.

    python tests/oracles/counting_checker.py FORMULA.opb PROOF.pbp
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

Literal = tuple[str, bool]


class Constraint:
    """The weights of some literals are at least a degree in the sum."""

    def __init__(self, weights: dict[Literal, int], degree: int) -> None:
        self.weights: dict[Literal, int] = {}
        for (name, sign), weight in weights.items():
            if weight < 0:  # w x = w - w (1 - x)
                self._put((name, not sign), -weight)
                degree -= weight
            else:
                self._put((name, sign), weight)
        self.degree = degree
        for name, sign in list(self.weights):
            if sign and (name, False) in self.weights:
                both = min(self.weights[name, True], self.weights[name, False])
                for one in ((name, True), (name, False)):
                    self.weights[one] -= both
                self.degree -= both
        self.weights = {one: weight for one, weight in self.weights.items() if weight}

    def _put(self, literal: Literal, weight: int) -> None:
        self.weights[literal] = self.weights.get(literal, 0) + weight

    def plus(self, other: Constraint) -> Constraint:
        total = dict(self.weights)
        for literal, weight in other.weights.items():
            total[literal] = total.get(literal, 0) + weight
        return Constraint(total, self.degree + other.degree)

    def times(self, factor: int) -> Constraint:
        weights = {literal: factor * weight for literal, weight in self.weights.items()}
        return Constraint(weights, factor * self.degree)

    def divided(self, divisor: int) -> Constraint:
        weights = {one: -(-weight // divisor) for one, weight in self.weights.items()}
        return Constraint(weights, -(-max(self.degree, 0) // divisor))

    @property
    def is_impossible(self) -> bool:
        return sum(self.weights.values(), 0) < self.degree


def literal_of(word: str) -> Literal:
    found = re.fullmatch(r"(~?)(x[0-9]+)", word)
    if not found:
        raise ValueError(f"not a literal: {word}")
    return found[2], not found[1]


def read_formula(text: str) -> list[Constraint]:
    found = []
    for line in text.splitlines():
        if line.startswith("*") or not line.strip():
            continue
        match = re.fullmatch(r"(.*?)(>=|=)\s*([+-]?\d+)\s*;\s*", line)
        if not match:
            raise ValueError(f"not a constraint: {line}")
        words = match[1].split()
        pairs = zip(words[::2], words[1::2], strict=True)
        weights: dict[Literal, int] = {}
        for weight, word in pairs:
            one = literal_of(word)
            weights[one] = weights.get(one, 0) + int(weight)
        found.append(Constraint(weights, int(match[3])))
        if match[2] == "=":
            less = {one: -weight for one, weight in weights.items()}
            found.append(Constraint(less, -int(match[3])))
    return found


def derived(words: list[str], known: list[Constraint]) -> Constraint:
    stack: list[Constraint | int] = []
    for place, word in enumerate(words):
        if word == "+":
            other, one = stack.pop(), stack.pop()
            assert isinstance(one, Constraint)
            assert isinstance(other, Constraint)
            stack.append(one.plus(other))
        elif word in ("*", "d"):
            number, one = stack.pop(), stack.pop()
            assert isinstance(one, Constraint)
            assert isinstance(number, int)
            assert number > 0
            stack.append(one.times(number) if word == "*" else one.divided(number))
        elif word.isdigit() and words[place + 1 : place + 2] in (["*"], ["d"]):
            stack.append(int(word))
        elif word.isdigit():
            assert 0 < int(word) <= len(known)
            stack.append(known[int(word) - 1])
        else:
            stack.append(Constraint({literal_of(word): 1}, 0))
    (last,) = stack
    assert isinstance(last, Constraint)
    return last


def is_proof(formula: str, proof: str) -> bool:
    """Whether a proof shows that no values satisfy a formula."""
    try:
        known = read_formula(formula)
        lines = [line.split() for line in proof.splitlines() if line.strip()]
        if lines[0] != ["pseudo-Boolean", "proof", "version", "2.0"]:
            return False
        if lines[1] != ["f", str(len(known))] or lines[-3] != ["output", "NONE"]:
            return False
        if lines[-1] != ["end", "pseudo-Boolean", "proof"]:
            return False
        for line in lines[2:-3]:
            if line[0] != "pol":
                return False
            known.append(derived(line[1:], known))
        head, number = lines[-2][:-1], int(lines[-2][-1])
        at = known[number - 1] if 0 < number <= len(known) else None
        return head == ["conclusion", "UNSAT", ":"] and at is not None and at.is_impossible
    except (AssertionError, IndexError, ValueError):
        return False


if __name__ == "__main__":
    accepted = is_proof(*(Path(name).read_text(encoding="ascii") for name in sys.argv[1:3]))
    print("verified" if accepted else "refused")
    sys.exit(not accepted)
