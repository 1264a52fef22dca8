"""The least number of parts of pieces that make up a picture: a bound for pictures of any size.

The *part* of a piece is what the finished picture shows of it: the piece without its cleared rows,
with the other rows moved together. A part has one colour, and parts cover each required square
once. So a game has at least as many drops as the least number of parts that partition the picture.
That is a minimum exact cover, and connected areas of one colour are independent. Small areas are
solved. Larger ones are bounded by weights: if no part weighs more than 1, the weight of all squares
is a bound (the dual of the linear relaxation).

The bound by parts holds for games with tucks and spins, too. It is computed with whole numbers,
needs only the standard library, and is the same everywhere. :func:`iterate_drop_bounds` combines it
with the fewest lines of any game (:mod:`~tetrisprinter.bounds.fewest_lines`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations
from math import inf
from typing import Final

from tetrisprinter.game.field import can_leave
from tetrisprinter.game.pieces import ORIENTATIONS, Cell, PieceType
from tetrisprinter.printing.task import Target, Task, compute_drop_bound

Shape = tuple[Cell, ...]

_UNIT: Final = 12
"""The greatest weight of a part, as a whole number that all sizes of parts divide."""

_NO_COVER: Final = 1 << 40
"""The bound if no cover exists, for instance because no part can cover some square."""

_ALL: Final = (1 << len(PieceType)) - 1
"""All types, as a bit set from bit 0 on."""

_LARGE: Final = 300
"""Areas with more squares are not solved, only bounded by weights."""

_STATES: Final = 2_000
"""The most partial covers of an area; with more of them, the bound by weights is used."""

_STEPS: Final = 4_000_000
"""Simple steps in a work unit, which is about a second."""

_WORK: Final = 2.0
"""Work units for the bound with which a proof begins."""

_ASSIGNING: Final = 10_000
"""The estimated steps for each colour when types are assigned to colours."""

_SLICE: Final = 0.1
"""The approximate work units between two pairs of :func:`iterate_part_bounds`."""


@cache
def _list_shapes() -> tuple[tuple[Shape, ...], ...]:
    """List the parts of each type: some rows of a piece, moved together."""
    shapes: list[set[Shape]] = [set() for _ in PieceType]
    for orientation in ORIENTATIONS:
        for row_count in range(1, orientation.height + 1):
            for rows in combinations(range(orientation.height), row_count):
                cells = [(x, rows.index(y)) for x, y in orientation.cells if y in rows]
                left = min(x for x, _ in cells)
                shapes[orientation.piece - 1].add(tuple(sorted((x - left, y) for x, y in cells)))
    return tuple(tuple(sorted(type_shapes)) for type_shapes in shapes)


class _ColorSquares:
    """Squares of a colour, and bounds on their parts by set of types (``types`` 0: open types)."""

    def __init__(self, squares: Sequence[Cell], width: int, types: int) -> None:
        self.squares, self.width, self.types = squares, width, types
        self.refined: set[int] = set()  # the sets of types with a refined bound
        mask = _make_mask(squares, width)
        covered = [_find_covered(mask, width, shapes) for shapes in _list_shapes()]
        self.bounds = [_NO_COVER] * (_ALL + 1)
        for type_set in [types] if types else range(1, _ALL + 1):
            sizes = [0] * 5
            for piece, by_size in enumerate(covered):
                if type_set >> piece & 1:
                    sizes = [old | new for old, new in zip(sizes, by_size, strict=True)]
            self.bounds[type_set] = _weigh(mask, sizes)

    def refine(self, types: int) -> Iterator[int]:
        """Improve the bound for some types, area by area; yield the steps that each took."""
        shapes_of_types = [
            shapes for piece, shapes in enumerate(_list_shapes()) if types >> piece & 1
        ]
        shapes = sorted({shape for one_type in shapes_of_types for shape in one_type})
        total = 0
        area_bounds: dict[Shape, int] = {}
        for area in _split_areas(self.squares):
            steps = len(area)
            if len(area) > _LARGE:
                mask = _make_mask(area, self.width)
                total += _weigh(mask, _find_covered(mask, self.width, shapes))
            else:
                left, low = min(x for x, _ in area), min(y for _, y in area)
                key = tuple(sorted((x - left, y - low) for x, y in area))
                if key not in area_bounds:
                    area_bounds[key], area_steps = _solve_area(key, shapes)
                    steps += area_steps
                total += area_bounds[key]
            yield steps
        self.refined.add(types)
        for subset in range(1, _ALL + 1):  # with fewer types at least as many parts are needed
            if subset & ~types == 0:
                self.bounds[subset] = max(self.bounds[subset], total)


def _make_mask(squares: Sequence[Cell], width: int) -> int:
    """Return squares as a bit set; rows have gaps, so that no part wraps around the edge."""
    return sum(1 << (y * (width + 3) + x) for x, y in squares)


def _weigh(mask: int, sizes: Sequence[int]) -> int:
    """Return a lower bound on the parts that cover squares: the sum of their weights, rounded up.

    A square weighs 1 / n, where n is the size of its largest part. So no part weighs more than 1.
    """
    weight = 0
    for size in (4, 3, 2, 1):
        weight += _UNIT // size * (mask & sizes[size]).bit_count()
        mask &= ~sizes[size]
    return _NO_COVER if mask else -(-weight // _UNIT)


def _find_covered(mask: int, width: int, shapes: Sequence[Shape]) -> list[int]:
    """Return, for each size from 0 to 4, the bit set of the squares in a part of that size."""
    stride = width + 3
    sizes = [0] * 5
    for shape in shapes:
        offsets = [y * stride + x for x, y in shape]
        fits = mask >> offsets[0]  # after the loop: the origins at which the part fits
        for offset in offsets:
            fits &= mask >> offset
        for offset in offsets:
            sizes[len(shape)] |= fits << offset
    return sizes


def _split_areas(squares: Sequence[Cell]) -> Iterator[list[Cell]]:
    """Yield the areas of squares connected by sides or corners; no part lies in two areas."""
    remaining = set(squares)
    for first in squares:
        if first not in remaining:
            continue
        remaining.remove(first)
        area = [first]
        for x, y in area:
            for neighbor in ((x + dx, y + dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1)):
                if neighbor in remaining:
                    remaining.remove(neighbor)
                    area.append(neighbor)
        yield area


def _solve_area(area: Shape, shapes: Sequence[Shape]) -> tuple[int, int]:
    """Return a lower bound on the parts that cover an area, and the steps that it took."""
    index = {cell: i for i, cell in enumerate(sorted(area, key=lambda cell: (cell[1], cell[0])))}
    parts: list[list[int]] = [[] for _ in index]  # as bit sets of squares, by first square
    for x, y in index:  # the first square of a part, from below and from the left
        for shape in shapes:
            x0, y0 = min(shape, key=lambda cell: (cell[1], cell[0]))
            cells = [(x + dx - x0, y + dy - y0) for dx, dy in shape]
            if all(cell in index for cell in cells):
                parts[index[x, y]].append(sum(1 << index[cell] for cell in cells))
    steps = len(index) * len(shapes)
    weight = _weigh_area(parts)
    if weight >= _NO_COVER:
        return _NO_COVER, steps
    exact, cover_steps = _cover_with_fewest_parts(parts, weight)
    return exact, steps + 4 * sum(map(len, parts)) + cover_steps


def _weigh_area(parts: Sequence[Sequence[int]]) -> int:
    """Return a bound by weights of squares, raised as long as no part weighs more than 1."""
    largest_size = [0] * len(parts)
    parts_of_cell: list[list[tuple[int, ...]]] = [[] for _ in parts]
    for square_parts in parts:
        for bits in square_parts:
            cells = tuple(_iterate_bits(bits))
            for cell in cells:
                largest_size[cell] = max(largest_size[cell], len(cells))
                parts_of_cell[cell].append(cells)
    if not all(largest_size):
        return _NO_COVER
    weights = [_UNIT // size for size in largest_size]
    for cell in sorted(range(len(largest_size)), key=lambda cell: len(parts_of_cell[cell])):
        weights[cell] += min(
            _UNIT - sum(weights[i] for i in cells) for cells in parts_of_cell[cell]
        )
    return -(-sum(weights) // _UNIT)


def _iterate_bits(bits: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set, from the lowest."""
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


def _cover_with_fewest_parts(parts: Sequence[Sequence[int]], known_bound: int) -> tuple[int, int]:
    """Cover an area with the fewest parts; return their number and the number of steps taken.

    Each partial cover is extended by each part that fits on the first open square. If there are
    too many partial covers, ``known_bound`` is returned instead.
    """
    rests = {(1 << len(parts)) - 1: 0}  # the fewest parts, by the set of squares still open
    steps, best = 0, _NO_COVER
    for square, square_parts in enumerate(parts):
        bit = 1 << square
        next_rests: dict[int, int] = {}
        for rest, count in rests.items():
            if not rest & bit:
                if count < next_rests.get(rest, _NO_COVER):
                    next_rests[rest] = count
                continue
            for part in square_parts:
                if part & rest == part and count + 1 < next_rests.get(rest ^ part, _NO_COVER):
                    next_rests[rest ^ part] = count + 1
        steps += sum(len(square_parts) + 1 for _ in rests)
        rests = next_rests
        if steps > 20 * _STATES or len(rests) > _STATES:
            return known_bound, steps
    best = rests.get(0, _NO_COVER)
    return best, steps


def _group_squares_by_color(target: Target) -> list[_ColorSquares] | None:
    """Group required squares by colour; None if over 7 colours, or if colours share some types."""
    by_color: dict[int, list[Cell]] = defaultdict(list)
    for x, y in sorted(target.required):
        by_color[target.shades[y][x] if target.shades else target.allowed[y][x]].append((x, y))
    if target.shades:
        if len(by_color) > len(PieceType):
            return None
        return [_ColorSquares(squares, target.width, 0) for squares in by_color.values()]
    optional = {target.allowed[y][x] for x, y in target.optional()}
    if any(types & other_types for types, other_types in combinations((*by_color, *optional), 2)):
        return None
    # The masks of a target begin with bit 1, and sets of types with bit 0.
    return [_ColorSquares(squares, target.width, mask >> 1) for mask, squares in by_color.items()]


def _assign_types(color_groups: Sequence[_ColorSquares]) -> tuple[int, tuple[int, ...]]:
    """Return the fewest parts over all assignments of types, and the types of each colour."""
    best: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, ())}
    for color_group in color_groups:
        next_best: dict[int, tuple[int, tuple[int, ...]]] = {}
        for used, (count, type_sets) in best.items():
            unused = subset = _ALL & ~used
            if color_group.types:
                unused = subset = color_group.types & unused
            while subset:
                parts = count + color_group.bounds[subset]
                if parts < next_best.get(used | subset, (_NO_COVER, ()))[0]:
                    next_best[used | subset] = parts, (*type_sets, subset)
                subset = 0 if color_group.types else (subset - 1) & unused
        best = next_best
    return min(best.values(), default=(_NO_COVER, ()))


def iterate_part_bounds(target: Target) -> Iterator[tuple[float, int]]:
    """Yield pairs: work units since the last pair, and a growing lower bound on the parts."""
    color_groups = _group_squares_by_color(target)
    best, steps = 0, len(target.required)
    while color_groups is not None:
        count, types = _assign_types(color_groups)
        if count >= _NO_COVER:  # no game prints the picture; other checks give the reason
            break
        best = max(best, count)
        yield (steps + _ASSIGNING * len(color_groups)) / _STEPS, best
        steps = 0
        pairs = zip(color_groups, types, strict=True)
        waiting = [
            (color_group, type_set)
            for color_group, type_set in pairs
            if type_set not in color_group.refined
        ]
        if not waiting:
            break
        for color_group, type_set in waiting:
            is_first = not (color_group.types or color_group.refined)
            for area_steps in color_group.refine(_ALL if is_first else type_set):
                steps += area_steps
                if steps > _SLICE * _STEPS:
                    yield steps / _STEPS, best
                    steps = 0
    yield steps / _STEPS, best


def find_part_bound(target: Target, work: float = inf) -> int:
    """Return a lower bound on the number of parts, using about ``work`` work units."""
    best = 0
    for spent, bound in iterate_part_bounds(target):
        work, best = work - spent, bound
        if work <= 0:
            break
    return best


def iterate_drop_bounds(
    task: Task, work: float = inf, stop: Callable[[], bool] = lambda: False
) -> Iterator[tuple[float, int]]:
    """Yield pairs: work units since the last pair, and a growing bound on the drops of any game.

    Parts and windows (:mod:`~tetrisprinter.bounds.fewest_lines`) get equal work. The windows need
    python-sat; without it the bound comes from parts alone.
    """
    target = task.target
    squares, width, spare = len(target.required), target.width, target.count_spare()
    if task.start or not can_leave(width, squares, spare):
        yield 0.0, 0
        return
    windows = _search_windows(target, stop)
    searches = {"parts": iterate_part_bounds(target), "lines": windows}
    spent_by, bounds = dict.fromkeys(searches, 0.0), dict.fromkeys(searches, 0)
    try:
        while searches:
            name = min(searches, key=lambda one: spent_by[one])
            pair = next(searches[name], None)
            if pair is None:
                del searches[name]
                continue
            spent, bounds[name] = pair
            spent_by[name] += spent
            work -= spent
            drops = max(bounds["parts"], -(-(squares + width * bounds["lines"]) // 4))
            yield spent, round_drops_up(target, drops, spare)
            if work <= 0 or stop():
                return
    finally:
        windows.close()


def _search_windows(target: Target, stop: Callable[[], bool]) -> Generator[tuple[float, int]]:
    """Yield pairs: work units since the last pair, and a growing bound on the cleared rows."""
    from tetrisprinter.bounds.fewest_lines import FewestLines  # here: the verifier needs no search
    from tetrisprinter.bounds.stacks import trim_to_final_rows

    try:
        import pysat.solvers  # noqa: F401
    except ImportError:
        return
    lines = FewestLines(trim_to_final_rows(target))
    for spent in lines.search(stop):
        yield spent, lines.count


@lru_cache(maxsize=8)
def find_drop_bound(target: Target) -> int:
    """Return a lower bound on the drops of any game, by arithmetic and by parts.

    A proof and its check both start from this bound, so it depends on the target alone.
    """
    return round_drops_up(target, find_part_bound(target, _WORK))


def round_drops_up(target: Target, drops: int, spare: int | None = None) -> int:
    """Return the least number of drops that arithmetic allows, but at least ``drops``."""
    spare = target.count_spare() if spare is None else spare
    drops = max(compute_drop_bound(target), drops)
    if not can_leave(target.width, len(target.required), spare):
        return drops
    while (4 * drops - len(target.required)) % target.width > spare:
        drops += 1
    return drops
