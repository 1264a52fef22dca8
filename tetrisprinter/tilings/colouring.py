"""Colouring arguments as counting proofs for external checkers.

The formula states that every cell is covered once and, if all pieces are used up, how often each
piece is used. The proof adds multiples of these equations such that every placement's coefficient
is a multiple of some ``m`` but the right side is not. After division by ``m``, the "at least" side
is rounded up and the "at most" side down: a contradiction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tetrisprinter.support.counting_proofs import CountingProof
from tetrisprinter.tilings.impossibility import Argument
from tetrisprinter.tilings.placements import TilingProblem

Cell = tuple[int, int]

_MODULI: Final = range(2, 17)
_COLORS: Final[tuple[Callable[[int, int], int], ...]] = (
    lambda x, y: (x + y) % 2,
    lambda _x, y: y % 2,
    lambda x, _y: x % 2,
)


def prove_by_colouring(problem: TilingProblem, argument: Argument) -> CountingProof | None:
    """Turn an argument into a formula and its proof.

    Parameters
    ----------
    problem : TilingProblem
        A problem without a tiling.
    argument : Argument
        The argument from :func:`~tetrisprinter.tilings.impossibility.find_argument`.

    Returns
    -------
    CountingProof or None
        A checked proof; None if neither the argument's weights nor a colouring in two colours
        is enough, for example if several pieces have different limits.

    Examples
    --------
    >>> from tetrisprinter.tilings.impossibility import find_argument
    >>> from tetrisprinter.tilings.board import TilingBoard
    >>> from tetrisprinter.tilings.pieces import PieceSet
    >>> problem = TilingProblem(TilingBoard(10, 10), PieceSet.parse("T4*inf"))
    >>> print(prove_by_colouring(problem, find_argument(problem)).proof.splitlines()[-2])
    conclusion UNSAT : 203
    """
    for weights, modulus in _iterate_candidates(problem, argument):
        piece_weights = _find_piece_weights(problem, weights, modulus)
        if piece_weights is None:
            continue
        counts = [
            (problem.pieces.pieces[kind].most or 0) * weight
            for kind, weight in piece_weights.items()
        ]
        if (sum(weights.values()) + sum(counts)) % modulus:
            return _write_proof(problem, weights, piece_weights, modulus)
    return None


def _iterate_candidates(
    problem: TilingProblem, argument: Argument
) -> Iterator[tuple[Mapping[Cell, int], int]]:
    """Yield weights of the cells with their modulus: first the argument's, then all colourings."""
    cells = list(problem.board.list_cells(problem.board.free))
    if argument.name.startswith("weights"):
        yield {(x, y): argument.weights[y][x] for x, y in cells}, int(argument.name.split()[-1])
    for modulus in _MODULI:
        for color in _COLORS:
            for second_weight in range(modulus):
                yield {cell: (1, second_weight)[color(*cell)] for cell in cells}, modulus


def _find_piece_weights(
    problem: TilingProblem, weights: Mapping[Cell, int], modulus: int
) -> dict[int, int] | None:
    """Return what each piece's weight lacks to a multiple of the modulus; None if this varies."""
    piece_weights: dict[int, int] = {}
    for placement in problem.all_placements:
        missing_weight = -sum(weights[cell] for cell in placement.cells) % modulus
        if piece_weights.setdefault(placement.kind, missing_weight) != missing_weight:
            return None
        is_counted = problem.pieces.use_all and problem.pieces.pieces[placement.kind].most
        if missing_weight and not is_counted:
            return None
    return piece_weights


def _write_proof(
    problem: TilingProblem,
    weights: Mapping[Cell, int],
    piece_weights: Mapping[int, int],
    modulus: int,
) -> CountingProof:
    """Write the formula and the proof that adds multiples of its equations."""
    proof = CountingProof()
    covering: dict[Cell, dict[int, int]] = defaultdict(dict)
    terms_of_kind: dict[int, dict[int, int]] = defaultdict(dict)
    for number, placement in enumerate(problem.all_placements, 1):
        terms_of_kind[placement.kind][number] = 1
        for cell in placement.cells:
            covering[cell][number] = 1
    at_least: list[tuple[int | str, int]] = []
    at_most: list[tuple[int | str, int]] = []
    equations = [
        (covering[x, y], 1, factor, f"cell {x + 1} {y + 1}") for (x, y), factor in weights.items()
    ]
    for kind, factor in piece_weights.items():
        piece = problem.pieces.pieces[kind]
        if factor and piece.most is not None:
            equations.append((terms_of_kind[kind], piece.most, factor, f"pieces {piece.name}"))
    for terms, value, factor, remark in equations:
        numbers = proof.add_equation(terms, value, remark)
        if factor:
            for summands, number in zip((at_least, at_most), numbers, strict=True):
                summands.append((number, factor))
    halves = [
        proof.derive(f"{proof.format_sum(summands)} {modulus} d")
        for summands in (at_least, at_most)
    ]
    proof.derive(proof.format_sum([(number, 1) for number in halves]))
    return proof.verify()
