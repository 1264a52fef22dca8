"""A counting proof that refuted numbers of cleared rows imply a bound.

One equation relates squares, drops and cleared rows. It decides which numbers of rows are possible,
and so which questions have to be refuted. This module writes that arithmetic as a proof for an
independent checker (:mod:`tetrisprinter.support.cutting_planes`).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from tetrisprinter.bounds.parts import find_drop_bound
from tetrisprinter.printing.target import Target
from tetrisprinter.support.counting_proofs import CountingProof

COUNTING: Final = ("counting.opb", "counting.pbp")
"""The files of the formula and of its proof."""


def prove_by_counting(target: Target, bound: int, refuted: Collection[int]) -> CountingProof | None:
    """Prove that a bound follows from refuted numbers of cleared rows.

    Numbers of rows that would give fewer drops than the picture has parts count as refuted, too.
    Return None if squares are optional: the equation of a question then has a second unknown.
    """
    if target.count_spare():
        return None
    width, squares = target.width, len(target.required)
    row_counts = range(max(0, 4 * min(find_drop_bound(target), bound) - squares - 1) // width + 1)
    by_parts = {
        lines for lines in row_counts if squares + width * lines < 4 * find_drop_bound(target)
    }
    return write_counting_proof(width, squares, bound, {*refuted, *by_parts})


def write_counting_proof(
    width: int, squares: int, bound: int, refuted: Collection[int]
) -> CountingProof:
    """Prove that a game has at least ``bound`` drops if it clears no refuted number of rows.

    The formula describes a game with fewer drops. ``x1``, ``x2``, ... say that the game clears at
    least one row, at least two, and so on, up to one more than possible. Other variables are drops.
    """
    rows = max(0, 4 * (bound - 1) - squares) // width + 1
    cleared = range(1, rows + 1)
    proof = CountingProof()
    terms = dict.fromkeys(range(rows + 1, rows + bound), 4) | dict.fromkeys(cleared, -width)
    remark = f"4 drops = {squares} squares + {width} rows; fewer than {bound} drops"
    equation = proof.add_equation(terms, squares, remark)
    ordered = [
        proof.add_at_least({row: 1, row + 1: -1}, 0, f"at least {row + 1} rows are at least {row}")
        for row in cleared[:-1]
    ]
    excluded = {
        number: proof.add_at_least(
            {row: sign for row, sign in ((number, -1), (number + 1, 1)) if row},
            int(not number),
            f"cleared rows are never {number}",
        )
        for number in sorted(refuted)
        if number < rows
    }
    min_lines = 0
    sum_constraint = proof.derive(proof.format_sum((f"x{row}", 1) for row in cleared))
    while True:
        min_lines, sum_constraint = _round_lines_up(
            proof, (width, squares), equation, (min_lines, sum_constraint)
        )
        if squares + width * min_lines >= 4 * bound or min_lines not in excluded:
            break
        reaches_next = excluded[min_lines]
        if min_lines:
            summands: list[tuple[int | str, int]] = [(sum_constraint, 1)]
            summands += [(f"~x{row}", 1) for row in range(1, min_lines)]
            summands += [(ordered[row - 1], rows - row) for row in range(min_lines, rows)]
            reaches_min = proof.derive(f"{proof.format_sum(summands)} {rows - min_lines + 1} d")
            reaches_next = proof.derive(f"{reaches_min} {excluded[min_lines]} +")
        min_lines += 1
        summands = [(reaches_next, min_lines)]
        summands += [(ordered[row - 1], row) for row in range(1, min_lines)]
        summands += [(f"x{row}", 1) for row in range(min_lines + 1, rows + 1)]
        sum_constraint = proof.derive(proof.format_sum(summands))
    proof.derive(proof.format_sum([(equation[0], 1), (sum_constraint, width)]))
    return proof.verify()


def _round_lines_up(
    proof: CountingProof,
    sizes: tuple[int, int],
    equation: tuple[int, int],
    lower_bound: tuple[int, int],
) -> tuple[int, int]:
    """Raise a lower bound on rows until 4 divides the cells; return it and its constraint."""
    (width, squares), (at_least, at_most), (min_lines, constraint) = sizes, equation, lower_bound
    remainder = width % 4
    if remainder == 0:
        return lower_bound
    if remainder == 3:  # one row less than a multiple of four
        quotient = proof.derive(f"{at_most} {constraint} + 4 d")
        return squares + 4 * -((squares - min_lines) // 4), proof.derive(
            f"{quotient} 4 * {at_least} +"
        )
    quotient = proof.derive(f"{proof.format_sum([(at_least, 1), (constraint, remainder)])} 4 d")
    remainder_lines = 4 * -(-(squares + remainder * min_lines) // 4) - squares
    return -(-remainder_lines // remainder), proof.derive(
        f"{quotient} 4 * {at_most} + {remainder} d"
    )
