"""Randomized incremental construction: the fast, real-time finder.

The article's search adds pieces one at a time at random places, keeps an eye on column
heights and complete rows, and starts again after a number of failures. That is
``order="random"`` here, first piece and all: an S or Z into a gap of the bottom row.

``order="sweep"``, the default, differs in one thing: at every step the placements
furthest to the left are tried first, and only those of the same column in random order.
A matrix that is filled from one side shows its dead ends next to where they were made,
so backtracking is short: on the entries of the tables with the tallest matrices it needs
about a hundredth of the placements (measured by ``scripts/bench``). Nothing is lost:
both orders try every placement before they say that none fits, and with an unlimited
number of attempts the answer "no packing" is exhaustive.
"""

from __future__ import annotations

import sys
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType, Placement
from tetrisprinter.packings.problem import Infeasible, Packing, PackingProblem, Result, Unknown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["DEFAULT_ATTEMPTS", "DEFAULT_RETRIES", "Order", "find"]

Order = Literal["sweep", "random"]

DEFAULT_ATTEMPTS = 1000
DEFAULT_RETRIES = 1000
_LONG = 100_000  # attempts that take about as long as somebody waits after Ctrl-C

_announced = False


def find(
    problem: PackingProblem,
    *,
    max_attempts: int | None = DEFAULT_ATTEMPTS,
    retries: int = DEFAULT_RETRIES,
    permutation_sets: int | None = None,
    order: Order = "sweep",
    seed: int = 0,
    workers: int = 1,
) -> Result:
    """Search a packing.

    Parameters
    ----------
    problem : PackingProblem
        What to fill.
    max_attempts : int or None
        Placements to try before starting again with another permutation; None searches
        exhaustively (and needs no second start).
    retries : int
        How many starts in all.
    permutation_sets : int or None
        How many different permutations of the placements to use in turn; None for a new
        one at each start. They are made from the seed when needed, not kept.
    order : {"sweep", "random"}
        See the module.
    seed : int
        Same seed, same answer, whatever the number of workers.
    workers : int
        Threads that make starts side by side (the search releases the interpreter lock).

    Returns
    -------
    Packing, Infeasible or Unknown
        Unknown when every start gave up.

    Examples
    --------
    >>> from tetrisprinter.packings.problem import emitter_problem
    >>> packing = find(emitter_problem(9, 3, [4]))
    >>> sum(len(piece.cells) for piece in packing.pieces) == packing.problem.free_cells
    True
    >>> find(emitter_problem(9, 3, [3]), max_attempts=None)
    Infeasible(reason='no packing exists: searched exhaustively')
    """
    if not problem.is_divisible:
        return Infeasible(f"{problem.free_cells} free cells are not a multiple of 4")
    announce_compilation()
    job = _Job.of(problem, max_attempts, permutation_sets, order, seed)
    if max_attempts is None:
        retries = 1
    if max_attempts is None or max_attempts > _LONG or workers > 1:
        return _in_threads(job, retries, workers)
    for start in range(retries):
        result = job.run(start)
        if not isinstance(result, Unknown):
            return result
    return Unknown(f"gave up after {retries} starts of {max_attempts} attempts")


def _in_threads(job: _Job, retries: int, workers: int) -> Result:
    """Make starts side by side; the first in their order that has an answer counts.

    Compiled code cannot be interrupted, so even a single long search runs in a thread
    while this one listens for Ctrl-C.
    """
    with ThreadPoolExecutor(workers) as pool:
        pending: list[Future[Result]] = []
        next_start = 0
        try:
            while pending or next_start < retries:
                while next_start < retries and len(pending) < 2 * workers:
                    pending.append(pool.submit(job.run, next_start))
                    next_start += 1
                result = pending.pop(0).result()
                if not isinstance(result, Unknown):
                    return result
        finally:
            job.stop[0] = True
            pool.shutdown(cancel_futures=True)
    return Unknown(f"gave up after {retries} starts of {job.limit} attempts")


def announce_compilation() -> None:
    """Say on stderr, once, that the first run on a machine compiles the search."""
    global _announced  # noqa: PLW0603
    if not _announced:
        from tetrisprinter.packings.finders import _kernel

        _announced = True
        if not _kernel.is_compiled():
            print(
                "tetrisprinter: compiling the search, once on this machine (about 10 s) ...",
                file=sys.stderr,
            )


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    problem: PackingProblem
    start: NDArray[np.int64]
    ceilings: NDArray[np.int64]
    squares: NDArray[np.bool_]
    allowed: NDArray[np.int64]
    limit: int
    stop: NDArray[np.bool_]
    permutation_sets: int | None
    order: Order
    seed: int

    @classmethod
    def of(
        cls,
        problem: PackingProblem,
        max_attempts: int | None,
        permutation_sets: int | None,
        order: Order,
        seed: int,
    ) -> _Job:
        import numpy as np

        width = problem.width
        ceilings = np.full(width, problem.rows, np.int64)
        if problem.last is not None:
            # Nothing else may lie in or above the piece that comes last.
            for x, y in problem.last.cells:
                ceilings[x] = min(ceilings[x], y)
        allowed = [
            o.index * width + x
            for o in problem.orientations
            if o.height <= problem.rows
            for x in range(width - o.width + 1)
        ]
        return cls(
            problem,
            np.array(problem.start, np.int64),
            ceilings,
            np.array([x in problem.squares for x in range(width)]),
            np.array(allowed, np.int64),
            -1 if max_attempts is None else max_attempts,
            np.zeros(1, np.bool_),
            permutation_sets,
            order,
            seed,
        )

    def run(self, start: int) -> Result:
        """Make one start; its number decides everything random about it."""
        import numpy as np

        from tetrisprinter.packings.finders import _kernel

        out = np.zeros(self.problem.free_cells // 4 + 1, np.int64)
        order, first = self._permutation(start)
        heights = self.start
        begun = 0
        if first >= 0:
            heights = self._after(first)
            out[0] = first
            begun = 1
        status, _ = _kernel.search(
            heights, self.ceilings, self.squares, order, self.limit, self.stop, out[begun:]
        )
        if status == _kernel.FOUND:
            return self._packing(out)
        if status == _kernel.EXHAUSTED and not begun:
            return Infeasible("no packing exists: searched exhaustively")
        return Unknown("gave up")

    def _permutation(self, start: int) -> tuple[NDArray[np.int64], int]:
        """Return the placements in the order of this start, and its first piece or -1."""
        import numpy as np

        index = start if self.permutation_sets is None else start % self.permutation_sets
        order = np.random.default_rng((self.seed, index)).permutation(self.allowed)
        if self.order == "sweep":
            return order[np.argsort(order % self.problem.width, kind="stable")], -1
        if self.limit < 0:
            return order, -1
        gaps = [int(p) for p in self.allowed if self._fills_bottom_gap(int(p))]
        if not gaps:
            return order, -1
        return order, gaps[int(np.random.default_rng((self.seed, start, 1)).integers(len(gaps)))]

    def _fills_bottom_gap(self, placement: int) -> bool:
        orientation, x = self._decode(placement)
        columns = self.start[x : x + orientation.width]
        y = int(columns[0]) - orientation.bottom[0]
        return (
            orientation.piece in (PieceType.S, PieceType.Z)
            and y == 0
            and all(h == b for h, b in zip(columns, orientation.bottom, strict=True))
            and all(y + t <= c for t, c in zip(orientation.top, self.ceilings[x:], strict=False))
        )

    def _after(self, placement: int) -> NDArray[np.int64]:
        orientation, x = self._decode(placement)
        heights = self.start.copy()
        heights[x : x + orientation.width] = orientation.top
        return heights

    def _decode(self, placement: int) -> tuple[Orientation, int]:
        index, x = divmod(placement, self.problem.width)
        return ORIENTATIONS[index], x

    def _packing(self, out: NDArray[np.int64]) -> Result:
        heights = list(self.problem.start)
        pieces: list[Placement] = []
        last = self.problem.last
        for code in out[: self.problem.free_cells // 4 - (last is not None)]:
            orientation, x = self._decode(int(code))
            y = heights[x] - orientation.bottom[0]
            pieces.append(Placement(orientation, x, y))
            for dx, top in enumerate(orientation.top):
                heights[x + dx] = y + top
        if last is not None:
            pieces.append(last)
        packing = Packing(self.problem, tuple(pieces))
        packing.check()
        return packing
