"""Finders: several methods that answer a packing problem.

Every finder takes a :class:`~tetrisprinter.packings.problem.PackingProblem` and a
:class:`~tetrisprinter.support.limits.Limit` and returns a
:class:`~tetrisprinter.packings.problem.Packing` that was replayed,
:class:`~tetrisprinter.packings.problem.Infeasible` or
:class:`~tetrisprinter.packings.problem.Unknown`.

A finder is a small frozen dataclass whose fields are its options: ``replace(FINDERS["backtracker"],
attempts=None)`` never gives up. A new finder is a module with an object that satisfies
:class:`Finder`, and a line in :data:`FINDERS`; ``docs/extending.md`` shows an example.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final, Protocol, runtime_checkable

from tetrisprinter.errors import JobError
from tetrisprinter.packings.problem import Packing, PackingProblem, Result
from tetrisprinter.support.limits import Limit
from tetrisprinter.support.registry import Registry

__all__ = ["FINDERS", "UNLIMITED", "Finder", "Lister", "count_packings", "stop_at_limit"]

UNLIMITED: Final = Limit()
"""No time limit, one thread, seed 0."""


class Finder(Protocol):
    """The protocol of finders: objects that find a packing or show that none exists."""

    @property
    def name(self) -> str:
        """The finder's name in :data:`FINDERS`."""

    @property
    def is_complete(self) -> bool:
        """Whether the finder returns Unknown only when the time is up."""

    def find(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Result:
        """Find a packing, or show that none exists.

        Parameters
        ----------
        problem : PackingProblem
            The matrix to pack.
        limit : Limit
            Time limit, random seed and number of threads.

        Returns
        -------
        Packing, Infeasible or Unknown
            A packing that :meth:`~tetrisprinter.packings.problem.Packing.check` accepts;
            Infeasible only if it is certain that no packing exists.

        Raises
        ------
        InputError
            If the finder cannot respect a time limit.
        """


@runtime_checkable
class Lister(Finder, Protocol):
    """A finder that can list all packings."""

    def find_all(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Iterator[Packing]:
        """Yield all packings.

        Two packings are the same if their pieces lie in the same places, in any drop order.

        Parameters
        ----------
        problem : PackingProblem
            The matrix to pack.
        limit : Limit
            Time limit, random seed and number of threads.

        Yields
        ------
        Packing
            Each packing once.

        Raises
        ------
        JobError
            If the time is up before all packings are found.
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
"""All finders by name."""


def count_packings(finder: Lister, problem: PackingProblem, limit: Limit = UNLIMITED) -> int:
    """Count the packings of a problem."""
    return sum(1 for _ in finder.find_all(problem, limit))


def stop_at_limit(packings: Iterator[Packing], limit: Limit) -> Iterator[Packing]:
    """Yield packings until the time is up; then raise a JobError if more exist."""
    began = time.monotonic()
    for packing in packings:
        yield packing
        if limit.seconds is not None and time.monotonic() - began > limit.seconds:
            raise JobError(f"time limit of {limit.seconds:g} s reached; more packings may exist")
