"""Compare the web page with the command: the plans of 40 pictures, the conversion of 30 images.

    scripts/bench page [plans] [images] [--only NAME,...] [--effort 1] [--side 64]

*plans* runs the page's engine in node, and the package in Python, with the same requests. Every
plan of a search must be equal byte for byte, in the same order. The pictures are the examples and
small drawings, some with a piece queue. Each line has the drops of the last plan and CPU seconds.
*images* converts images as the page does, with its JavaScript, and as the command does; the
distance is that of ``scripts/bench eyes``.
"""

import argparse
import random
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from checkout import ROOT
from PIL import Image

from tests.support.page_engine import (
    FIVE,
    NodeEngine,
    NodePixels,
    ask_here,
    list_plans,
    make_print_request,
    prepare_print,
)
from tetrisprinter.game.plan import Plan
from tetrisprinter.pictures.convert import DEFAULT_LIMITS, Conversion, ConvertedPicture, read_image

_PICTURES: Final = 40
_IMAGES: Final = 30
_INKS: Final = {"a": "d03020", "b": "208040", "c": "2040a0"}
_QUEUES: Final = (
    {"pieces": "bag:0"},
    {"pieces": "bag:1", "steered": True, "board": "10x20"},
    {"pieces": "bag:2", "no_hold": True},
)


def list_requests(effort: float, side: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name and the request of each print."""
    drawings = {name: drawing for name, drawing in FIVE.items() if len(drawing) < 60}
    how = Conversion(fit=(side, side), defaults=DEFAULT_LIMITS, background="auto")
    for path in sorted(ROOT.joinpath("examples").glob("*.png")):
        drawings[path.stem] = str(read_image(path, how).picture)
    chance = random.Random(0)
    while len(drawings) < _PICTURES - len(_QUEUES):
        width, height = chance.randint(4, 9), chance.randint(2, 5)
        letters = sorted(chance.sample([*_INKS], chance.randint(1, 3)))
        squares = [*letters, "."]
        rows = ["".join(chance.choices(squares, k=width)) for _ in range(height)]
        colors = " ".join(f"{letter}={_INKS[letter]}" for letter in letters)
        drawings[f"random{len(drawings)}"] = "\n".join([colors, *rows])
    for name, drawing in drawings.items():
        yield name, make_print_request(drawing, effort=effort)
    for number, options in enumerate(_QUEUES):
        yield f"queue{number}", make_print_request(FIVE["ring"], effort=effort, **options)


def compare_plans(only: list[str], effort: float, side: int) -> None:
    """Print for each picture whether the page and the command make equal plans."""
    from tetrisprinter.studio.page import find_cache, make_engine

    equal, count, here_all, there_all = 0, 0, 0.0, 0.0
    with TemporaryDirectory() as folder:
        make_engine(Path(folder) / "engine", find_cache())
        node = NodeEngine(Path(folder) / "engine")
        for name, request in list_requests(effort, side):
            if only and name not in only:
                continue
            looks = [asks("preview", request)["answer"] for asks in (ask_here, node.ask)]
            if looks[0]["still"]:
                print(f"{name}: {looks[0]['still']['sentence']}")
                same = looks[0] == looks[1]
                plans, here, there = [], 0.0, 0.0
            else:
                job = prepare_print(request)
                began = time.process_time()
                plans = list_plans(ask_here("work", job))
                here = time.process_time() - began
                answer = node.ask("work", job)
                there = answer["seconds"]
                same = looks[0] == looks[1] and plans == list_plans(answer)
            drops = len(Plan.parse(plans[-1])) if plans else 0
            count, equal = count + 1, equal + same
            here_all, there_all = here_all + here, there_all + there
            verdict = "equal" if same else "DIFFERENT"
            print(
                f"{name}: {verdict}, {len(plans)} plans, {drops} drops; "
                f"command {here:.1f} s, page {there:.1f} s",
                flush=True,
            )
        node.close()
    ratio = there_all / max(here_all, 0.1)
    print(f"{equal} of {count} equal; {here_all:.0f} s and {there_all:.0f} s, {ratio:.1f} times")


def compare_images(only: list[str]) -> None:
    """Print for each image how far the pictures of the command and the page are from it."""
    from benchmarks.eyes import find_full_size, flatten
    from eye import Eye
    from eye_images import collect_images

    from tetrisprinter.api.request import find_default_limits
    from tetrisprinter.studio.page_engine import make_pixel_source

    def draw(made: ConvertedPicture) -> Image.Image:
        picture = made.picture
        image = Image.new("RGBA", (picture.width, picture.rows_above + picture.height))
        for (x, y), color in picture.cells().items():
            image.putpixel((x, picture.image_row(y)), (*bytes.fromhex(color), 255))
        return image

    found = list(collect_images())
    step = max(1, len(found) // _IMAGES)
    chosen = [one for one in found if one[0] in only] if only else found[::step][:_IMAGES]
    how = Conversion(defaults=find_default_limits(None, None), background="auto")
    ratios = []
    for name, kind, image in chosen:
        image = image.convert("RGBA")
        with TemporaryDirectory() as folder:
            path = Path(folder) / "image.png"
            image.save(path)
            command = read_image(str(path), how)
        with NodePixels.decode(image) as pixels:
            page = make_pixel_source(pixels, name).read(how)
        distances = []
        for made in (command, page):
            drawn = draw(made)
            part, size = find_full_size(image, drawn)
            canvas = Image.new("RGBA", size)
            canvas.paste(drawn)
            distances.append(Eye(flatten(part), size).distance(flatten(canvas, made.background)))
        ratios.append((distances[1] + 0.01) / (distances[0] + 0.01))
        print(f"{name}, {kind}: command {distances[0]:.3f}, page {distances[1]:.3f}", flush=True)
    worse = sum(ratio > 1.1 for ratio in ratios)
    mean = sum(ratios) / len(ratios)
    print(f"the page's distance is {mean:.3f} times the command's; {worse} of {len(ratios)} > 1.1")


def main() -> None:
    """Run the requested comparisons."""
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", metavar="plans|images")
    parser.add_argument("--only", default="", help="names, separated by commas")
    parser.add_argument("--effort", type=float, default=1.0)
    parser.add_argument("--side", type=int, default=64, help="of the examples, at most")
    arguments = parser.parse_args()
    only = [name for name in arguments.only.split(",") if name]
    if not arguments.parts or "plans" in arguments.parts:
        compare_plans(only, arguments.effort, arguments.side)
    if not arguments.parts or "images" in arguments.parts:
        compare_images(only)


if __name__ == "__main__":
    main()
