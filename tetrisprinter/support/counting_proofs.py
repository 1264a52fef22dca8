"""A writer of counting proofs: linear constraints over 0-1 variables, and derivations from them.

The formats are OPB for formulas and VeriPB's for proofs. ``cutting_planes`` checks the proofs; its
checks share no code with this writer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tetrisprinter.support.cutting_planes import check


class CountingProof:
    """An unsatisfiable formula of linear constraints, with its proof.

    Constraints are identified by numbers. All constraints of the formula come before the first
    step.
    """

    def __init__(self) -> None:
        self._formula_lines: list[str] = []
        self._steps: list[str] = []
        self._count = 0
        self._variables: set[int] = set()

    def add_at_least(self, terms: Mapping[int, int], lower_bound: int, remark: str = "") -> int:
        """Add a constraint to the formula; return its number."""
        return self._add_line(terms, ">=", lower_bound, remark)

    def add_equation(
        self, terms: Mapping[int, int], value: int, remark: str = ""
    ) -> tuple[int, int]:
        """Add an equation to the formula; return the numbers of its two constraints."""
        first = self._add_line(terms, "=", value, remark)
        self._count += 1
        return first, first + 1

    def _add_line(self, terms: Mapping[int, int], relation: str, value: int, remark: str) -> int:
        """Add a constraint or an equation; return the number of its first constraint."""
        if remark:
            self._formula_lines.append(f"* {remark}")
        self._variables |= terms.keys()
        weighted_sum = " ".join(f"{factor:+d} x{name}" for name, factor in terms.items())
        self._formula_lines.append(f"{weighted_sum} {relation} {value} ;")
        self._count += 1
        return self._count

    def derive(self, expression: str) -> int:
        """Derive a constraint by an expression in reverse Polish notation; return its number."""
        self._steps.append(f"pol {expression}")
        return self._count + len(self._steps)

    def format_sum(self, terms: Iterable[tuple[int | str, int]]) -> str:
        """Format a sum of (constraint number or literal such as "~x1", factor) for a derivation."""
        words = [f"{term} {factor} *" if factor != 1 else str(term) for term, factor in terms]
        return " ".join([*words[:1], *(f"{word} +" for word in words[1:])])

    @property
    def formula(self) -> str:
        """The formula in OPB format."""
        head = f"* #variable= {max(self._variables, default=0)} #constraint= {self._line_count}"
        return "\n".join((head, *self._formula_lines)) + "\n"

    @property
    def _line_count(self) -> int:
        return sum(not line.startswith("*") for line in self._formula_lines)

    @property
    def proof(self) -> str:
        """The proof in VeriPB format; its last step must derive a contradiction."""
        last_number = self._count + len(self._steps)
        lines = ("pseudo-Boolean proof version 2.0", f"f {self._count}", *self._steps)
        end_lines = ("output NONE", f"conclusion UNSAT : {last_number}", "end pseudo-Boolean proof")
        return "\n".join((*lines, *end_lines)) + "\n"

    def verify(self) -> CountingProof:
        """Check the proof and return this object; raise CountingError if the proof is wrong."""
        check(self.formula, self.proof)
        return self
