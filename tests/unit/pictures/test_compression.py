"""A sprite that was saved as JPEG or WebP is printed like the sprite itself."""

import io
import random

import numpy as np
import pytest
from PIL import Image, ImageDraw

from tests.support.images import draw_gradient, draw_rows
from tests.support.photographs import landscape, portrait
from tetrisprinter.api import prepare
from tetrisprinter.pictures.compression import remove_noise
from tetrisprinter.pictures.convert import DEFAULT_LIMITS, Conversion, convert_image
from tetrisprinter.pictures.reduction import Adjustments

COLORS = {"k": "000000", "r": "c80000", "w": "ffffff", "b": "3050d0"}
GHOST = [
    "kkkkkkkkkkkk", "kkkkrrrrkkkk", "kkkrrrrrrkkk", "kkrrrrrrrrkk", "kkrwwrrwwrkk", "kkrwbrrwbrkk",
    "kkrrrrrrrrkk", "kkrrrrrrrrkk", "kkrrrrrrrrkk", "kkrkrrkkrrkk", "kkkkkkkkkkkk", "kkkkkkkkkkkk",
]  # fmt: skip
INVADER = [
    "kkkkkkkkkkkkkkkk", "kkkkkkkkkkkkkkkk", "kkkkrkkkkkkrkkkk", "kkkkkrkkkkrkkkkk",
    "kkkkrrrrrrrrkkkk", "kkkrrwrrrrwrrkkk", "kkrrrrrrrrrrrrkk", "kkrkrrrrrrrrkrkk",
    "kkrkrkkkkkkrkrkk", "kkkkkrrkkrrkkkkk", "kkkkkkkkkkkkkkkk", "kkkkkkkkkkkkkkkk",
]  # fmt: skip


def save(image: Image.Image, kind: str, quality: int, mode: str = "RGB") -> Image.Image:
    file = io.BytesIO()
    image.convert(mode).save(file, kind, quality=quality)
    return Image.open(file)


def find_labels(picture: object) -> list[list[str]]:
    """Return the squares of a picture, each as the nearest colour of ``COLORS``."""

    def find_nearest(color: str | None) -> str:
        rgb = bytes.fromhex(color or "000000")
        return min(
            COLORS,
            key=lambda letter: sum(
                abs(a - b) for a, b in zip(rgb, bytes.fromhex(COLORS[letter]), strict=True)
            ),
        )

    return [[find_nearest(color) for color in row] for row in picture.rows]  # type: ignore[attr-defined]


@pytest.mark.parametrize("rows", [GHOST, INVADER])
@pytest.mark.parametrize("scale", [4, 20])
@pytest.mark.parametrize(("kind", "quality"), [("JPEG", 75), ("WEBP", 80)])
def test_enlarged_sprites_are_as_before(
    rows: list[str], scale: int, kind: str, quality: int
) -> None:
    sprite = draw_rows(rows, COLORS)
    large = sprite.resize((scale * len(rows[0]), scale * len(rows)), Image.Resampling.NEAREST)
    wanted = prepare(large.convert("RGB"))
    found = prepare(save(large, kind, quality))
    assert find_labels(found.task.picture) == find_labels(wanted.task.picture)
    assert found.background == wanted.background == "000000"


def test_the_outline_of_a_sticker_decides_whether_it_is_pixel_art() -> None:
    sprite = draw_rows(INVADER, {letter: COLORS[letter] for letter in "rw"})
    large = sprite.resize((320, 240), Image.Resampling.NEAREST)
    found = prepare(save(large, "WEBP", 60, "RGBA")).task.picture
    assert find_labels(found) == find_labels(prepare(sprite).task.picture)
    disc = Image.new("RGBA", (64, 64))
    ImageDraw.Draw(disc).ellipse((2, 2, 61, 61), fill="red")
    ImageDraw.Draw(disc).rectangle((20, 20, 27, 27), fill="white")
    assert prepare(save(disc, "WEBP", 60, "RGBA")).task.picture.width > 40


@pytest.mark.parametrize(("kind", "quality"), [("JPEG", 90), ("JPEG", 95), ("WEBP", 85)])
def test_a_sprite_in_its_own_size_is_as_before(kind: str, quality: int) -> None:
    sprite = draw_rows(INVADER, COLORS)
    wanted = prepare(sprite.convert("RGB"))
    found = prepare(save(sprite, kind, quality))
    assert find_labels(found.task.picture) == find_labels(wanted.task.picture)
    assert found.background == "000000"
    step, *_ = found.steps
    assert str(step).endswith("colours that look alike merged into 3")


def test_a_sprite_in_any_size_has_few_colours() -> None:
    sprite = draw_rows(GHOST, COLORS).convert("RGB")
    large = sprite.resize((500, 500), Image.Resampling.BICUBIC)
    wanted, found = prepare(large), prepare(save(large, "JPEG", 85))
    assert found.background == wanted.background == "000000"
    pairs = zip(find_labels(found.task.picture), find_labels(wanted.task.picture), strict=True)
    differing = sum(a != b for row, other in pairs for a, b in zip(row, other, strict=True))
    assert differing <= 0.04 * found.task.picture.width * found.task.picture.height


def test_colours_that_nobody_can_tell_apart_are_one() -> None:
    chance = random.Random(5)
    image = Image.new("RGB", (12, 12))
    for x in range(12):
        for y in range(12):
            black = chance.choice(((0, 0, 0), (1, 0, 0), (1, 2, 0)))
            image.putpixel((x, y), (200, 0, 0) if 3 <= x < 9 and 4 <= y < 8 else black)
    converted = convert_image(image, Conversion(background="auto", defaults=DEFAULT_LIMITS))
    assert len(converted.picture.colors()) == 1
    exact = convert_image(image, Conversion())
    original = Conversion(defaults=DEFAULT_LIMITS, adjust=Adjustments(original=True))
    assert len(exact.picture.colors()) == 4
    assert convert_image(image, original).changes == ()


def test_photos_and_clean_images_stay() -> None:
    for photo in (landscape(), portrait(), draw_gradient(70, 60)):
        assert remove_noise(np.asarray(save(photo, "JPEG", 85).convert("RGBA"))) is None
    assert remove_noise(np.asarray(draw_rows(GHOST, COLORS))) is None
