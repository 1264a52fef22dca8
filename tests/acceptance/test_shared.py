"""What is made to be shared: posters, codes, avatars, races; each read back."""

import json
from pathlib import Path

import pytest
from PIL import Image, ImageSequence

from tests.acceptance.conftest import Run
from tests.support.commands import EXAMPLES, ROOT

PLAN = ROOT / "tests" / "acceptance" / "heart-plan.txt"


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_a_poster_is_drawn(run: Run, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    run("play", PLAN, "--poster", path)
    data = path.read_bytes()
    if suffix == ".png":
        with Image.open(path) as image:
            colors = {color for _, color in image.convert("RGB").getcolors(9999) or []}
            assert image.width == 1200
        assert {(0, 0, 0), (0xFA, 0xF8, 0xF3)} < colors
        assert len(colors) > 4
    else:
        assert data.startswith(b"<svg" if suffix == ".svg" else b"%PDF")
    if suffix == ".svg":
        assert b"squares left" in data
        assert data.count(b"<text") == 3


@pytest.mark.slow
@pytest.mark.parametrize("text", ["https://example.org/tetris", "Тетрис"])
def test_a_code_is_read_by_a_decoder(run: Run, tmp_path: Path, text: str) -> None:
    pytest.importorskip("segno", reason="the extra qr is not installed")
    decoder = pytest.importorskip("zxingcpp", reason="zxing-cpp is not installed")
    said = run("qr", text, "-o", "a.png", "-o", "a.gif", "--json").stdout
    assert json.loads(said)["modules"] >= 21
    with Image.open(tmp_path / "a.png") as still:
        (found,) = decoder.read_barcodes(still.convert("RGB"))
        assert found.text == text
        assert still.convert("RGB").getpixel((0, 0)) == (255, 255, 255)
    with Image.open(tmp_path / "a.gif") as film:
        *_, last = (frame.convert("RGB") for frame in ImageSequence.Iterator(film))
    (found,) = decoder.read_barcodes(last)
    assert found.text == text


@pytest.mark.slow
def test_an_avatar_is_square_light_and_dark(run: Run, tmp_path: Path) -> None:
    run("print", EXAMPLES / "duck.png", "--avatar", "-o", "a.gif", "--fit", "16x16")
    for name, field in (("light", (255, 255, 255)), ("dark", (0x16, 0x18, 0x1D))):
        with Image.open(tmp_path / f"a-{name}.gif") as film:
            assert film.size[0] == film.size[1] >= 480
            assert film.info.get("loop") == 0
            first = film.convert("RGB")
            assert first.getpixel((0, 0)) == field
            *_, last = (frame.convert("RGB") for frame in ImageSequence.Iterator(film))
            assert first.tobytes() == last.tobytes()


def test_a_race_ends_with_the_same_picture_on_every_board(run: Run, tmp_path: Path) -> None:
    output = run(
        "print", EXAMPLES / "heart.png", "-o", "a.gif", "--race", "article,rows",
        "--seconds", 3, "--json",
    )  # fmt: skip
    drops = json.loads(output.stdout)["drops"]
    assert drops["rows"] < drops["article"]
    with Image.open(tmp_path / "a.gif") as film:
        first = film.convert("RGB")
        *_, last = (frame.convert("RGB") for frame in ImageSequence.Iterator(film))
    assert first.tobytes() == last.tobytes()
    low = last.height - 60
    across = (last.width - 48) // 2 + 16  # from one board to the next
    for x in range(20, across - 20, 7):
        for y in range(low - 150, low, 7):
            assert last.getpixel((x, y)) == last.getpixel((x + across, y))
