"""Every drop order, deepest first: fine for small matrices."""

import time
from collections.abc import Iterator

from tetrisprinter.game.pieces import Placement
from tetrisprinter.packings.finders import Finder
from tetrisprinter.packings.problem import Infeasible, Packing, PackingProblem, Result, Unknown
from tetrisprinter.support.options import UNLIMITED, Limit

Heights = tuple[int, ...]


class _Plain:
    name = "plain"
    is_complete = True  # without a time limit it always answers

    def find(self, problem: PackingProblem, limit: Limit = UNLIMITED) -> Result:
        until = time.monotonic() + (limit.seconds or float("inf"))
        full = (problem.rows,) * problem.width
        dead: set[Heights] = set()
        way: list[tuple[Iterator[tuple[Placement, Heights]], Placement | None]]
        way = [(self._drops(problem, problem.start), None)]
        heights = [problem.start]
        while way:
            if time.monotonic() >= until:
                return Unknown(f"no answer within {limit.seconds:g} s")
            if heights[-1] == full:
                pieces = tuple(piece for _, piece in way if piece is not None)
                if problem.last in (None, *pieces[-1:]):
                    packing = Packing(problem, pieces)
                    packing.check()
                    return packing
            for piece, after in way[-1][0]:
                if after not in dead:
                    way.append((self._drops(problem, after), piece))
                    heights.append(after)
                    break
            else:
                way.pop()
                done = heights.pop()
                if problem.last is None:  # else it matters how one got there
                    dead.add(done)
        return Infeasible("every drop order was tried")

    def _drops(
        self, problem: PackingProblem, heights: Heights
    ) -> Iterator[tuple[Placement, Heights]]:
        complete = min(heights)
        for shape in problem.orientations:
            for x in range(problem.width - shape.width + 1):
                below = heights[x : x + shape.width]
                y = below[0] - shape.bottom[0]
                rests = all(h == y + b for h, b in zip(below, shape.bottom, strict=True))
                held = any(h > complete or x + i in problem.squares for i, h in enumerate(below))
                if rests and held and y + shape.height <= problem.rows:
                    tops = tuple(y + top for top in shape.top)
                    after = heights[:x] + tops + heights[x + shape.width :]
                    yield Placement(shape, x, y), after


PLAIN: Finder = _Plain()
