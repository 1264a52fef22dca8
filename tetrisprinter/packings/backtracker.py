"""Randomised depth-first search: the article's finder, and a variant that sweeps from one side.

``order="random"`` is the article's search: it adds pieces at random places, first an S or Z into a
gap of the bottom row, and restarts after a number of failures.

``order="sweep"``, the default, tries the leftmost placements first and only those of one column in
random order. When a matrix fills from one side, a dead end shows soon after its cause: the tallest
entries of the tables need about a hundredth of the placements of ``random`` (``scripts/bench
packings``). Both orders try every placement before they backtrack. So a search with unlimited
attempts that finds no packing proves that none exists.
"""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType, Placement
from tetrisprinter.packings.problem import Infeasible, Packing, PackingProblem, Result, Unknown
from tetrisprinter.support.options import UNLIMITED, Limit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Order = Literal["sweep", "random"]

DEFAULT_ATTEMPTS = 1000
DEFAULT_RETRIES = 1000
_LONG_START = 100_000  # a start of more placements runs in a thread, so that Ctrl-C works at once


@dataclass(frozen=True, slots=True)
class Backtracker:
    """The backtracking finder."""

    name: ClassVar[str] = "backtracker"

    # Placements before a restart with another permutation; None searches exhaustively in one start
    attempts: int | None = DEFAULT_ATTEMPTS
    retries: int = DEFAULT_RETRIES  # number of starts
    # Number of permutations to use in turn; None draws a new one at each start
    permutations: int | None = None
    order: Order = "sweep"  # see the docstring of the module

    @property
    def is_complete(self) -> bool:
        """Whether the search never gives up."""
        return self.attempts is None

    def find(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Result:
        """Search for a packing; ``limit.workers`` threads run starts in parallel."""
        if not problem.is_divisible:
            return Infeasible(f"{problem.free_cells} free cells are not a multiple of 4")
        if problem.required:
            return Unknown("the backtracker cannot keep required pieces; use cpsat or sat")
        if problem.holes:
            return Unknown("the backtracker cannot leave holes; use cpsat or sat")
        job = _BacktrackJob.prepare(problem, self, limit.seed)
        retries = 1 if self.attempts is None else self.retries
        is_long = self.attempts is None or self.attempts > _LONG_START
        if is_long or limit.workers > 1 or limit.seconds is not None:
            return _run_in_threads(job, retries, limit)
        for start in range(retries):
            result = job.run(start)
            if not isinstance(result, Unknown):
                return result
        return job.report_failure(retries)


def _run_in_threads(job: _BacktrackJob, retries: int, limit: Limit) -> Result:
    """Run starts in parallel; return the answer of the lowest-numbered start that has one.

    Compiled code cannot be interrupted, so even one long search runs in a thread, while the
    calling thread handles Ctrl-C and the time limit.
    """
    deadline = None if limit.seconds is None else time.monotonic() + limit.seconds
    with ThreadPoolExecutor(limit.workers) as pool:
        pending: list[Future[Result]] = []
        next_start = 0
        try:
            while pending or next_start < retries:
                while next_start < retries and len(pending) < 2 * limit.workers:
                    pending.append(pool.submit(job.run, next_start))
                    next_start += 1
                seconds_left = None if deadline is None else deadline - time.monotonic()
                if seconds_left is not None and seconds_left <= 0:
                    raise TimeoutError
                result = pending.pop(0).result(seconds_left)
                if not isinstance(result, Unknown):
                    return result
        except TimeoutError:
            return Unknown(f"no answer within {limit.seconds:g} s")
        finally:
            job.stop[0] = True
            pool.shutdown(cancel_futures=True)
    return job.report_failure(retries)


@dataclass(frozen=True, slots=True, eq=False)
class _BacktrackJob:
    """A problem as arrays for the compiled search, with the options and the seed."""

    problem: PackingProblem
    start: NDArray[np.int64]  # the column heights after the presets
    ceilings: NDArray[np.int64]  # the height up to which the search fills each column
    squares: NDArray[np.bool_]  # for each column, whether it is over a square of row -1
    allowed: NDArray[np.int64]  # placements, as the orientation's index * width + column
    stop: NDArray[np.bool_]  # a single flag that ends the search
    options: Backtracker
    seed: int

    @classmethod
    def prepare(cls, problem: PackingProblem, options: Backtracker, seed: int) -> _BacktrackJob:
        """Make the arrays of a problem."""
        import numpy as np

        width = problem.width
        ceilings = np.full(width, problem.rows, np.int64)
        if problem.last is not None:
            # No other piece may lie in or above the piece that drops last.
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
            np.zeros(1, np.bool_),
            options,
            seed,
        )

    @property
    def limit(self) -> int:
        """Placements to try in one start; -1 for no limit."""
        return -1 if self.options.attempts is None else self.options.attempts

    def report_failure(self, starts: int) -> Unknown:
        """Return the answer after all starts gave up."""
        return Unknown(f"gave up after {starts} starts of {self.options.attempts} attempts")

    def run(self, start: int) -> Result:
        """Run the search once; the number of the start seeds all its random choices."""
        import numpy as np

        from tetrisprinter.packings import _kernel

        out = np.zeros(self.problem.free_cells // 4 + 1, np.int64)
        order, first_placement = self._draw_permutation(start)
        heights = self.start
        pieces_dropped = 0
        if first_placement >= 0:
            heights = self._drop_first(first_placement)
            out[0] = first_placement
            pieces_dropped = 1
        status, _ = _kernel.search(
            heights, self.ceilings, self.squares, order, self.limit, self.stop, out[pieces_dropped:]
        )
        if status == _kernel.FOUND:
            return self._decode_packing(out)
        if status == _kernel.EXHAUSTED and not pieces_dropped:
            return Infeasible("no packing exists: searched exhaustively")
        return Unknown("gave up")

    def _draw_permutation(self, start: int) -> tuple[NDArray[np.int64], int]:
        """Return the placements in the order of a start, and the one to begin with (-1: any)."""
        import numpy as np

        permutation_count = self.options.permutations
        index = start if permutation_count is None else start % permutation_count
        order = np.random.default_rng((self.seed, index)).permutation(self.allowed)
        if self.options.order == "sweep":
            return order[np.argsort(order % self.problem.width, kind="stable")], -1
        if self.limit < 0:
            return order, -1
        gap_pieces = [int(p) for p in self.allowed if self._can_fill_bottom_gap(int(p))]
        if not gap_pieces:
            return order, -1
        choice = np.random.default_rng((self.seed, start, 1)).integers(len(gap_pieces))
        return order, gap_pieces[int(choice)]

    def _can_fill_bottom_gap(self, placement: int) -> bool:
        """Return whether a placement is an S or Z that fits into a gap of the bottom row."""
        orientation, x = self._decode(placement)
        columns = self.start[x : x + orientation.width]
        y = int(columns[0]) - orientation.bottom[0]
        return (
            orientation.piece in (PieceType.S, PieceType.Z)
            and y == 0
            and all(h == b for h, b in zip(columns, orientation.bottom, strict=True))
            and all(y + t <= c for t, c in zip(orientation.top, self.ceilings[x:], strict=False))
        )

    def _drop_first(self, placement: int) -> NDArray[np.int64]:
        """Return the column heights after a placement on row 0."""
        orientation, x = self._decode(placement)
        heights = self.start.copy()
        heights[x : x + orientation.width] = orientation.top
        return heights

    def _decode(self, placement: int) -> tuple[Orientation, int]:
        """Return the orientation and the column of a placement."""
        index, x = divmod(placement, self.problem.width)
        return ORIENTATIONS[index], x

    def _decode_packing(self, found_placements: NDArray[np.int64]) -> Result:
        """Return the packing of the placements that the compiled search found."""
        heights = list(self.problem.start)
        pieces: list[Placement] = []
        last = self.problem.last
        for code in found_placements[: self.problem.free_cells // 4 - (last is not None)]:
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


BACKTRACKER: Final = Backtracker()
