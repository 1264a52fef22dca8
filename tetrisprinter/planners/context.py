"""What the operators of the search share: the request, the best plan so far, and what ends it.

An operator is a generator. It is created with a :class:`Context` and yields a :class:`Slice`
after each small piece of deterministic work, about 0.1 to 0.5 units. The scheduler
(:mod:`~tetrisprinter.planners.improve`) resumes the operator of its choice with ``next()``, so
operators keep their state in local variables, and stopping is ``close()``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from tetrisprinter.game.board import Board
from tetrisprinter.game.plan import Plan
from tetrisprinter.planners.journal import RowsJournal
from tetrisprinter.planners.run import Progress, Run, Work, ignore
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task, usual_column
from tetrisprinter.support.limits import Limit
from tetrisprinter.support.stop import Stop

__all__ = ["Context", "Operator", "Request", "Slice"]


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be printed, what is open, and what may be spent.

    Attributes
    ----------
    task : Task
        The picture, its board, and the types that show its colours; types "auto" are open.
    any_board : bool
        Whether board and column are open.
    limit : Limit
        Seconds, workers, seed, and the effort: a multiple of the usual work.
    known : tuple of Plan
        Plans to begin with. Those that do not print the task are left out.
    begun : Plan or None
        A plan of the picture's lowest rows to continue.
    begun_name : str
        What messages call it: usually the file it came from.
    journal : RowsJournal or None
        Where the rows of a large picture are kept as soon as they are finished.
    processes : int
        How many processes may print parts of a tall picture.
    dask : str or None
        The address of a Dask scheduler whose cluster does that.
    """

    task: Task
    any_board: bool = False
    limit: Limit = field(default_factory=Limit)
    known: tuple[Plan, ...] = ()
    begun: Plan | None = None
    begun_name: str = "the plan to go on from"
    journal: RowsJournal | None = None
    processes: int = 1
    dask: str | None = None

    def on(self, board: Board) -> Task:
        """Return the task on a board."""
        if board == self.task.board:
            return self.task
        column = usual_column(self.task.picture.width, board.width)
        return replace(self.task, board=board, column=column)


@dataclass(frozen=True, slots=True)
class Slice:
    """What a small piece of work came to.

    Attributes
    ----------
    work : float
        What it used, in about seconds of a processor; counted, not timed.
    plan : Plan or None
        A plan that may be shorter than the best so far.
    made_by : tuple of str
        How the plan was made, in more detail than the operator's name.
    bound : int
        No game of straight drops on the board of the best plan has fewer drops.
    news : str
        What is being tried.
    """

    work: float
    plan: Plan | None = None
    made_by: tuple[str, ...] = ()
    bound: int = 0
    news: str = ""


@dataclass(slots=True)
class Context:
    """What operators know and may change.

    Attributes
    ----------
    request : Request
        What is to be printed.
    stop : Stop
        What ends the search.
    tell : callable
        Called with a :class:`Progress` whenever there is news.
    note : callable
        Called with a sentence that a person should read even where no progress is shown.
    best : PrintResult or None
        The shortest plan so far, and its task on its board.
    spent : float
        Work of all operators.
    fallbacks : dict from str to int
        How often another way than the usual one was taken.
    race : object
        The state of the race over boards and types, which several operators share.
    """

    request: Request
    stop: Stop = field(default_factory=Stop)
    tell: Callable[[Progress], None] = ignore
    note: Callable[[str], None] = ignore
    best: PrintResult | None = None
    spent: float = 0.0
    fallbacks: dict[str, int] = field(default_factory=dict)
    race: object = None

    @property
    def drops(self) -> float:
        """Drops of the best plan so far."""
        return float("inf") if self.best is None else self.best.drops

    def run(self, effort: float = 1.0, most: float = float("inf")) -> Run:
        """Return the run of one print row by row, which may do some work."""
        limit = Limit(workers=1, seed=self.request.limit.seed, effort=effort)
        any_board = self.request.any_board
        return Run(limit, stop=self.stop, work=Work(0.0, most, self.stop), any_board=any_board)


@dataclass(frozen=True, slots=True)
class Operator:
    """A way to find a shorter plan; a line of the table.

    Attributes
    ----------
    name : str
        What results and progress call it.
    applies : callable
        Whether it can do anything for the best plan so far.
    slices : callable
        Begins it.
    promise : callable
        The part of the drops that a unit of work is expected to save at first; what was measured
        counts more and more. Infinite: it comes first.
    completes : bool
        Whether a slice of it is a full print of a large picture, which an effort of 1 includes.
    repeats : bool
        Whether it begins again for another best plan after it came to its end.
    """

    name: str
    applies: Callable[[Context], bool]
    slices: Callable[[Context], Iterator[Slice]]
    promise: Callable[[Context], float]
    completes: bool = False
    repeats: bool = False
