"""The list of planners, and :func:`make_plan`, which runs one on a task.

A planner is an object with a name that is listed in :data:`PLANNERS`. To add one,
write a module with a class that implements :class:`Planner`, and a line below.
:func:`make_plan` calls planners. Every plan is played and compared with the task
before it is returned as a :class:`~tetrisprinter.printing.result.PrintResult`.

Words: docs/glossary.md
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Protocol

from tetrisprinter.errors import ArgumentError, Hint, InputError, Obstacle
from tetrisprinter.support import LazyDict, make_lazy
from tetrisprinter.support.options import Limit

if TYPE_CHECKING:
    from tetrisprinter.planners.run import Progress, Run
    from tetrisprinter.printing.result import PrintResult
    from tetrisprinter.printing.task import Task

__all__ = ["PLANNERS", "Limit", "Planner", "Progress", "Run", "get_planner", "make_plan"]

# Loaded on first use, so that listing the planners imports none of their modules.
__getattr__, __dir__ = make_lazy(__name__, {"Progress": "run", "Run": "run"})


class Planner(Protocol):
    """The interface that each planner implements."""

    @property
    def name(self) -> str:
        """The planner's name, in :data:`PLANNERS` and on the command line."""
        ...

    @property
    def summary(self) -> str:
        """What the planner does: the end of a sentence that begins with its name."""
        ...

    @property
    def resumes(self) -> bool:
        """Whether the planner can continue an unfinished plan."""
        ...

    @property
    def can_start_from_board(self) -> bool:
        """Whether the planner can start from a board with squares on it (``Task.start``)."""
        ...

    def find_refusal(self, task: Task) -> Obstacle | None:
        """Return why the planner cannot plan the task; None if it can try. Nothing is searched."""
        ...

    def plan(self, task: Task, run: Run) -> PrintResult:
        """Plan a task that :meth:`find_refusal` accepts.

        The same task and the same seed give the same plan, whatever the number of workers, unless a
        time limit ended the search.
        """
        ...


PLANNERS: Final = LazyDict[Planner](
    {
        "auto": "tetrisprinter.planners.auto:AUTO",
        "shortest": "tetrisprinter.planners.auto:SHORTEST",
        "rows": "tetrisprinter.planners.rows:ROWS",
        "dealt": "tetrisprinter.planners.dealt:DEALT",
        "article": "tetrisprinter.planners.article:SEARCH",
        "table": "tetrisprinter.planners.article:TABLE",
    },
)
"""All planners by name."""


def get_planner(planner: str | Planner) -> Planner:
    """Return the planner with a name; a planner object is returned unchanged."""
    if isinstance(planner, str):
        if planner in PLANNERS:
            return PLANNERS[planner]
        raise InputError(f"unknown planner {planner!r}; choose from {', '.join(PLANNERS)}")
    if not hasattr(planner, "plan") or not hasattr(planner, "find_refusal"):
        raise ArgumentError(
            f"planner: unknown planner {planner!r}; choose from {', '.join(PLANNERS)}"
        )
    return planner


def make_plan(
    task: Task, planner: str | Planner = "auto", run: Run | Limit | None = None
) -> PrintResult:
    """Plan a task.

    Parameters
    ----------
    task : Task
        The picture, its board and its types.
    planner : str or Planner
        A name in :data:`PLANNERS`, or a planner object of your own.
    run : Run or Limit, optional
        The limits of the search; a :class:`Run` also has the progress callbacks. By default one
        worker per processor, and no time limit.

    Returns
    -------
    PrintResult
        The plan, its game, and the comparison with the task.

    Raises
    ------
    InputError
        If the planner does not exist, or the options contradict each other.
    JobError
        If a theorem forbids the picture, or no plan was found.

    Examples
    --------
    >>> from tetrisprinter.pictures.picture import Picture
    >>> from tetrisprinter.printing.task import Task
    >>> task = Task.of(Picture.parse("r.r\\nrrr\\n.r."), board="21x42", types="classic")
    >>> result = make_plan(task, "table")
    >>> result.drops, result.lines
    (117, 22)
    """
    from tetrisprinter.planners.run import Run
    from tetrisprinter.printing.task import Task

    if not isinstance(task, Task):
        raise ArgumentError(
            f"expected a Task, got {type(task).__name__}; use Task.of(picture), or "
            "print_picture(picture)"
        )
    if run is None:
        run = Limit(workers=os.cpu_count() or 1)
    if isinstance(run, Limit):
        run = Run(run)
    if not isinstance(run, Run):
        raise ArgumentError(f"run: expected a Run or a Limit, got {type(run).__name__}")
    chosen = get_planner(planner)
    refusal = chosen.find_refusal(task)
    if refusal is None and task.start and not getattr(chosen, "can_start_from_board", False):
        able_planners = ", ".join(name for name in PLANNERS if PLANNERS[name].can_start_from_board)
        refusal = Obstacle(
            f"begins with squares on the board, which the planner {chosen.name} does not support",
            (Hint(f"choose from {able_planners}"),),
        )
    if refusal is not None:
        raise refusal.error(task.name)
    result = chosen.plan(task, run)
    fallbacks = tuple(sorted(run.fallbacks.items()))
    return replace(result, fallbacks=fallbacks, work=run.work.spent)
