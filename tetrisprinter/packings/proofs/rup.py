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
"""

from __future__ import annotations

from collections import defaultdict

from tetrisprinter.errors import JobError

__all__ = ["ProofError", "check"]


class ProofError(JobError):
    """The proof does not prove the formula unsatisfiable; the message says where."""


def check(formula: str, proof: str) -> int:
    """Check a proof of unsatisfiability.

    Parameters
    ----------
    formula : str
        In DIMACS form.
    proof : str
        DRAT in text form, one clause per line.

    Returns
    -------
    int
        How many clauses of the proof were checked, the empty one included.

    Raises
    ------
    ProofError
        If either text is malformed, a clause does not follow, or the empty one is missing.

    Examples
    --------
    >>> check("p cnf 2 4\\n1 2 0\\n-1 2 0\\n1 -2 0\\n-1 -2 0\\n", "2 0\\n0\\n")
    2
    >>> check("p cnf 2 3\\n1 2 0\\n-1 2 0\\n1 -2 0\\n", "2 0\\n0\\n")
    Traceback (most recent call last):
    ...
    tetrisprinter.packings.proofs.rup.ProofError: line 2 of the proof does not follow: 0
    """
    checker = _Checker()
    for clause in _read_formula(formula):
        checker.add(clause)
    checked = 0
    for number, line in enumerate(proof.splitlines(), 1):
        if line.startswith(("c", "d")) or not line.strip():
            continue
        clause = _literals(line, f"line {number} of the proof")
        if not checker.follows(clause):
            raise ProofError(f"line {number} of the proof does not follow: {line}")
        checked += 1
        if not clause:
            return checked
        checker.add(clause)
    raise ProofError("the proof ends without the empty clause")


class _Checker:
    """The clauses so far, and what they force by themselves."""

    def __init__(self) -> None:
        self.watchers: dict[int, list[list[int]]] = defaultdict(list)
        self.true: set[int] = set()  # the literals that are true now
        self.refuted = False  # some clause has no literal left, whatever one supposes

    def add(self, clause: list[int]) -> None:
        """Add a clause; if it forces anything already, follow that up for good."""
        # Literals that are not false first: it is they that must be watched.
        clause = sorted(set(clause), key=lambda literal: -literal in self.true)
        for literal in clause[:2] if len(clause) > 1 else []:
            self.watchers[literal].append(clause)
        open_literals = sum(-literal not in self.true for literal in clause)
        if open_literals == 0:
            self.refuted = True
        elif open_literals == 1 and clause[0] not in self.true:
            self.refuted = self.propagate([clause[0]], []) or self.refuted

    def follows(self, clause: list[int]) -> bool:
        """Suppose all literals of a clause false and look for a contradiction."""
        undo: list[int] = []
        contradiction = self.refuted or self.propagate([-literal for literal in clause], undo)
        self.true.difference_update(undo)
        return contradiction

    def propagate(self, waiting: list[int], undo: list[int]) -> bool:
        """Make literals true, and all that follows; True if that is contradictory.

        What became true is appended to ``undo``.
        """
        true = self.true
        while waiting:
            literal = waiting.pop()
            if -literal in true:
                return True
            if literal in true:
                continue
            true.add(literal)
            undo.append(literal)
            watching, self.watchers[-literal] = self.watchers[-literal], []
            for position, clause in enumerate(watching):
                if clause[0] == -literal:  # the false one to the second place
                    clause[0], clause[1] = clause[1], clause[0]
                for place in range(2, len(clause)):
                    if -clause[place] not in true:  # watch this one instead
                        clause[1], clause[place] = clause[place], clause[1]
                        self.watchers[clause[1]].append(clause)
                        break
                else:
                    self.watchers[-literal].append(clause)
                    if -clause[0] in true:  # nothing left
                        self.watchers[-literal] += watching[position + 1 :]
                        return True
                    waiting.append(clause[0])
        return False


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
        raise ProofError(f"{place} is not a clause: {line}") from None
    if end != 0 or 0 in literals:
        raise ProofError(f"{place} is not a clause that ends with its only 0: {line}")
    return literals
