"""The images that ``scripts/bench eyes`` converts: drawn here, or shipped with other packages.

Images of packages that are not installed are left out: scikit-image, scikit-learn and matplotlib
have photos and charts, the font Noto Color Emoji has emoji. Icons come from a folder of SVG files.
"""

import io
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tests.support.scenes import SCENES

_PHOTOS = {
    "skimage": "astronaut chelsea coffee rocket camera moon ihc retina hubble_deep_field "
    "motorcycle_left coins brick page clock_motion",
    "sklearn": "china flower",
    "matplotlib": "grace_hopper Minduka_Present_Blue_Pack",
}
_EMOJI = Path("/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf")
_CROPS = {
    "astronaut_face": ("astronaut", (140, 0, 340, 230)),
    "chelsea_eyes": ("chelsea", (110, 40, 320, 220)),
    "hopper_face": ("grace_hopper", (150, 60, 420, 380)),
}


FACES = {
    "astronaut": (150, 20, 290, 180),
    "astronaut_face": (40, 30, 150, 200),
    "grace_hopper": (190, 60, 360, 330),
    "hopper_face": (20, 60, 230, 310),
    "Tom_Hanks_54745": (10, 10, 90, 105),
    "t1": (130, 40, 1200, 420),
    "biden": (330, 60, 680, 560),
    "obama": (330, 30, 600, 430),
    "obama2": (180, 140, 560, 620),
    "obama3": (580, 180, 920, 700),
    "obama_partial_face": (0, 30, 220, 430),
}
"""Where the face of a portrait is: left, top, right, bottom, in pixels.

The last seven are test images in the source archives of the packages insightface and
face_recognition.
"""


def collect_images(
    icons: Path | None = None, portraits: Path | None = None
) -> Iterator[tuple[str, str, Image.Image]]:
    """Yield the name, the kind and the data of each available image, portraits first."""
    found = {}
    for path in sorted(portraits.iterdir()) if portraits else ():
        if path.stem in FACES:
            yield path.stem, "portrait", Image.open(path).convert("RGB")
    for path in _find_photos():
        name = "tulip" if path.stem == "flower" else path.stem
        found[name] = Image.open(path).convert("RGB")
        yield name, "photo", found[name]
    for name, (whole, box) in _CROPS.items():
        if whole in found:
            yield name, "photo", found[whole].crop(box)
    for name, (kind, make) in SCENES.items():
        yield name, kind, make()
    with suppress(ImportError):
        for name, chart in _draw_charts():
            yield name, "chart", chart
    if _EMOJI.exists():
        font = ImageFont.truetype(str(_EMOJI), 109)
        for name, letter in zip(
            ("grin", "cat", "pizza", "rocket", "rose"), "😀🐱🍕🚀🌹", strict=True
        ):
            image = Image.new("RGBA", (136, 128))
            ImageDraw.Draw(image).text((0, 0), letter, font=font, embedded_color=True)
            yield f"emoji_{name}", "emoji", image
    for path in sorted(icons.glob("*.svg")) if icons else ():
        import resvg_py

        png = resvg_py.svg_to_bytes(svg_path=str(path), width=256, dpi=96)
        yield path.stem, "icon", Image.open(io.BytesIO(png))
    yield "line_1000x20", "line drawing", _draw_line()
    for name, image in _draw_fresh():
        yield f"fresh_{name}", "fresh", image


def _find_photos() -> Iterator[Path]:
    import importlib.util

    for package, names in _PHOTOS.items():
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:
            root = Path(spec.origin).parent
            for name in names.split():
                yield next(p for p in root.rglob(f"{name}.*") if p.suffix in (".png", ".jpg"))


def _draw_line() -> Image.Image:
    image = Image.new("RGB", (1000, 20), "white")
    ImageDraw.Draw(image).line((0, 10, 1000, 10), "black", 1)
    return image


def _draw_curves(axes: Any) -> None:
    x = np.linspace(0, 10, 200)
    for turn, label in enumerate(("sine", "cosine", "both")):
        axes.plot(x, np.sin(x + turn), label=label)
    axes.legend()
    axes.set_title("Three curves")


def _draw_points(axes: Any) -> None:
    chance = np.random.default_rng(0)
    for color in ("tab:red", "tab:green", "tab:blue"):
        centre = chance.normal(0, 3, 2)
        axes.scatter(*(centre + chance.normal(0, 1, (60, 2))).T, color=color)
    axes.grid()


def _draw_bars(axes: Any) -> None:
    colors = ["tab:blue", "tab:orange", "tab:green", "tab:red"]
    axes.bar(["a", "b", "c", "d"], [3, 7, 2, 5], color=colors)


def _draw_pie(axes: Any) -> None:
    axes.pie([15, 30, 45, 10], labels=["frogs", "hogs", "dogs", "logs"])


def _draw_field(axes: Any) -> None:
    x, y = np.meshgrid(np.linspace(-3, 3, 90), np.linspace(-3, 3, 90))
    axes.imshow(np.exp(-(x**2) - y**2) * np.cos(3 * x))


def _draw_charts() -> Iterator[tuple[str, Image.Image]]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    for draw in (_draw_curves, _draw_points, _draw_bars, _draw_pie, _draw_field):
        figure = Figure(figsize=(8, 6), dpi=100)
        draw(figure.add_subplot())
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        image = Image.frombytes("RGBA", (800, 600), bytes(canvas.buffer_rgba()))
        yield draw.__name__.replace("_draw", "plot"), image.convert("RGB")


def _draw_fresh() -> Iterator[tuple[str, Image.Image]]:
    """Yield images that were never used to tune the conversion."""
    y, x = np.mgrid[:480, :640].astype(float)
    scene = np.full((480, 640, 3), (60.0, 90.0, 60.0))
    scene[:240] = np.linspace((90, 140, 220), (220, 230, 240), 240)[:, None]
    balls = ((170, 280, 110, (200, 40, 40)), (390, 250, 90, (40, 80, 200)))
    for left, top, radius, color in balls:
        depth = 1 - ((x - left) ** 2 + (y - top) ** 2) / radius**2
        light = 0.25 + 0.5 * np.sqrt(depth.clip(0)) - (0.3 * (x - left) + 0.4 * (y - top)) / radius
        scene[depth > 0] = (light.clip(0.1, 1.3)[..., None] * color)[depth > 0]
    yield "spheres", Image.fromarray(scene.clip(0, 255).astype(np.uint8))
    dusk = np.linspace((40, 20, 80), (250, 140, 60), 480)[:, None].repeat(640, axis=1)
    dusk[(x - 320) ** 2 + (y - 300) ** 2 < 60**2] = (255, 230, 120)
    dusk[y > 340 + 20 * np.sin(x / 70)] = (20, 15, 30)
    yield "sunset", Image.fromarray(dusk.astype(np.uint8))
    icons = {name: Image.new("RGB", (900, 900), "white") for name in ("mail", "fish", "target")}
    pens = {name: ImageDraw.Draw(icon) for name, icon in icons.items()}
    pens["mail"].rectangle((90, 240, 810, 660), outline="#202020", width=24)
    pens["mail"].line((90, 240, 450, 480, 810, 240), "#202020", 24)
    pens["fish"].ellipse((150, 270, 690, 630), "#f08030")
    pens["fish"].polygon([(660, 450), (840, 270), (840, 630)], "#f08030")
    pens["fish"].ellipse((290, 395, 325, 430), "black")
    for at, color in enumerate(("#d02020", "white", "#d02020", "white", "#2040c0")):
        pens["target"].ellipse((60 + 75 * at, 60 + 75 * at, 840 - 75 * at, 840 - 75 * at), color)
    for name, icon in icons.items():
        yield name, icon.resize((300, 300), Image.Resampling.BOX)
    for text, ink, paper in (("Hello", "#204080", "white"), ("OPEN", "#ffe060", "#802020")):
        sign = Image.new("RGB", (900, 300), paper)
        ImageDraw.Draw(sign).text((40, 60), text, ink, ImageFont.load_default(150))
        yield text.lower(), sign
    for name in ("heart", "invader", "owl", "glyph"):
        sprite = Image.open(Path(__file__).parents[1] / "examples" / f"{name}.png").convert("RGBA")
        size = 11 * sprite.width + 5, 11 * sprite.height + 5
        yield name, sprite.resize(size, Image.Resampling.BICUBIC)
