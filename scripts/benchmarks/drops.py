"""Drops of the planner ``shortest`` on five sets of pictures.

    scripts/bench drops [art] [auto] [shapes] [sprites] [random] [--effort E] [--time-limit S]

*art* and *auto* are ten-wide pictures drawn by others (skipped where the files are missing), with
their author's type colours and with free ones. The table compares them with the drop after which
the picture first stands in the author's file. *shapes* are ten-wide random shapes in free types:
9 of 10 squares filled, 2 to 5 colours. *sprites* and *random* are printed in classic colours on
21 columns and compared with the real-time planner.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import checkout  # noqa: F401

from tetrisprinter.errors import TetrisPrinterError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.images import load_picture
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners import Limit, Run, make_plan
from tetrisprinter.printing.task import Task

ROOT = Path(__file__).resolve().parent.parent
BENCHMARKS = ROOT.parent / "shared" / "benchmarks"
COLORS = ("d03030", "f0c040", "3060c0", "30a050", "8040a0")


def noise(width: int, height: int, density: float, seed: int) -> Picture:
    """Fill squares at random, at least one in each row."""
    rng = random.Random(seed)
    rows = []
    for _ in range(height):
        row = [rng.choice(COLORS[:3]) if rng.random() < density else None for _ in range(width)]
        if not any(row):
            row[rng.randrange(width)] = rng.choice(COLORS[:3])
        rows.append(tuple(row))
    return Picture(tuple(rows), f"noise {width}x{height} {density:.0%} #{seed}")


def blobs(width: int, height: int, seed: int, count: int = 5) -> Picture:
    """Paint discs over each other; rows they miss get one square."""
    rng = random.Random(seed)
    size = min(width, height)
    discs = [
        (rng.uniform(0, width), rng.uniform(0, height), rng.uniform(0.15, 0.35) * size, color)
        for color in (rng.choice(COLORS[:3]) for _ in range(count))
    ]
    rows = []
    for y in range(height):
        row: list[Color | None] = [None] * width
        for dx, dy, radius, color in discs:
            for x in range(width):
                if (x - dx) ** 2 + (y - dy) ** 2 < radius**2:
                    row[x] = color
        if not any(row):
            row[width // 2] = COLORS[0]
        rows.append(tuple(row))
    return Picture(tuple(rows), f"blobs {width}x{height} #{seed}")


def shapes(seed: int) -> Picture:
    """Fill nine of ten columns with coherent shapes, some mirrored, some with stray squares."""
    rng = random.Random(seed)
    height, colors = rng.randint(12, 18), 2 + seed % 4
    sites = [
        (rng.uniform(0, 9), rng.uniform(0, height), rng.randrange(colors))
        for _ in range(rng.choice((5, 8, 12)) * colors // 2)
    ]
    stretch, stray = rng.choice((0.6, 1, 1.7)), rng.choice((0, 0, 0.04, 0.1))
    mirrored = rng.random() < 0.4
    rows: list[list[Color | None]] = []
    for y in range(height):
        row: list[Color | None] = []
        for column in range(9):
            x = min(column, 8 - column) if mirrored else column
            near = min((((sx - x) * stretch) ** 2 + (sy - y) ** 2, n) for sx, sy, n in sites)
            row.append(COLORS[rng.randrange(colors) if rng.random() < stray else near[1]])
        rows.append([*row, None])
    if height % 2:  # ten columns leave an even number of squares
        rows[-1][0] = None
    return Picture(tuple(map(tuple, rows)), f"shapes {colors} colours #{seed}")


def count_real_time_drops(picture: Picture) -> int:
    """Return the drops of the planner *realtime*."""
    return make_plan(Task.of(picture, (21, 42), "classic"), "realtime").drops


def report(
    picture: Picture,
    others: int | None,
    types: str | Mapping[PieceType, Color],
    board: tuple[int, int],
    options: argparse.Namespace,
) -> None:
    """Print one row of a table."""
    began, clock = time.process_time(), time.monotonic()
    try:
        limit = Limit(options.time_limit, workers=2, seed=options.seed, effort=options.effort)
        result = make_plan(Task.of(picture, board, types), "shortest", Run(limit))
    except TetrisPrinterError as error:
        print(f"| {picture.name} | {len(picture.cells())} | {others or ''} | {error} |")
        return
    share = f"{result.drops / others:.0%}" if others else ""
    print(
        f"| {Path(picture.name).stem} | {result.pixels} | {others or ''} | {result.drops} | "
        f"{result.bound} | {result.proof} | {result.cells_per_pixel:.2f} | {share} | "
        f"{time.process_time() - began:.0f} | {time.monotonic() - clock:.0f} |",
        flush=True,
    )


def art() -> Iterator[tuple[Picture, int, dict[PieceType, Color]]]:
    """Yield the drawings of others, the drop after which each stands, and their type colours."""
    if not BENCHMARKS.is_dir():
        return
    facts = json.loads((BENCHMARKS / "art" / "drops.json").read_text())
    for name, fact in facts.items():
        types = {PieceType[p]: color for p, color in fact["type_colours"].items()}
        yield load_picture(BENCHMARKS / "art" / f"{name}.png"), fact["stands_after"], types


def main() -> None:
    """Print the requested tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=["art", "auto", "shapes", "sprites", "random"])
    parser.add_argument("--effort", type=float, default=1.0)
    parser.add_argument("--time-limit", type=float)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for table in options.tables:
        print(f"\n**{table}**\n")
        print(
            "| picture | squares | others | drops | bound | proved | cells/px | share | CPU s | s |"
        )
        print(f"|{'---|' * 10}")
        if table in ("art", "auto"):
            for picture, drops, types in art():
                report(picture, drops, "auto" if table == "auto" else types, (10, 22), options)
            continue
        if table == "shapes":
            for seed in range(8):
                report(shapes(seed), None, "auto", (10, 22), options)
            continue
        if table == "sprites":
            pictures = [load_picture(p) for p in sorted((BENCHMARKS / "sprites").glob("*.png"))]
        else:
            pictures = [noise(16, 16, d, s) for d in (0.12, 0.3, 0.5, 0.7) for s in (1, 2)]
            pictures += [*(blobs(16, 16, s) for s in (1, 2, 3)), noise(17, 32, 0.7, 1)]
        for picture in pictures:
            report(picture, count_real_time_drops(picture), "classic", (21, 42), options)
    print(f"\nlargest memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MiB")


if __name__ == "__main__":
    main()
