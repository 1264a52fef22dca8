"""Row by row, carrying what does not come out even, and looking one row ahead.

Squares come in fours, so a row printed alone has to wait for a number of lines that leaves
no remainder. Here a pass may leave squares of any type in the row above what it prints, and
the next pass, whose lowest row that is, fills it and clears it. What is carried decides how
few lines the next row takes, three if it is left to chance, two or one if it is chosen: so
the ways to play a pass and the ways to play the next one are chosen together.

Where the search does not know how to go on, what is carried is cleared and something else
carried in its place; and what cannot be printed that way is printed as the real-time planner
does. In the end the shorter of the two plans counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.game.replay import play
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners.direct.emitters import share_types
from tetrisprinter.planners.direct.planner import plan_any
from tetrisprinter.planners.rows.passes import drop_order
from tetrisprinter.planners.rows.steps import State, Steps, StuckError
from tetrisprinter.planners.rows.target import RowTarget, row_target

__all__ = ["plan_rows"]

_BEAM: Final = 500
"""States kept per column on a narrow board, at an effort of 1."""
_NARROW: Final = 21
_WIDEST: Final = 3.0
"""Wider boards need more, but no more than so many times as many: time is linear in the area."""
_PATIENCE: Final = 6
"""How many times as many in a second attempt, if the first ends nowhere."""


def plan_rows(
    picture: Picture,
    width: int,
    height: int,
    column: int,
    types: Mapping[PieceType, Color] | None = None,
    *,
    background: Color | None = None,
    seed: int = 0,
    effort: float = 1.0,
    workers: int = 1,
    begun: Plan | None = None,
    known: Plan | None = None,
    on_row: Callable[[Plan], None] = lambda _: None,
) -> Plan:
    """Plan a picture for a board, row by row.

    Parameters
    ----------
    picture : Picture
        Trimmed; what is transparent stays empty.
    width, height : int
        The board.
    column : int
        Where the picture's leftmost column stands.
    types : mapping of PieceType to str, optional
        Which type has which colour; several may share one. Types that it leaves out are not
        seen in the end. Default: :func:`~tetrisprinter.planners.direct.emitters.share_types`.
    background : str, optional
        A colour whose squares, and transparent ones, may be empty or hold a type of it.
    seed : int
        Of the real-time planner.
    effort : float
        How many more states to keep than usual.
    workers : int
        Threads of the real-time planner.
    begun : Plan, optional
        A plan of the lowest rows to go on from, as ``on_row`` was given it.
    known : Plan, optional
        A plan to be beaten. Default: that of the real-time planner.
    on_row : callable
        Called with the plan so far after each row. Above its rows may lie squares that the
        next row is to clear.

    Returns
    -------
    Plan
        Never with more drops than the plan to be beaten.

    Raises
    ------
    InputError
        If a colour has no type, the picture is not on the board, or ``begun`` is not the
        beginning of such a plan.
    JobError
        Naming the row that could not be printed and what would help.
    """
    shades = dict(types) if types is not None else dict(begun.colors if begun else ())
    shades = shades or share_types(picture)
    target = row_target(picture, shades, width, column, background)
    plan = Plan((), tuple(shades.items()), width, height)
    state = State(0, frozenset(range(width)), frozenset())
    if begun is not None:
        if (begun.width, begun.height) != (width, height) or dict(begun.colors) != shades:
            raise InputError("the plan that was begun is for another board or other colours")
        plan, state = begun, _state_after(begun, target, picture.name)
    first = plan, state
    real_time = _RealTime(picture, width, height, column, shades, seed, workers)
    failure: JobError | None = None
    beam = _BEAM * effort * min(_WIDEST, max(1.0, width / _NARROW))
    for patience in (1, _PATIENCE):
        steps = Steps(target, height, max(50, round(beam * patience)))
        plan, state = _printed(steps, real_time, plan, state, on_row)
        if state.rows == target.rows:
            failure = None
            break
        failure = JobError(
            f"{picture.name}: row {picture.image_row(state.rows)} from the top could not be "
            f"printed row by row on a board of {width}x{height}; a board with more columns beside "
            "the picture and more rows above it helps (--board auto), other types for its colours "
            "(--types), or a planner that searches longer (--planner shortest)"
        )
        plan, state = first
    if known is None:
        known = real_time.plan(None if failure else len(plan))
    if known is not None and (failure is not None or len(known) < len(plan)):
        return known
    if failure is not None:
        raise failure
    return plan


def _printed(
    steps: Steps, real_time: _RealTime, plan: Plan, state: State, on_row: Callable[[Plan], None]
) -> tuple[Plan, State]:
    """Print row by row as far as it goes."""
    while state.rows < steps.target.rows:
        done = state.rows
        try:
            step = steps.next(state)
            passes: tuple[Pass, ...] = (Pass(len(step.word), drop_order(step.pieces)),)
            state = step.after
        except StuckError:
            try:
                passes = real_time.row(plan, state)
            except TetrisPrinterError:
                return plan, state
            state = State(state.rows + 1, steps.target.columns(state.rows), frozenset())
        plan = replace(plan, passes=plan.passes + passes)
        if state.rows > done:
            on_row(plan)
    return plan, state


def _state_after(plan: Plan, target: RowTarget, name: str) -> State:
    """Return what a plan leaves: complete rows, perhaps one that has been begun.

    Raises
    ------
    InputError
        If it leaves anything else.
    """
    field = Playfield(plan.width, plan.height)
    for _ in play(plan, field):
        pass
    rows = 0
    while rows < target.rows and target.is_complete(rows, field.rows[rows]):
        rows += 1
    left = [frozenset(x for x, v in enumerate(row) if v) for row in field.rows]
    if any(left[rows + 1 :]):
        raise InputError(f"the plan to go on from does not leave the lowest rows of {name}")
    ground = left[rows - 1] if rows else frozenset(range(plan.width))
    return State(rows, ground, left[rows])


class _LongerError(Exception):
    """The real-time plan has got longer than the one that is known."""


class _RealTime:
    """The real-time planner, for rows that the search cannot print, and to compare with."""

    def __init__(
        self,
        picture: Picture,
        width: int,
        height: int,
        column: int,
        types: Mapping[PieceType, Color],
        seed: int,
        workers: int,
    ) -> None:
        self.picture, self.size, self.column = picture, (width, height), column
        self.types, self.seed, self.workers = types, seed, workers

    def row(self, plan: Plan, state: State) -> tuple[Pass, ...]:
        """Return the passes that print the next row if nothing has been begun above it.

        Raises
        ------
        JobError
            If it cannot print the row either.
        """
        if state.carried:
            raise JobError("a row has been begun")
        rows = replace(self.picture, rows=self.picture.rows[: state.rows + 1])
        begun = plan if state.rows else None
        return self._plan(rows, begun, lambda _: None).passes[len(plan.passes) :]

    def plan(self, drops: int | None) -> Plan | None:
        """Return the plan of the whole picture, None if it takes so many drops or fails."""

        def look(plan: Plan) -> None:
            if drops is not None and len(plan) >= drops:
                raise _LongerError

        try:
            return self._plan(self.picture, None, look)
        except (_LongerError, TetrisPrinterError):
            return None

    def _plan(self, picture: Picture, begun: Plan | None, on_row: Callable[[Plan], None]) -> Plan:
        return plan_any(
            picture,
            *self.size,
            self.column,
            self.types,
            seed=self.seed,
            workers=self.workers,
            begun=begun,
            on_row=on_row,
        )
