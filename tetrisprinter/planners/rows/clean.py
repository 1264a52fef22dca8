"""One row, from a clean state to a clean state; where one cannot be, some rows together.

A state is **clean** if nothing lies above the rows that are printed. So neither how the rows
below were printed nor what comes next matters: this is the way out where nothing else goes on,
for any planner. Three ways are tried, each of which prints what the one before cannot:

1. the ordinary search for passes (:mod:`~tetrisprinter.planners.rows.steps`), whose last pass
   leaves nothing above;
2. pass by pass, each leaving as many squares of the row as it can: they stay, and the next pass
   lies on them. What does not come out even is left above, for the next pass to clear;
3. the same on a **platform**: rows built over what lies there, full but for a **slot** as large as
   one piece. On it every square of the row stands on something, as on the floor. The slot lies
   where the row leaves columns free; in the end its piece falls through them, the platform
   vanishes, and the row comes down.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

from tetrisprinter.game.pieces import ORIENTATIONS, PieceType, Placement
from tetrisprinter.game.plan import PLATFORM_ROWS, Pass
from tetrisprinter.pictures.picture import Color
from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.parts import RowInParts
from tetrisprinter.planners.rows.passes import (
    Columns,
    Finder,
    Pieces,
    Squares,
    drop_order,
)
from tetrisprinter.planners.rows.stacks import stack_of
from tetrisprinter.planners.rows.steps import Steps, StuckError
from tetrisprinter.planners.rows.target import RowTarget, State, row_target
from tetrisprinter.planners.run import Work
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.target import make_target
from tetrisprinter.printing.task import Task

__all__ = ["Clean", "print_clean", "row_alone"]

_HOOKS: Final = tuple(o for o in ORIENTATIONS if o.row_widths == (1, 1, 2) and o.width == 2)
_UPRIGHT: Final = next(o for o in ORIENTATIONS if o.piece is PieceType.I and o.width == 1)
_NOTHING: Final[Columns] = frozenset()


class Clean(NamedTuple):
    """Rows printed from a clean state: the passes, the clean state they leave, and the way."""

    passes: tuple[Pass, ...]
    state: State
    way: Stage


def print_clean(
    target: RowTarget,
    height: int,
    state: State,
    rows: int = 1,
    beam: int = 0,
    work: Work | None = None,
) -> Clean | None:
    """Print the next rows from a clean state on, and leave a clean state.

    Parameters
    ----------
    target : RowTarget
        The end of the game: what must be left, and what may stay.
    height : int
        Rows of the board.
    state : State
        Where nothing is carried.
    rows : int
        How many rows; several are only printed by the ordinary search.
    beam : int
        States kept per column; as many as is usual if it is 0.
    work : Work, optional
        Where it is counted how much is searched.

    Returns
    -------
    Clean or None
        None if these ways lead nowhere, or counting forbids it.
    """
    beam = beam or BUDGETS.states(target.width)
    target = target.lowest(state.rows + rows)
    if not target.can_end(state.rows, 0):
        return None
    found = _searched(target, height, state, beam, work)
    if found is None and rows == 1:
        finder = Finder(target.width, beam, work)
        found = _on_platform(finder, target, height, state, beam)
    return found


def row_alone(task: Task, types: Mapping[PieceType, Color], y: int) -> Sequence[Pass] | None:
    """Print a row of a picture on the rows below it; None if no way is found.

    Exactly its squares are left: a background is for whoever asks to make use of.
    """
    target = _target(replace(task, background=None), tuple(sorted(types.items())))
    for beam in (BUDGETS.least, 0):  # a few states are mostly enough, and quicker
        found = print_clean(target, task.board.height, target.clean(y), beam=beam)
        if found is not None:
            return found.passes
    return None


@lru_cache(maxsize=2)
def _target(task: Task, types: tuple[tuple[PieceType, Color], ...]) -> RowTarget:
    size = (task.board.width, task.board.height)
    return row_target(make_target(task.picture, dict(types), *size, task.column))


def _searched(
    target: RowTarget, height: int, state: State, beam: int, work: Work | None
) -> Clean | None:
    """Print all rows of a target by the ordinary search."""
    steps = Steps(target, height, beam, BUDGETS.games, work)
    passes: list[Pass] = []
    way = Stage.ALONE if state.rows + 1 == target.rows else Stage.TOGETHER
    try:
        while state.rows < target.rows or state.carried:
            if len(passes) == BUDGETS.passes:
                return None
            step = steps.next(state)
            passes += step.played()
            way = Stage.IN_PARTS if step.way == Stage.IN_PARTS else way
            state = step.after
    except StuckError:
        return None
    return Clean(tuple(passes), State(target.rows, state.ground, _NOTHING), way)


def _in_parts(row: RowInParts) -> Clean | None:
    parts = row.found()
    if not parts:
        return None
    after = State(row.row + 1, parts[-1].left, _NOTHING)
    passes = tuple(Pass(len(part.word), drop_order(part.pieces)) for part in parts)
    return Clean(passes, after, Stage.IN_PARTS)


def _on_platform(
    finder: Finder, target: RowTarget, height: int, state: State, beam: int
) -> Clean | None:
    row, tried = state.rows, 0
    if row + PLATFORM_ROWS > height:
        return None
    for word, slot in _platforms(target.columns(row), state.ground, target.width):
        base = _platform(finder, word, slot, state.ground, beam)
        if base is None:
            continue
        # What is not seen must not lie in the slot's way either.
        free = frozenset(x for x, _ in slot.cells)
        allowed = target.allowed.copy()
        allowed[row, sorted(free)] = 0
        full = frozenset(range(target.width)) - free
        above = replace(target, allowed=allowed)
        found = _in_parts(
            RowInParts(finder, above, height - word.count("b"), State(row, full, _NOTHING), beam)
        )
        if found is not None:
            first = Pass(PLATFORM_ROWS, drop_order(base))
            last = Pass(PLATFORM_ROWS, (slot,))
            return found._replace(passes=(first, *found.passes, last), way=Stage.PLATFORM)
        tried += 1
        if tried == BUDGETS.slots:
            break
    return None


def _platforms(squares: Columns, ground: Columns, width: int) -> Iterator[tuple[str, Placement]]:
    """Yield the stacks of platforms and their slots, below columns without squares.

    The lowest row of a platform whose slot is for a hooked J or L vanishes before it carries
    anything, so the slot needs nothing below it. One for an upright I must be over a square.
    """
    hooked = [x for x in range(width - 1) if squares.isdisjoint((x, x + 1))]
    for x in sorted(hooked, key=lambda x: min(x, width - 2 - x)):
        for hook in _HOOKS:
            yield "c" + "b" * (PLATFORM_ROWS - 1), Placement(hook, x, 1)
    for x in sorted(ground - squares):
        yield "b" * PLATFORM_ROWS, Placement(_UPRIGHT, x, 0)


def _platform(
    finder: Finder, word: str, slot: Placement, ground: Columns, beam: int
) -> Pieces | None:
    """Return the pieces of a platform over what lies below; None if there are none."""
    import numpy as np

    width = finder.width
    allowed = np.full((width, len(word)), sum(1 << piece for piece in PieceType), np.int64)
    must = np.full(width, (1 << len(word)) - 1, np.int64)
    for x, y in slot.cells:
        allowed[x, y] = 0
        must[x] &= ~(1 << y)
    below = np.isin(np.arange(width), sorted(ground)).astype(np.int64)
    squares = Squares(np.zeros_like(must), must, np.zeros_like(must), allowed, below)
    found = finder.meet(finder.explore(stack_of(word), squares, beam), _NOTHING, None, 1)
    return None if found is None else found[0]
