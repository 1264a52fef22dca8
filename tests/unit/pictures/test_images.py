"""Every pixel has the colour that the maker of the image saw, whatever the file is like."""

import gzip
import io
import struct
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageCms, ImageOps

from tests.support.images import draw_gradient
from tetrisprinter.errors import InputError
from tetrisprinter.pictures import images
from tetrisprinter.pictures.convert import (
    DEFAULT_LIMITS,
    Adjustments,
    Conversion,
    ConvertedPicture,
    convert_image,
    read_image,
)
from tetrisprinter.pictures.images import as_rgba, load_picture, open_image
from tetrisprinter.pictures.scaling import PillowPixels
from tetrisprinter.pictures.sources import find_source


def png16(values: list[list[list[int]]], kind: int, key: tuple[int, ...] = ()) -> io.BytesIO:
    """Write a PNG of 16 bits a channel by hand: Pillow cannot write all of them."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    rows = b"".join(b"\0" + np.array(row, dtype=">u2").tobytes() for row in values)
    head = struct.pack(">IIBBBBB", len(values[0]), len(values), 16, kind, 0, 0, 0)
    transparent = chunk(b"tRNS", struct.pack(f">{len(key)}H", *key)) if key else b""
    body = chunk(b"IHDR", head) + transparent + chunk(b"IDAT", zlib.compress(rows))
    return io.BytesIO(b"\x89PNG\r\n\x1a\n" + body + chunk(b"IEND", b""))


def pixels(image: Image.Image) -> list[tuple[int, ...]]:
    data = image.tobytes()
    return [tuple(data[i : i + 4]) for i in range(0, len(data), 4)]


GREYS = (0, 1000, 30000, 65535)


@pytest.mark.parametrize(("kind", "channels"), [(0, 1), (2, 3), (4, 2), (6, 4)])
def test_sixteen_bits_keep_their_upper_eight(kind: int, channels: int) -> None:
    color = channels if channels in (1, 3) else channels - 1
    values = [[[grey] * color + [65535] * (channels - color) for grey in GREYS]]
    image = open_image(png16(values, kind), "a.png").image
    assert pixels(image) == [(grey >> 8,) * 3 + (255,) for grey in GREYS]


@pytest.mark.parametrize(("kind", "channels"), [(0, 1), (2, 3)])
def test_the_transparent_colour_of_sixteen_bits(kind: int, channels: int) -> None:
    values = [[[grey] * channels for grey in GREYS]]
    image = open_image(png16(values, kind, (30000,) * channels), "a.png").image
    assert [alpha for *_, alpha in pixels(image)] == [255, 255, 0, 255]


@pytest.mark.parametrize(
    ("values", "shades"),
    [
        (np.array([[0, 128, 255]], np.int32), (0, 128, 255)),
        (np.array([[0, 32768, 65535]], np.int32), (0, 128, 255)),
        (np.array([[0, 50, 255]], np.uint16), (0, 0, 0)),
        (np.array([[0, 0.5, 1]], np.float32), (0, 128, 255)),
        (np.array([[-1, 0, 1]], np.float32), (0, 128, 255)),
        (np.array([[0, np.nan, 200]], np.float32), (0, 0, 200)),
        (np.array([[False, True, True]]), (0, 255, 255)),
        (np.array([[0, 500000, 1000000]], np.int64), (0, 128, 255)),
    ],
)
def test_numbers_of_any_range_are_shades(values: np.ndarray, shades: tuple[int, ...]) -> None:
    picture = find_source(values).read(Conversion()).picture
    assert picture.rows[0] == tuple(f"{shade:02x}" * 3 for shade in shades)
    if values.dtype in (np.int32, np.float32):
        found = pixels(as_rgba(Image.fromarray(values)))
        assert found == [(shade,) * 3 + (255,) for shade in shades]


def test_arrays_that_are_no_picture() -> None:
    for array, said in (
        (np.zeros(4), "of shape"),
        (np.zeros((2, 2, 5)), "of shape"),
        (np.zeros((0, 2)), "at least one pixel"),
        (np.array([["a"]]), "expected numbers"),
    ):
        with pytest.raises(InputError, match=said):
            find_source(array).read(Conversion())
    grey = find_source(np.full((2, 2, 1), 7, np.uint8)).read(Conversion())
    assert grey.picture.colors() == ("070707",)


CORNERS = Image.new("RGB", (3, 2), "white")
for _place, _color in (((0, 0), "red"), ((2, 0), "lime"), ((0, 1), "blue")):
    CORNERS.putpixel(_place, Image.new("RGB", (1, 1), _color).getpixel((0, 0)) or 0)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("suffix", ["png", "tif", "webp"])
def test_every_way_in_turns_a_photo_upright(tmp_path: Path, orientation: int, suffix: str) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    path = tmp_path / f"a.{suffix}"
    CORNERS.save(path, exif=exif, lossless=True)
    with Image.open(path) as image:
        upright = np.asarray(ImageOps.exif_transpose(image).convert("RGB"))
    wanted = tuple(tuple(bytes(pixel).hex() for pixel in row) for row in upright[::-1].tolist())
    assert load_picture(path).rows == wanted
    for how in (
        Conversion(fit=(3, 3)),
        Conversion(defaults=DEFAULT_LIMITS),
        Conversion(background="0000fe"),
    ):
        assert read_image(path, how).picture.rows == wanted
    with Image.open(path) as image:
        assert find_source(image).read(Conversion()).picture.rows == wanted


def test_inks_and_other_colour_spaces(tmp_path: Path) -> None:
    Image.new("CMYK", (1, 1), (0, 255, 255, 0)).save(tmp_path / "a.tif")
    assert load_picture(tmp_path / "a.tif").colors() == ("ff0000",)
    lab = ImageCms.profileToProfile(
        Image.new("RGB", (1, 1), (200, 40, 40)),
        ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB"), outputMode="LAB",
    )  # fmt: skip
    assert lab is not None
    red, green, blue, alpha = pixels(as_rgba(lab))[0]
    assert (abs(red - 200) < 4, abs(green - 40) < 4, abs(blue - 40) < 4, alpha) == (
        *(True, True, True), 255,
    )  # fmt: skip
    hsv = Image.new("RGB", (1, 1), "red").convert("HSV")
    assert pixels(as_rgba(hsv)) == [(255, 0, 0, 255)]


def test_palettes_and_alpha(tmp_path: Path) -> None:
    image = Image.new("P", (3, 1))
    image.putpalette([255, 0, 0, 0, 255, 0, 0, 0, 255])
    for x in range(3):
        image.putpixel((x, 0), x)
    image.save(tmp_path / "index.png", transparency=1)
    image.save(tmp_path / "bytes.png", transparency=b"\xff\x00\xff")
    for name in ("index", "bytes"):
        assert load_picture(tmp_path / f"{name}.png").rows == (("ff0000", None, "0000ff"),)
    soft = Image.new("LA", (2, 1), (90, 255))
    soft.putpixel((1, 0), (90, 0))
    soft.save(tmp_path / "la.png")
    assert load_picture(tmp_path / "la.png").rows == (("5a5a5a", None),)
    assert pixels(as_rgba(soft.convert("La"))) == [(90, 90, 90, 255), (0, 0, 0, 0)]


def test_frames_are_counted_but_not_those_of_a_phone(tmp_path: Path) -> None:
    shades = [Image.new("RGB", (2, 2), (value, 0, 0)) for value in (10, 90, 200)]
    shades[0].save(tmp_path / "a.gif", save_all=True, append_images=shades[1:])
    assert open_image(tmp_path / "a.gif").frames == 3
    (step,) = read_image(tmp_path / "a.gif", Conversion(defaults=DEFAULT_LIMITS)).steps
    assert str(step) == "frame 0 of 3; `slideshow` prints all"
    shades[0].save(tmp_path / "a.mpo", save_all=True, append_images=shades[1:])
    assert open_image(tmp_path / "a.mpo").frames == 1


def test_dithered_scans_are_averaged_and_pixel_art_is_not() -> None:
    scan = draw_gradient(200, 150).convert("L").convert("1").convert("RGBA")
    assert not PillowPixels(scan).is_art
    picture = convert_image(
        scan, Conversion(defaults=DEFAULT_LIMITS, adjust=Adjustments(original=True))
    ).picture
    assert len(picture.colors()) >= 5
    wanted = np.asarray(draw_gradient(200, 150).convert("L").resize((48, 36), Image.Resampling.BOX))
    for (x, y), color in picture.cells().items():
        assert abs(int(color[:2], 16) - int(wanted[picture.image_row(y), x])) < 80
    art = Image.new("RGBA", (90, 60), "navy")
    art.paste("orange", (21, 20, 71, 49))
    assert PillowPixels(art).is_art
    assert (
        len(convert_image(art, Conversion(defaults=DEFAULT_LIMITS, fit=(40, 40))).picture.colors())
        == 1
    )


def test_enlarged_art_comes_back_in_its_own_size() -> None:
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 3, (12, 10)).astype(np.uint8) * 100
    art = Image.fromarray(codes).convert("RGBA")
    large = art.resize((80, 96), Image.Resampling.NEAREST)
    assert PillowPixels(large).block == 8
    converted = read_image_of(large)
    assert converted.picture.rows == read_image_of(art).picture.rows
    assert [str(step) for step in converted.steps] == ["shrunk by a factor of 8"]
    assert (converted.picture.width, converted.picture.height) == (10, 12)
    even = read_image_of(Image.new("RGBA", (640, 640), "red")).picture
    assert (even.width, even.height) == (8, 8)


def read_image_of(image: Image.Image) -> ConvertedPicture:
    return find_source(image).read(Conversion(defaults=DEFAULT_LIMITS))


def test_what_is_larger_than_anything_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "MAX_SCALED", 10_000)
    draw_gradient(120, 90).save(tmp_path / "b.png")
    with pytest.raises(InputError, match=r"b\.png: 120x90 pixels .* expected at most 10,000"):
        read_image(tmp_path / "b.png", Conversion(defaults=DEFAULT_LIMITS))


SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
    'viewBox="0 0 40 20"><rect width="20" height="20" fill="#d03020"/>{}</svg>'
)


def test_an_svg_is_drawn_and_shows_no_other_file(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")
    Image.new("RGB", (4, 4), "blue").save(tmp_path / "secret.png")
    link = f'<image xlink:href="{tmp_path}/secret.png" x="20" width="20" height="20"/>'
    data = SVG.format(link).encode()
    (tmp_path / "a.svg").write_bytes(data)
    (tmp_path / "a.svgz").write_bytes(gzip.compress(data))
    for name in ("a.svg", "a.svgz"):
        picture = read_image(tmp_path / name, Conversion(defaults=DEFAULT_LIMITS)).picture
        assert picture.colors() == ("d03020",)
    assert (
        read_image(io.BytesIO(data), Conversion(defaults=DEFAULT_LIMITS), "x").picture.rows
        == picture.rows
    )
    sized = SVG.format("").replace("viewBox", 'width="40pt" height="7mm" viewBox')
    (tmp_path / "sized.svg").write_text(sized)  # as Inkscape, matplotlib and cairo write it
    assert read_image(tmp_path / "sized.svg", Conversion(defaults=DEFAULT_LIMITS)).picture.colors()
    (tmp_path / "b.svg").write_text(SVG.format("<rect"))
    with pytest.raises(InputError, match=r"b\.svg: damaged image"):
        read_image(tmp_path / "b.svg", Conversion(defaults=DEFAULT_LIMITS))


def test_without_its_package_an_svg_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    (tmp_path / "a.svg").write_text(SVG.format(""))
    with pytest.raises(InputError, match="pip install resvg-py"):
        read_image(tmp_path / "a.svg", Conversion(defaults=DEFAULT_LIMITS))


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "CMYK", "I;16"])
def test_a_huge_image_is_read_smaller_and_upright(tmp_path: Path, mode: str) -> None:
    values = np.linspace(0, 255, 2500, dtype=np.uint8)[None].repeat(2100, axis=0)
    image = Image.fromarray(values)
    image = (
        Image.fromarray(values.astype(np.uint16) << 8) if mode == "I;16" else image.convert(mode)
    )
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    path = tmp_path / ("a.jpg" if mode == "CMYK" else "a.png")
    image.save(path, exif=exif)
    opened = open_image(path, fit=(48, 48))
    assert (opened.size, opened.image.size) == ((2100, 2500), (1050, 1250))
    top, bottom = (opened.image.getpixel((500, y)) for y in (10, 1240))
    assert isinstance(top, tuple)
    assert isinstance(bottom, tuple)
    assert abs(top[0] - 2) < 6
    assert abs(bottom[0] - 253) < 6


def test_a_part_of_an_image_is_printed(tmp_path: Path) -> None:
    image = Image.new("RGB", (300, 200), "white")
    image.paste("red", (40, 10, 140, 110))
    image.save(tmp_path / "a.png")
    for crop in ((40, 10, 50, 100), (90, 60, 50, 50)):
        picture = read_image(
            tmp_path / "a.png", Conversion(defaults=DEFAULT_LIMITS, crop=crop)
        ).picture
        assert picture.colors() == ("ff0000",)
    with pytest.raises(InputError, match="outside the image; it has 300x200 pixels"):
        read_image(tmp_path / "a.png", Conversion(defaults=DEFAULT_LIMITS, crop=(200, 0, 101, 50)))


def test_a_photo_of_a_phone_is_read_or_the_package_that_reads_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "photo.heic"
    path.write_bytes(b"\0\0\0\x18ftypheic" + bytes(200))
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "pillow_heif", None)
        with pytest.raises(InputError, match="pip install pillow-heif"):
            open_image(path)
    heif = pytest.importorskip("pillow_heif")
    heif.register_heif_opener()
    Image.new("RGB", (40, 30), "red").save(path)
    opened = open_image(path)
    assert opened.size == (40, 30)
    assert opened.image.tobytes()[0] > 240
