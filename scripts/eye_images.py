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

from tests.support.photographs import blend, finish_photo, make_clouds, make_grid, register_scene
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


@register_scene("photo")
def mountains() -> Image.Image:
    """Draw ridges one behind the other, each paler than the one before it, under clouds."""
    width, height = 900, 600
    _, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    image = blend([90, 140, 205], [235, 235, 230], np.clip(y * 1.6, 0, 1))
    image = image + 60 * np.clip(make_clouds((height, width), 4) - 0.55, 0, 1)[..., None]
    colors = ((150, 165, 190), (105, 125, 150), (60, 85, 90), (28, 45, 38))
    for n, color in enumerate(colors):
        ridge = 0.34 + 0.15 * n - 0.22 * (make_clouds((3, width), 20 + n, 1.7)[1] - 0.5)
        below = y > ridge[None, :]
        image[below] = (np.array(color) * (0.9 + 0.2 * (y - ridge[None, :]))[..., None])[below]
        if n == 1:
            snow = below & (y < ridge[None, :] + 0.05 * make_clouds((height, width), 9))
            image[snow] = (240, 244, 250)
    return finish_photo(image, 5, 1)


@register_scene("photo")
def forest() -> Image.Image:
    """Draw trunks and leaves with much grain and little contrast."""
    width, height = 800, 600
    x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    leaves = make_clouds((height, width), 31, 1.3)
    image = blend([18, 40, 16], [150, 185, 70], leaves**1.5)
    rng = np.random.default_rng(6)
    for _ in range(14):
        center, wide = rng.random(), 0.006 + 0.018 * rng.random()
        trunk = np.abs(x - center - 0.01 * np.sin(9 * y + 20 * center)) < wide * (0.8 + 0.5 * y)
        tone = 0.6 + 0.5 * (x - center) / wide
        image[trunk & (y > 0.15)] = (np.array([85, 60, 42]) * tone[..., None])[trunk & (y > 0.15)]
    image = image * (0.55 + 0.7 * np.clip(1 - np.hypot(x - 0.55, y - 0.3), 0, 1))[..., None]
    return finish_photo(image, 10, 2)


@register_scene("photo")
def night() -> Image.Image:
    """Draw lit windows of houses at night, out of focus."""
    width, height = 900, 600
    image = np.full((height, width, 3), (12.0, 14.0, 28.0))
    rng = np.random.default_rng(12)
    left = 0
    while left < width:
        wide, high = int(rng.integers(60, 130)), int(rng.integers(150, 430))
        image[height - high :, left : left + wide] = (28, 32, 52)
        for wx in range(left + 8, left + wide - 14, 22):
            for wy in range(height - high + 12, height - 20, 28):
                if rng.random() < 0.5:
                    warm = rng.random()
                    image[wy : wy + 16, wx : wx + 12] = (250, 190 + 40 * warm, 90 + 100 * warm)
        left += wide + int(rng.integers(4, 30))
    return finish_photo(image, 6, 4, 2.2)


@register_scene("photo")
def dish() -> Image.Image:
    """Draw a plate with tomatoes, leaves and an egg on a wooden table."""
    width, height = 800, 600
    x, y = make_grid(width, height, 0.75)
    grainy = make_clouds((height, 12), 51, 1.2)[:, :1]
    image = blend([110, 70, 40], [165, 115, 70], np.repeat(grainy, width, axis=1))
    image[np.hypot(x, y) < 0.66] = (235, 232, 225)
    image[np.hypot(x, y) < 0.52] = (248, 246, 240)
    rng = np.random.default_rng(3)
    for _ in range(9):
        cx, cy = 0.3 * rng.normal(), 0.22 * rng.normal()
        leaf = ((x - cx) / 0.16) ** 2 + ((y - cy) / 0.07) ** 2 < 1
        image[leaf] = (70 + 60 * rng.random(), 130 + 40 * rng.random(), 50)
    for cx, cy in ((-0.25, 0.1), (0.05, -0.25), (0.3, 0.12)):
        far = np.hypot(x - cx, y - cy)
        image[far < 0.12] = (205, 40, 30)
        image[np.hypot(x - cx + 0.04, y - cy + 0.04) < 0.03] = (250, 170, 150)
    image[((x + 0.02) / 0.2) ** 2 + ((y - 0.08) / 0.15) ** 2 < 1] = (252, 250, 246)
    image[np.hypot(x, y - 0.06) < 0.075] = (248, 180, 40)
    shade = 1.05 - 0.25 * np.clip(x + y, -1, 1)
    return finish_photo(image * shade[..., None], 5, 6)


@register_scene("moon")
def crescent() -> Image.Image:
    """Draw a thin bright crescent on a dark blue evening."""
    width, height = 640, 480
    x, y = make_grid(width, height, 0.75)
    image = blend([10, 14, 40], [50, 60, 110], np.clip(y + 0.5, 0, 1))
    lit = (np.hypot(x, y) < 0.45) & (np.hypot(x + 0.14, y + 0.06) > 0.42)
    image[np.hypot(x, y) < 0.45] += 10
    image[lit] = (250, 245, 225)
    return finish_photo(image, 4, 10, 1.5)


@register_scene("face")
def child() -> Image.Image:
    """Draw a smiling child in a yellow shirt before a bright wall."""
    width, height = 600, 700
    x, y = make_grid(width, height, 7 / 6)
    image = blend([225, 225, 220], [200, 205, 215], np.clip(0.5 + x / 2, 0, 1))
    shade = np.clip(1.05 - 0.25 * (x + 0.2 * y), 0.7, 1.1)[..., None]
    parts: tuple[tuple[Any, tuple[int, int, int]], ...] = (
        ((x / 0.75) ** 2 + ((y - 1.2) / 0.6) ** 2 < 1, (235, 190, 60)),
        ((np.abs(x) < 0.15) & (y > 0.3) & (y < 0.75), (215, 165, 135)),
        ((x / 0.53) ** 2 + ((y + 0.2) / 0.62) ** 2 < 1, (95, 60, 35)),
        ((x / 0.44) ** 2 + ((y + 0.04) / 0.52) ** 2 < 1, (240, 195, 165)),
    )
    for mask, color in parts:
        image[mask] = (np.array(color) * shade)[mask]
    for side in (-1, 1):
        image[((x - 0.18 * side) / 0.085) ** 2 + ((y + 0.1) / 0.055) ** 2 < 1] = (250, 250, 250)
        image[np.hypot(x - 0.18 * side, y + 0.1) < 0.045] = (60, 40, 30)
        image[(np.abs(x - 0.18 * side) < 0.1) & (np.abs(y + 0.22) < 0.014)] = (80, 52, 35)
        image[np.hypot(x - 0.27 * side, y - 0.13) < 0.08] += (10, -25, -15)
    smile = (np.hypot(x, y - 0.12) < 0.2) & (y > 0.2)
    image[smile] = (185, 60, 65)
    image[smile & (y < 0.24)] = (250, 248, 245)
    return finish_photo(image, 4, 11, 1.5)
