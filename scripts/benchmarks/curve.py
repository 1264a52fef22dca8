"""Measure how the drops fall with time on one, two and four cores, as a table and as a plot.

    scripts/bench curve [PICTURE ...] [--effort E] [--svg FILE]

Each picture is printed once, on any board and in any types, with an effort of E (default 1). The
questions of a search that are asked side by side, and their order, do not depend on the number of
cores, so the time on other machines follows from the work of each question. Times are in units of
work, about a second each. The table has the time of the first game, of a game within a tenth of the
best one, of the best one and of the end. The plot shows the pieces in per cent of the best game, as
a mean over the pictures. Without a name: the examples.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from heapq import heapreplace
from itertools import pairwise
from pathlib import Path
from typing import Any

from checkout import ROOT

from tetrisprinter.api.preparation import prepare_source
from tetrisprinter.api.request import PictureRequest
from tetrisprinter.pictures.sources import find_source
from tetrisprinter.planners.run import Run
from tetrisprinter.planners.search import improve
from tetrisprinter.planners.solver_processes import SolverProcesses
from tetrisprinter.support.options import Limit

CORES = (1, 2, 4)
COLORS = {1: "#d04010", 2: "#2060c0", 4: "#208040"}


@dataclass
class Recorder:
    """The works of the questions that a search asks side by side."""

    rounds: list[list[float]] = field(default_factory=list)

    def record(self, ask_all: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
        """Return a method that asks questions and records their works."""

        def ask(processes: SolverProcesses, *arguments: Any) -> list[Any]:
            answers = ask_all(processes, *arguments)
            self.rounds.append([getattr(answer, "work", 0.0) for answer in answers])
            return answers

        return ask


@dataclass(frozen=True)
class Curve:
    """The games of one search: for each the rounds before it, the work so far and the drops."""

    points: tuple[tuple[int, float, int], ...]
    rounds: tuple[tuple[float, ...], ...]

    def list_times(self, cores: int) -> list[tuple[float, int]]:
        """Return the time and the drops of each game on some cores."""
        return [
            (work - sum(map(sum, self.rounds[:number])) + self._time_rounds(number, cores), drops)
            for number, work, drops in self.points
        ]

    def _time_rounds(self, number: int, cores: int) -> float:
        """Return the time of the first rounds, each question on the first core that is free."""
        total = 0.0
        for works in self.rounds[:number]:
            ends = [0.0] * cores
            for work in works:
                heapreplace(ends, ends[0] + work)
            total += max(ends)
        return total


def measure_curve(name: str, effort: float) -> Curve:
    """Print a picture, and record the rounds of questions and the games."""
    source = find_source(ROOT / "examples" / f"{name}.png")
    task = prepare_source(source, PictureRequest.of({}, ()), "auto").task
    task, run = replace(task, types="auto"), Run(Limit(effort=effort), any_board=True)
    recorder, ask_all = Recorder(), SolverProcesses.ask_all
    SolverProcesses.ask_all = recorder.record(ask_all)  # type: ignore[method-assign]
    try:
        points = [(len(recorder.rounds), found.work, found.drops) for found in improve(task, run)]
    finally:
        SolverProcesses.ask_all = ask_all  # type: ignore[method-assign]
    return Curve(tuple(points), tuple(map(tuple, recorder.rounds)))


def find_time(times: Sequence[tuple[float, int]], factor: float) -> float:
    """Return when a game has at most ``factor`` times the fewest drops."""
    fewest = times[-1][1]
    return next(time for time, drops in times if drops <= factor * fewest)


def compute_mean(curves: Sequence[Sequence[tuple[float, int]]]) -> list[tuple[float, float]]:
    """Return the mean drops in per cent of the fewest ones at each time."""
    points = []
    for time in sorted({time for times in curves for time, _ in times}):
        shares = []
        for times in curves:
            drops = [drops for found, drops in times if found <= time]
            if drops:
                shares.append(100 * min(drops) / times[-1][1])
        if len(shares) == len(curves):
            points.append((time, sum(shares) / len(shares)))
    return points


def draw(curves: Sequence[Curve], path: Path) -> None:
    """Plot the mean drops against the time on some cores, as an SVG file."""
    width, height, left, top = 640, 360, 60, 20
    lines = {n: compute_mean([one.list_times(n) for one in curves]) for n in CORES}
    high = max(share for points in lines.values() for _, share in points)
    last = max(points[-1][0] for points in lines.values())

    def place(time: float, share: float) -> tuple[int, int]:
        x = left + (width - left - 20) * (time / last) ** 0.5
        return round(x), round(top + (height - top - 50) * (high - share) / (high - 100))

    marks = []
    for cores, points in lines.items():
        steps = [place(*points[0])]
        for (_, before), (time, share) in pairwise(points):
            steps += [place(time, before), place(time, share)]
        line = " ".join(f"{x},{y}" for x, y in steps)
        color = COLORS[cores]
        marks.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>')
        text = "1 core" if cores == 1 else f"{cores} cores"
        y = top + 20 * CORES.index(cores)
        marks.append(f'<text x="{width - 80}" y="{y + 10}" fill="{color}">{text}</text>')
    for share in range(100, int(high) + 1, 25):
        x, y = place(0, share)
        marks.append(f'<text x="{x - 8}" y="{y + 4}" text-anchor="end">{share} %</text>')
    for seconds in (1, 5, 10, 20, 30, 45, 60, 90):
        if seconds <= last:
            x, y = place(seconds, 100)
            marks.append(f'<text x="{x}" y="{y + 18}" text-anchor="middle">{seconds}</text>')
    x, y = width // 2, height - 8
    marks.append(f'<text x="{x}" y="{y}" text-anchor="middle">seconds (units of work)</text>')
    text = "".join(f"{mark}\n" for mark in marks)
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-size="12" '
        f'font-family="sans-serif">\n<title>Pieces against time, in per cent of the best game'
        f'</title>\n<rect width="100%" height="100%" fill="white"/>\n{text}</svg>\n'
    )


def main() -> None:
    """Print the table and write the plot."""
    names = sorted(path.stem for path in (ROOT / "examples").glob("*.png"))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pictures", nargs="*", default=names)
    parser.add_argument("--effort", type=float, default=1.0)
    parser.add_argument("--svg", type=Path)
    options = parser.parse_args()
    print("| picture | first | best | on cores: first game, within 10 %, best, end |")
    print("|---|---|---|---|", flush=True)
    curves = []
    for name in options.pictures:
        curve = measure_curve(name, options.effort)
        curves.append(curve)
        cells = []
        for cores in CORES:
            times = curve.list_times(cores)
            marks = (times[0][0], find_time(times, 1.1), find_time(times, 1), times[-1][0])
            cells.append(f"{cores}: " + ", ".join(f"{time:.1f}" for time in marks))
        first, best = curve.points[0][2], curve.points[-1][2]
        print(f"| {name} | {first} | {best} | {'; '.join(cells)} |", flush=True)
    if options.svg:
        draw(curves, options.svg)


if __name__ == "__main__":
    main()
