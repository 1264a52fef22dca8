"""Short proofs that a problem has no tiling.

Each argument can be checked by hand:

``area``
    no choice of the pieces has as many cells as the board;
``cell``
    no placement covers a certain cell;
``region``
    the argument ``area`` applies to a part of the board that is not connected with the rest;
``chessboard``, ``rows``, ``columns``
    colour the cells in two colours, by squares, rows or columns. No choice of pieces, in any
    positions, covers the surplus of one colour that the board has;
``weights mod p``
    give each cell a number such that all placements of a piece cover the same sum modulo p, but
    these sums do not add up to the sum of the board. Such numbers exist if and only if the
    equations "every cell is covered once" have no solution modulo p, so elimination finds them.
    The colourings with diagonal stripes in textbooks are of this kind.

A problem without such an argument may still be impossible.

References
----------
J. H. Conway and J. C. Lagarias, *Tiling with polyominoes and combinatorial group theory*,
J. Combin. Theory Ser. A 53 (1990): generalised colourings, and what they cannot show.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tetrisprinter.support import format_count
from tetrisprinter.tilings.placements import TilingProblem, find_area_sums
from tetrisprinter.tilings.polyomino import split_regions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_MAX_AREA: Final = 2000  # cells; colourings of larger boards are too slow for a shortcut
_MAX_SYSTEM_AREA: Final = 700  # cells; about one second of elimination
_PRIMES: Final = (2, 3, 5)


@dataclass(frozen=True, slots=True)
class Argument:
    """A proof that there is no tiling.

    Attributes
    ----------
    name : str
        The kind of argument, as listed in the module.
    reason : str
        The argument as a sentence.
    weights : tuple of tuple of int
        The number of each cell, rows from the top, if the argument uses such numbers.
    """

    name: str
    reason: str
    weights: tuple[tuple[int, ...], ...] = ()

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


def find_argument(problem: TilingProblem, *, thorough: bool = True) -> Argument | None:
    """Search for an argument that there is no tiling.

    Parameters
    ----------
    problem : TilingProblem
        The board and the pieces.
    thorough : bool
        Whether to try weights modulo p, too, which is the slowest part.

    Returns
    -------
    Argument or None
        None if no argument applies; then there may be a tiling or not.

    Examples
    --------
    >>> from tetrisprinter.tilings.placements import TilingBoard
    >>> from tetrisprinter.tilings.polyomino import PieceSet
    >>> corners = TilingBoard(8, 8, [(0, 0), (7, 7)])
    >>> print(find_argument(TilingProblem(corners, PieceSet.parse("dominoes"))).name)
    chessboard
    >>> bars = find_argument(TilingProblem(TilingBoard(10, 10), PieceSet.parse("I4*inf")))
    >>> print(bars.name)
    weights mod 2
    """
    reason = _check_area(problem, problem.board.free, "the board")
    if reason is not None:
        return Argument("area", reason)
    for check in (_check_cells, _check_regions):
        argument = check(problem)
        if argument is not None:
            return argument
    if problem.board.area > _MAX_AREA:
        return None
    for name, pattern, weight in (
        ("chessboard", "squares of a chessboard", lambda x, y: 1 - 2 * ((x + y) % 2)),
        ("rows", "rows", lambda x, y: 1 - 2 * (y % 2)),
        ("columns", "columns", lambda x, y: 1 - 2 * (x % 2)),
    ):
        argument = _check_two_colors(problem, name, pattern, weight)
        if argument is not None:
            return argument
    if thorough:
        for prime in _PRIMES:
            argument = _search_weights(problem, prime)
            if argument is not None:
                return argument
    return None


def _check_area(problem: TilingProblem, region: int, name: str) -> str | None:
    """Return the reason why no choice of pieces has the area of a region; None if one has."""
    area = region.bit_count()
    cells = format_count(area, "cell")
    pieces = problem.pieces.pieces
    is_whole_board = region == problem.board.free
    required_area = (
        sum(p.shape.size * (p.most or 0) for p in pieces) if problem.pieces.use_all else 0
    )
    if is_whole_board and required_area > area:
        return f"the pieces that must be used up have {required_area} cells, but {name} has {area}"
    if is_whole_board and problem.pieces.use_all:
        reachable_areas = find_area_sums(
            [(p.shape.size, None) for p in pieces if p.most is None], area
        )
        if not reachable_areas[area - required_area]:
            return f"{name} has {cells}, but no choice that uses up the pieces has this area"
        return None
    if None not in (p.most for p in pieces):
        total = sum(p.shape.size * (p.most or 0) for p in pieces)
        if total < area:
            piece_cells = format_count(total, "cell")
            return f"all pieces together have {piece_cells}, but {name} has {area}"
    if not find_area_sums([(p.shape.size, p.most) for p in pieces], area)[area]:
        return f"{name} has {cells}, but no choice of pieces has this area"
    return None


def _check_cells(problem: TilingProblem) -> Argument | None:
    """Return the argument for a free cell that no placement covers; None if there is none."""
    reached = 0
    for placement in problem.all_placements:
        reached |= placement.mask
    for x, y in problem.board.list_cells(problem.board.free & ~reached):
        return Argument("cell", f"no piece can cover the cell in row {y + 1}, column {x + 1}")
    return None


def _check_regions(problem: TilingProblem) -> Argument | None:
    """Return the area argument for a connected part of the board; None if it never applies."""
    board = problem.board
    for region in split_regions(board.list_cells(board.free)):
        if len(region) == board.area:
            return None
        x, y = region[0]
        name = f"the part of the board with the cell in row {y + 1}, column {x + 1}"
        reason = _check_area(problem, board.make_mask(region), name)
        if reason is not None:
            return Argument("region", reason)
    return None


def _check_two_colors(
    problem: TilingProblem, name: str, pattern: str, weight: Callable[[int, int], int]
) -> Argument | None:
    """Return the argument that pieces cannot have the board's surplus of one colour, or None."""
    board = problem.board
    area = board.area
    surplus = sum(weight(x, y) for x, y in board.list_cells(board.free))
    surpluses_by_piece: list[set[int]] = [set() for _ in problem.pieces.pieces]
    for placement in problem.all_placements:
        surpluses_by_piece[placement.kind].add(sum(weight(x, y) for x, y in placement.cells))
    # Invariant: reached[a] is the set of possible surpluses of ``a`` covered cells; bit i is the
    # surplus i - area.
    reached = [0] * (area + 1)
    reached[0] = 1 << area
    for piece, limit, surpluses in zip(
        problem.pieces.pieces, problem.limits, surpluses_by_piece, strict=True
    ):
        size = piece.shape.size
        if limit is None:
            for covered in range(size, area + 1):
                reached[covered] |= _add_surpluses(reached[covered - size], surpluses)
            continue
        layer = reached
        for _ in range(limit):
            layer = [0] * size + [
                _add_surpluses(bits, surpluses) for bits in layer[: area + 1 - size]
            ]
            layer += [0] * (area + 1 - len(layer))
            if problem.pieces.use_all:
                reached = layer
            else:
                reached = [a | b for a, b in zip(reached, layer, strict=True)]
    if reached[area] >> (surplus + area) & 1:
        return None
    weights = tuple(tuple(weight(x, y) for x in range(board.width)) for y in range(board.height))
    more = f"{abs(surplus)} more cells" if surplus else "no more cells"
    return Argument(
        name,
        f"coloured by {pattern}, the board has {more} of one colour, "
        "but no choice of pieces has the same surplus",
        weights,
    )


def _add_surpluses(bits: int, surpluses: set[int]) -> int:
    """Return, as bits, the sums of a surplus of each set."""
    moved = 0
    for surplus in surpluses:
        moved |= bits << surplus if surplus >= 0 else bits >> -surplus
    return moved


def _search_weights(problem: TilingProblem, prime: int) -> Argument | None:
    """Find weights modulo a prime by Gaussian elimination; return None if there are none.

    A vector has an entry for each free cell and one for each piece whose number is fixed. If the
    board's vector is no linear combination of the placements' vectors, then some functional is 0
    on all placements but not on the board. Its values are the weights.
    """
    import numpy as np

    board = problem.board
    if board.area > _MAX_SYSTEM_AREA:
        return None
    cells = list(board.list_cells(board.free))
    index = {cell: i for i, cell in enumerate(cells)}
    pieces = problem.pieces.pieces
    total = sum(p.shape.size * (p.most or 0) for p in pieces)
    all_used = problem.pieces.use_all or (
        total == board.area and all(p.most is not None for p in pieces)
    )
    counted_kinds = [k for k, p in enumerate(pieces) if all_used and p.most is not None]
    length = len(cells) + len(counted_kinds)
    column = {kind: len(cells) + i for i, kind in enumerate(counted_kinds)}
    # Invariant: row i is the basis vector with pivot i, if there is one. Every basis vector is
    # 0 at the pivots of all other basis vectors.
    basis = np.zeros((length, length), np.int16)
    has_pivot = np.zeros(length, np.bool_)

    def reduce(vector: NDArray[np.int16]) -> NDArray[np.int16]:
        rows = np.flatnonzero(has_pivot & (vector != 0))
        return (vector - vector[rows] @ basis[rows]) % prime

    for placement in problem.all_placements:
        vector = np.zeros(length, np.int16)
        vector[[index[cell] for cell in placement.cells]] = 1
        if placement.kind in column:
            vector[column[placement.kind]] = 1
        vector = reduce(vector)
        if not vector.any():
            continue
        pivot = int(np.flatnonzero(vector)[0])
        vector = vector * pow(int(vector[pivot]), -1, prime) % prime
        other_rows = np.flatnonzero(basis[:, pivot])
        basis[other_rows] = (basis[other_rows] - np.outer(basis[other_rows, pivot], vector)) % prime
        basis[pivot] = vector
        has_pivot[pivot] = True
        if has_pivot.all():
            return None
    board_vector = [1] * len(cells) + [(pieces[kind].most or 0) % prime for kind in counted_kinds]
    target = reduce(np.array(board_vector, np.int16))
    if not target.any():
        return None
    free_index = int(np.flatnonzero(target)[0])
    functional = (-basis[:, free_index] % prime).tolist()
    functional[free_index] = 1
    by_cell = dict(zip(cells, functional, strict=False))
    weights = tuple(
        tuple(by_cell.get((x, y), 0) for x in range(board.width)) for y in range(board.height)
    )
    amounts = {kind: -functional[i] % prime for kind, i in column.items()}
    return _explain_weights(problem, prime, weights, amounts, sum(by_cell.values()))


def _explain_weights(
    problem: TilingProblem,
    prime: int,
    weights: tuple[tuple[int, ...], ...],
    amounts: dict[int, int],
    total: int,
) -> Argument:
    """Return the argument that these weights give modulo a prime."""
    pieces = problem.pieces.pieces
    nonzero = [f"{pieces[kind].name} {amount}" for kind, amount in amounts.items() if amount]
    needed_total = sum((pieces[kind].most or 0) * amount for kind, amount in amounts.items())
    clause = (
        f"every piece covers a multiple of {prime}"
        if not nonzero
        else f"modulo {prime}, {', '.join(nonzero)} wherever it lies (other pieces 0), "
        f"{needed_total % prime} in all"
    )
    return Argument(
        f"weights mod {prime}",
        f"there are weights for the cells with which {clause}, but all cells of the board "
        f"weigh {total} together (modulo {prime}: {total % prime})",
        weights,
    )
