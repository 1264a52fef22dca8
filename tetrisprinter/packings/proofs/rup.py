"""A checker of proofs that a formula has no model, written to be read.

It shares nothing with the solvers, not even with the encoder: formula and proof come in
as text. A proof is a list of clauses, and each must follow by *reverse unit propagation*
(Goldberg and Novikov 2003): suppose all its literals false; then clauses with a single
literal left force that literal, those force others, until some clause has none left. A
clause that passes is added and may be used from then on. When the empty clause passes,
the formula has no model.

Deletions (lines that begin with ``d``) are only a solver's hint at what it no longer
uses. They are skipped: more clauses can never make a valid step invalid. The one rule of
DRAT proofs beyond this, resolution asymmetric tautologies, is not supported; a proof
that needs it is refused.

The bookkeeping is that of all solvers (Moskewicz and others 2001): a clause with two
literals not yet false cannot force anything, so it is looked at only when one of the two
that it *watches* becomes false. Watched literals stand first in a clause.

What became true is kept in its order, with the clause that forced it, so every step comes
with its *hints*: the clauses that are enough, in the order in which they force something.
With them ``lrat`` writes a proof that is checked without any search.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tetrisprinter.errors import JobError

MOST_VISITS: Final = 10**9
"""Clauses that a check looks at, one clause as often as it is looked at: some minutes."""


class ProofError(JobError):
    """The proof does not prove the formula unsatisfiable; the message says where."""


class TooLongError(ProofError):
    """Checking the proof takes more work than is allowed."""


@dataclass(frozen=True, slots=True)
class ProofStep:
    """A clause of a proof that follows."""

    number: int  # clauses are numbered from 1, those of the formula first
    clause: tuple[int, ...]  # its literals
    # Numbers of earlier clauses. Suppose the literals false: each of these but the last has one
    # literal left, which is then true, and the last has none
    hints: tuple[int, ...]


def check(formula: str, proof: str) -> int:
    """Check a proof of unsatisfiability."""
    return sum(1 for _ in parse_steps(formula, proof))


def parse_steps(formula: str, proof: str) -> Iterator[ProofStep]:
    """Yield the clauses of a proof as they are checked, down to the empty one.

    Parameters and errors as in :func:`check`.
    """
    checker = _PropagationChecker()
    for clause in _read_formula(formula):
        checker.add(clause)
    for number, line in enumerate(proof.splitlines(), 1):
        if line.startswith(("c", "d")) or not line.strip():
            continue
        clause = _literals(line, f"line {number} of the proof")
        hints = checker.follows(clause)
        if hints is None:
            raise ProofError(f"line {number} of the proof does not follow: {line[:80]}")
        if checker.visits > MOST_VISITS:
            raise TooLongError(
                f"line {number} of the proof: over {MOST_VISITS} clauses were visited"
            )
        yield ProofStep(len(checker.clauses), tuple(clause), tuple(hints))
        if not clause:
            return
        checker.add(clause)
    raise ProofError("the proof ends without the empty clause")


class _PropagationChecker:
    """The clauses so far, and what they force by themselves."""

    def __init__(self) -> None:
        self.clauses: list[list[int]] = [[]]  # by number
        self.watchers: dict[int, list[int]] = defaultdict(list)
        self.trail: list[int] = []  # the literals that are true now, in their order
        self.reason: dict[int, int] = {}  # the clause that forced each, 0 if supposed
        self.visits = 0  # how many clauses were looked at, some of them often
        self.refutation = 0  # a clause without a literal left, whatever one supposes

    def add(self, literals: list[int]) -> None:
        """Add a clause; if it forces anything already, follow that up for good."""
        # Literals that are not false first: it is they that must be watched.
        clause = sorted(set(literals), key=lambda literal: -literal in self.reason)
        number = len(self.clauses)
        self.clauses.append(clause)
        for literal in clause[:2] if len(clause) > 1 else []:
            self.watchers[literal].append(number)
        open_literals = sum(-literal not in self.reason for literal in clause)
        conflict = 0
        if open_literals == 0:
            conflict = number
        elif open_literals == 1 and clause[0] not in self.reason:
            conflict = self.propagate([clause[0]], number)
        self.refutation = self.refutation or conflict

    def follows(self, clause: list[int]) -> list[int] | None:
        """Suppose all literals of a clause false; the hints if that is contradictory."""
        if self.refutation:
            return self.hints(self.refutation)
        supposed = dict.fromkeys(-literal for literal in clause)
        # Known for good: of several, the first that became so needs no other.
        known = [literal for literal in clause if literal in self.reason]
        if known:
            first = min(known, key=self.trail.index)
            return self.hints(self.reason[first], supposed)
        if any(-literal in supposed for literal in supposed):
            return []  # a clause that is always true
        before = len(self.trail)
        conflict = self.propagate([v for v in supposed if v not in self.reason], 0)
        hints = self.hints(conflict, supposed) if conflict else None
        for literal in self.trail[before:]:
            del self.reason[literal]
        del self.trail[before:]
        return hints

    def hints(self, conflict: int, supposed: dict[int, None] | None = None) -> list[int]:
        """The clauses that lead to one without a literal left, and that clause itself."""
        supposed = supposed or {}
        needed: set[int] = set()  # literals
        waiting = [-literal for literal in self.clauses[conflict]]
        while waiting:
            literal = waiting.pop()
            if literal in needed or literal in supposed:
                continue
            needed.add(literal)
            waiting += [-other for other in self.clauses[self.reason[literal]] if other != literal]
        return [self.reason[v] for v in self.trail if v in needed] + [conflict]

    def propagate(self, literals: list[int], reason: int) -> int:
        """Make literals true, and all that follows; a clause with none left, or 0."""
        head = len(self.trail)
        self.trail += literals
        self.reason |= dict.fromkeys(literals, reason)
        clauses, known = self.clauses, self.reason
        while head < len(self.trail):
            false = -self.trail[head]
            head += 1
            watching, self.watchers[false] = self.watchers[false], []
            self.visits += len(watching)
            for position, number in enumerate(watching):
                clause = clauses[number]
                if clause[0] == false:  # the false one to the second place
                    clause[0], clause[1] = clause[1], clause[0]
                for place in range(2, len(clause)):
                    if -clause[place] not in known:  # watch this one instead
                        clause[1], clause[place] = clause[place], clause[1]
                        self.watchers[clause[1]].append(number)
                        break
                else:
                    self.watchers[false].append(number)
                    if -clause[0] in known:  # nothing left
                        self.watchers[false] += watching[position + 1 :]
                        return number
                    if clause[0] not in known:
                        known[clause[0]] = number
                        self.trail.append(clause[0])
        return 0


def _read_formula(text: str) -> list[list[int]]:
    """Read DIMACS, one clause per line, and insist on the counts of its header."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("c")]
    header = lines[0].split() if lines else []
    if header[:2] != ["p", "cnf"] or len(header) != 4:
        raise ProofError("the formula has no header 'p cnf VARIABLES CLAUSES'")
    clauses = [_literals(line, "the formula") for line in lines[1:]]
    if not (header[2].isdecimal() and header[3] == str(len(clauses))):
        raise ProofError(f"the formula has {len(clauses)} clauses, its header says {header[3]}")
    if any(abs(literal) > int(header[2]) for clause in clauses for literal in clause):
        raise ProofError("the formula has more variables than its header says")
    return clauses


def _literals(line: str, place: str) -> list[int]:
    try:
        *literals, end = map(int, line.split())
    except ValueError:
        raise ProofError(f"{place} is not a clause: {line[:80]}") from None
    if end != 0 or 0 in literals:
        raise ProofError(f"{place} is not a clause that ends with its only 0: {line[:80]}")
    return literals
