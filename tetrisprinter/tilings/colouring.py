"""Colourings that exclude every tiling, as counting proofs for external checkers.

The formula says that every cell is covered once and, where all pieces are used up, how many
there are of each. Every equation is taken some number of times, so that each placement has a
multiple of some number ``m``; the other side has none. Divided by ``m``, "at least" is rounded
up and "at most" down, and both together cannot be.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tetrisprinter.support.counting_proofs import CountingProof
from tetrisprinter.tilings.arguments import Argument
from tetrisprinter.tilings.placements import TilingProblem

__all__ = ["colouring_proof"]

Cell = tuple[int, int]

_MODULI: Final = range(2, 17)
_COLORS: Final[tuple[Callable[[int, int], int], ...]] = (
    lambda x, y: (x + y) % 2,
    lambda _x, y: y % 2,
    lambda x, _y: x % 2,
)


def colouring_proof(problem: TilingProblem, argument: Argument) -> CountingProof | None:
    """Write an argument down as a formula and its proof.

    Parameters
    ----------
    problem : TilingProblem
        What has no tiling.
    argument : Argument
        Why, from :func:`~tetrisprinter.tilings.arguments.find_argument`.

    Returns
    -------
    CountingProof or None
        Checked; None if no colouring in two colours and no weights that the argument names
        are enough, as where the numbers of several pieces are counted one by one.

    Examples
    --------
    >>> from tetrisprinter.tilings.arguments import find_argument
    >>> from tetrisprinter.tilings.board import Board
    >>> from tetrisprinter.tilings.pieces import PieceSet
    >>> problem = TilingProblem(Board(10, 10), PieceSet.parse("T4*inf"))
    >>> print(colouring_proof(problem, find_argument(problem)).proof.splitlines()[-2])
    conclusion UNSAT : 203
    """
    for weights, modulus in _candidates(problem, argument):
        pieces = _amounts(problem, weights, modulus)
        if pieces is None:
            continue
        counts = [(problem.pieces.pieces[kind].most or 0) * its for kind, its in pieces.items()]
        if (sum(weights.values()) + sum(counts)) % modulus:
            return _proof(problem, weights, pieces, modulus)
    return None


def _candidates(
    problem: TilingProblem, argument: Argument
) -> Iterator[tuple[Mapping[Cell, int], int]]:
    cells = list(problem.board.cells(problem.board.free))
    if argument.name.startswith("weights"):
        yield {(x, y): argument.weights[y][x] for x, y in cells}, int(argument.name.split()[-1])
    for modulus in _MODULI:
        for color in _COLORS:
            for other in range(modulus):
                yield {cell: (1, other)[color(*cell)] for cell in cells}, modulus


def _amounts(
    problem: TilingProblem, weights: Mapping[Cell, int], modulus: int
) -> dict[int, int] | None:
    """Return what must be added for each piece to make it a multiple; None if that varies."""
    found: dict[int, int] = {}
    for placement in problem.raw:
        lacks = -sum(weights[cell] for cell in placement.cells) % modulus
        if found.setdefault(placement.kind, lacks) != lacks:
            return None
        is_counted = problem.pieces.use_all and problem.pieces.pieces[placement.kind].most
        if lacks and not is_counted:
            return None
    return found


def _proof(
    problem: TilingProblem, weights: Mapping[Cell, int], pieces: Mapping[int, int], modulus: int
) -> CountingProof:
    proof = CountingProof()
    covering: dict[Cell, dict[int, int]] = defaultdict(dict)
    of_kind: dict[int, dict[int, int]] = defaultdict(dict)
    for number, placement in enumerate(problem.raw, 1):
        of_kind[placement.kind][number] = 1
        for cell in placement.cells:
            covering[cell][number] = 1
    more: list[tuple[int | str, int]] = []
    less: list[tuple[int | str, int]] = []
    given = [(covering[x, y], 1, its, f"cell {x + 1} {y + 1}") for (x, y), its in weights.items()]
    for kind, its in pieces.items():
        one = problem.pieces.pieces[kind]
        if its and one.most is not None:
            given.append((of_kind[kind], one.most, its, f"pieces {one.name}"))
    for terms, value, its, remark in given:
        numbers = proof.equal(terms, value, remark)
        if its:
            for parts, number in zip((more, less), numbers, strict=True):
                parts.append((number, its))
    halves = [proof.step(f"{proof.sum_of(parts)} {modulus} d") for parts in (more, less)]
    proof.step(proof.sum_of([(one, 1) for one in halves]))
    return proof.verify()
