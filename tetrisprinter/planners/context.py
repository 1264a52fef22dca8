"""What the operators of a search share: the request, the best plan so far, and the stop signal.

An operator is a generator. It is created with a :class:`Context` and yields a :class:`Slice`
after each small piece of deterministic work, about 0.1 to 0.5 units. The scheduler
(:mod:`~tetrisprinter.planners.improve`) resumes the operator of its choice with ``next()``, so
operators keep their state in local variables. It ends an operator with ``close()``.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from math import inf
from typing import Final

from tetrisprinter.game.board import Board
from tetrisprinter.game.plan import Plan
from tetrisprinter.planners.journal import RowsJournal
from tetrisprinter.planners.run import Progress, Run, Work, ignore
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task, default_column
from tetrisprinter.support.limits import Limit
from tetrisprinter.support.stop import Stop

_DROP_WORK: Final = 0.001
"""The approximate work, per piece, to check whether the player can steer all pieces of a plan."""


@dataclass(frozen=True, slots=True)
class Request:
    """The task, the open choices and the limits of a search."""

    task: Task  # the picture, its board, and the types that show its colours; types "auto" are open
    any_board: bool = False  # whether board and column are open
    # Seconds, workers, seed, and the effort: a multiple of the usual work
    limit: Limit = field(default_factory=Limit)
    # Initial plans; those that do not print the task are ignored
    known: tuple[Plan, ...] = ()
    is_simpler: bool = False  # whether the picture was simplified because no plan was found
    unfinished: Plan | None = None  # a plan of the picture's lowest rows to continue
    # The name of the unfinished plan in messages: usually its file
    unfinished_name: str = "the unfinished plan"
    # Where the rows of a large picture are kept as soon as they are finished
    journal: RowsJournal | None = None
    processes: int = 1  # how many processes may print parts of a tall picture
    dask: str | None = None  # the address of a Dask scheduler whose cluster prints the parts
    # Returns whether the player can steer every piece of a plan; None if there are only hard drops
    can_play: Callable[[Plan], bool] | None = None

    def make_task_on(self, board: Board) -> Task:
        """Return the task on another board, where the picture is at the default column."""
        if board == self.task.board:
            return self.task
        column = default_column(self.task.picture.width, board.width)
        return replace(self.task, board=board, column=column)


@dataclass(frozen=True, slots=True)
class Slice:
    """The result of a small piece of work."""

    work: float  # the work units used, about a CPU second each; counted, not timed
    plan: Plan | None = None  # a plan that may be shorter than the best so far
    made_by: tuple[str, ...] = ()  # how the plan was made, in more detail than the operator's name
    bound: int = 0  # no game of hard drops on the board of the best plan has fewer drops


@dataclass(slots=True)
class Context:
    """The state that all operators of one search share."""

    request: Request
    stop: Stop = field(default_factory=Stop)  # what ends the search
    # Called with a :class:`Progress` whenever there is news
    report: Callable[[Progress], None] = ignore
    # Called with a sentence that the user should see even if no progress is shown
    note: Callable[[str], None] = ignore
    # The shortest playable plan so far, or the shortest plan if none is playable; with its task
    best: PrintResult | None = None
    is_playable: bool = False  # whether the player can steer every piece of the best plan
    found_by_room_search: bool = False  # whether the operator "room to enter" found a playable game
    spent: float = 0.0  # work of all operators
    # How often each fallback was used
    fallbacks: dict[str, int] = field(default_factory=dict)
    # The state of the race over boards and types, which several operators share
    race: object = None
    # Complete prints, the shortest first; not verified yet
    plans: list[Plan] = field(default_factory=list)

    @property
    def drops(self) -> float:
        """The number of drops of the best plan so far, or infinity."""
        return inf if self.best is None else self.best.drops

    def can_play(self, plan: Plan) -> bool:
        """Return whether the player can steer every piece of a plan; the check counts as work."""
        if self.request.can_play is None:
            return True
        self.spent += _DROP_WORK * len(plan)
        return self.request.can_play(plan)

    def keep_plan(self, plan: Plan) -> None:
        """Add a complete plan to ``plans``, which stays sorted by length."""
        if plan not in self.plans:
            bisect.insort(self.plans, plan, key=len)

    def list_shortest_plans(self) -> dict[Board, Plan]:
        """Return the shortest plan of each board, by board."""
        shortest_plans: dict[Board, Plan] = {}
        for plan in self.plans:
            shortest_plans.setdefault(plan.board, plan)
        return shortest_plans

    def make_print_run(self, effort: float = 1.0, work_limit: float = inf) -> Run:
        """Return the run of one row-by-row print, with its own work limit."""
        limit = Limit(workers=1, seed=self.request.limit.seed, effort=effort)
        any_board = self.request.any_board
        return Run(
            limit, stop=self.stop, work=Work(0.0, work_limit, self.stop), any_board=any_board
        )


@dataclass(frozen=True, slots=True)
class Operator:
    """A method that finds shorter plans or better bounds; an entry of ``OPERATORS``."""

    name: str  # what results and progress call it
    applies: Callable[[Context], bool]  # whether it can run in the present state of the search
    slices: Callable[[Context], Iterator[Slice]]  # starts the operator and returns its generator
    # The share of the drops that a unit of work is expected to save at first; measurements
    # gain weight over time. If infinite, the operator runs first
    promise: Callable[[Context], float]
    trial: float = 1.0  # after this much work the promise is divided by ``2 ** decay``
    # The exponent of the decay. 2 is for random plans: the n-th is the best with probability 1 / n
    # and then saves about 1 / n. 1 is for solvers, whose solving times have a heavy tail
    decay: int = 2
    # Whether its work counts as the full print of a large picture that an effort of 1 includes
    completes: bool = False
    repeats: bool = False  # whether it starts again for a new best plan after it has ended
