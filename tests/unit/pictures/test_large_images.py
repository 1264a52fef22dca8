"""Very large images are shrunk while they are read, so that reading takes seconds at most."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.support.commands import Run
from tetrisprinter.pictures import convert, images
from tetrisprinter.pictures.convert import DEFAULT_LIMITS, Conversion, read_image
from tetrisprinter.pictures.images import OpenedImage, open_image

ART = np.array([[0, 1, 2, 1], [2, 2, 1, 0], [0, 0, 2, 2]], np.uint8)
COLORS = [(200, 30, 40), (10, 160, 60), (30, 40, 220)]


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat images of more than 10,000 pixels as very large."""
    monkeypatch.setattr(images, "_MAX_WHOLE", 10_000)
    monkeypatch.setattr(images, "_STRIP_PIXELS", 5_000)
    monkeypatch.setattr(images, "_READ", 16)


def enlarge(factor: int = 60) -> np.ndarray:
    return np.kron(ART, np.ones((factor, factor), np.uint8))


def make_art(mode: str) -> Image.Image:
    palette = Image.fromarray(enlarge())
    palette = palette.convert("P")
    palette.putpalette([value for color in COLORS for value in color])
    if mode == "P":
        return palette
    return palette.convert("RGB").convert(mode, dither=Image.Dither.NONE)


@pytest.mark.parametrize("mode", ["1", "P", "L", "LA", "RGB", "RGBA"])
def test_pixel_art_keeps_its_squares(small_limits: None, tmp_path: Path, mode: str) -> None:
    make_art(mode).save(tmp_path / "art.png")
    opened = open_image(tmp_path / "art.png", fit=(4, 4))
    assert opened.size == (240, 180)
    assert opened.image.width * opened.image.height <= 10_000
    block = opened.image.width // 4
    small = np.asarray(opened.image)[block // 2 :: block, block // 2 :: block]
    whole = np.asarray(make_art(mode).convert("RGBA"))[30::60, 30::60]
    assert np.array_equal(small, whole)
    step = read_image(tmp_path / "art.png", Conversion(defaults=DEFAULT_LIMITS)).steps[0]
    assert str(step).startswith("shrunk by a factor of ")
    assert int(str(step).split()[-1]) == 30  # enlarged to 8 squares, so that it is no dot


def test_blocks_of_a_prime_side_keep_their_colors(small_limits: None, tmp_path: Path) -> None:
    """No factor near the needed one divides the blocks, so each block becomes one pixel."""
    image = Image.fromarray(enlarge(61) * 100)
    image.save(tmp_path / "art.png", icc_profile=b"not a profile" * 20)
    opened = open_image(tmp_path / "art.png", fit=(4, 4))
    assert opened.size == (244, 183)
    assert np.array_equal(np.asarray(opened.image)[..., 0], ART * 100)
    assert opened.notices == (images.BROKEN_PROFILE,)


def test_transparent_pixels_of_a_palette_stay_transparent(
    small_limits: None, tmp_path: Path
) -> None:
    make_art("P").save(tmp_path / "art.png", transparency=0)
    small = open_image(tmp_path / "art.png", fit=(4, 4)).image
    alphas = np.asarray(small.resize((4, 3), Image.Resampling.NEAREST))[..., 3]
    assert np.array_equal(alphas == 0, ART == 0)


@pytest.mark.parametrize("mode", ["1", "P", "L", "RGB", "RGBA", "I;16", "CMYK"])
def test_other_images_are_averaged(small_limits: None, tmp_path: Path, mode: str) -> None:
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 2, (300, 200)) * 255
    image = Image.fromarray(noise.astype(np.uint8))
    if mode == "I;16":
        image = Image.fromarray((noise * 257).astype(np.uint16))
    else:
        image = image.convert("RGB").convert(mode)
    path = tmp_path / ("noise.tif" if mode == "CMYK" else "noise.png")
    image.save(path)
    opened = open_image(path, fit=(4, 4))
    assert opened.size == (200, 300)
    assert opened.image.mode == "RGBA"
    assert opened.image.width * opened.image.height <= 10_000
    values = np.asarray(opened.image)[..., :3]
    assert 100 < values.mean() < 155
    assert values.std() < 90  # 127 before averaging


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "CMYK"])
def test_a_smooth_photo_is_averaged_and_upright(tmp_path: Path, mode: str) -> None:
    shades = np.linspace(0, 255, 2500, dtype=np.uint8)[None].repeat(2100, axis=0)
    exif = Image.Exif()
    exif[0x0112] = 6
    path = tmp_path / ("a.jpg" if mode == "CMYK" else "a.png")
    Image.fromarray(shades).convert(mode).save(path, exif=exif)
    opened = open_image(path, fit=(48, 48))
    assert (opened.size, opened.image.size) == ((2100, 2500), (1050, 1250))
    column = np.asarray(opened.image)[:, 500, 0].astype(int)
    assert abs(column[10] - 2) < 6
    assert abs(column[1240] - 253) < 6


def test_a_small_crop_of_a_large_image_stays_sharp(small_limits: None, tmp_path: Path) -> None:
    make_art("P").save(tmp_path / "art.png")
    opened = open_image(tmp_path / "art.png", fit=(4, 4), crop=(55, 0, 10, 10))
    assert opened.image.size == (10, 10)
    assert opened.image.getpixel((4, 5))[:3] == COLORS[0]  # type: ignore[index]
    assert opened.image.getpixel((5, 5))[:3] == COLORS[1]  # type: ignore[index]


def test_a_file_is_read_once_for_all_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_art("RGB").save(tmp_path / "art.png")
    calls: list[object] = []

    def open_and_count(*given: Any) -> OpenedImage:
        calls.append(given)
        return open_image(*given)

    monkeypatch.setattr(convert, "open_image", open_and_count)
    for side in (4, 16, 48):
        read_image(tmp_path / "art.png", Conversion((side, side), defaults=DEFAULT_LIMITS))
    assert len(calls) == 1
    Image.new("RGB", (9, 9), "red").save(tmp_path / "art.png")
    assert read_image(tmp_path / "art.png", Conversion()).picture.width == 9


@pytest.mark.slow
def test_the_time_limit_covers_reading(run: Run, tmp_path: Path) -> None:
    Image.new("1", (12_000, 12_000), 1).save(tmp_path / "large.png")
    started = time.monotonic()
    run("print", "large.png", "--time-limit", 3, "-o", "large.gif")
    assert time.monotonic() - started < 20  # 38 before
