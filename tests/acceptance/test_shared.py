"""What is made to be shared: posters and codes, each read back."""

import json
from pathlib import Path

import pytest
from PIL import Image, ImageSequence

from tests.acceptance.conftest import Run
from tests.support.commands import ROOT

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
