"""Drops, bounds, time and memory of prints, each in a process of its own.

    scripts/bench prints [PART ...] [--prove] [--log FILE] [--only NAME,...] [--options TEXT]

Parts: *examples* (the seven small ones), *classic* (on the article's board), *figures* (random
sprites of 16x16 to 17x32), *bands* (64x64 in five greys, noisy and smooth), *noise* (17x32, dense
and sparse), *large* (a 64x64 photo, a 128x128 bitmap), *width* (32 rows of noise on 20 to 160
columns), *huge* (a 320x240 photo), *shapes* (eight ten-wide random shapes, planner shortest), *ten*
(ten-wide drawings of others, effort 3) and *authors* (the same in the type colours of their
authors, beside the drop after which the picture first stands in their file). The last two need
--art FOLDER. Default: examples, bands, large.

--prove also raises the bound; planning may use half of --seconds (300). With --log each result is a
line of the file, and an interrupted run continues there. --options are added to each command, such
as ``--options "--planner table"``. "loops" is the processor time divided by that of a fixed Python
loop, so that machines can be compared.
"""

from __future__ import annotations

import argparse
import json
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from checkout import ROOT
from made_images import bitmap, noise, photo, shape, sine_bands, sprite
from processes import measure, time_loop

SMALL = ("cat", "fish", "glyph", "heart", "invader", "lighthouse", "mushroom")
OPTIONS = {
    "examples": "",
    "classic": "--classic",
    "figures": "",
    "bands": "--exact",
    "noise": "--classic",
    "large": "--workers 1",
    "width": "--exact --workers 1",
    "huge": "--fit 320x240 --colors 7",
    "shapes": "--board 10x22 --types auto --exact --planner shortest",
    "ten": "--board 10x22 --types auto --exact --effort 3",
    "authors": "--board 10x22 --exact --effort 20",
}
SIZES = ((16, 16), (17, 16), (16, 24), (17, 24), (16, 32), (17, 32))


def list_images(part: str, art: Path | None) -> Iterator[tuple[Any, str, str]]:
    """Yield the pictures of a part: an image or a file, its name, options of its own."""
    match part:
        case "examples" | "classic":
            for name in SMALL:
                yield ROOT / "examples" / f"{name}.png", name, ""
        case "figures":
            for seed, size in enumerate(SIZES):
                yield sprite(*size, seed), f"figure {size[0]}x{size[1]}", ""
        case "bands":
            for noisy in (0.25, 0.0):
                yield sine_bands(64, noisy), f"bands with noise of {noisy}", ""
        case "noise":
            yield noise(17, 32), "noise 17x32", ""
            yield noise(17, 32, 0.15), "dots 17x32", ""
        case "large":
            yield photo(), "photo 64x64", "--fit 64x64 --colors 5"
            yield bitmap(128), "bitmap 128x128", "--exact"
        case "width":
            for width in (20, 40, 80, 160):
                yield noise(width, 32), f"noise {width}x32", ""
        case "huge":
            yield photo(640, 480), "photo 320x240", ""
        case "shapes":
            for seed in range(8):
                yield shape(seed), f"shape {seed}", ""
        case _ if art is not None:
            facts = json.loads((art / "drops.json").read_text())
            for name, fact in facts.items():
                types = ",".join(f"{t}={c}" for t, c in fact["type_colours"].items())
                own = f"--types {types}" if part == "authors" else ""
                yield art / f"{name}.png", f"{name} ({fact['stands_after']})", own


def print_once(image: Any, options: str, unit: float) -> dict[str, Any]:
    """Print an image in a process of its own; return its figures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = image
        if not isinstance(image, Path):
            path = folder / "image.png"
            image.save(path)
        words = ("print", str(path), "-o", "out.png", *shlex.split(options), "--json", "--yes")
        found = measure(folder, *words)
    figures: dict[str, Any] = {
        "processor": round(found.processor, 1),
        "wall": round(found.wall, 1),
        "loops": round(found.processor / unit),
        "memory": round(found.memory),
    }
    if found.code:
        return {**figures, "error": found.errors.strip().splitlines()[-1:]}
    names = ("pixels", "drops", "bound", "proof", "planner", "made_by")
    return figures | {key: found.report.get(key) for key in names}


def format_row(one: dict[str, Any]) -> str:
    """Return a line of the table."""
    costs = f"{one['processor']} | {one['wall']} | {one['loops']} | {one['memory']} |"
    if "error" in one:
        return f"| {one['name']} | no plan | | | | {costs}"
    cells = 4 * one["drops"] / one["pixels"]
    found = f"{one['drops']} | {one['bound']} | {one['proof']} | {cells:.2f}"
    return f"| {one['name']} | {found} | {costs}"


def main() -> None:
    """Measure what is not in the log yet, and print a table for each part."""
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", metavar="PART", choices=[[], *OPTIONS])
    parser.add_argument("--prove", action="store_true")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--options", default="")
    parser.add_argument("--art", type=Path)
    asked = parser.parse_intermixed_args()
    added = f"--prove --time-limit {asked.seconds:g}" if asked.prove else ""
    text = asked.log.read_text() if asked.log and asked.log.exists() else ""
    known = {
        (one["part"], one["name"], one["options"]): one
        for one in map(json.loads, text.splitlines())
    }
    unit = time_loop()
    print(f"a loop of five million steps: {unit:.2f} CPU s")
    for part in asked.parts or ("examples", "bands", "large"):
        print(f"\n| {part} | drops | bound | proved | cells per square | CPU s | s | loops | MiB |")
        print(f"|{'---|' * 9}", flush=True)
        drops = proved = 0
        for image, name, own in list_images(part, asked.art):
            if asked.only and name.split(" (")[0] not in asked.only.split(","):
                continue
            options = " ".join(filter(None, (OPTIONS[part], own, added, asked.options)))
            one = known.get((part, name, options))
            if one is None:
                one = {"part": part, "name": name, "options": options}
                one |= print_once(image, options, unit)
                if asked.log:
                    with asked.log.open("a") as log:
                        log.write(json.dumps(one) + "\n")
            print(format_row(one), flush=True)
            drops += one.get("drops") or 0
            proved += one.get("proof") == "all games"
        print(f"\n{part}: {drops} drops in the sum, {proved} proved shortest", flush=True)


if __name__ == "__main__":
    main()
