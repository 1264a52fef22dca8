"""QR codes: what a scanner reads is the text that was given."""

import random
import string
from typing import Any

import pytest

from tests.support.commands import Run
from tests.support.images import draw_picture
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.pictures.convert import Conversion

segno = pytest.importorskip("segno", reason="the extra qr is not installed")

from tetrisprinter.cli.print import draw_code  # noqa: E402

LATIN = "".join(map(chr, range(0xA1, 0x100)))


def scan(text: str) -> Any:
    """Return what a scanner reads in the code of a text, with the border that it needs."""
    from PIL import Image

    scanner = pytest.importorskip("zxingcpp", reason="zxing-cpp is not installed")
    code = draw_picture(draw_code(text).read(Conversion()).picture, 6)
    page = Image.new("RGB", (code.width + 48, code.height + 48), "white")
    page.paste(code, (24, 24), code)
    (found,) = scanner.read_barcodes(page)
    return found.text


def test_a_scanner_reads_the_text() -> None:
    for text in ("£5", "5 °C", "½ cup", "º", "Тетрис", "日本", "🎉", "12345", "A-1"):
        assert scan(text) == text
    choices = random.Random(1)
    for letters in (LATIN, LATIN + string.ascii_letters, LATIN + "🎉👍🏽❤️漢字ﾊﾝ"):
        for length in range(1, 20):
            text = "".join(choices.choices(letters, k=length))
            assert scan(text) == text


def test_what_is_no_text_or_too_long_is_said() -> None:
    with pytest.raises(InputError, match="invalid character"):
        draw_code("a\udcff")
    with pytest.raises(InputError, match="too long for a QR code"):
        draw_code("ä" * 3000)


def test_a_mask_that_no_game_leaves_is_replaced(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []

    def refuse_twice(codes: object, *_: object, **__: object) -> None:
        tried.append(codes)
        if len(tried) < 3:
            raise JobError("no game leaves it")

    monkeypatch.setattr("tetrisprinter.cli.print.print_all", refuse_twice)
    run("qr a -o a.png")
    assert len(tried) == 3
