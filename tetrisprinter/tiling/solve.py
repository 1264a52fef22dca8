"""The questions: all solutions, how many, one of them, exactly one?

Every function takes a board and a piece set, and a method; all methods give the same
answers in the same order.

``search``
    lazily, one after the other, in plain Python (:mod:`~tetrisprinter.tiling.search`);
``sweep``
    all partial tilings at once (:mod:`~tetrisprinter.tiling.sweep`): fast where everything
    is asked for, and for counts beyond any list, but not for boards that are too wide;
``cpsat``
    a model for CP-SAT (:mod:`~tetrisprinter.tiling.cpsat`);
``auto``
    the search for the first solutions; the sweep for all of them and for counting, or the
    search if the board is too wide for it. What a quick argument settles is not searched.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Final, Literal, get_args

from tetrisprinter.errors import InputError
from tetrisprinter.tiling.arguments import impossible
from tetrisprinter.tiling.board import MEMORY_LIMIT, Board
from tetrisprinter.tiling.pieces import PieceSet
from tetrisprinter.tiling.placements import Puzzle, Tiling
from tetrisprinter.tiling.symmetry import count_fixed, representatives, symmetries

__all__ = ["Method", "count", "count_covers", "covers", "first", "is_unique", "solutions"]

Method = Literal["auto", "search", "sweep", "cpsat"]
Progress = Callable[[int, int], None]

_BYTES_PER_COVER: Final = 150  # of a list of them, and 8 for each piece


def covers(
    puzzle: Puzzle,
    method: Method = "auto",
    *,
    up_to_symmetry: bool = False,
    limit: int | None = None,
    progress: Progress | None = None,
) -> Iterator[tuple[int, ...]]:
    """Yield solutions as ascending tuples of placement numbers: the quick form.

    Parameters
    ----------
    puzzle : Puzzle
        The board and its placements.
    method : {'auto', 'search', 'sweep', 'cpsat'}
        See the module.
    up_to_symmetry : bool
        Whether of solutions that are images of each other only the first is wanted.
    limit : int, optional
        How many are wanted at most. It makes ``auto`` search instead of sweeping.
    progress : callable, optional
        Told how many steps of how many the sweep has done.

    Raises
    ------
    InputError
        If there is no such method.
    SweepLimitError
        If the sweep is asked for and the board is too large for it.
    """
    found = _all_covers(puzzle, method, limit, progress)
    if up_to_symmetry:
        found = representatives(found, symmetries(puzzle))
    return itertools.islice(found, limit)


def _all_covers(
    puzzle: Puzzle, method: Method, limit: int | None, progress: Progress | None
) -> Iterator[tuple[int, ...]]:
    if method not in get_args(Method):
        raise InputError(f"method {method!r}: one of {', '.join(get_args(Method))} is needed")
    if method == "cpsat":
        from tetrisprinter.tiling import cpsat

        # Which solutions come first is only known when all are known.
        return cpsat.covers(puzzle)
    if method == "auto" and impossible(puzzle, thorough=False) is not None:
        return iter(())
    if method == "sweep" or (method == "auto" and limit is None):
        from tetrisprinter.tiling.sweep import SweepLimitError

        try:
            return _swept(puzzle, progress)
        except SweepLimitError:
            if method == "sweep":
                raise
    from tetrisprinter.tiling.search import search

    return search(puzzle)


def _swept(puzzle: Puzzle, progress: Progress | None) -> Iterator[tuple[int, ...]]:
    from tetrisprinter.tiling.sweep import SweepLimitError, sweep

    graph = sweep(puzzle, progress)
    if not graph.transposed:
        return graph.paths()
    # Swept column by column: to be sorted, and for that kept.
    smallest = puzzle.pieces.sizes[0]
    each = _BYTES_PER_COVER + 8 * puzzle.board.area // smallest
    if graph.count() * each > MEMORY_LIMIT:
        raise SweepLimitError(
            f"{graph.count()} solutions of a board that is wider than high take more memory "
            "than the limit; turn the board"
        )
    return iter(sorted(tuple(sorted(path)) for path in graph.paths()))


def count_covers(
    puzzle: Puzzle,
    method: Method = "auto",
    *,
    up_to_symmetry: bool = False,
    progress: Progress | None = None,
) -> int:
    """Count the solutions of a puzzle; see :func:`count`."""
    if method not in get_args(Method):
        raise InputError(f"method {method!r}: one of {', '.join(get_args(Method))} is needed")
    if method in ("search", "cpsat"):
        return sum(1 for _ in covers(puzzle, method, up_to_symmetry=up_to_symmetry))
    if method == "auto" and impossible(puzzle, thorough=False) is not None:
        return 0
    from tetrisprinter.tiling.sweep import SweepLimitError, sweep

    try:
        total = sweep(puzzle, progress).count()
    except SweepLimitError:
        if method == "sweep":
            raise
        return sum(1 for _ in covers(puzzle, "search", up_to_symmetry=up_to_symmetry))
    if not up_to_symmetry or not total:
        return total
    group = symmetries(puzzle)
    return (total + sum(count_fixed(puzzle, image) for image in group[1:])) // len(group)


def solutions(
    board: Board, pieces: PieceSet, *, method: Method = "search", up_to_symmetry: bool = False
) -> Iterator[Tiling]:
    """Yield the tilings of a board, lazily.

    Parameters
    ----------
    board : Board
        What to cover.
    pieces : PieceSet
        With what.
    method : {'search', 'auto', 'sweep', 'cpsat'}
        How; all give the same tilings in the same order. Only ``search`` gives the first
        before it looks for the others.
    up_to_symmetry : bool
        Whether tilings that are turns or mirror images of each other count as one.

    Yields
    ------
    Tiling
        In lexicographic order: by the piece at the first cell, then that at the next.

    Raises
    ------
    InputError
        If the table of placements would need too much memory; the message says how much.

    Examples
    --------
    >>> ring = Board(3, 3, [(1, 1)])
    >>> for tiling in solutions(ring, PieceSet.parse("dominoes"), up_to_symmetry=True):
    ...     print(tiling, end="\\n\\n")
    AAB
    C#B
    CDD
    <BLANKLINE>
    """
    puzzle = Puzzle(board, pieces)
    return map(puzzle.tiling, covers(puzzle, method, up_to_symmetry=up_to_symmetry))


def count(
    board: Board, pieces: PieceSet, *, method: Method = "auto", up_to_symmetry: bool = False
) -> int:
    """Count the tilings of a board; parameters as of :func:`solutions`.

    With the sweep nothing is listed, so the number may be astronomical.

    Examples
    --------
    >>> count(Board(8, 8), PieceSet.parse("dominoes"))
    12988816
    >>> count(Board(8, 8), PieceSet.parse("dominoes"), up_to_symmetry=True)
    1629189
    """
    return count_covers(Puzzle(board, pieces), method, up_to_symmetry=up_to_symmetry)


def first(board: Board, pieces: PieceSet, *, method: Method = "auto") -> Tiling | None:
    """Return the first tiling, or None if there is none; parameters as of :func:`solutions`.

    >>> print(first(Board(5, 3), PieceSet.parse("I3,V3*4")))
    AAABB
    CDDBE
    CCDEE
    """
    puzzle = Puzzle(board, pieces)
    found = next(covers(puzzle, method, limit=1), None)
    return None if found is None else puzzle.tiling(found)


def is_unique(board: Board, pieces: PieceSet, *, method: Method = "auto") -> bool:
    """Return whether a board has exactly one tiling, equal pieces not told apart.

    >>> is_unique(Board(2, 2), PieceSet.parse("V3,I1"))
    False
    >>> is_unique(Board(2, 2), PieceSet.parse("V3,I1", "fixed"))
    True
    """
    return len(list(covers(Puzzle(board, pieces), method, limit=2))) == 1
