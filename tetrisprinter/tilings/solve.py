"""The questions: all solutions, how many, one of them, exactly one?

Every function takes a board and a piece set, and a method; all methods give the same
answers in the same order.

``search``
    lazily, one after the other, in plain Python (:mod:`~tetrisprinter.tilings.backtracking`);
``sweep``
    all partial tilings at once (:mod:`~tetrisprinter.tilings.sweep`): fast where everything
    is asked for, and for counts beyond any list (:mod:`~tetrisprinter.tilings.tally`), but not
    for boards that are too wide;
``cpsat``
    a model for CP-SAT (:mod:`~tetrisprinter.tilings.cpsat`);
``auto``
    the search for the first few solutions; the sweep for all of them and for counting, or the
    search if the board is too wide for it. What a quick argument settles is not searched.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Final, Literal, get_args

from tetrisprinter.errors import ArgumentError, InputError
from tetrisprinter.support.notices import give_notice
from tetrisprinter.tilings.arguments import find_argument
from tetrisprinter.tilings.board import Board
from tetrisprinter.tilings.pieces import Piece, PieceSet
from tetrisprinter.tilings.placements import Tiling, TilingProblem
from tetrisprinter.tilings.symmetry import count_fixed, find_symmetries, yield_representatives

__all__ = ["Method", "count", "count_covers", "covers", "first", "is_unique", "solutions"]

Method = Literal["auto", "search", "sweep", "cpsat"]
Progress = Callable[[int, int], None]

_WORTHWHILE: Final = 300  # cells
_FEW: Final = 50  # solutions that are sooner searched one by one


def covers(
    problem: TilingProblem,
    method: Method = "auto",
    *,
    up_to_symmetry: bool = False,
    limit: int | None = None,
    tell: Progress | None = None,
) -> Iterator[tuple[int, ...]]:
    """Yield solutions as ascending tuples of placement numbers: the quick form.

    Their order is that of :func:`solutions`.
    """
    upright, back = _stand_upright(problem)
    found = _find_all_covers(upright, method, limit, tell)
    if up_to_symmetry:
        found = yield_representatives(found, find_symmetries(upright))
    if limit is not None:
        found = itertools.islice(found, limit)
    if back is None:
        return found
    return (tuple(sorted(back[number] for number in cover)) for cover in found)


def _stand_upright(problem: TilingProblem) -> tuple[TilingProblem, list[int] | None]:
    """Exchange rows and columns of a board that is wider than high.

    Whatever goes row by row has less to remember when rows are short. The second value
    gives for each placement the number of the one in the original problem, or -1 where
    that knows already that it is in no tiling.
    """
    board = problem.board
    if board.width <= board.height:
        return problem, None
    blocked = [(y, x) for x, y in board.cells(board.blocked)]
    pieces = [
        Piece(piece.name, piece.shape.rotate().reflect(), piece.most)
        for piece in problem.pieces.pieces
    ]
    upright = TilingProblem(
        Board(board.height, board.width, blocked),
        PieceSet(tuple(pieces), problem.pieces.orientations, problem.pieces.use_all),
    )
    number_of = {placement.mask: n for n, placement in enumerate(problem.placements)}
    back = [
        number_of.get(board.mask((y, x) for x, y in placement.cells), -1)
        for placement in upright.placements
    ]
    return upright, back


def _find_all_covers(
    problem: TilingProblem, method: Method, limit: int | None, tell: Progress | None
) -> Iterator[tuple[int, ...]]:
    if method not in get_args(Method):
        raise InputError(f"method {method!r}: one of {', '.join(get_args(Method))} is needed")
    if method == "cpsat":
        from tetrisprinter.tilings import cpsat

        return cpsat.find_covers(problem)
    # Searching would take long to find out what weights modulo p tell; sweeping does not.
    few = limit is not None and limit <= _FEW
    hard = few and problem.board.area <= _WORTHWHILE and None in problem.limits
    if method == "auto" and find_argument(problem, thorough=hard) is not None:
        return iter(())
    if method == "sweep" or (method == "auto" and not few):
        from tetrisprinter.tilings.sweep import SweepLimitError, sweep

        try:
            return sweep(problem, tell).iterate_paths()
        except SweepLimitError:
            if method == "sweep":
                raise
    from tetrisprinter.tilings.backtracking import search

    return search(problem)


def count_covers(
    problem: TilingProblem,
    method: Method = "auto",
    *,
    up_to_symmetry: bool = False,
    tell: Progress | None = None,
) -> int:
    """Count the solutions of a problem; see :func:`count`."""
    if method not in get_args(Method):
        raise InputError(f"method {method!r}: one of {', '.join(get_args(Method))} is needed")
    if method == "cpsat" and not up_to_symmetry:
        from tetrisprinter.tilings import cpsat

        return cpsat.count_covers(problem)
    if method in ("search", "cpsat"):
        return sum(1 for _ in covers(problem, method, up_to_symmetry=up_to_symmetry))
    if method == "auto" and find_argument(problem, thorough=False) is not None:
        return 0
    from tetrisprinter.tilings.sweep import SweepLimitError, sweep

    problem, _ = _stand_upright(problem)
    try:
        if problem.pieces.use_all or any(limit is not None for limit in problem.limits):
            total = sweep(problem, tell).count()
        else:
            from tetrisprinter.tilings.tally import count_unlimited

            total = count_unlimited(problem, tell)
    except SweepLimitError as error:
        if method == "sweep":
            raise
        give_notice(f"{error}; so the tilings are counted one by one, which may not end")
        return sum(1 for _ in covers(problem, "search", up_to_symmetry=up_to_symmetry))
    if not up_to_symmetry or not total:
        return total
    group = find_symmetries(problem)
    return (total + sum(count_fixed(problem, image) for image in group[1:])) // len(group)


def solutions(
    board: Board | TilingProblem,
    pieces: PieceSet | None = None,
    *,
    method: Method = "search",
    up_to_symmetry: bool = False,
) -> Iterator[Tiling]:
    """Yield the tilings of a board, lazily.

    Parameters
    ----------
    board : Board or TilingProblem
        The board to cover, or the whole problem.
    pieces : PieceSet, optional
        The pieces that cover a board; a problem has its own.
    method : {'search', 'auto', 'sweep', 'cpsat'}
        How; all give the same tilings in the same order. Only ``search`` gives the first
        before it looks for the others.
    up_to_symmetry : bool
        Whether tilings that are turns or mirror images of each other count as one.

    Yields
    ------
    Tiling
        In lexicographic order: by the piece at the first cell, then that at the next. Cells
        are counted row by row, or column by column if the board is wider than high.

    Raises
    ------
    InputError
        If the table of placements would need too much memory; the message says how much.
    ArgumentError
        If a board comes without pieces, or a problem with more of them.

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
    problem = _read_problem(board, pieces)
    return map(problem.tiling, covers(problem, method, up_to_symmetry=up_to_symmetry))


def count(
    board: Board | TilingProblem,
    pieces: PieceSet | None = None,
    *,
    method: Method = "auto",
    up_to_symmetry: bool = False,
) -> int:
    """Count the tilings of a board; parameters as of :func:`solutions`.

    With the sweep nothing is listed, so the number may be astronomical.

    Examples
    --------
    >>> count(Board(8, 8), PieceSet.parse("dominoes"))
    12988816
    >>> count(Board(8, 8), PieceSet.parse("dominoes"), up_to_symmetry=True)
    1629189
    >>> count(TilingProblem(Board(3, 2), PieceSet.parse("dominoes")))
    3
    """
    return count_covers(_read_problem(board, pieces), method, up_to_symmetry=up_to_symmetry)


def first(
    board: Board | TilingProblem, pieces: PieceSet | None = None, *, method: Method = "auto"
) -> Tiling | None:
    """Return the first tiling, or None if there is none; parameters as of :func:`solutions`.

    >>> print(first(Board(5, 3), PieceSet.parse("I3,V3*4")))
    AAABB
    CDDEB
    CCDEE
    """
    problem = _read_problem(board, pieces)
    found = next(covers(problem, method, limit=1), None)
    return None if found is None else problem.tiling(found)


def is_unique(
    board: Board | TilingProblem, pieces: PieceSet | None = None, *, method: Method = "auto"
) -> bool:
    """Return whether there is exactly one tiling; parameters as of :func:`solutions`.

    Equal pieces are interchangeable.

    Examples
    --------
    >>> is_unique(Board(2, 2), PieceSet.parse("V3,I1"))
    False
    >>> is_unique(Board(2, 2), PieceSet.parse("V3,I1", "fixed"))
    True
    """
    return len(list(covers(_read_problem(board, pieces), method, limit=2))) == 1


def _read_problem(board: Board | TilingProblem, pieces: PieceSet | None) -> TilingProblem:
    """Return the problem that was given, whole or in two parts."""
    if isinstance(board, TilingProblem) and pieces is None:
        return board
    if isinstance(board, Board) and pieces is not None:
        return TilingProblem(board, pieces)
    raise ArgumentError("expected a Board and a PieceSet, or one TilingProblem")
