"""Print a picture from a board that is not empty.

The lowest rows that are already as in the picture stay. The rows above them are cleared from the
top (:func:`clear_down_to`) until one row is left. The search for the picture's rows treats that
row as carried squares: the row is completed and cleared, or stays if its squares are the picture's.
If this fails, fewer rows stay; in the end no row stays, and the picture is printed as on an empty
board.

To clear an old picture, a row is *open* if nothing lies above any of its gaps. Open rows can be
filled and cleared, which opens the gaps of the rows below. So a pass clears the highest open rows,
and new rows above them if the number of cells requires it. A pass may also leave squares in open
gaps of the rows below, so that these rows need fewer squares later, or in a row above, which may
gain more squares before it is cleared. What a pass clears, keeps and adds is its *kind*. A
best-first search finds these passes. Its estimate adds up the rows cleared so far, the rows that
must still be cleared, and the extra rows that a row of the old picture usually takes.

A *well* is a column that is lower than its neighbours. Its cells must be filled in any case. A well
far below the rows that are cleared next is filled from below: pieces that rest without a gap waste
no squares and support the rows above.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import count, islice, pairwise
from typing import Final

from tetrisprinter.errors import JobError
from tetrisprinter.game.field import Playfield, Rows, TopOutError
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, Placement
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.planners.rows._kernel import PassSquares
from tetrisprinter.planners.rows.chooser import MOST_BRANCHES
from tetrisprinter.planners.rows.passes import (
    MAX_LINES,
    MAX_ROWS,
    PassFinder,
    choose_states,
    make_stack,
    sort_drops,
)
from tetrisprinter.planners.rows.row_print import (
    DEAD_END_FACTOR,
    RowPrint,
    compute_row_work_limit,
    make_chooser,
    play_unfinished_plan,
)
from tetrisprinter.planners.rows.target import (
    ANYTHING,
    USUAL_LINES,
    RowState,
    RowTarget,
    make_row_target,
)
from tetrisprinter.planners.run import Run, TimeUpError, WorkSpentError
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import list_plan_colors, share_types
from tetrisprinter.support.kernels import make_numbers, repeat_number

_ROWS_BELOW: Final = 3
"""Rows below the cleared rows in which a pass may leave squares."""

_MOST_CLEARED_ROWS: Final = 4
"""The most existing rows that a pass clears, and the most new rows above them."""

_MOST_FIELDS: Final = 5
"""Fields expanded for each row to clear, before the search gives up the cheapest way and becomes
greedy."""

_MOST_PAIRS: Final = 60
"""States kept per cell when a pass is chosen."""

_MOST_CLEARINGS: Final = 12
"""The ways to clear an old picture that are tried if the best way leads nowhere."""

_REPEAT_WORK: Final = 1.0
"""The work for other choices of passes and other ways to clear an old picture, after a print is
complete."""

_SHAPES: Final = tuple({one.cells: one for one in ORIENTATIONS}.values())


def fill_wells(rows: Rows, first: int, last: int) -> tuple[tuple[Pass, ...], Rows, int]:
    """Fill the open cells of some rows without gaps; return passes, the rows then, and lines."""
    field = Playfield.from_rows(len(rows[0]), len(rows), rows)
    dropped: list[list[Placement]] = [[]]
    line_count = 0
    given_up: set[tuple[int, int]] = set()
    while True:
        tops = field.tops
        lowest = [(top, x) for x, top in enumerate(tops) if first <= top < last]
        lowest = [cell for cell in lowest if cell not in given_up]
        if not lowest:
            break
        placement = _find_smoothest(tops, min(lowest)[1], first, last)
        if placement is None:
            given_up.add(min(lowest))
            continue
        landed = field.drop(*placement)
        dropped[-1].append(Placement(landed.orientation, landed.x, landed.y))
        if landed.cleared:
            dropped.append([])
            line_count += len(landed.cleared)
            last -= len(landed.cleared)
    return tuple(Pass.make(pieces) for pieces in dropped if pieces), field.used_rows, line_count


def _find_smoothest(
    tops: tuple[int, ...], x: int, first: int, last: int
) -> tuple[Orientation, int] | None:
    """Return the piece and the first column that fill column ``x`` most smoothly, or None."""
    best, least = None, len(tops) * last
    for shape in _SHAPES:
        for column in range(max(0, x - shape.width + 1), min(x, len(tops) - shape.width) + 1):
            y = tops[x] - shape.bottom[x - column]
            below = tops[column : column + shape.width]
            if (
                y < first
                or y + shape.height > last
                or below != tuple(y + low for low in shape.bottom)
            ):
                continue
            tops_after = list(tops)
            tops_after[column : column + shape.width] = [y + high for high in shape.top]
            added = _measure_roughness(tops_after, column, shape.width, last) - _measure_roughness(
                tops, column, shape.width, last
            )
            if added < least:
                best, least = (shape, column), added
    return best


def _measure_roughness(tops: Sequence[int], column: int, width: int, last: int) -> int:
    """Return the roughness of the surface around some columns.

    Walls, and columns higher than ``last``, count as ``last`` rows high.
    """
    surface = [last, *(min(top, last) for top in tops), last][column : column + width + 2]
    return sum(abs(left - right) for left, right in pairwise(surface))


def find_open_cells(rows: Rows) -> list[list[bool]]:
    """Return for each cell of each row whether it and all cells above it are empty."""
    width = len(rows[0]) if rows else 0
    covered = [False] * width
    is_open: list[list[bool]] = []
    for row in reversed(rows):
        covered = [above or bool(value) for above, value in zip(covered, row, strict=True)]
        is_open.append([not filled for filled in covered])
    return is_open[::-1]


@dataclass(frozen=True, slots=True)
class _PassKind:
    """A kind of pass: how many rows it clears, keeps and adds."""

    stay_rows: int  # the rows above the cleared rows; they stay and may gain squares
    cleared_rows: int  # the existing rows that are cleared
    new_rows: int = 0  # the new rows above all of them that are cleared
    carries: bool = False  # whether the pass may carry squares in the row above all of these
    avoids_gaps: bool = False  # whether carried squares must not cover a gap of the row below
    rows_above: int = 0  # open rows above all of these; the pieces fall through their gaps

    @property
    def penalty(self) -> tuple[float, int, int]:
        """The sort key: the estimated wasted rows per cleared row, then two tie-breakers.

        With equal waste, a pass that carries nothing comes first, then one whose carried squares
        cover no gap, then one that clears more rows.
        """
        wasted = (self.new_rows + self.carries) / self.cleared_rows
        return wasted, self.carries + (self.carries and not self.avoids_gaps), -self.cleared_rows


@dataclass(frozen=True, slots=True)
class _ClearedField:
    """A field and the passes that led to it."""

    rows: Rows  # the rows, bottom first
    old_rows: int  # how many rows are the old picture's; they are the lowest rows
    lines: int = 0  # how many rows have been cleared
    passes: tuple[Pass, ...] = ()  # the passes that led to this field

    @property
    def penalty(self) -> float:
        """The estimated number of rows cleared when the old picture is gone."""
        return self.lines + len(self.rows) + USUAL_LINES * self.old_rows


Clearing = tuple[tuple[Pass, ...], Rows]
"""Passes that clear an old picture, and the rows that remain."""


def clear_down_to(
    target: RowTarget, finder: PassFinder, rows: Rows, rows_left: int
) -> Iterator[Clearing]:
    """Yield passes that clear all rows but ``rows_left`` or fewer, and the remaining rows."""
    numbers = count()
    first = _fill_low_wells(target, _ClearedField(rows, len(rows)), rows_left)
    heap = [(0.0, 0, first)]
    known_rows = {first.rows}
    most_fields = _MOST_FIELDS * (len(rows) - rows_left + 1)
    for expanded in range(DEAD_END_FACTOR * most_fields):
        if not heap:
            return
        if expanded == most_fields:  # the budget is spent: continue greedily
            heap = [(float(len(field.rows)), number, field) for _, number, field in heap]
            heapify(heap)
        _, _, field = heappop(heap)
        if len(field.rows) <= rows_left:
            yield field.passes, field.rows
            continue
        branches = 0
        for kind in _list_kinds(target, field.rows, rows_left, field.old_rows):
            after = _apply_kind(target, finder, field, rows_left, kind)
            if after is not None and after.rows not in known_rows:
                known_rows.add(after.rows)
                penalty = after.penalty if expanded < most_fields else float(len(after.rows))
                heappush(heap, (penalty, next(numbers), after))
                branches += 1
            if branches == MOST_BRANCHES:
                break


def _fill_low_wells(target: RowTarget, field: _ClearedField, rows_left: int) -> _ClearedField:
    """Return the field after the wells below its open rows are filled."""
    rows, top = field.rows, rows_left - 1
    keeps_top = 0 <= top < min(target.rows, len(rows))
    keeps_top = keeps_top and target.is_complete(top, rows[top])
    first, last = max(0, top + keeps_top), len(rows) - _count_open_rows(rows, rows_left)
    if first >= last:
        return field
    passes, after, lines = fill_wells(rows, first, last)
    if not passes:
        return field
    all_passes = (*field.passes, *passes)
    return _ClearedField(after, field.old_rows - lines, field.lines + lines, all_passes)


def _list_kinds(target: RowTarget, rows: Rows, rows_left: int, old_rows: int) -> list[_PassKind]:
    """Return the kinds of passes that a field allows, the cheapest first."""
    is_open = _find_open_rows(rows)
    free_rows = target.height - len(rows)
    kinds = []
    for stay in range(min(2, len(rows) - old_rows + 1)):
        clear = 0
        while (
            clear < min(_MOST_CLEARED_ROWS, len(rows) - stay, len(rows) - rows_left + 1)
            and is_open[-stay - clear - 1]
        ):
            clear += 1
            for new in range(
                min(_MOST_CLEARED_ROWS, free_rows, MAX_LINES - clear) + 1 if not stay else 1
            ):
                for carries, avoids_gaps in ((False, False), (True, False), (True, True)):
                    if (carries and stay) or (avoids_gaps and new):
                        continue
                    if new + carries <= free_rows and stay + clear + new + carries <= MAX_ROWS:
                        kinds.append(_PassKind(stay, clear, new, carries, avoids_gaps))
    kinds += _list_kinds_below_top(_count_open_rows(rows, rows_left))
    return sorted(kinds, key=lambda kind: kind.penalty)


def _apply_kind(
    target: RowTarget, finder: PassFinder, field: _ClearedField, rows_left: int, kind: _PassKind
) -> _ClearedField | None:
    """Return the field after a pass of the given kind; None if no pass is found."""
    for rows_below in (_ROWS_BELOW, 0):
        played = _play_pass(target, finder, field.rows, rows_left, kind, rows_below)
        if played is not None:
            pass_, rows = played
            first = len(field.rows) - kind.rows_above - kind.stay_rows - kind.cleared_rows
            old_rows = field.old_rows - sum(
                y < field.old_rows for y in range(first, first + kind.cleared_rows)
            )
            lines = field.lines + kind.cleared_rows + kind.new_rows
            after = _ClearedField(rows, old_rows, lines, (*field.passes, pass_))
            return _fill_low_wells(target, after, rows_left)
    return None


def _play_pass(
    target: RowTarget,
    finder: PassFinder,
    rows: Rows,
    rows_left: int,
    kind: _PassKind,
    rows_below: int,
) -> tuple[Pass, Rows] | None:
    """Return a pass of the given kind and the rows after it; None if there is none."""
    top = len(rows) - kind.rows_above - kind.stay_rows - kind.cleared_rows
    upper_rows = kind.stay_rows + kind.cleared_rows + kind.new_rows + kind.carries
    first = min(top, max(rows_left - 1, top - min(rows_below, MAX_ROWS - upper_rows), 0))
    row_kinds = (
        "p" * (top - first) + "c" * kind.cleared_rows + "p" * kind.stay_rows
        + "c" * kind.new_rows + "b" * kind.carries
    )  # fmt: skip
    squares = _make_pass_squares(target, rows, rows_left, row_kinds, first, kind.avoids_gaps)
    graph = finder.explore(make_stack(row_kinds), squares)
    filled_columns = frozenset(x for x, value in enumerate(rows[first]) if value)
    chosen = finder.choose_pieces(graph, filled_columns, None, _MOST_PAIRS)
    if chosen is None:
        return None
    pieces = sort_drops(chosen[0])
    field = Playfield.from_rows(target.width, target.height, rows)
    try:
        cleared = sum(len(field.drop(piece.orientation, piece.x).cleared) for piece in pieces)
    except TopOutError:
        return None
    if cleared != kind.cleared_rows + kind.new_rows:
        return None  # the pass has completed a row that must stay
    return Pass(len(row_kinds), pieces), field.used_rows


def _make_pass_squares(
    target: RowTarget, rows: Rows, rows_left: int, row_kinds: str, first: int, avoids_gaps: bool
) -> PassSquares:
    """Return the squares filled before a pass, those that it must fill, and its types."""
    width, height = target.width, len(row_kinds)
    gaps = find_open_cells(rows)
    before, must = repeat_number(0, width), repeat_number(0, width)
    allowed = repeat_number(ANYTHING, width * height)
    for row, row_kind in enumerate(row_kinds):
        y = first + row
        filled_before = [bool(value) for value in rows[y]] if y < len(rows) else [False] * width
        for x, filled in enumerate(filled_before):
            before[x] |= filled << row
            if row_kind == "c":  # the row clears, so its gaps must be filled
                must[x] |= (not filled) << row
        if row_kind == "p":  # the row stays
            allowed[row::height] = make_numbers(
                _get_allowed_types(target, rows, rows_left, y, x, gaps[y][x]) for x in range(width)
            )
        elif row_kind != "c" and avoids_gaps:  # not over gaps below the cleared rows
            row_below = first + row_kinds.index("c") - 1
            if row_below >= 0:
                for x, value in enumerate(rows[row_below]):
                    if not value:
                        allowed[x * height + row] = 0
    row_under_stack = rows[first - 1] if first else bytes([1] * width)
    ground = make_numbers(map(bool, row_under_stack))
    return PassSquares(before, must, repeat_number(0, width), allowed, ground)


def _get_allowed_types(
    target: RowTarget, rows: Rows, rows_left: int, y: int, x: int, is_open: bool
) -> int:
    """Return the types that may be left in a square of a row that stays, as a bit set."""
    if not is_open:
        return 0
    row = target.allowed[y] if y < target.rows else None
    if y == rows_left - 1 and row is not None and target.may_stay(y, rows[y]):
        return row[x] if x in target.required[y] else 0
    return ANYTHING


def _find_open_rows(rows: Rows) -> list[bool]:
    """Return for each row whether it is open, i.e. nothing lies above any of its gaps."""
    return [
        all(value or free for value, free in zip(row, gap, strict=True))
        for row, gap in zip(rows, find_open_cells(rows), strict=True)
    ]


def _count_open_rows(rows: Rows, rows_left: int) -> int:
    """Return the number of open rows at the top, at most down to the highest row that may stay."""
    number, is_open = 0, _find_open_rows(rows)
    while number < min(len(rows), len(rows) - rows_left + 1) and is_open[-number - 1]:
        number += 1
    return number


def _list_kinds_below_top(open_rows: int) -> Iterator[_PassKind]:
    """Yield kinds of passes that clear the lowest of the open rows at the top.

    Surplus squares are left in the open rows above, which must be filled anyway.
    """
    for clear in range(1, min(_MOST_CLEARED_ROWS, open_rows - 1) + 1):
        stay = min(_ROWS_BELOW, open_rows - clear, MAX_ROWS - clear)
        yield _PassKind(stay, clear, rows_above=open_rows - clear - stay)


def plan_from_board(task: Task, run: Run) -> RowPrint:
    """Plan a picture from the field that its task begins with."""
    types = task.type_colors or share_types(task.picture, task.background)
    target = make_row_target(task, types)
    size = (task.board.width, task.board.height)
    plan = Plan((), list_plan_colors(task.board, types), *size, start=task.start)
    rows = task.start
    if run.unfinished is not None:
        plan = plan.with_passes(run.unfinished.passes)
        rows = play_unfinished_plan(plan, run.unfinished_name).used_rows
    effort, first_wrong = run.limit.effort, target.find_first_incomplete(rows)
    # Trying other ways to clear saves more than a wider beam, unless there is time for both.
    beam_width = 1 if effort <= 1 else 0
    if first_wrong == target.rows == len(rows):
        return RowPrint(task, target, run, make_chooser(target, run, beam_width), plan)
    work_end = run.work.spent + MOST_BRANCHES * compute_row_work_limit(target.width, effort)
    problem = JobError(
        f"{task.name}: the squares on the board of {task.board} could not be cleared"
    )
    for clearing in _list_clearings(task, target, run, rows, first_wrong):
        if run.work.spent > work_end:
            break
        row_print = RowPrint(task, target, run, make_chooser(target, run, beam_width), plan)
        try:
            _clear_and_print(row_print, clearing)
        except TimeUpError:
            raise
        except JobError as error:
            problem = error
            continue
        if effort > 1:
            return row_print
        return _try_other_ways(row_print, rows, clearing)
    raise problem


def find_clearing(task: Task, run: Run) -> tuple[Pass, ...] | None:
    """Return passes that clear all squares that lie on the board; None if none are found.

    Raises
    ------
    TimeUpError
        If the search was stopped.
    """
    types = task.type_colors or share_types(task.picture, task.background)
    target = make_row_target(task, types)
    try:
        clearings = clear_down_to(target, _make_finder(target, run), task.start, 0)
        return next((passes for passes, _ in clearings), None)
    except WorkSpentError:
        return None


def _clear_and_print(row_print: RowPrint, clearing: Clearing) -> None:
    """Clear the squares that cannot stay, then print the picture."""
    passes, remaining = clearing
    row_print.passes += passes
    row_print.print_rows(_read_state(row_print.target, remaining))


def _try_other_ways(first: RowPrint, rows: Rows, first_clearing: Clearing) -> RowPrint:
    """Print again in other ways until some work is used up; return the shortest print."""
    target, run, best = first.target, first.run, first
    work_end = run.work.spent + _REPEAT_WORK

    def stop_if_behind(plan: Plan) -> None:
        if len(plan) >= len(best.plan) or run.work.spent > work_end:
            raise JobError("another print is ahead")

    for clearing, by_pairs in _list_other_ways(first, rows, first_clearing):
        if run.work.spent > work_end:
            break
        passes, remaining = clearing
        state = _read_state(target, remaining)
        squares_left = target.count_squares_from(state.rows) - len(state.carried)
        drops = len(first.begun) + sum(len(one.pieces) for one in passes)
        if drops + squares_left / 4 >= len(best.plan):
            continue
        trial_run = Run(run.limit, keep=stop_if_behind, stop=run.stop, work=run.work)
        first.chooser.begin(by_pairs)
        row_print = RowPrint(first.task, target, trial_run, first.chooser, first.begun)
        try:
            _clear_and_print(row_print, clearing)
        except (WorkSpentError, TimeUpError):
            raise
        except JobError:
            continue
        if len(row_print.plan) < len(best.plan):
            best = row_print
            run.fallbacks.clear()
            run.fallbacks.update(trial_run.fallbacks)
    if best is not first:
        run.keep(best.plan)
    return best


def _list_other_ways(
    first: RowPrint, rows: Rows, first_clearing: Clearing
) -> Iterator[tuple[Clearing, bool]]:
    """Yield other ways to clear the board, and whether passes are then ranked by pairs."""
    target = first.target
    yield first_clearing, False
    clearings: list[Clearing] = []
    finder = _make_finder(target, first.run)
    for rows_kept in sorted({target.find_first_incomplete(rows), 0}, reverse=True):
        for clearing in islice(clear_down_to(target, finder, rows, rows_kept), 1):
            clearings.append(clearing)
            yield clearing, True
    for clearing in clearings:
        yield clearing, False


def _list_clearings(
    task: Task, target: RowTarget, run: Run, rows: Rows, first_wrong: int
) -> Iterator[Clearing]:
    """Yield ways to clear the squares that cannot stay, the most promising first."""
    tried = set()
    for patience, most in (
        (1, 1),
        (1, _MOST_CLEARINGS),
        (DEAD_END_FACTOR, _MOST_CLEARINGS),
    ):
        finder = _make_finder(target, run, patience)
        for rows_kept in range(first_wrong, -1, -1):
            for extra in (1, 0):
                run.check_time(task.name)
                clearings = clear_down_to(target, finder, rows, rows_kept + extra)
                for passes, remaining in islice(clearings, most):
                    if remaining not in tried:
                        tried.add(remaining)
                        yield passes, remaining


def _make_finder(target: RowTarget, run: Run, patience: int = 1) -> PassFinder:
    """Return the search for passes that keeps ``patience`` times the usual number of states."""
    beam = choose_states(target.width, run.limit.effort) * patience
    return PassFinder(target.width, beam, run.work)


def _read_state(target: RowTarget, rows: Rows) -> RowState:
    """Return the state of a board: complete rows, perhaps with squares carried above them."""
    state = target.read_state(rows)
    assert state is not None
    return state
