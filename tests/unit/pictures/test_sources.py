"""What an argument stands for, and how it becomes a picture."""

import pickle
from pathlib import Path

import pytest
from PIL import Image

from tests.support.glyphs import LETTER_A as A
from tetrisprinter.errors import InputError
from tetrisprinter.pictures.convert import Conversion
from tetrisprinter.pictures.sources import find_source, make_sources, make_text_source


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "two.hex").write_text(f"{A}\n# a comment\n{A.replace('0041', '0042')}\n")
    Image.new("RGB", (3, 2), (255, 0, 0)).save(tmp_path / "red.png")
    return tmp_path


def test_the_first_kind_that_recognises_an_argument_takes_it(files: Path) -> None:
    found = make_sources([files / "red.png", A, str(files / "two.hex")])
    assert [source.stem for source in found] == ["red", "U+0041", "U+0041", "U+0042"]
    assert found[0].name == str(files / "red.png")
    for source in found:
        picture = pickle.loads(pickle.dumps(source)).read(Conversion()).picture
        assert (picture.width, picture.height) == ((3, 2) if source.stem == "red" else (8, 10))


def test_what_is_not_there_is_told_when_it_is_read(files: Path) -> None:
    (missing,) = make_sources([files / "none.png"])
    with pytest.raises(InputError, match=r"none\.png: cannot be read"):
        missing.read(Conversion())
    with pytest.raises(InputError, match=r"none\.hex: cannot be read"):
        make_sources([files / "none.hex"])
    with pytest.raises(InputError, match="2 glyphs; expected one picture"):
        find_source(files / "two.hex")


def test_a_very_long_text_is_refused_at_once_and_a_long_one_has_a_short_name() -> None:
    with pytest.raises(InputError, match="the text has 96,000 characters; expected at most 4,000"):
        make_text_source("Hello world " * 8000)
    assert make_text_source("Hello world " * 20).name == f"{'Hello world ' * 4}Hello wor..."
