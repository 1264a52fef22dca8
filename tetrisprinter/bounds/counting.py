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
    With optional squares a question has two numbers, and no such proof exists: None.
    """
    if target.count_spare():
        return None
    width, squares = target.width, len(target.required)
    few = range(max(0, 4 * min(find_drop_bound(target), bound) - squares - 1) // width + 1)
    by_parts = {lines for lines in few if squares + width * lines < 4 * find_drop_bound(target)}
    return write_counting_proof(width, squares, bound, {*refuted, *by_parts})


def write_counting_proof(
    width: int, squares: int, bound: int, refuted: Collection[int]
) -> CountingProof:
    """Prove that a game has at least ``bound`` drops if it clears no refuted number of rows.

    The formula describes a game with fewer drops. ``x1``, ``x2``, ... say that it clears at least
    one row, at least two, and so on, up to one more than possible. Other variables are its drops.
    """
    rows = max(0, 4 * (bound - 1) - squares) // width + 1
    cleared = range(1, rows + 1)
    proof = CountingProof()
    terms = dict.fromkeys(range(rows + 1, rows + bound), 4) | dict.fromkeys(cleared, -width)
    remark = f"4 drops = {squares} squares + {width} rows; fewer than {bound} drops"
    equation = proof.add_equation(terms, squares, remark)
    fewer = [
        proof.add_at_least({row: 1, row + 1: -1}, 0, f"at least {row + 1} rows are at least {row}")
        for row in cleared[:-1]
    ]
    never = {
        number: proof.add_at_least(
            {row: sign for row, sign in ((number, -1), (number + 1, 1)) if row},
            int(not number),
            f"cleared rows are never {number}",
        )
        for number in sorted(refuted)
        if number < rows
    }
    least = 0
    known = proof.derive(proof.format_sum((f"x{row}", 1) for row in cleared))
    while True:
        least, known = _round_lines_up(proof, (width, squares), equation, (least, known))
        if squares + width * least >= 4 * bound or least not in never:
            break
        reaches_next = never[least]
        if least:
            parts: list[tuple[int | str, int]] = [(known, 1)]
            parts += [(f"~x{row}", 1) for row in range(1, least)]
            parts += [(fewer[row - 1], rows - row) for row in range(least, rows)]
            reaches_least = proof.derive(f"{proof.format_sum(parts)} {rows - least + 1} d")
            reaches_next = proof.derive(f"{reaches_least} {never[least]} +")
        least += 1
        parts = [(reaches_next, least)]
        parts += [(fewer[row - 1], row) for row in range(1, least)]
        parts += [(f"x{row}", 1) for row in range(least + 1, rows + 1)]
        known = proof.derive(proof.format_sum(parts))
    proof.derive(proof.format_sum([(equation[0], 1), (known, width)]))
    return proof.verify()


def _round_lines_up(
    proof: CountingProof, facts: tuple[int, int], equation: tuple[int, int], known: tuple[int, int]
) -> tuple[int, int]:
    """Raise the least number of rows until 4 divides the cells; return it and its constraint."""
    (width, squares), (more, less), (least, number) = facts, equation, known
    rest = width % 4
    if rest == 0:
        return known
    if rest == 3:  # one row less than a multiple of four
        part = proof.derive(f"{less} {number} + 4 d")
        return squares + 4 * -((squares - least) // 4), proof.derive(f"{part} 4 * {more} +")
    part = proof.derive(f"{proof.format_sum([(more, 1), (number, rest)])} 4 d")
    whole = 4 * -(-(squares + rest * least) // 4) - squares
    return -(-whole // rest), proof.derive(f"{part} 4 * {less} + {rest} d")
