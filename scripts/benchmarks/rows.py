"""Drops, time and memory of the default print, beside another planner or effort.

    scripts/bench rows [--long] [PART ...]

Parts (default: all): *sprites* (examples and random figures of 16x16 to 17x32, on the chosen board
and on the article's, beside the real-time planner), *effort* (the seven small examples at efforts
2 and 1), *bands* (64x64 in five greys, noisy and smooth), *textures* (random dots and noise), *ten*
(the ten-wide benchmark pictures beside shortest), *large* (a 64x64 photo with one and two workers,
a 128x128 bitmap), *width* (32 rows of noise on 20 to 160 columns; to 320 with --long) and, with
--long only, *huge* (a 320x240 photo in seven colours).

Each line is one process. "loops" is its processor time divided by that of a fixed Python loop, so
that machines can be compared.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from checkout import ROOT
from made_images import bitmap, noise, photo, sine_bands, sprite
from processes import Figures, measure

BENCHMARKS = ROOT.parent / "shared" / "benchmarks"
SMALL = ("cat", "fish", "glyph", "heart", "invader", "lighthouse", "mushroom")
PARTS = ("sprites", "effort", "bands", "textures", "ten", "large", "width", "huge")


def loop() -> float:
    """Return the seconds of a processor that a fixed loop takes."""
    began = time.process_time()
    total = 0
    for i in range(5_000_000):
        total += i & 7
    return time.process_time() - began


def print_in_process(folder: Path, image: Path, *options: str) -> Figures:
    """Print an image and look at the process."""
    return measure(
        folder, "print", str(image), "-o", "out.png", "--force", *options, "--json", "--yes"
    )


def row(name: str, found: Figures, other: Figures | None, unit: float) -> str:
    """Return a line of the table."""
    if found.code:
        return f"| {name} | no plan | | | {found.wall:.1f} | {found.processor:.1f} | | |"
    drops, squares = found.report["drops"], found.report["pixels"]
    beside = part = ""
    if other is not None:
        beside = "no plan" if other.code else str(other.report["drops"])
        part = "" if other.code else f"{100 * drops / other.report['drops']:.0f} %"
    return (
        f"| {name} | {drops} | {beside} | {part} | {4 * drops / squares:.2f} | "
        f"{found.wall:.1f} | {found.processor:.1f} | {found.processor / unit:.0f} | "
        f"{found.memory:.0f} |"
    )


def lines(part: str, folder: Path, unit: float, is_long: bool) -> Iterator[str]:
    """Yield the table's lines of a part."""

    def made(name: str, image: Any) -> Path:
        path = folder / f"{name}.png"
        image.save(path)
        return path

    def beside(path: Path, *options: str, planner: str = "realtime") -> str:
        found = print_in_process(folder, path, *options)
        return row(
            path.stem, found, print_in_process(folder, path, *options, "--planner", planner), unit
        )

    match part:
        case "sprites":
            images = [ROOT / "examples" / f"{name}.png" for name in SMALL]
            images += (BENCHMARKS / "sprites").glob("*.png")
            sizes = ((16, 16), (17, 16), (16, 24), (17, 24), (16, 32), (17, 32))
            images += [
                made(f"figure {size[0]}x{size[1]}", sprite(*size, seed))
                for seed, size in enumerate(sizes)
            ]
            for path in sorted(images):
                real_time = print_in_process(folder, path, "--classic", "--planner", "realtime")
                yield row(path.stem, print_in_process(folder, path), real_time, unit)
                again = print_in_process(folder, path, "--classic")
                yield row(f"{path.stem}, classic", again, real_time, unit)
        case "effort":
            for name in SMALL:
                path = ROOT / "examples" / f"{name}.png"
                more = print_in_process(folder, path, "--effort", "2")
                yield row(f"{name}, effort 2", more, print_in_process(folder, path), unit)
        case "bands":
            for noisy in (0.25, 0.0):
                path = made(f"bands with noise of {noisy}", sine_bands(64, noisy))
                yield row(path.stem, print_in_process(folder, path, "--exact"), None, unit)
        case "textures":
            yield beside(made("noise 17x32", noise(17, 32)), "--classic")
            yield beside(made("dots 17x32", noise(17, 32, 0.15)), "--classic")
        case "ten":
            for path in sorted((BENCHMARKS / "art").glob("*.png")):
                options = ("--board", "10x22", "--types", "auto", "--exact")
                yield beside(path, *options, planner="shortest")
        case "large":
            path = made("photo 64x64", photo(300, 300))
            options = ("--fit", "64x64", "--colors", "5", "--types", "auto", "--board", "auto")
            yield beside(path, *options, "--workers", "1")
            yield row(
                "two workers",
                print_in_process(folder, path, *options, "--workers", "2"),
                None,
                unit,
            )
            path = made("bitmap 128x128", bitmap(128))
            options = ("--types", "auto", "--board", "auto", "--exact", "--workers", "1")
            yield row(path.stem, print_in_process(folder, path, *options), None, unit)
        case "width":
            for width in (20, 40, 80, 160, 320)[: 5 if is_long else 4]:
                path = made(f"noise {width}x32", noise(width, 32))
                options = ("--types", "auto", "--board", "auto", "--exact", "--workers", "1")
                found = print_in_process(folder, path, *options)
                each = f"{1000 * found.processor / width:.0f} ms a column"
                yield row(f"{path.stem}, {each}", found, None, unit)
        case "huge" if is_long:
            path = made("photo 320x240", photo(640, 480))
            options = ("--fit", "320x240", "--colors", "7", "--types", "auto", "--board", "auto")
            yield row(path.stem, print_in_process(folder, path, *options), None, unit)


def main() -> None:
    """Print the table."""
    arguments = sys.argv[1:]
    is_long = "--long" in arguments
    parts = [a for a in arguments if a != "--long"] or list(PARTS)
    wrong = [part for part in parts if part not in PARTS]
    if wrong:
        sys.exit(f"unknown part {wrong[0]!r}; choose from {', '.join(PARTS)}")
    unit = loop()
    print(f"a loop of five million steps: {unit:.2f} s\n")
    print("| picture | drops | beside | of it | cells per square | s | CPU s | loops | MiB |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as name:
        for part in parts:
            for line in lines(part, Path(name), unit, is_long):
                print(line, flush=True)
    print(f"\nthe loop again: {loop():.2f} s")


if __name__ == "__main__":
    main()
