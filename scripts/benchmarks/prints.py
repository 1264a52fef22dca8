"""Measure drops, bounds, time and memory of prints, each in its own process.

    scripts/bench prints [PART ...] [--prove] [--log FILE] [--only NAME,...] [--options TEXT]

Parts: *examples* (the seven small ones), *classic* (on the article's board), *bands* (64x64 in five
greys, noisy and smooth), *large* (a 64x64 photo, a 128x128 bitmap), *huge* (a 320x240 photo),
*shapes* (eight ten-wide random shapes, planner shortest), *ten* (ten-wide drawings by other
authors, effort 3) and *authors* (the same in the authors' type colours). The last two need --art
FOLDER; a name is followed by the number of drops after which the author's game shows the picture.
Default: examples, bands, large.

--prove also raises the bound; planning may use half of --seconds (300). With --log each result is a
line of the file, and an interrupted run continues there. --options are added to each command, such
as ``--options "--planner table"``. "loops" is the processor time divided by that of a fixed Python
loop, so that machines can be compared.
"""

import argparse
import json
import random
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from checkout import ROOT
from PIL import Image
from processes import measure, time_loop

SMALL = ("cat", "fish", "glyph", "heart", "invader", "lighthouse", "mushroom")
OPTIONS = {
    "examples": "",
    "classic": "--board 21x42 --types classic",
    "bands": "--exact",
    "large": "--workers 1",
    "huge": "--fit 320x240 --colors 7",
    "shapes": "--board 10x22 --types auto --exact --planner shortest",
    "ten": "--board 10x22 --types auto --exact --effort 3",
    "authors": "--board 10x22 --exact --effort 20",
}

_WHITE = (240, 240, 240, 255)
_SHADES = ("d03030", "f0c040", "3060c0", "30a050", "8040a0")


def draw_photo(width: int = 300, height: int = 300) -> Any:
    """Return an image with the gradients and the grain of a photo."""
    x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    waves = np.dstack([np.sin(5 * x + 3 * y) ** 2, np.cos(4 * y * x) ** 2, (1 - x) * y])
    grain = np.random.default_rng(0).normal(0, 8, (height, width, 3))
    return Image.fromarray(np.clip(waves * 255 + grain, 0, 255).astype(np.uint8))


def draw_bitmap(size: int = 128) -> Any:
    """Return an image of rings, every second one empty, and of random dots."""
    pick, middle = random.Random(0), size // 2
    image = Image.new("RGBA", (size, size))
    for x in range(size):
        for y in range(size):
            far = ((x - middle) ** 2 + (y - middle) ** 2) ** 0.5
            if (far // 9) % 2 < 1 or pick.random() < 0.05:
                image.putpixel((x, y), _WHITE)
    return image


def draw_bands(size: int = 64, noise: float = 0.25, colors: int = 5) -> Any:
    """Return bands of grey shades, noisy or smooth."""
    x, y = np.meshgrid(np.linspace(0, 1, size), np.linspace(0, 1, size))
    waves = 0.5 + 0.5 * np.sin(9 * y + 3 * x)
    grey = np.clip(waves + np.random.default_rng(0).normal(0, noise, (size, size)), 0, 1)
    steps = np.minimum(colors - 1, (grey * colors).astype(int))
    return Image.fromarray((steps * (255 // (colors - 1))).astype(np.uint8)).convert("RGB")


def draw_shape(seed: int) -> Any:
    """Return random colour regions on nine of ten columns, some mirrored or with stray squares."""
    rng = random.Random(seed)
    height, colors = rng.randint(12, 18), 2 + seed % 4
    sites = [
        (rng.uniform(0, 9), rng.uniform(0, height), rng.randrange(colors))
        for _ in range(rng.choice((5, 8, 12)) * colors // 2)
    ]
    stretch, stray = rng.choice((0.6, 1, 1.7)), rng.choice((0, 0, 0.04, 0.1))
    mirrored = rng.random() < 0.4
    image = Image.new("RGBA", (10, height))
    for y in range(height):
        for column in range(9):
            x = min(column, 8 - column) if mirrored else column
            near = min((((sx - x) * stretch) ** 2 + (sy - y) ** 2, n) for sx, sy, n in sites)
            index = rng.randrange(colors) if rng.random() < stray else near[1]
            color = (*bytes.fromhex(_SHADES[index]), 255)
            image.putpixel((column, height - 1 - y), color)
    if height % 2:  # every game on ten columns leaves an even number of squares
        image.putpixel((0, 0), (0, 0, 0, 0))
    return image


def list_images(part: str, art: Path | None) -> Iterator[tuple[Any, str, str]]:
    """Yield the pictures of a part: an image or a path, its name, and its own options."""
    match part:
        case "examples" | "classic":
            for name in SMALL:
                yield ROOT / "examples" / f"{name}.png", name, ""
        case "bands":
            for noisy in (0.25, 0.0):
                yield draw_bands(64, noisy), f"bands with noise of {noisy}", ""
        case "large":
            yield draw_photo(), "photo 64x64", "--fit 64x64 --colors 5"
            yield draw_bitmap(128), "bitmap 128x128", "--exact"
        case "huge":
            yield draw_photo(640, 480), "photo 320x240", ""
        case "shapes":
            for seed in range(8):
                yield draw_shape(seed), f"shape {seed}", ""
        case _ if art is not None:
            facts = json.loads((art / "drops.json").read_text())
            for name, fact in facts.items():
                types = ",".join(f"{t}={c}" for t, c in fact["type_colours"].items())
                own = f"--types {types}" if part == "authors" else ""
                yield art / f"{name}.png", f"{name} ({fact['stands_after']})", own


def print_once(image: Image.Image | Path, options: str, unit: float) -> dict[str, Any]:
    """Print an image in its own process; return its figures. ``unit`` is the time of the loop."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = image
        if not isinstance(image, Path):
            path = folder / "image.png"
            image.save(path)
        words = ("print", str(path), "-o", "out.png", *shlex.split(options), "--json")
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
    arguments = parser.parse_intermixed_args()
    added = f"--prove --time-limit {arguments.seconds:g}" if arguments.prove else ""
    text = arguments.log.read_text() if arguments.log and arguments.log.exists() else ""
    known = {
        (one["part"], one["name"], one["options"]): one
        for one in map(json.loads, text.splitlines())
    }
    unit = time_loop()
    print(f"a loop of five million steps: {unit:.2f} CPU s")
    for part in arguments.parts or ("examples", "bands", "large"):
        print(
            f"\n| {part} | drops | bound | proved | dropped per printed | CPU s | s | loops | MiB |"
        )
        print(f"|{'---|' * 9}", flush=True)
        drops = proved = 0
        for image, name, own in list_images(part, arguments.art):
            if arguments.only and name.split(" (")[0] not in arguments.only.split(","):
                continue
            options = " ".join(filter(None, (OPTIONS[part], own, added, arguments.options)))
            one = known.get((part, name, options))
            if one is None:
                one = {"part": part, "name": name, "options": options}
                one |= print_once(image, options, unit)
                if arguments.log:
                    with arguments.log.open("a") as log:
                        log.write(json.dumps(one) + "\n")
            print(format_row(one), flush=True)
            drops += one.get("drops") or 0
            proved += one.get("proof") == "all games"
        print(f"\n{part}: {drops} drops in the sum, {proved} proved shortest", flush=True)


if __name__ == "__main__":
    main()
