"""Measure how much pictures look like their images, compared with those of other programs.

    scripts/bench eyes [--folder out/eyes] [--only chelsea,pie | --kind photo] [--icons FOLDER]
                       [--portraits FOLDER] [--before CHECKOUT] [--drops 32]

Each line has the visible distance between an image and its picture (``eye.py``). Then come those of
an earlier CHECKOUT, Pillow, libimagequant and the method of pyxelate, at the same size and number
of colours. The line ends with the CPU seconds and, with ``--drops SIDE``, the drops of a picture of
that size. The summary also compares the changes of colour, which cost pieces.
A portrait has a second distance, that of the face alone: of the whole, a small face is a few
squares of a thousand. On 17 portraits both distances find a face in four colours worse, and one
whose skin was torn into patches (``--contrast 2``). Of two good pictures the distance takes the one
with more shades, so it prefers dithering by libimagequant on seven faces, on five of which an eye
sees no loss.

The sheets show all pictures side by side. Install scikit-image, scikit-learn, matplotlib,
imagequant and resvg-py for more images and programs.
"""

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from checkout import ROOT
from eye import Eye
from eye_images import FACES, collect_images
from PIL import Image, ImageDraw, ImageFont, ImageOps

from tetrisprinter.pictures.reduction import count_changes

_SIDE, _GAP, _LINES = 220, 12, 8
_CONVERT = """
import io, json, sys, time
from PIL import Image
from tetrisprinter.pictures.convert import Conversion, read_image
try:
    from tetrisprinter.api.request import find_default_limits
    defaults = {"defaults": find_default_limits(None, None)}
except ImportError:  # an earlier checkout
    from tetrisprinter.api.wishes import usual_for
    defaults = {"usual": usual_for(None, None)}
how = Conversion(**defaults, background="auto")
for path in json.load(sys.stdin):
    began = time.process_time()
    made = read_image(path, how)
    took = time.process_time() - began
    picture = made.picture
    image = Image.new("RGBA", (picture.width, picture.rows_above + picture.height))
    for (x, y), color in picture.cells().items():
        image.putpixel((x, picture.image_row(y)), (*bytes.fromhex(color), 255))
    image.save(path + sys.argv[1])
    print(json.dumps([made.background, took]), flush=True)
"""


def convert_all(paths: list[Path], checkout: Path, suffix: str) -> list[tuple[str | None, float]]:
    """Convert images with the code of a checkout; return the background and CPU seconds of each."""
    python = checkout / ".venv" / "bin" / "python"
    command = [str(python if python.exists() else sys.executable), "-c", _CONVERT, suffix]
    paths_read = json.dumps(list(map(str, paths)))
    done = subprocess.run(
        command, cwd=checkout, input=paths_read, text=True, stdout=subprocess.PIPE, check=True
    )
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


def flatten(image: Image.Image, ground: str | None = None) -> Image.Image:
    """Return an image drawn on white, or on its background colour if one was left empty."""
    paper = Image.new("RGBA", image.size, f"#{ground or 'ffffff'}")
    paper.alpha_composite(image.convert("RGBA"))
    return paper.convert("RGB")


def find_full_size(image: Image.Image, picture: Image.Image) -> tuple[Image.Image, tuple[int, int]]:
    """Return the part of an image that a picture shows, and the size of the untrimmed picture."""
    if abs(picture.width - image.width) < 2:
        return image, image.size
    part = image.crop(image.getchannel("A").getbbox())
    scale = picture.width / part.width
    for side in (48, 96):
        if max(round(part.width * side / max(part.size)), 1) == picture.width:
            scale = side / max(part.size)
    return part, (picture.width, max(picture.height, round(part.height * scale)))


def quantize(image: Image.Image, size: tuple[int, int], colors: int) -> dict[str, Image.Image]:
    """Return the pictures that other programs make of an image, by program."""
    small = image.convert("RGBa").resize(size, Image.Resampling.LANCZOS).convert("RGBA")
    small.putalpha(small.getchannel("A").point(lambda value: 255 * (value >= 128)))
    rgb = flatten(small)
    made = {"Pillow": rgb.quantize(max(2, colors)).convert("RGB")}
    with contextlib.suppress(ImportError):
        import imagequant

        found = imagequant.quantize_pil_image(rgb, dithering_level=1.0, max_colors=max(2, colors))
        made["libimagequant"] = found.convert("RGB")
    with contextlib.suppress(ImportError):
        made["pyxelate"] = convert_by_pyxelate(flatten(image), size, colors)
    return made


def convert_by_pyxelate(image: Image.Image, size: tuple[int, int], colors: int) -> Image.Image:
    """Convert an image by the published method of pyxelate (Nagy 2020).

    Each square is the mean of 3x3 points, weighted by how strong an edge is there; the palette is
    a Bayesian mixture of Gaussians with one covariance.
    """
    from scipy import ndimage
    from sklearn.mixture import BayesianGaussianMixture

    points = np.asarray(image.resize((3 * size[0], 3 * size[1]), Image.Resampling.BOX)) / 255
    points = ndimage.median_filter(points, (3, 3, 1))
    edges = np.hypot(ndimage.sobel(points, 0), ndimage.sobel(points, 1)) + 1e-8
    tiles = (size[1], 3, size[0], 3, 3)
    weights = edges.reshape(tiles).sum(axis=(1, 3))
    squares = (edges * points).reshape(tiles).sum(axis=(1, 3)) / weights
    sample = points.reshape(-1, 3)[:: max(1, len(points) * points.shape[1] // 4000)]
    model = BayesianGaussianMixture(
        n_components=max(2, colors),
        covariance_type="tied",
        weight_concentration_prior_type="dirichlet_distribution",
        weight_concentration_prior=1 / max(2, colors),
        mean_precision_prior=1 / 256,
        max_iter=128,
        random_state=1234,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # images of few colours have fewer clusters than requested
        model.fit(sample)
    chosen = model.predict(squares.reshape(-1, 3)).reshape(size[::-1])
    palette = np.clip(255 * model.means_, 0, 255).astype(np.uint8)
    return Image.fromarray(palette[chosen])


def measure_face(
    image: Image.Image, pictures: dict[str, Image.Image], box: tuple[int, int, int, int]
) -> dict[str, float]:
    """Return the visible distance of a face in each picture; ``box`` is where the image has it."""
    size = pictures["now"].size
    scales = [size[axis % 2] / image.size[axis % 2] for axis in range(4)]
    left, top, right, bottom = (round(v * scale) for v, scale in zip(box, scales, strict=True))
    squares = (left, top, max(right, left + 1), max(bottom, top + 1))
    pixels = [round(v / scale) for v, scale in zip(squares, scales, strict=True)]
    part = image.crop((pixels[0], pixels[1], pixels[2], pixels[3]))
    eye = Eye(flatten(part), (squares[2] - squares[0], squares[3] - squares[1]))
    return {program: eye.distance(made.crop(squares)) for program, made in pictures.items()}


def count_drops(image: Image.Image, side: int, background: str | None) -> int | None:
    """Return the drops of an image that planner rows prints at a small size; None if it fails."""
    from tetrisprinter import JobError, print_picture

    try:
        return print_picture(image, fit=side, background=background or "auto", planner="rows").drops
    except JobError:
        return None


def scale_for_sheet(image: Image.Image) -> Image.Image:
    """Return an image scaled to a cell of a sheet; small images keep sharp squares."""
    how = Image.Resampling.NEAREST if max(image.size) < _SIDE else Image.Resampling.LANCZOS
    return ImageOps.contain(image.convert("RGB"), (_SIDE, _SIDE), how)


def draw_sheets(lines: list[tuple[str, list[Image.Image]]], folder: Path) -> None:
    """Write sheets that show images and their pictures side by side."""
    wide, high = max(len(row) for _, row in lines) * (_SIDE + _GAP) + 2 * _GAP, _SIDE + 28
    for page in range(0, len(lines), 2 * _LINES):
        part = lines[page : page + 2 * _LINES]
        sheet = Image.new("RGB", (2 * wide, high * -(-len(part) // 2)), "#b8bcc4")
        pen = ImageDraw.Draw(sheet)
        for at, (caption, row) in enumerate(part):
            left, top = wide * (at % 2) + _GAP, high * (at // 2) + 24
            pen.text((left, top - 20), caption, "black", ImageFont.load_default(15))
            for column, picture in enumerate(map(scale_for_sheet, row)):
                sheet.paste(picture, (left + column * (_SIDE + _GAP), top))
        sheet.save(folder / f"sheet-{page // (2 * _LINES) + 1}.png")


def main() -> None:
    """Convert the images, measure the distances, and draw the sheets."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, default=ROOT / "out" / "eyes")
    parser.add_argument("--only", help="names, separated by commas")
    parser.add_argument("--kind")
    parser.add_argument("--icons", type=Path)
    parser.add_argument("--portraits", type=Path)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--drops", type=int)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    images = [
        (name, kind, image.convert("RGBA"))
        for name, kind, image in collect_images(arguments.icons, arguments.portraits)
        if arguments.kind in (None, kind)
        and (not arguments.only or name in arguments.only.split(","))
    ]
    lines, rows = [], []
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.png" for number in range(len(images))]
        for path, (_, _, image) in zip(paths, images, strict=True):
            image.save(path)
        now = convert_all(paths, ROOT, ".now.png")
        before = (
            convert_all(paths, arguments.before.resolve(), ".before.png")
            if arguments.before
            else now
        )
        for at, (name, kind, image) in enumerate(images):
            made = Image.open(f"{paths[at]}.now.png")
            part, size = find_full_size(image, made)
            canvas = Image.new("RGBA", size)
            canvas.paste(made)
            pictures = {"now": flatten(canvas, now[at][0])}
            if arguments.before:
                canvas = Image.new("RGBA", size)
                canvas.paste(Image.open(f"{paths[at]}.before.png"))
                pictures["before"] = flatten(canvas, before[at][0])
            colors = len(pictures["now"].getcolors(1 << 16) or ())
            pictures |= quantize(part, size, colors)
            eye = Eye(flatten(part), size)
            far = {program: eye.distance(picture) for program, picture in pictures.items()}
            changes = {
                program: count_changes(np.asarray(picture).reshape(-1, 3).tolist(), picture.width)
                for program, picture in pictures.items()
            }
            row: dict[str, Any] = {"name": name, "kind": kind, "colors": colors, "far": far}
            row |= {"changes": changes, "seconds": now[at][1]}
            if name in FACES:
                row["face"] = measure_face(image, pictures, FACES[name])
            if arguments.drops:
                row["drops"] = count_drops(image, arguments.drops, now[at][0])
            rows.append(row)
            distances = ", ".join(f"{program} {value:.2f}" for program, value in far.items())
            if "face" in row:
                faces = (f"{program} {value:.2f}" for program, value in row["face"].items())
                distances += f"; face: {', '.join(faces)}"
            drops = f" {row['drops']} drops" if arguments.drops else ""
            print(f"{name}, {kind}, {colors}: {distances}; {now[at][1]:.2f} s{drops}", flush=True)
            lines.append(
                (f"{name}, {colors} colours: {distances}", [flatten(part), *pictures.values()])
            )
    portraits = [row["face"] for row in rows if "face" in row]
    for program in rows[0]["far"]:
        if faces := [face for face in portraits if program in face]:
            best = sum(face["now"] <= face[program] + 0.01 for face in faces)
            print(f"{program}: our face is as good or better on {best} of {len(faces)}")
        both = [row for row in rows if program in row["far"]]
        worse = [row["name"] for row in both if row["far"]["now"] > row["far"][program] + 0.01]
        mean = sum(row["far"][program] for row in both) / len(both)
        ratio = sum(row["changes"]["now"] / max(1, row["changes"][program]) for row in both) / len(
            both
        )
        print(
            f"{program}: mean {mean:.3f}; ours is as good or better on {len(both) - len(worse)} of "
            f"{len(both)}, with {ratio:.2f} times the changes; not on {', '.join(worse)}"
        )
    (arguments.folder / "eyes.json").write_text(json.dumps(rows, indent=1) + "\n")
    draw_sheets(lines, arguments.folder)


if __name__ == "__main__":
    main()
