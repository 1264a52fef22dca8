"""Measure how the drops fall with more work, as a table and as a plot.

    scripts/bench curve [PICTURE ...] [--effort E] [--svg FILE]

Each picture is printed once, on any board and in any types, with one worker and an effort of E
(default 4). The order of the search does not depend on the effort, so one run has the drops at all
efforts. Columns are units of work. "loops" is the processor time divided by that of a fixed Python
loop, so that machines can be compared. Without a name: the seven small examples.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from checkout import ROOT
from processes import time_loop

from tetrisprinter.pictures.images import load_picture
from tetrisprinter.planners.context import Request
from tetrisprinter.planners.improve import improve
from tetrisprinter.printing.task import Task
from tetrisprinter.support.limits import Limit

SMALL = ("heart", "invader", "fish", "mushroom", "glyph", "cat", "lighthouse")
WORK = (0.5, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32)  # units for each picture


@dataclass(frozen=True)
class Curve:
    """The plans of one run."""

    points: tuple[tuple[float, int], ...]  # work, drops
    work: float  # in all
    loops: float  # CPU time, in runs of the fixed Python loop

    def drops_after(self, work: float) -> int | None:
        """Return the drops of the best plan after some work; None if there was none."""
        return min((drops for spent, drops in self.points if spent <= work), default=None)


def measure_curve(name: str, effort: float) -> Curve:
    """Print a picture, and record the work and the drops of each plan."""
    loop = time_loop()
    picture = load_picture(ROOT / "examples" / f"{name}.png")
    request = Request(Task.of(picture, "auto", "auto"), True, Limit(effort=effort, workers=1))
    began = time.process_time()
    found = list(improve(request))
    loops = (time.process_time() - began) / loop
    return Curve(tuple((one.work, one.result.drops) for one in found), found[-1].work, loops)


def draw(curves: Sequence[Curve], path: Path) -> None:
    """Plot the sum of the drops of all pictures against the work per picture, as an SVG file."""
    width, height, left, top = 640, 360, 60, 20
    works = sorted({work for one in curves for work, _ in one.points})
    sums = [
        (work, sum(drops))
        for work in works
        if None not in (drops := [one.drops_after(work) for one in curves])
    ]
    low, high, last = 450, max(drops for _, drops in sums) + 20, max(works)

    def place(work: float, drops: float) -> tuple[int, int]:
        x = left + (width - left - 20) * (work / last) ** 0.5
        return round(x), round(top + (height - top - 50) * (high - drops) / (high - low))

    steps = [place(*sums[0])]
    for (_, before), (work, drops) in pairwise(sums):
        steps += [place(work, before), place(work, drops)]
    line = " ".join(f"{x},{y}" for x, y in steps)
    marks = [f'<polyline points="{line}" fill="none" stroke="#d04010" stroke-width="2"/>']
    for drops in range(low, int(high), 50):
        x, y = place(0, drops)
        marks.append(f'<text x="{x - 8}" y="{y + 4}" text-anchor="end">{drops}</text>')
    for work in (1, 2, 4, 8, 16, 32):
        if work <= last:
            x, y = place(work, low)
            marks.append(f'<text x="{x}" y="{y + 18}" text-anchor="middle">{work}</text>')
    x, y = width // 2, height - 8
    marks.append(f'<text x="{x}" y="{y}" text-anchor="middle">units of work for a picture</text>')
    text = "".join(f"{mark}\n" for mark in marks)
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-size="12" '
        f'font-family="sans-serif">\n<title>Sum of the drops against work</title>\n'
        f'<rect width="100%" height="100%" fill="white"/>\n{text}</svg>\n'
    )


def main() -> None:
    """Print the table and write the plot."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pictures", nargs="*", default=SMALL)
    parser.add_argument("--effort", type=float, default=4.0)
    parser.add_argument("--svg", type=Path)
    options = parser.parse_args()
    print(f"| picture | {' | '.join(f'{work:g}' for work in WORK)} | work | loops |")
    print("|---" * (len(WORK) + 3) + "|", flush=True)
    curves = []
    for name in options.pictures:
        curve = measure_curve(name, options.effort)
        curves.append(curve)
        cells = [str(curve.drops_after(work) or "") for work in WORK]
        print(
            f"| {name} | {' | '.join(cells)} | {curve.work:.1f} | {curve.loops:.1f} |", flush=True
        )
    sums = [sum(curve.drops_after(work) or 0 for curve in curves) for work in WORK]
    print(
        f"| sum | {' | '.join(map(str, sums))} | {sum(one.work for one in curves):.1f} | "
        f"{sum(one.loops for one in curves):.1f} |"
    )
    if options.svg:
        draw(curves, options.svg)


if __name__ == "__main__":
    main()
