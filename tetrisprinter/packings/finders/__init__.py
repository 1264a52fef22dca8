"""One question, several ways to answer it.

Every finder takes a :class:`~tetrisprinter.packings.problem.PackingProblem` and a
:class:`~tetrisprinter.support.limits.Limit` and answers with a
:class:`~tetrisprinter.packings.problem.Packing`, with
:class:`~tetrisprinter.packings.problem.Infeasible`, or with
:class:`~tetrisprinter.packings.problem.Unknown`. Every packing has been replayed before it is
handed out.

A finder is a small frozen dataclass whose fields are its own options, so
``replace(FINDERS["backtracker"], attempts=None)`` is one that never gives up. A new one is
a module with an object that does what :class:`Finder` says, and a line in
:data:`FINDERS`; ``docs/extending.md`` adds one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final, Protocol, runtime_checkable

from tetrisprinter.errors import JobError
from tetrisprinter.packings.problem import Packing, PackingProblem, Result
from tetrisprinter.support.limits import Limit
from tetrisprinter.support.registry import Registry

__all__ = ["FINDERS", "UNLIMITED", "Finder", "Lister", "count", "in_time"]

UNLIMITED: Final = Limit()
"""As long as it takes, alone, with seed 0."""


class Finder(Protocol):
    """A way to find a packing."""

    @property
    def name(self) -> str:
        """What it is called; its name in :data:`FINDERS`."""

    @property
    def certain(self) -> bool:
        """Whether it answers every problem: never Unknown, unless its time is up."""

    def find(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Result:
        """Find a packing, or show that there is none.

        Parameters
        ----------
        problem : PackingProblem
            What to pack.
        limit : Limit
            When to give up; the seed of all chance; how many threads may help.

        Returns
        -------
        Packing, Infeasible or Unknown
            A packing that :meth:`~tetrisprinter.packings.problem.Packing.check` accepts;
            Infeasible only if there certainly is none.

        Raises
        ------
        InputError
            If the finder cannot heed a limit of time.
        """


@runtime_checkable
class Lister(Finder, Protocol):
    """A finder that can find all packings."""

    def find_all(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Iterator[Packing]:
        """Find all packings, one at a time.

        Two packings are the same if their pieces lie in the same places, in whatever
        order they were dropped.

        Raises
        ------
        JobError
            If the time is up before all are found.
        """


FINDERS: Final = Registry[Finder](
    "finder",
    {
        "automaton": "tetrisprinter.packings.finders.automaton:AUTOMATON",
        "backtracker": "tetrisprinter.packings.finders.backtracker:BACKTRACKER",
        "cpsat": "tetrisprinter.packings.finders.cpsat:CPSAT",
        "sat": "tetrisprinter.packings.finders.sat:SAT",
        "fastest": "tetrisprinter.packings.finders.fastest:FASTEST",
    },
)
"""Who can be asked, by name."""


def count(finder: Lister, problem: PackingProblem, limit: Limit = UNLIMITED) -> int:
    """Count the packings that a finder finds.

    Examples
    --------
    >>> from tetrisprinter.packings.finders.sat import SAT
    >>> from tetrisprinter.packings.problem import emitter_problem
    >>> count(SAT, emitter_problem(9, 3, [4]))
    6
    """
    return sum(1 for _ in finder.find_all(problem, limit))


def in_time(found: Iterator[Packing], limit: Limit) -> Iterator[Packing]:
    """Pass packings on until the time is up; the clock is looked at after each of them.

    Raises
    ------
    JobError
        If there was more to be found.
    """
    began = time.monotonic()
    for packing in found:
        yield packing
        if limit.seconds is not None and time.monotonic() - began > limit.seconds:
            raise JobError(f"not all matrices were found within {limit.seconds:g} s")
