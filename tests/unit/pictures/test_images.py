"""Every pixel has the colour that the maker of the image saw, whatever the file is like.

Very large images are shrunk while they are read, so that reading takes seconds at most.
"""

import gzip
import io
import struct
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageCms, ImageOps
from PIL.PngImagePlugin import PngInfo
from PIL.TiffImagePlugin import AppendingTiffWriter

from tests.support.commands import Run
from tests.support.images import draw_gradient
from tetrisprinter.errors import InputError
from tetrisprinter.pictures import images
from tetrisprinter.pictures.convert import (
    DEFAULT_LIMITS,
    Conversion,
    ConvertedPicture,
    Pixels,
    convert_image,
    read_image,
)
from tetrisprinter.pictures.images import (
    OpenedImage,
    as_rgba,
    list_shown_frames,
    load_picture,
    open_image,
)
from tetrisprinter.pictures.reduction import Adjustments
from tetrisprinter.pictures.sources import find_source, list_frames

DRAWN = Conversion(defaults=DEFAULT_LIMITS)


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
    if channels == color:
        image = open_image(png16(values, kind, (30000,) * channels), "a.png").image
        assert [alpha for *_, alpha in pixels(image)] == [255, 255, 0, 255]


@pytest.mark.parametrize(
    ("values", "shades"),
    [
        (np.array([[0, 128, 255]], np.int32), (0, 128, 255)),
        (np.array([[0, 32768, 65535]], np.int32), (0, 128, 255)),
        (np.array([[0, 0.5, 1]], np.float32), (0, 128, 255)),
        (np.array([[-1, 0, 1]], np.float32), (0, 128, 255)),
        (np.array([[0, np.nan, 200]], np.float32), (0, 0, 200)),
        (np.array([[False, True, True]]), (0, 255, 255)),
    ],
)
def test_numbers_of_any_range_are_shades(values: np.ndarray, shades: tuple[int, ...]) -> None:
    picture = find_source(values).read(Conversion()).picture
    assert picture.rows[0] == tuple(f"{shade:02x}" * 3 for shade in shades)
    if values.dtype in (np.int32, np.float32):
        found = pixels(as_rgba(Image.fromarray(values)))
        assert found == [(shade,) * 3 + (255,) for shade in shades]


def test_arrays_that_are_no_picture() -> None:
    for array, said in ((np.zeros(4), "of shape"), (np.zeros((0, 2)), "at least one pixel")):
        with pytest.raises(InputError, match=said):
            find_source(array).read(Conversion())


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
        DRAWN,
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
    assert images.BROKEN_PROFILE not in as_rgba(lab).info
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


def test_frames_are_counted_and_chosen_but_not_those_of_a_phone(tmp_path: Path) -> None:
    shades = [Image.new("RGB", (2, 2), (value, 0, 0)) for value in (10, 90, 200)]
    shades[0].save(tmp_path / "a.gif", save_all=True, append_images=shades[1:])
    assert open_image(tmp_path / "a.gif").frames == 3
    (step,) = read_image(tmp_path / "a.gif", DRAWN).steps
    assert str(step) == "frame 0 of 3; `slideshow` prints all"
    shades[0].save(tmp_path / "a.mpo", save_all=True, append_images=shades[1:])
    assert open_image(tmp_path / "a.mpo").frames == 1
    cover = Image.new("RGB", (2, 2))
    cover.save(tmp_path / "a.png", save_all=True, append_images=shades, default_image=True)
    assert open_image(tmp_path / "a.png").frames == 3
    assert list_shown_frames(tmp_path / "a.png") == [0, 1, 2]
    pages = [(shades[0], 0), (shades[1].resize((1, 1)), 1), (shades[2], 0)]
    with AppendingTiffWriter(tmp_path / "a.tif", new=True) as tiff:
        for page, subfile_type in pages:  # the second one is a smaller version of the first
            page.save(tiff, "TIFF", tiffinfo={254: subfile_type})
            tiff.newFrame()
    assert open_image(tmp_path / "a.tif").frames == 2
    assert read_image(tmp_path / "a.tif", Conversion(frame=1)).picture.colors() == ("c80000",)
    for frame, color in enumerate(("0a0000", "5a0000", "c80000")):
        for name in ("a.gif", "a.png"):
            picture = read_image(tmp_path / name, Conversion(frame=frame)).picture
            assert picture.colors() == (color,)
    with pytest.raises(InputError, match=r"no frame 3; frames are 0 to 2"):
        read_image(tmp_path / "a.gif", Conversion(frame=3))


def test_dithered_scans_are_averaged_and_pixel_art_is_not() -> None:
    scan = draw_gradient(200, 150).convert("L").convert("1").convert("RGBA")
    assert not Pixels(scan).is_art
    picture = convert_image(
        scan, Conversion(defaults=DEFAULT_LIMITS, adjust=Adjustments(original=True))
    ).picture
    assert len(picture.colors()) >= 5
    wanted = np.asarray(draw_gradient(200, 150).convert("L").resize((55, 42), Image.Resampling.BOX))
    for (x, y), color in picture.cells().items():
        assert abs(int(color[:2], 16) - int(wanted[picture.image_row(y), x])) < 80
    art = Image.new("RGBA", (90, 60), "navy")
    art.paste("orange", (21, 20, 71, 49))
    assert Pixels(art).is_art
    assert (
        len(convert_image(art, Conversion(defaults=DEFAULT_LIMITS, fit=(40, 40))).picture.colors())
        == 1
    )


def test_enlarged_art_comes_back_in_its_own_size() -> None:
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 3, (12, 10)).astype(np.uint8) * 100
    art = Image.fromarray(codes).convert("RGBA")
    large = art.resize((80, 96), Image.Resampling.NEAREST)
    assert Pixels(large).block == 8
    converted = read_image_of(large)
    assert converted.picture.rows == read_image_of(art).picture.rows
    assert [str(step) for step in converted.steps] == ["shrunk by a factor of 8"]
    assert (converted.picture.width, converted.picture.height) == (10, 12)
    even = read_image_of(Image.new("RGBA", (640, 640), "red")).picture
    assert (even.width, even.height) == (8, 8)


def read_image_of(image: Image.Image) -> ConvertedPicture:
    return find_source(image).read(DRAWN)


def test_what_is_larger_than_anything_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "MAX_SCALED", 10_000)
    draw_gradient(120, 90).save(tmp_path / "b.png")
    with pytest.raises(InputError, match=r"b\.png: 120x90 pixels .* expected at most 10,000"):
        read_image(tmp_path / "b.png", DRAWN)


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
        picture = read_image(tmp_path / name, DRAWN).picture
        assert picture.colors() == ("d03020",)
    assert read_image(io.BytesIO(data), DRAWN, "x").picture.rows == picture.rows
    sized = SVG.format("").replace("viewBox", 'width="40pt" height="7mm" viewBox')
    (tmp_path / "sized.svg").write_text(sized)  # as Inkscape, matplotlib and cairo write it
    assert read_image(tmp_path / "sized.svg", DRAWN).picture.colors()
    (tmp_path / "b.svg").write_text(SVG.format("<rect"))
    with pytest.raises(InputError, match=r"b\.svg: damaged image"):
        read_image(tmp_path / "b.svg", DRAWN)


SQUARE = SVG.format("")


@pytest.mark.parametrize(
    "data",
    [
        b"<!--" + b"a licence " * 1000 + b"-->" + SQUARE.encode(),
        b"\xef\xbb\xbf\n" + SQUARE.encode(),
        SQUARE.encode("utf-16"),
        SQUARE.encode("utf-16-be"),
        ('<?xml version="1.0" encoding="UTF-16"?>' + SQUARE).encode("utf-16"),
        b'<?xml version="1.0" encoding="ISO-8859-1"?><!-- \xe9 -->' + SQUARE.encode(),
        b'<!DOCTYPE svg [ <!ENTITY a ">"> ]>' + SQUARE.encode(),
        gzip.compress(SQUARE.encode("utf-16")),
        SQUARE.replace("#d03020", "var(--c)").replace("viewBox", 'style="--c:#d03020" viewBox')
        .encode(),
        SQUARE.replace("#d03020", "var(--c, var(--d, #d03020))").encode(),
    ],
)  # fmt: skip
def test_every_svg_is_recognised(data: bytes) -> None:
    pytest.importorskip("resvg_py")
    assert read_image(io.BytesIO(data), DRAWN, "a").picture.colors() == ("d03020",)


def test_what_is_no_svg_is_refused_at_once() -> None:
    for data in (b"<html><svg></svg></html>", b"<!-- a -->" * 9999, b"<" * 9999, b" " * 9999):
        with pytest.raises(InputError, match=r"unknown image format; use PNG, .* or SVG"):
            open_image(io.BytesIO(data), "a")


def test_a_high_svg_is_drawn_narrow() -> None:
    pytest.importorskip("resvg_py")
    high = SQUARE.replace("0 0 40 20", "0 0 20 6000")
    assert open_image(io.BytesIO(high.encode()), "a").size == (14, 4096)


def test_what_an_svg_does_not_show_is_said() -> None:
    pytest.importorskip("resvg_py")
    for inside, said in (
        ('<image xlink:href="b.png" width="9" height="9"/>', "not shown: b.png"),
        ('<text y="9"> </text>', "no installed font draws its text"),
    ):
        (step,) = read_image(io.BytesIO(SVG.format(inside).encode()), DRAWN, "a").steps[:1]
        assert said in str(step)
        blank = SVG.format(inside).replace("<rect", "<g").encode()
        with pytest.raises(InputError, match=f"a: no opaque pixel; nothing to print: .*{said}"):
            read_image(io.BytesIO(blank), DRAWN, "a")
    unknown = SQUARE.replace("#d03020", "var(--c)")
    several = unknown.replace("<svg", '<svg style="--c:red"').replace(
        "<rect", '<g style="--c:#00f"/><rect'
    )
    for text, said in ((unknown, "no value"), (several, "several values")):
        with pytest.raises(InputError, match=f"the CSS variable --c has {said}"):
            read_image(io.BytesIO(text.encode()), DRAWN, "a")


def make_psd(
    mode: int, channels: list[bytes], size: tuple[int, int], packed: bool = False,
    layers: int = 0, resources: tuple[tuple[int, bytes], ...] = (), depth: int = 8,
    palette: bytes = b"",
) -> io.BytesIO:  # fmt: skip
    """Write a Photoshop file by hand."""

    def block(data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + data

    head = struct.pack(">4sH6xHIIHH", b"8BPS", 1, len(channels), size[1], size[0], depth, mode)
    stored = b"".join(
        b"8BIM" + struct.pack(">H", number) + b"\0\0" + block(data) + b"\0" * (len(data) & 1)
        for number, data in resources
    )
    layer_info = block(block(struct.pack(">h", layers)) + bytes(4)) if layers else block(b"")
    if packed:
        rows = [c[k : k + size[0]] for c in channels for k in range(0, len(c), size[0])]
        runs = [bytes([len(row) - 1]) + row for row in rows]
        pixels_ = b"\0\1" + struct.pack(f">{len(runs)}H", *map(len, runs)) + b"".join(runs)
    else:
        pixels_ = b"\0\0" + b"".join(channels)
    return io.BytesIO(head + block(palette) + block(stored) + layer_info + pixels_)


@pytest.mark.parametrize("packed", [False, True])
def test_the_merged_image_of_a_psd_is_read(packed: bool) -> None:
    def read(*args: object, **more: object) -> list[tuple[int, ...]]:
        return pixels(open_image(make_psd(*args, **more, packed=packed), "a.psd").image)  # type: ignore[arg-type,misc]

    size, red, green, blue, alpha = (2, 1), b"\xff\x80", b"\0\x80", b"\0\x7f", b"\xff\0"
    opaque = [(255, 0, 0, 255), (128, 128, 127, 255)]
    assert read(3, [red, green, blue], size) == opaque
    assert read(3, [red, green, blue], size, layers=1) == opaque
    assert read(3, [red, green, blue, alpha], size, layers=2) == opaque  # a saved selection
    for layers in (0, -1):
        clear = read(3, [red, green, blue, alpha, alpha], size, layers=layers)
        assert (clear[0], clear[1][3]) == (opaque[0], 0)
    assert read(3, [b"\xff\xff", b"\x7f\x7f", b"\x7f\x7f", b"\x80\xff"], size, layers=-1) == [
        (255, 0, 0, 128), (255, 127, 127, 255),
    ]  # fmt: skip
    assert read(1, [red], size) == [(255, 255, 255, 255), (128, 128, 128, 255)]
    assert read(1, [red, alpha], size)[1][3] == 0
    assert read(4, [b"\xff\xff", b"\xff\0", b"\xff\0", b"\xff\xff"], size) == [
        (255, 255, 255, 255), (255, 0, 0, 255),
    ]  # fmt: skip
    palette = bytes(range(256)) + bytes(256) + bytes(256)
    assert read(2, [b"\7\x09"], size, palette=palette) == [(7, 0, 0, 255), (9, 0, 0, 255)]
    assert read(3, [red, green, blue], size, resources=((1005, b"abc"),)) == opaque


def test_a_psd_that_cannot_be_read_is_refused_in_a_sentence() -> None:
    for data, said in (
        (make_psd(3, [bytes(4)] * 3, (2, 1), depth=16), "16 bits a channel"),
        (make_psd(9, [bytes(2)] * 3, (2, 1)), "Lab; expected 8 bits"),
        (make_psd(3, [bytes(2)] * 3, (2, 1), resources=((1057, bytes(5)),)), "no merged image"),
        (make_psd(3, [bytes(2)] * 3, (20, 1)), "damaged image"),
        (io.BytesIO(b"8BPS\0\1"), "damaged image"),
    ):
        with pytest.raises(InputError, match=said):
            open_image(data, "a.psd")


def make_profile(swap: bool) -> bytes:
    """Return an RGB profile: that of sRGB, perhaps with red and green exchanged."""
    data = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    if swap:
        data = data.replace(b"rXYZ", b"????").replace(b"gXYZ", b"rXYZ").replace(b"????", b"gXYZ")
    return data


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "P"])
@pytest.mark.parametrize("suffix", ["png", "webp", "tif"])
def test_colours_are_those_of_the_profile(tmp_path: Path, mode: str, suffix: str) -> None:
    image = Image.new("RGBA", (2, 1), (255, 0, 0, 255))
    if mode == "RGBA":
        image.putpixel((1, 0), (0, 0, 255, 0))
    path = tmp_path / f"a.{suffix}"
    image.convert(mode).save(path, icc_profile=make_profile(swap=True), lossless=True)
    assert load_picture(path).rows[0] == ("00ff00", None if mode == "RGBA" else "00ff00")
    with Image.open(path) as opened:
        assert find_source(opened).read(Conversion()).picture.rows[0][0] == "00ff00"


def test_a_profile_of_srgb_and_its_gamma_change_nothing(tmp_path: Path) -> None:
    values = np.random.default_rng(0).integers(0, 256, (9, 9, 3), np.uint8)
    path, image = tmp_path / "a.png", Image.fromarray(values)

    def read_saved(*chunks: tuple[bytes, bytes], **options: Any) -> np.ndarray:
        info = PngInfo()
        for name, data in chunks:
            info.add(name, data)
        image.save(path, pnginfo=info, **options)
        return np.asarray(open_image(path).image)[..., :3]

    linear = (b"gAMA", struct.pack(">I", 100_000))
    assert (read_saved(icc_profile=make_profile(swap=False)) == values).all()
    assert (read_saved((b"gAMA", struct.pack(">I", 45_455))) == values).all()
    assert (read_saved((b"sRGB", b"\0"), linear) == values).all()
    assert abs(read_saved(linear) - 255 * (values / 255) ** (1 / 2.2)).max() <= 1


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "CMYK"])
def test_a_damaged_profile_is_ignored_and_named(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "a.tif"
    image = Image.new("RGBA", (2, 2), "red").convert("RGB").convert(mode)
    image.save(path, icc_profile=b"not a profile" * 20)
    step, *_ = read_image(path, DRAWN).steps
    assert "profile is damaged and was ignored" in str(step)
    image.save(path)
    assert read_image(path, DRAWN).steps == ()


def test_the_first_frame_that_is_not_blank_is_printed(tmp_path: Path) -> None:
    blank = Image.new("RGBA", (70, 70))
    frames = [blank, blank.copy(), blank.copy()]
    frames[1].paste("red", (9, 9, 60, 60))
    for first, suffix in ((0, "png"), (1, "webp")):
        path = tmp_path / f"a.{suffix}"
        frames[first].save(path, save_all=True, append_images=frames[first + 1 :], lossless=True)
        step, *_ = read_image(path, DRAWN).steps
        assert str(step).startswith(f"frame {1 - first} of {3 - first};")
        assert list_shown_frames(path) == [1 - first]
        (only,) = list_frames(find_source(path))
        assert only.read(DRAWN).picture.colors() == ("ff0000",)
        for frame in {0, 1, 2 - first} - {1 - first}:
            with pytest.raises(InputError, match=f"frame {frame}: no opaque pixel; nothing"):
                read_image(path, Conversion(defaults=DEFAULT_LIMITS, frame=frame))


@pytest.mark.parametrize("size", [(5, 5), (64, 64), (65, 65), (300, 20)])
@pytest.mark.parametrize("fit", [None, (10, 10)])
def test_a_blank_image_is_refused(size: tuple[int, int], fit: tuple[int, int] | None) -> None:
    image = Image.new("RGBA", size, (255, 0, 0, 0))
    for defaults in (None, DEFAULT_LIMITS):
        for background in (None, "auto", "red", "transparent"):
            how = Conversion(fit, background=background, defaults=defaults)
            with pytest.raises(InputError, match="no opaque pixel; nothing to print"):
                convert_image(image, how)


def test_an_image_of_many_megapixels_is_read_without_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1_000_000)
    Image.new("RGB", (3000, 2000), "red").save(tmp_path / "a.jpg")  # Pillow refuses it
    opened = open_image(tmp_path / "a.jpg", fit=(48, 48))
    assert (opened.size, opened.image.size) == ((3000, 2000), (3000, 2000))
    convert_image(Image.new("RGB", (20_000, 60), "red"), DRAWN)
    assert not recwarn.list


@pytest.mark.slow
def test_a_jpeg_of_200_megapixels_is_shrunk_while_it_is_read(tmp_path: Path) -> None:
    Image.new("L", (16_000, 12_500), 90).save(tmp_path / "a.jpg")
    opened = open_image(tmp_path / "a.jpg", fit=(48, 48))
    assert (opened.size, opened.image.size) == ((16_000, 12_500), (2000, 1563))


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


def test_a_photo_of_a_phone_is_read(tmp_path: Path) -> None:
    heif = pytest.importorskip("pillow_heif")
    heif.register_heif_opener()
    path = tmp_path / "photo.heic"
    Image.new("RGB", (40, 30), "red").save(path)
    opened = open_image(path)
    assert opened.size == (40, 30)
    assert opened.image.tobytes()[0] > 240


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


@pytest.mark.parametrize(
    ("mode", "options"),
    [*((mode, {}) for mode in ("1", "P", "L", "LA", "RGB", "RGBA")), ("P", {"transparency": 0})],
)
def test_pixel_art_keeps_its_squares(
    small_limits: None, tmp_path: Path, mode: str, options: dict[str, int]
) -> None:
    make_art(mode).save(tmp_path / "art.png", **options)  # type: ignore[arg-type]
    opened = open_image(tmp_path / "art.png", fit=(4, 4))
    assert opened.size == (240, 180)
    assert opened.image.width * opened.image.height <= 10_000
    block = opened.image.width // 4
    small = np.asarray(opened.image)[block // 2 :: block, block // 2 :: block]
    whole = np.asarray(Image.open(tmp_path / "art.png").convert("RGBA"))[30::60, 30::60]
    assert np.array_equal(small, whole)
    assert (small[..., 3].min() == 0) == bool(options)
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

    monkeypatch.setattr(images, "open_image", open_and_count)
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
    assert time.monotonic() - started < 20
