"""Sheets of forty images beside their pictures, with the distance that an eye sees.

    scripts/bench eyes [--folder out/sheet] [--only smiley,moon | --kind chart] [--beside FOLDER]

Each line of a sheet shows an image, a plain average of it in as many colours, and what it becomes
with no option, as a print of it looks; ``--beside`` puts the pictures of an earlier run, in
whose folder they lie, before these. The table says how far the average and the picture are from
the image, as an eye sees it, and the seconds of a processor. No picture is planned.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from checkout import ROOT
from PIL import Image, ImageDraw, ImageFont, ImageOps

from tests.support.scenes import SCENES
from tetrisprinter.api.wishes import usual_for
from tetrisprinter.pictures.convert import Conversion, Converted, convert_image
from tetrisprinter.render.empty import choose_field

_SIDE, _GAP, _LINES = 220, 12, 8


def render_print(converted: Converted) -> Image.Image:
    """Return a picture as its print looks, a pixel a square, cropped as prints are."""
    picture = converted.picture
    field = choose_field(picture.colors(), converted.background)
    image = Image.new("RGB", (picture.width, picture.height), f"#{field}")
    for (x, y), color in picture.cells().items():
        image.putpixel((x, picture.height - 1 - y), tuple(bytes.fromhex(color)))
    return image


def plain(image: Image.Image, size: tuple[int, int], colors: int) -> tuple[Any, Any]:
    """Return an average in so many colours: the way of every other program."""
    from tetrisprinter.pictures.candidates import averaged
    from tetrisprinter.pictures.palette import distinct, nearest, reduced

    rgb, opaque = averaged(image, size)
    found, counts = distinct(rgb[opaque])
    if len(found) > colors:
        palette = reduced(found, counts, colors)
        rgb = palette[nearest(rgb.reshape(-1, 3), palette)].reshape(rgb.shape)
    return rgb, opaque


def shown(image: Image.Image) -> Image.Image:
    """Return an image as large as there is room for it, its squares sharp."""
    sharp = max(image.size) < _SIDE
    how = Image.Resampling.NEAREST if sharp else Image.Resampling.LANCZOS
    return ImageOps.contain(image.convert("RGBA"), (_SIDE, _SIDE), how)


def main() -> None:
    """Convert, measure, draw."""
    import numpy as np

    from tetrisprinter.pictures.eye import Eye

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--folder", type=Path, default=ROOT / "out" / "sheet")
    parser.add_argument("--only", help="names, separated by commas")
    parser.add_argument("--kind")
    parser.add_argument("--beside", type=Path)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    names = asked.only.split(",") if asked.only else list(SCENES)
    names = [name for name in names if asked.kind in (None, SCENES[name][0])]
    lines = []
    for name in names:
        image = SCENES[name][1]()
        began = time.process_time()
        converted = convert_image(image, Conversion(usual=usual_for(None, None)), name)
        took = time.process_time() - began
        out = render_print(converted)
        out.save(asked.folder / f"{name}.png")
        rgba = image.convert("RGBA")
        box = rgba.getchannel("A").getbbox()
        rgba = rgba.crop(box)
        scale = min(1.0, 48 / max(rgba.size)) if max(rgba.size) > 64 else 1.0
        size = (max(1, round(rgba.width * scale)), max(1, round(rgba.height * scale)))
        count = len(converted.picture.colors()) + (converted.background is not None)
        rgb, opaque = plain(rgba, size, count)
        distance = Eye(rgba, size).distance(rgb, opaque)
        average = Image.fromarray(np.dstack([rgb, np.where(opaque, 255, 0).astype(np.uint8)]))
        pictures = [rgba, average, out]
        if asked.beside is not None:
            pictures.insert(1, Image.open(asked.beside / f"{name}.png"))
        lines.append((f"{name}, {count} colours", pictures))
        said = "; ".join(map(str, converted.steps))
        print(f"| {name} | {distance:.3f} | {count} | {took:.1f} | {said} |", flush=True)
    across = 4 if asked.beside is not None else 3
    for page in range(0, len(lines), 2 * _LINES):
        part = lines[page : page + 2 * _LINES]
        wide, high = across * (_SIDE + _GAP) + 2 * _GAP, _SIDE + 28
        sheet = Image.new("RGB", (2 * wide, high * -(-len(part) // 2)), "#b8bcc4")
        pen = ImageDraw.Draw(sheet)
        for at, (said, pictures) in enumerate(part):
            left, top = wide * (at % 2) + _GAP, high * (at // 2) + 24
            pen.text((left, top - 20), said, "black", ImageFont.load_default(15))
            for column, picture in enumerate(map(shown, pictures)):
                sheet.paste(picture, (left + column * (_SIDE + _GAP), top), picture)
        sheet.save(asked.folder / f"sheet-{page // (2 * _LINES) + 1}.png")


if __name__ == "__main__":
    main()
