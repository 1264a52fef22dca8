"""Lower bounds: which prints are proved shortest, and bound and drops of the others.

    scripts/bench bound LOG [PART ...] [--seconds S] [--only NAME,...] [--art FOLDER]

Parts (default: all): *classic* (the seven small examples, classic colours, planner shortest),
*board* (the same with free types on the chosen board, effort 2), *shapes* (the shapes of
``scripts/bench drops shapes``, planner shortest), *ten* (the ten-wide benchmark pictures where
the files exist, free types, effort 3). Each is one process of ``print --prove --time-limit S``
(300), of which planning may use half.

Each result is a line in LOG: an interrupted run continues there, and a run with more seconds
repeats what fewer seconds did not prove. The tables at the end cover the whole log.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.drops import shapes
from checkout import ROOT
from processes import measure

SMALL = ("heart", "invader", "fish", "mushroom", "glyph", "cat", "lighthouse")
BENCHMARKS = ROOT.parent / "shared" / "benchmarks" / "art"
TEN = ("--board", "10x22", "--types", "auto", "--exact")
PARTS = {
    "classic": ("--classic", "--planner", "shortest"),
    "board": ("--effort", "2"),
    "shapes": (*TEN, "--planner", "shortest"),
    "ten": (*TEN, "--effort", "3"),
}


def pictures(part: str, folder: Path, art: Path) -> Iterator[Path]:
    """Yield the files of a part, some of them made in the folder."""
    if part == "ten":
        yield from sorted(art.glob("*.png"))
        return
    if part != "shapes":
        yield from (ROOT / "examples" / f"{name}.png" for name in SMALL)
        return
    from PIL import Image

    for seed in range(8):
        rows = shapes(seed).rows
        image = Image.new("RGBA", (10, len(rows)))
        for y, row in enumerate(rows):
            for x, color in enumerate(row):
                if color is not None:
                    image.putpixel((x, len(rows) - 1 - y), (*bytes.fromhex(color), 255))
        image.save(folder / f"shape{seed}.png")
        yield folder / f"shape{seed}.png"


def print_and_prove(part: str, path: Path, seconds: float) -> dict[str, Any]:
    """Print and prove once."""
    with tempfile.TemporaryDirectory() as folder:
        asked = ("print", str(path), "-o", "out.png", *PARTS[part], "--prove", "--time-limit")
        found = measure(folder, *asked, str(seconds), "--json", "--yes")
    line = {"part": part, "name": path.stem, "limit": seconds, "wall": round(found.wall, 1)}
    line |= {"processor": round(found.processor, 1), "memory": round(found.memory)}
    if found.code:
        return {**line, "error": found.errors.strip().splitlines()[-1:]}
    kept = ("pixels", "conversion", "drops", "bound", "proof", "planner", "made_by")
    return line | {key: found.report.get(key) for key in kept}


def tables(lines: list[dict[str, Any]]) -> None:
    """Print what came of it: for each picture the run with the most seconds."""
    best: dict[tuple[str, str], dict[str, Any]] = {}
    for one in sorted(lines, key=lambda one: float(one["limit"])):
        best[one["part"], one["name"]] = one
    for part in PARTS:
        its = [one for (of, _), one in best.items() if of == part]
        if not its:
            continue
        print(f"\n| {part} | bound : drops | of it | proved | CPU s | s | MiB |")
        print(f"|{'---|' * 7}")
        parts = []
        for one in its:
            figures = f"{one['processor']} | {one['wall']} | {one['memory']} |"
            if "drops" not in one:
                print(f"| {one['name']} | no plan in {one['limit']:g} s | | | {figures}")
                continue
            parts.append(one["bound"] / one["drops"])
            proved = "yes" if one["proof"] == "all games" else "no"
            print(
                f"| {one['name']} | {one['bound']} : {one['drops']} | "
                f"{parts[-1]:.2f} | {proved} | {figures}"
            )
        done = sum(one.get("proof") == "all games" for one in its)
        drops = sum(one.get("drops", 0) for one in its)
        middle = f", median {median(parts):.2f}" if parts else ""
        print(f"\n{part}: {done} of {len(its)} proved{middle}, {drops} drops in the sum")


def main() -> None:
    """Measure what is not in the log yet."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("log", type=Path)
    parser.add_argument("parts", nargs="*", metavar="PART", choices=[[], *PARTS])
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--only", default="")
    parser.add_argument("--art", type=Path, default=BENCHMARKS, help="the ten-wide pictures")
    asked = parser.parse_intermixed_args()
    only = set(filter(None, asked.only.split(",")))
    text = asked.log.read_text() if asked.log.exists() else ""
    lines = [json.loads(line) for line in text.splitlines()]
    with tempfile.TemporaryDirectory() as folder, asked.log.open("a") as log:
        for part in asked.parts or PARTS:
            for path in pictures(part, Path(folder), asked.art):
                had = [o for o in lines if (o["part"], o["name"]) == (part, path.stem)]
                enough = any(
                    one["limit"] >= asked.seconds or one.get("proof") == "all games" for one in had
                )
                if enough or (only and path.stem not in only):
                    continue
                lines.append(print_and_prove(part, path, asked.seconds))
                log.write(json.dumps(lines[-1]) + "\n")
                log.flush()
    tables(lines)


if __name__ == "__main__":
    main()
