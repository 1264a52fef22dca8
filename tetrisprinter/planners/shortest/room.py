"""Games whose top rows are stacked without a line clear, so that pieces have room to enter.

A player steers each piece from the top of the board to its column. Rows that clear near the top
block the piece, because they fill the whole width. So this operator asks a SAT solver for any game
in which rows clear only below some row of the board, first far below the top. Such a game is longer
than the best one, and the neighbourhood search then shortens it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from functools import partial
from itertools import product
from typing import Final

from tetrisprinter.bounds.windows import CLEARING
from tetrisprinter.planners.context import Context, Slice
from tetrisprinter.planners.shortest.formula import FormulaTooLargeError, Neighbourhood
from tetrisprinter.planners.shortest.lns import NeighbourhoodSolver
from tetrisprinter.planners.shortest.search import SearchRun, ShortestSearch
from tetrisprinter.planners.shortest.slices import play_candidate

_FREE_ROWS: Final = (8, 6, 4, 3, 2, 1)
"""The numbers of rows at the top of the board in which no row clears, tried in this order."""

_CLEARING_ROWS: Final = (1, 2)
"""How many rows may clear right below each row of the picture, tried in this order."""

_WORK: Final = 3.0
"""The work limit of each question."""

_ALL_WORK: Final = 12.0
"""The work limit of all questions together."""


def search_playable_game(context: Context) -> Iterator[Slice]:
    """Search for a game that the player can steer, with fewer and fewer free rows at the top."""
    task = context.request.task if context.best is None else context.best.task
    target = task.target
    spent = 0.0
    for turn, (clears_per_slot, free_rows) in enumerate(product(_CLEARING_ROWS, _FREE_ROWS)):
        clearing_slots = target.height - free_rows
        rows: list[int] = []
        for slot in range(target.rows + 1):
            rows += [CLEARING] * (clears_per_slot if slot < clearing_slots else 0)
            rows += [slot] * (slot < target.rows)
        run = SearchRun(context.request.limit.seed, context.stop)
        search = ShortestSearch(target, run, check=partial(play_candidate, task, target))
        try:
            question = NeighbourhoodSolver(search, target, Neighbourhood(tuple(rows)), turn)
        except FormulaTooLargeError:
            return
        with question.solver:
            for work in question.load():
                spent += work
                yield Slice(work)
            answer = yield from _yield_slices(question.search_within(None, _WORK))
            spent += question.spent
            if answer and question.take() and search.played is not None:
                context.found_by_room_search = context.can_play(search.played.plan)
                yield Slice(0.0, search.played.plan)
        if spent >= _ALL_WORK:
            return


def _yield_slices(
    question_steps: Generator[float, None, bool | None],
) -> Generator[Slice, None, bool | None]:
    """Yield the work of a solver's question as slices; return the answer, None if unknown."""
    while True:
        try:
            yield Slice(next(question_steps))
        except StopIteration as end:
            answer: bool | None = end.value
            return answer
