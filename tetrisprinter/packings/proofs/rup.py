"""A checker of proofs that a formula has no model, written to be read.

It shares no code with the solvers or the encoder: formula and proof are texts. A proof is a list of
clauses, and each must follow by *reverse unit propagation* (Goldberg and Novikov 2003): if all its
literals are false, clauses with a single literal left force that literal, and so on, until some
clause has no literal left. A clause that passes is added to the formula. If the empty clause
passes, the formula has no model.

Deletions (lines that begin with ``d``) only save a solver's memory. They are skipped, because more
clauses never make a valid step invalid. The other rule of DRAT proofs, resolution asymmetric
tautologies, is not supported; a proof that needs it is refused.

Clauses are found by *watched literals* (Moskewicz and others 2001): a clause with two literals that
are not false forces nothing, so it is read only when one of its two watched literals becomes false.
Watched literals are the first two of a clause.

Every true literal is stored with the clause that forced it. So every step has *hints*: the clauses
that are enough, in the order in which they force literals. With them ``lrat`` writes a proof that
can be checked without a search.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tetrisprinter.errors import JobError

MOST_VISITS: Final = 10**9
"""The most clauses that a check reads, repeats included; this takes some minutes."""


class ProofError(JobError):
    """The proof does not prove the formula unsatisfiable; the message says where."""


class TooLongError(ProofError):
    """Checking the proof takes more work than is allowed."""


@dataclass(frozen=True, slots=True)
class ProofStep:
    """A clause of a proof that passed the check."""

    number: int  # clauses are numbered from 1, those of the formula first
    clause: tuple[int, ...]  # its literals
    # Numbers of earlier clauses. If the clause is false, each of these but the last has one literal
    # left, which is then true, and the last has none
    hints: tuple[int, ...]


def check(formula: str, proof: str) -> int:
    """Check a proof of unsatisfiability; return the number of its steps."""
    return sum(1 for _ in check_steps(formula, proof))


def check_steps(formula: str, proof: str) -> Iterator[ProofStep]:
    """Check a proof step by step; yield its clauses up to the empty one."""
    checker = _PropagationChecker()
    for clause in _read_formula(formula):
        checker.add(clause)
    for number, line in enumerate(proof.splitlines(), 1):
        if line.startswith(("c", "d")) or not line.strip():
            continue
        clause = _read_literals(line, f"line {number} of the proof")
        hints = checker.find_hints(clause)
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
    """A checker by unit propagation: the clauses so far and the literals that they force."""

    def __init__(self) -> None:
        self.clauses: list[list[int]] = [[]]  # by number
        self.watchers: dict[int, list[int]] = defaultdict(list)  # clauses by watched literal
        self.trail: list[int] = []  # the true literals, in the order in which they became true
        self.reason: dict[int, int] = {}  # the clause that forced each true literal; 0: assumed
        self.visits = 0  # the number of clauses read, repeats included
        self.refutation = 0  # a clause that is false without any assumption; 0: none

    def add(self, literals: list[int]) -> None:
        """Add a clause, and propagate permanently if it forces a literal."""
        # Literals that are not false come first, because they must be watched.
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

    def find_hints(self, clause: list[int]) -> list[int] | None:
        """Return the hints from which a clause follows; None if it does not follow."""
        if self.refutation:
            return self._trace_hints(self.refutation)
        assumed = dict.fromkeys(-literal for literal in clause)
        # Literals that are permanently true; the first of them depends on no other.
        known = [literal for literal in clause if literal in self.reason]
        if known:
            first = min(known, key=self.trail.index)
            return self._trace_hints(self.reason[first], assumed)
        if any(-literal in assumed for literal in assumed):
            return []  # a clause that is always true
        before = len(self.trail)
        conflict = self.propagate([v for v in assumed if v not in self.reason], 0)
        hints = self._trace_hints(conflict, assumed) if conflict else None
        for literal in self.trail[before:]:
            del self.reason[literal]
        del self.trail[before:]
        return hints

    def _trace_hints(self, conflict: int, assumed: dict[int, None] | None = None) -> list[int]:
        """Return the numbers of the clauses that make a clause false, in order, and its own."""
        assumed = assumed or {}
        needed: set[int] = set()  # literals
        waiting = [-literal for literal in self.clauses[conflict]]
        while waiting:
            literal = waiting.pop()
            if literal in needed or literal in assumed:
                continue
            needed.add(literal)
            waiting += [-other for other in self.clauses[self.reason[literal]] if other != literal]
        return [self.reason[v] for v in self.trail if v in needed] + [conflict]

    def propagate(self, literals: list[int], reason: int) -> int:
        """Make literals true and propagate; return the number of a false clause, or 0."""
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
                if clause[0] == false:  # move the false literal to the second place
                    clause[0], clause[1] = clause[1], clause[0]
                for place in range(2, len(clause)):
                    if -clause[place] not in known:  # watch this literal instead
                        clause[1], clause[place] = clause[place], clause[1]
                        self.watchers[clause[1]].append(number)
                        break
                else:
                    self.watchers[false].append(number)
                    if -clause[0] in known:  # no literal is left
                        self.watchers[false] += watching[position + 1 :]
                        return number
                    if clause[0] not in known:
                        known[clause[0]] = number
                        self.trail.append(clause[0])
        return 0


def _read_formula(text: str) -> list[list[int]]:
    """Read a DIMACS formula with one clause per line, and check the counts of its header."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("c")]
    header = lines[0].split() if lines else []
    if header[:2] != ["p", "cnf"] or len(header) != 4:
        raise ProofError("the formula has no header 'p cnf VARIABLES CLAUSES'")
    clauses = [_read_literals(line, "the formula") for line in lines[1:]]
    if not (header[2].isdecimal() and header[3] == str(len(clauses))):
        raise ProofError(f"the formula has {len(clauses)} clauses; its header promises {header[3]}")
    if any(abs(literal) > int(header[2]) for clause in clauses for literal in clause):
        raise ProofError("the formula has more variables than its header promises")
    return clauses


def _read_literals(line: str, place: str) -> list[int]:
    """Read a clause in DIMACS form."""
    try:
        *literals, end = map(int, line.split())
    except ValueError:
        raise ProofError(f"{place} is not a clause: {line[:80]}") from None
    if end != 0 or 0 in literals:
        raise ProofError(f"{place} is not a clause with a single 0 at its end: {line[:80]}")
    return literals
