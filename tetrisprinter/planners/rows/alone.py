"""Rows printed alone: from a clean row to a clean row, in as many passes as it takes.

The way out where nothing else goes on. Nothing lies in the row before and nothing above it
after, so the rows on both sides do not matter, and neither does how they were printed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Pass
from tetrisprinter.pictures.picture import Color
from tetrisprinter.planners.rows.passes import drop_order
from tetrisprinter.planners.rows.platform import row_in_parts
from tetrisprinter.planners.rows.steps import ABREAST, State, Step, Steps, StuckError
from tetrisprinter.planners.rows.target import RowTarget, row_target
from tetrisprinter.planners.run import Work
from tetrisprinter.printing.target import make_target
from tetrisprinter.printing.task import Task

__all__ = ["PATIENCE", "beam_of", "clean_state", "cut", "passes_of", "row_alone", "rows_alone"]

_BEAM: Final = 200
"""States kept per column on a narrow board, at an effort of 1."""
_NARROW: Final = 21
_WIDEST: Final = 3.0
"""Wider boards need more, but no more than so many times as many: time is linear in the area."""
PATIENCE: Final = 5
"""How many times as many in the end; a search by itself already keeps more where it is stuck."""
_PASSES: Final = 8
"""Passes, at most, for each row that is printed alone."""


def beam_of(width: int, effort: float = 1.0) -> int:
    """Return how many states a search keeps per column."""
    return max(50, round(_BEAM * effort * min(_WIDEST, max(1.0, width / _NARROW))))


def cut(target: RowTarget, rows: int) -> RowTarget:
    """Return the lowest rows of a target; its last row leaves nothing above it."""
    return RowTarget(target.allowed[:rows], target.required[:rows])


def clean_state(target: RowTarget, rows: int) -> State:
    """Return what lies there when so many rows are printed and nothing else."""
    ground = target.columns(rows - 1) if rows else frozenset(range(target.width))
    return State(rows, ground, frozenset())


def passes_of(step: Step) -> tuple[Pass, ...]:
    """Return what is dropped in a step."""
    passes = [(step.word, step.pieces), *((part.word, part.pieces) for part in step.parts)]
    return tuple(Pass(len(word), drop_order(pieces)) for word, pieces in passes)


def rows_alone(
    target: RowTarget, height: int, state: State, rows: int, beam: int, work: Work | None = None
) -> tuple[tuple[Pass, ...], State] | None:
    """Print the next rows from a clean row on, leaving a clean row.

    Parameters
    ----------
    target : RowTarget
        The end of the game.
    height : int
        Rows of the board.
    state : State
        Where nothing is begun.
    rows : int
        How many rows.
    beam : int
        States kept per column.
    work : Work, optional
        Where it is counted how much is searched.

    Returns
    -------
    (tuple of Pass, State) or None
        None if these searches find no way.
    """
    top = state.rows + rows
    target = cut(target, top)
    if not target.can_end(state.rows, len(state.carried)):
        return None
    steps = Steps(target, height, beam, ABREAST, work)
    passes: list[Pass] = []
    try:
        while state.rows < top or state.carried:
            if len(passes) == _PASSES * rows:
                return None
            step = steps.next(state)
            passes += passes_of(step)
            state = step.after
    except StuckError:
        return None
    return tuple(passes), State(top, state.ground, frozenset())


def row_alone(task: Task, types: Mapping[PieceType, Color], y: int) -> Sequence[Pass] | None:
    """Print a row of a picture on the rows below it; None if no way is found.

    Exactly its squares are left: a background is for whoever asks to make use of.
    """
    target = _target(replace(task, background=None), tuple(sorted(types.items())))
    state = clean_state(target, y)
    if not cut(target, y + 1).can_end(y, 0):
        return None
    for patience in (1, PATIENCE):
        beam = beam_of(target.width) * patience
        found = rows_alone(target, task.board.height, state, 1, beam)
        found = found or row_in_parts(target, task.board.height, state, beam)
        if found is not None:
            return found[0]
    return None


@lru_cache(maxsize=2)
def _target(task: Task, types: tuple[tuple[PieceType, Color], ...]) -> RowTarget:
    size = (task.board.width, task.board.height)
    return row_target(make_target(task.picture, dict(types), *size, task.column))
