"""List, count or find the tilings of a board, or check that there is exactly one.

Every function takes a board, a piece set and a method. All methods give the same answers in the
same order.

``search``
    one solution after another. :func:`search_covers` backtracks over the first free cell: it tries
    every placement of a remaining piece that has this first cell. Two tests prune the search. After
    each placement every connected region of the free cells must have a size that is a sum of piece
    sizes. A position (free cells and remaining pieces) without a solution is remembered and never
    entered again.
``sweep``
    all partial tilings at once (:mod:`~tetrisprinter.tilings.sweep`): fast for all solutions and
    for astronomical counts, but limited in width;
``cpsat``
    OR-tools' CP-SAT: exact cover with one boolean per placement. The model uses neither first cells
    nor profiles, so it checks the other methods independently. It is also the best method for large
    boards where the search finds nothing. The solver finds solutions in its own order. Up to a
    thousand are collected and sorted. If there are more, they are found one by one in order: for
    each cell the solver decides which placements belong to a solution. This is slow.
``auto``
    the search if a few solutions are requested; the sweep for all solutions and for counts, or
    the search if the board is too wide. Quick proofs that there is no solution are tried first.

*Up to symmetry*, turns and mirror images of a tiling count as one. A symmetry of a problem is one
of the eight symmetries of the square that maps the board to itself and all placements of a piece to
placements of one piece with the same limit: the same piece or, for example, its mirror image.

Each class of images is represented by its first solution in the order of the search. A solution's
images show whether it is the first, so earlier solutions need not be stored. Counting uses
Burnside's lemma: the number of classes is the mean, over all symmetries, of the number of solutions
that a symmetry fixes. With each placement, these solutions contain its complete orbit.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random
from typing import Any, Final, Literal, get_args

from tetrisprinter.errors import ArgumentError, InputError, JobError, give_notice
from tetrisprinter.sat.solve import solve_model
from tetrisprinter.support import LazyModule
from tetrisprinter.tilings import placements
from tetrisprinter.tilings.impossibility import find_argument
from tetrisprinter.tilings.placements import Tiling, TilingBoard, TilingProblem
from tetrisprinter.tilings.polyomino import GridCell, Piece, PieceSet

Symmetry = tuple[int, ...]
"""For each placement the number of its image; -1 if the image is in no tiling."""

cp_model: Any = LazyModule("ortools.sat.python.cp_model")

_MAX_POSITIONS: Final = placements.MEMORY_LIMIT // 200
"""A position and its number take about 200 bytes."""


def _list_board_symmetries(board: TilingBoard) -> list[Callable[[int, int], GridCell]]:
    """Return the symmetries of the rectangle as functions of (x, y), the identity first."""
    right, bottom = board.width - 1, board.height - 1
    symmetries: list[Callable[[int, int], GridCell]] = [
        lambda x, y: (x, y),
        lambda x, y: (right - x, y),
        lambda x, y: (x, bottom - y),
        lambda x, y: (right - x, bottom - y),
    ]
    if right == bottom:
        symmetries += [
            lambda x, y: (y, x),
            lambda x, y: (right - y, x),
            lambda x, y: (y, right - x),
            lambda x, y: (right - y, right - x),
        ]
    return symmetries


def find_symmetries(problem: TilingProblem) -> list[Symmetry]:
    """Return the symmetries of a problem, the identity first."""
    board = problem.board
    number_of = {(p.kind, p.mask): n for n, p in enumerate(problem.placements)}
    kind_of = {p.mask: p.kind for p in problem.all_placements}
    symmetries = []
    blocked = set(board.list_cells(board.blocked))
    for map_cell in _list_board_symmetries(board):
        if any(map_cell(x, y) not in blocked for x, y in blocked):
            continue
        image_of_cell = {
            (x, y): board.get_bit(*map_cell(x, y))
            for y in range(board.height)
            for x in range(board.width)
        }
        image = {
            p.mask: sum(image_of_cell[cell] for cell in p.cells) for p in problem.all_placements
        }
        # All placements of a piece must be mapped to placements of one piece.
        image_kind: dict[int, int] = {}
        for p in problem.all_placements:
            mapped_kind = kind_of.get(image[p.mask], -1)
            if mapped_kind < 0 or image_kind.setdefault(p.kind, mapped_kind) != mapped_kind:
                break
        else:
            pieces = problem.pieces.pieces
            if all(pieces[k].most == pieces[target].most for k, target in image_kind.items()):
                symmetries.append(
                    tuple(
                        number_of.get((image_kind[p.kind], image[p.mask]), -1)
                        for p in problem.placements
                    )
                )
    return symmetries


def yield_representatives(
    covers: Iterable[tuple[int, ...]], group: Sequence[Symmetry]
) -> Iterator[tuple[int, ...]]:
    """Yield the first solution of each class of images."""
    nontrivial = group[1:]
    for cover in covers:
        for symmetry in nontrivial:
            image = [symmetry[number] for number in cover]
            # The placement at the first cell distinguishes most images.
            if cover and min(image) <= cover[0] and tuple(sorted(image)) < cover:
                break
        else:
            yield cover


def count_fixed(problem: TilingProblem, symmetry: Symmetry) -> int:
    """Count the solutions that a symmetry maps to themselves: exact covers by orbits."""
    steps, fields, remaining, used_up = problem.counters
    orbits: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
    seen: set[int] = set()
    for start in range(len(symmetry)):
        if start in seen:
            continue
        orbit, number = [start], symmetry[start]
        while number not in (start, -1):
            orbit.append(number)
            number = symmetry[number]
        seen.update(orbit)
        # A placement that leaves the tilings, or overlaps its own image, is in no fixed solution.
        masks = [problem.placements[n].mask for n in orbit]
        covered = sum(masks)
        if number == start and covered.bit_count() == sum(mask.bit_count() for mask in masks):
            kinds = tuple(problem.placements[n].kind for n in orbit)
            orbits.setdefault(covered.bit_length(), []).append((covered, kinds))
    # By the bit length of the free cells: how many covers lead to (free cells, pieces left).
    counts_by_length: dict[int, dict[tuple[int, int], int]] = {}
    free = problem.board.free
    counts_by_length[free.bit_length()] = {(free, remaining): 1}
    for length in range(free.bit_length(), 0, -1):
        for (free, pieces_left), cover_count in counts_by_length.pop(length, {}).items():
            for covered, kinds in orbits.get(length, ()):
                if covered & ~free:
                    continue
                pieces_after = pieces_left
                for kind in kinds:
                    if not pieces_after & fields[kind]:
                        break
                    pieces_after -= steps[kind]
                else:
                    rest = free ^ covered
                    counts_after = counts_by_length.setdefault(rest.bit_length(), {})
                    counts_after[rest, pieces_after] = (
                        counts_after.get((rest, pieces_after), 0) + cover_count
                    )
        if sum(map(len, counts_by_length.values())) > _MAX_POSITIONS:
            raise JobError(
                "counting symmetric tilings would need more memory than the limit of "
                f"{placements.format_memory(placements.MEMORY_LIMIT)}"
            )
    finished = counts_by_length.get(0, {})
    return sum(
        cover_count
        for (_, pieces_left), cover_count in finished.items()
        if not problem.pieces.use_all or pieces_left == used_up
    )


Method = Literal["auto", "search", "sweep", "cpsat"]
Progress = Callable[[int, int], None]

_MAX_WEIGHED_AREA: Final = 300  # cells; larger boards are not tested with weights modulo p
_ATTEMPTS: Final = 4  # random searches for each requested solution
_MISSES: Final = 100  # random searches without a new solution, before the others are listed
_MOVES_OF_SAMPLE: Final = 50_000  # moves of a random search; then another one begins
_MAX_MONOMINOES: Final = 4  # more are no advice: nearly any set fills a board with enough of them
_FEW_SOLUTIONS: Final = 50  # up to this many solutions the search is faster than the sweep


def iterate_covers(
    problem: TilingProblem,
    method: Method = "auto",
    *,
    up_to_symmetry: bool = False,
    limit: int | None = None,
    report: Progress | None = None,
) -> Iterator[tuple[int, ...]]:
    """Yield solutions as ascending tuples of placement numbers, in the order of the tilings."""
    upright, original_numbers = _turn_upright(problem)
    covers = _find_all_covers(upright, method, limit, report)
    if up_to_symmetry:
        covers = yield_representatives(covers, find_symmetries(upright))
    if limit is not None:
        covers = itertools.islice(covers, limit)
    if original_numbers is None:
        return covers
    return (tuple(sorted(original_numbers[number] for number in cover)) for cover in covers)


def sample_covers(
    problem: TilingProblem,
    count: int,
    seed: int = 0,
    method: Method = "auto",
    *,
    up_to_symmetry: bool = False,
) -> list[tuple[int, ...]]:
    """Return up to ``count`` different solutions that a random search finds, in their order.

    They differ everywhere, whereas the first solutions differ in their last rows only. Fewer are
    returned only if there are no more, which ``method`` finds out.
    """
    upright, original_numbers = _turn_upright(problem)
    if find_argument(upright, thorough=False) is not None:
        return []
    group = find_symmetries(upright) if up_to_symmetry else ()
    found: dict[tuple[int, ...], None] = {}
    last_success = 0  # the attempt that found the newest solution
    for attempt in range(_ATTEMPTS * count):
        if attempt - last_success > _MISSES + 10 * len(found):  # nearly all solutions are found
            break
        cover = next(search_covers(upright, Random(f"{seed} {attempt}"), _MOVES_OF_SAMPLE), None)
        if cover is not None:
            images = [tuple(sorted(symmetry[n] for n in cover)) for symmetry in group]
            representative = min([cover, *images])
            last_success = last_success if representative in found else attempt
            found[representative] = None
        # If the first attempts find nothing, a search without a limit of moves decides.
        if len(found) == count or (attempt >= _ATTEMPTS and not found):
            break
    if len(found) < count:
        found |= dict.fromkeys(
            iterate_covers(upright, method, up_to_symmetry=up_to_symmetry, limit=count)
        )
    covers = sorted(list(found)[:count])
    if original_numbers is None:
        return covers
    return [tuple(sorted(original_numbers[n] for n in cover)) for cover in covers]


def find_missing_monominoes(problem: TilingProblem) -> int:
    """Return how many monominoes make a tiling possible that does not exist without; 0: unknown.

    A tiling with them was found, so the advice works.
    """
    pieces = problem.pieces
    if any(piece.shape.size == 1 for piece in pieces.pieces):
        return 0
    for count in range(1, _MAX_MONOMINOES + 1):
        monominoes = PieceSet.parse(f"monominoes*{count}").pieces
        more_pieces = (*pieces.pieces, *monominoes)
        extended = TilingProblem(
            problem.board, PieceSet(more_pieces, pieces.orientations, pieces.use_all)
        )
        upright, _ = _turn_upright(extended)
        if find_argument(upright, thorough=False) is None:
            # In order, then in random orders: a search that begins badly uses up its moves.
            for rng in (None, *map(Random, range(_ATTEMPTS))):
                if next(search_covers(upright, rng, _MOVES_OF_SAMPLE), None) is not None:
                    return count
    return 0


def _turn_upright(problem: TilingProblem) -> tuple[TilingProblem, list[int] | None]:
    """Exchange rows and columns of a board that is wider than high.

    Methods that go row by row have fewer states if rows are short. The second value has, for each
    new placement, its number in the original problem (-1: not there); None: nothing changed.
    """
    board = problem.board
    if board.width <= board.height:
        return problem, None
    blocked = [(y, x) for x, y in board.list_cells(board.blocked)]
    pieces = [
        Piece(piece.name, piece.shape.rotate().reflect(), piece.most)
        for piece in problem.pieces.pieces
    ]
    upright = TilingProblem(
        TilingBoard(board.height, board.width, blocked),
        PieceSet(tuple(pieces), problem.pieces.orientations, problem.pieces.use_all),
    )
    number_of = {placement.mask: n for n, placement in enumerate(problem.placements)}
    original_numbers = [
        number_of.get(board.make_mask((y, x) for x, y in placement.cells), -1)
        for placement in upright.placements
    ]
    return upright, original_numbers


def _find_all_covers(
    problem: TilingProblem, method: Method, limit: int | None, report: Progress | None
) -> Iterator[tuple[int, ...]]:
    """Yield the solutions with the given method; ``auto`` chooses the fastest method."""
    if method not in get_args(Method):
        raise InputError(f"invalid method {method!r}; choose from {', '.join(get_args(Method))}")
    if method == "cpsat":
        return find_covers_by_cpsat(problem)
    # Weights modulo p can save a long search. Before a sweep they would take more than they save.
    wants_few = limit is not None and limit <= _FEW_SOLUTIONS
    try_weights = wants_few and problem.board.area <= _MAX_WEIGHED_AREA and None in problem.limits
    if method == "auto" and find_argument(problem, thorough=try_weights) is not None:
        return iter(())
    if method == "sweep" or (method == "auto" and not wants_few):
        from tetrisprinter.tilings.sweep import sweep

        try:
            return sweep(problem, report).iterate_paths()
        except JobError:
            if method == "sweep":
                raise
    return search_covers(problem)


def count_covers(
    problem: TilingProblem,
    method: Method = "auto",
    *,
    up_to_symmetry: bool = False,
    report: Progress | None = None,
) -> int:
    """Count the solutions of a problem; see :func:`count_tilings`."""
    if method not in get_args(Method):
        raise InputError(f"invalid method {method!r}; choose from {', '.join(get_args(Method))}")
    if method == "cpsat" and not up_to_symmetry:
        return count_covers_by_cpsat(problem)
    if method in ("search", "cpsat"):
        return sum(1 for _ in iterate_covers(problem, method, up_to_symmetry=up_to_symmetry))
    if method == "auto" and find_argument(problem, thorough=False) is not None:
        return 0
    from tetrisprinter.tilings.sweep import count_unlimited, sweep

    problem, _ = _turn_upright(problem)
    try:
        if problem.pieces.use_all or any(limit is not None for limit in problem.limits):
            total = sweep(problem, report).count()
        else:
            total = count_unlimited(problem, report)
    except JobError as error:
        if method == "sweep":
            raise
        give_notice(f"{error}; counting one by one instead, which may take very long")
        return sum(1 for _ in iterate_covers(problem, "search", up_to_symmetry=up_to_symmetry))
    if not up_to_symmetry or not total:
        return total
    group = find_symmetries(problem)
    return (total + sum(count_fixed(problem, image) for image in group[1:])) // len(group)


def iterate_tilings(
    board: TilingBoard | TilingProblem,
    pieces: PieceSet | None = None,
    *,
    method: Method = "search",
    up_to_symmetry: bool = False,
) -> Iterator[Tiling]:
    """Yield the tilings of a board, lazily.

    Parameters
    ----------
    board : TilingBoard or TilingProblem
        The board to cover, or the complete problem.
    pieces : PieceSet, optional
        The pieces that cover the board. A problem has its own pieces.
    method : {'search', 'auto', 'sweep', 'cpsat'}
        The method; all give the same tilings in the same order. Only ``search`` yields the first
        tiling before it finds the others.
    up_to_symmetry : bool
        Whether tilings that are turns or mirror images of each other count as one.

    Yields
    ------
    Tiling
        In lexicographic order: by the piece at the first cell, then at the next. Cells are
        counted row by row, or column by column if the board is wider than high.

    Raises
    ------
    InputError
        If the table of placements would need too much memory; the message says how much.
    ArgumentError
        If a board is given without pieces, or a problem with pieces.

    Examples
    --------
    >>> ring = TilingBoard(3, 3, [(1, 1)])
    >>> for tiling in iterate_tilings(ring, PieceSet.parse("dominoes"), up_to_symmetry=True):
    ...     print(tiling, end="\\n\\n")
    AAB
    C#B
    CDD
    <BLANKLINE>
    """
    problem = _read_problem(board, pieces)
    return map(problem.make_tiling, iterate_covers(problem, method, up_to_symmetry=up_to_symmetry))


def count_tilings(
    board: TilingBoard | TilingProblem,
    pieces: PieceSet | None = None,
    *,
    method: Method = "auto",
    up_to_symmetry: bool = False,
) -> int:
    """Count the tilings of a board; for the parameters see :func:`iterate_tilings`.

    The sweep does not list tilings, so the number may be astronomical.

    Examples
    --------
    >>> count_tilings(TilingBoard(8, 8), PieceSet.parse("dominoes"))
    12988816
    >>> count_tilings(TilingBoard(8, 8), PieceSet.parse("dominoes"), up_to_symmetry=True)
    1629189
    >>> count_tilings(TilingProblem(TilingBoard(3, 2), PieceSet.parse("dominoes")))
    3
    """
    return count_covers(_read_problem(board, pieces), method, up_to_symmetry=up_to_symmetry)


def find_tiling(
    board: TilingBoard | TilingProblem, pieces: PieceSet | None = None, *, method: Method = "auto"
) -> Tiling | None:
    """Return the first tiling, or None; for the parameters see :func:`iterate_tilings`.

    >>> print(find_tiling(TilingBoard(5, 3), PieceSet.parse("I3,V3*4")))
    AAABB
    CDDEB
    CCDEE
    """
    problem = _read_problem(board, pieces)
    cover = next(iterate_covers(problem, method, limit=1), None)
    return None if cover is None else problem.make_tiling(cover)


def is_unique(
    board: TilingBoard | TilingProblem, pieces: PieceSet | None = None, *, method: Method = "auto"
) -> bool:
    """Return whether there is exactly one tiling; for the parameters see :func:`iterate_tilings`.

    Equal pieces are interchangeable.

    Examples
    --------
    >>> is_unique(TilingBoard(2, 2), PieceSet.parse("V3,I1"))
    False
    >>> is_unique(TilingBoard(2, 2), PieceSet.parse("V3,I1", "fixed"))
    True
    """
    return len(list(iterate_covers(_read_problem(board, pieces), method, limit=2))) == 1


def _read_problem(board: TilingBoard | TilingProblem, pieces: PieceSet | None) -> TilingProblem:
    """Return the problem from either form of the arguments."""
    if isinstance(board, TilingProblem) and pieces is None:
        return board
    if isinstance(board, TilingBoard) and pieces is not None:
        return TilingProblem(board, pieces)
    raise ArgumentError("expected a TilingBoard and a PieceSet, or one TilingProblem")


_MAX_DEAD_BYTES: Final = 200_000_000  # of positions that are remembered
_LARGE_AREA: Final = 1_000
"""On a larger board only the regions beside the last piece are tested, and only small ones."""
_SMALL_REGION: Final = 64
"""A region that grows for this number of steps is not small."""


def search_covers(
    problem: TilingProblem, rng: Random | None = None, max_moves: int | None = None
) -> Iterator[tuple[int, ...]]:
    """Yield the solutions as ascending tuples of placement numbers, in lexicographic order.

    With ``rng`` the placements at each cell are tried in a random order. After ``max_moves`` moves
    the search ends.
    """
    size = problem.board.width * problem.board.height
    steps, fields, remaining, used_up = problem.counters
    use_all = problem.pieces.use_all
    moves = [
        [
            (
                number,
                problem.placements[number].mask,
                steps[problem.placements[number].kind],
                fields[problem.placements[number].kind],
            )
            for number in problem.by_cell[size - 1 - bit]
        ]
        for bit in range(size)
    ]
    if rng is not None:
        for moves_of_cell in moves:
            rng.shuffle(moves_of_cell)
    can_fill_regions = make_region_test(problem.board, problem.coverable_areas)
    can_fill_beside = make_local_region_test(problem.board, problem.coverable_areas)
    is_large = problem.board.area > _LARGE_AREA
    # A position has a bit for each cell, and 30 bits take 4 bytes.
    max_dead_positions = _MAX_DEAD_BYTES // (100 + size // 7)
    dead_positions: set[tuple[int, int]] = set()
    free = problem.board.free
    if not can_fill_regions(free):
        return
    chosen: list[int] = []
    # One frame per piece: free cells, remaining pieces, untried moves, whether it had a solution.
    frames = [[free, remaining, iter(moves[free.bit_length() - 1]), False]] if free else []
    if not free and (not use_all or remaining == used_up):
        yield ()
    while frames:
        frame = frames[-1]
        free, remaining, untried, _ = frame  # type: ignore[assignment]
        for number, mask, step_of_piece, field_mask in untried:  # type: ignore[attr-defined]
            if mask & ~free or not remaining & field_mask:
                continue
            if max_moves is not None:
                max_moves -= 1
                if max_moves < 0:
                    return
            free_after = free ^ mask
            pieces_after = remaining - step_of_piece
            if not free_after:
                if not use_all or pieces_after == used_up:
                    yield tuple(sorted((*chosen, number)))
                    frame[3] = True
                continue
            if (free_after, pieces_after) in dead_positions:
                continue
            if not (
                can_fill_beside(free_after, mask) if is_large else can_fill_regions(free_after)
            ):
                continue
            chosen.append(number)
            frames.append(
                [free_after, pieces_after, iter(moves[free_after.bit_length() - 1]), False]
            )
            break
        else:
            frames.pop()
            if frames:
                chosen.pop()
                if frame[3]:
                    frames[-1][3] = True
                elif len(dead_positions) < max_dead_positions:
                    dead_positions.add((free, remaining))


def make_region_test(board: TilingBoard, fillable_areas: list[bool]) -> Callable[[int], bool]:
    """Return a predicate: is the area of each connected region of a mask a fillable area?"""
    if all(fillable_areas[1:]):
        return lambda free: True
    grow = placements.make_grower(board)

    def can_fill_regions(free: int) -> bool:
        while free:
            region = 1 << (free.bit_length() - 1)
            while (grown := grow(region) & free) != region:
                region = grown
            if not fillable_areas[region.bit_count()]:
                return False
            free ^= region
        return True

    return can_fill_regions


def make_local_region_test(
    board: TilingBoard, fillable_areas: list[bool]
) -> Callable[[int, int], bool]:
    """Return a predicate for free cells and the piece that was just placed on a large board.

    It tests the areas of the small regions beside the piece. All regions of a board of 200 x 200
    would have to be flooded for every piece, which takes some milliseconds.
    """
    grow = placements.make_grower(board)

    def can_fill_beside(free: int, piece: int) -> bool:
        frontier = grow(piece) & free
        while frontier:
            region = frontier & -frontier
            for _ in range(_SMALL_REGION):
                grown = grow(region) & free
                if grown == region:
                    if not fillable_areas[region.bit_count()]:
                        return False
                    break
                region = grown
                if not frontier & ~region:
                    break  # the piece separates nothing
            frontier &= ~region
        return True

    return can_fill_beside


_SORTED_LIMIT: Final = 1_000  # of more solutions each is found in order by itself


def find_covers_by_cpsat(problem: TilingProblem) -> Iterator[tuple[int, ...]]:
    """Yield the solutions as ascending tuples of placement numbers, in lexicographic order."""
    model = _TilingModel(problem)
    covers: list[tuple[int, ...]] = []

    def collect(masks: list[int]) -> bool:
        covers.append(model.list_numbers(masks))
        return len(covers) <= _SORTED_LIMIT

    if model.enumerate(collect):
        yield from sorted(covers)
    else:
        yield from _sort_covers(problem, model)


def count_covers_by_cpsat(problem: TilingProblem) -> int:
    """Count the solutions one by one without keeping them."""
    total = 0

    def count_one(masks: list[int]) -> bool:
        nonlocal total
        total += 1
        return True

    _TilingModel(problem).enumerate(count_one)
    return total


def _sort_covers(problem: TilingProblem, model: _TilingModel) -> Iterator[tuple[int, ...]]:
    """Yield the solutions in order; the solver decides which placements belong to one."""
    cells = problem.board.width * problem.board.height
    chosen: list[int] = []
    cover = model.complete_cover(())  # a solution with the chosen placements; None: not computed
    free = problem.board.free
    frames = [(free, iter(problem.by_cell[cells - free.bit_length()]))]
    while frames:
        free, untried = frames[-1]
        for number in untried:
            mask = problem.placements[number].mask
            if mask & ~free:
                continue
            if cover is None or number not in cover:
                new_cover = model.complete_cover((*chosen, number))
                if new_cover is None:
                    continue
                cover = new_cover
            rest = free ^ mask
            if not rest:
                yield (*chosen, number)
                cover = None
                continue
            chosen.append(number)
            frames.append((rest, iter(problem.by_cell[cells - rest.bit_length()])))
            break
        else:
            frames.pop()
            if frames:
                chosen.pop()
                cover = None


class _TilingModel:
    """The exact cover model and its queries."""

    def __init__(self, problem: TilingProblem) -> None:
        self.problem = problem
        self.number_of = {p.mask: n for n, p in enumerate(problem.placements)}
        self.model = model = cp_model.CpModel()
        self.chosen = chosen = [model.new_bool_var("") for _ in problem.all_placements]
        for x, y in problem.board.list_cells(problem.board.free):
            bit = problem.board.get_bit(x, y)
            model.add_exactly_one(
                [var for var, p in zip(chosen, problem.all_placements, strict=True) if p.mask & bit]
            )
        for kind, piece in enumerate(problem.pieces.pieces):
            if piece.most is None:
                continue
            used = sum(
                var for var, p in zip(chosen, problem.all_placements, strict=True) if p.kind == kind
            )
            if problem.pieces.use_all:
                model.add(used == piece.most)
            else:
                model.add(used <= piece.most)

    def list_numbers(self, masks: list[int]) -> tuple[int, ...]:
        """Return the numbers of placements in ``problem.placements`` from their masks."""
        return tuple(sorted(self.number_of[mask] for mask in masks))

    def enumerate(self, accept: Callable[[list[int]], bool]) -> bool:
        """Pass solutions, as masks, to ``accept`` until it is false; return whether all passed."""
        pairs = list(zip(self.chosen, (p.mask for p in self.problem.all_placements), strict=True))
        is_stopped = False

        class Collector(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
            def on_solution_callback(self) -> None:
                nonlocal is_stopped
                # The solver may find more solutions before it stops.
                if not is_stopped and not accept(
                    [m for var, m in pairs if self.boolean_value(var)]
                ):
                    is_stopped = True
                    self.stop_search()

        solver = _configure_solver()
        solver.parameters.enumerate_all_solutions = True
        status = solve_model(solver, self.model, Collector())
        self._check_status(status, complete=not is_stopped)
        return not is_stopped

    def complete_cover(self, numbers: Sequence[int]) -> frozenset[int] | None:
        """Return a solution that contains these placements; None if there is none."""
        fixed = {self.problem.placements[number].mask for number in numbers}
        self.model.clear_assumptions()
        self.model.add_assumptions(
            [
                var
                for var, p in zip(self.chosen, self.problem.all_placements, strict=True)
                if p.mask in fixed
            ]
        )
        solver = _configure_solver()
        status = solve_model(solver, self.model)
        self._check_status(status, complete=False)
        if status == cp_model.INFEASIBLE:
            return None
        masks = [
            p.mask
            for var, p in zip(self.chosen, self.problem.all_placements, strict=True)
            if solver.boolean_value(var)
        ]
        return frozenset(self.list_numbers(masks))

    def _check_status(self, status: Any, *, complete: bool) -> None:
        """Raise an error if CP-SAT refused the model or was interrupted."""
        if status == cp_model.MODEL_INVALID:
            raise JobError(f"internal error: CP-SAT refuses the model: {self.model.validate()}")
        if status == cp_model.UNKNOWN or (complete and status == cp_model.FEASIBLE):
            raise KeyboardInterrupt  # only a signal stops the solver early


def _configure_solver() -> Any:
    """Return a CP-SAT solver with one thread and a fixed seed."""
    solver = cp_model.CpSolver()
    # More workers cannot list all solutions, and would find them in another order each time.
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    return solver
