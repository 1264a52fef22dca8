"""What is made to be shared: posters and codes, each read back."""

import json
from pathlib import Path

import pytest
from PIL import Image, ImageSequence

from tests.support.commands import ROOT, Run

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
@pytest.mark.usefixtures("search_little")
def test_a_code_is_read_by_a_decoder(run: Run, tmp_path: Path) -> None:
    """Which texts a code can hold is for ``unit/test_qr_codes.py``."""
    pytest.importorskip("segno", reason="the extra qr is not installed")
    decoder = pytest.importorskip("zxingcpp", reason="zxing-cpp is not installed")
    said = run("qr Тетрис -o a.png -o a.gif --json").stdout
    assert json.loads(said)["modules"] >= 21
    with Image.open(tmp_path / "a.png") as still, Image.open(tmp_path / "a.gif") as film:
        assert still.convert("RGB").getpixel((0, 0)) == (255, 255, 255)
        *_, last = (frame.convert("RGB") for frame in ImageSequence.Iterator(film))
        for image in (still.convert("RGB"), last):
            (found,) = decoder.read_barcodes(image)
            assert found.text == "Тетрис"
