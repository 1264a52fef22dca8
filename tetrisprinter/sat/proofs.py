"""Two checkers of proofs that a formula has no model, written to be read.

They share no code with the solvers or the encoder: formula and proof are texts.

A DRAT proof is a list of clauses, and each must follow by *reverse unit propagation* (Goldberg and
Novikov 2003): if all literals of the clause are false, other clauses with a single literal left
force that literal, and so on, until some clause has no literal left. A clause that follows is added
to the formula. If the empty clause follows, the formula has no model. :func:`check_rup` searches
for the reason of each step.

Deletions (lines that begin with ``d``) only save a solver's memory. They are skipped, because more
clauses never make a valid step invalid. The other rule of DRAT proofs, resolution asymmetric
tautologies, is not supported; a proof that needs it is refused.

Clauses are found by *watched literals* (Moskewicz and others 2001): a clause with two literals that
are not false forces nothing, so the checker reads a clause only when one of its two watched
literals becomes false. The watched literals of a clause are its first two.

Every true literal is stored with the clause that forced it. So every step has *hints*: the clauses
that are enough, in the order in which they force literals. In an LRAT proof every step names its
hints, so checking needs no search. The format is that of Cruz-Filipe, Heule, Hunt, Kaufmann and
Schneider-Kamp (2017): a line has the number of a clause, its literals, 0, its hints, 0. Such a
proof can be checked by formally verified programs such as ``cake_lpr``, and by the twenty lines of
Python below.

:func:`write_lrat` makes a proof from a formula and a DRAT proof, without the steps that the empty
clause does not need. :func:`check_lrat` reads only the formula and the hints, with its own reader
of formulas. It shares no code with the search of :func:`check_rup`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Final

from tetrisprinter.errors import JobError

MAX_VISITS: Final = 10**9
"""The most clauses that a check reads, repeats included; this takes some minutes."""


class ProofError(JobError):
    """The proof does not prove the formula unsatisfiable; the message says where."""


class TooLongError(ProofError):
    """Checking the proof takes more work than is allowed."""


ProofStep = tuple[int, list[int], list[int]]
"""A clause of a proof that passed the check: its number, its literals and its hints.

Clauses are numbered from 1, the clauses of the formula first. Hints are numbers of earlier clauses.
If the clause is false, each earlier clause but the last has one literal left, which must be true,
and the last has no literal left.
"""


def check_rup(formula: str, proof: str) -> int:
    """Check a proof of unsatisfiability; return the number of its steps."""
    return sum(1 for _ in check_steps(formula, proof))


def check_steps(formula: str, proof: str) -> Iterator[ProofStep]:
    """Check a proof step by step; yield its clauses up to the empty clause."""
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
        if checker.visits > MAX_VISITS:
            raise TooLongError(
                f"line {number} of the proof: over {MAX_VISITS} clauses were visited"
            )
        yield len(checker.clauses), clause, hints
        if not clause:
            return
        checker.add(clause)
    raise ProofError("the proof ends without the empty clause")


class _PropagationChecker:
    """A checker by unit propagation: the clauses so far and the literals that they force."""

    def __init__(self) -> None:
        self.clauses: list[list[int]] = [[]]  # by number, from 1
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
        # Literals of the clause that are permanently true; the first depends on no other.
        true_literals = [literal for literal in clause if literal in self.reason]
        if true_literals:
            first_true = min(true_literals, key=self.trail.index)
            return self._trace_hints(self.reason[first_true], assumed)
        if any(-literal in assumed for literal in assumed):
            return []  # a clause that is always true
        trail_length = len(self.trail)
        conflict = self.propagate([v for v in assumed if v not in self.reason], 0)
        hints = self._trace_hints(conflict, assumed) if conflict else None
        for literal in self.trail[trail_length:]:
            del self.reason[literal]
        del self.trail[trail_length:]
        return hints

    def _trace_hints(self, conflict: int, assumed: dict[int, None] | None = None) -> list[int]:
        """Return the numbers of the clauses that make ``conflict`` false, then its own number."""
        assumed = assumed or {}
        needed: set[int] = set()  # the true literals that make the clause false
        unexplained = [-literal for literal in self.clauses[conflict]]
        while unexplained:
            literal = unexplained.pop()
            if literal in needed or literal in assumed:
                continue
            needed.add(literal)
            unexplained += [
                -other for other in self.clauses[self.reason[literal]] if other != literal
            ]
        return [self.reason[v] for v in self.trail if v in needed] + [conflict]

    def propagate(self, literals: list[int], reason: int) -> int:
        """Make literals true and propagate; return the number of a false clause, or 0."""
        head = len(self.trail)
        self.trail += literals
        self.reason |= dict.fromkeys(literals, reason)
        clauses, reasons = self.clauses, self.reason
        while head < len(self.trail):
            false_literal = -self.trail[head]
            head += 1
            watching, self.watchers[false_literal] = self.watchers[false_literal], []
            self.visits += len(watching)
            for position, number in enumerate(watching):
                clause = clauses[number]
                if clause[0] == false_literal:  # move the false literal to the second place
                    clause[0], clause[1] = clause[1], clause[0]
                for place in range(2, len(clause)):
                    if -clause[place] not in reasons:  # watch this literal instead
                        clause[1], clause[place] = clause[place], clause[1]
                        self.watchers[clause[1]].append(number)
                        break
                else:
                    self.watchers[false_literal].append(number)
                    if -clause[0] in reasons:  # no literal is left
                        self.watchers[false_literal] += watching[position + 1 :]
                        return number
                    if clause[0] not in reasons:
                        reasons[clause[0]] = number
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


def _read_literals(line: str, location: str) -> list[int]:
    """Read a clause in DIMACS form; ``location`` is for error messages."""
    try:
        *literals, end = map(int, line.split())
    except ValueError:
        raise ProofError(f"{location} is not a clause: {line[:80]}") from None
    if end != 0 or 0 in literals:
        raise ProofError(f"{location} is not a clause with a single 0 at its end: {line[:80]}")
    return literals


MAX_LITERALS: Final = 10**9
"""The most literals that a check reads, repeats included; this takes some minutes."""


def write_lrat(formula: str, proof: str, pulse: Callable[[], None] = lambda: None) -> str:
    """Turn a DRAT proof by unit propagation into an LRAT proof; call ``pulse`` at each step."""
    steps: list[ProofStep] = []
    for step in check_steps(formula, proof):
        steps.append(step)
        pulse()
    first_number, last_number = steps[0][0], steps[-1][0]
    used_numbers = {last_number}
    for number, _, hints in reversed(steps):
        if number in used_numbers:
            used_numbers.update(hints)
    used_steps = [step for step in steps if step[0] in used_numbers]
    new_numbers = {number: new for new, (number, *_) in enumerate(used_steps, first_number)}
    lines = []
    for number, clause, hints in used_steps:
        new_hints = (new_numbers.get(hint, hint) for hint in hints)
        lines.append(" ".join(map(str, (new_numbers[number], *clause, 0, *new_hints, 0))))
    return "\n".join(lines) + "\n"


def check_lrat(formula: str, proof: str) -> int:
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
