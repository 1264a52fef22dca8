"""What an argument stands for, and how it becomes a picture."""

import pickle
from pathlib import Path

import pytest
from PIL import Image

from tests.support.glyphs import LETTER_A as A
from tetrisprinter.errors import InputError
from tetrisprinter.pictures.convert import Conversion
from tetrisprinter.pictures.picture import Picture
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


def test_texts_glyphs_and_pictures_are_converted_like_images(files: Path) -> None:
    source = make_text_source("Hi!", color="red")
    assert (source.name, source.stem) == ("Hi!", "Hi_")
    whole = source.read(Conversion()).picture
    assert whole.colors() == ("ff0000",)
    small = source.read(Conversion(fit=(4, 9))).picture
    assert small.width <= 4
    picture = Picture.parse("rgb\nrrr")
    few = find_source(picture).read(Conversion(colors=1))
    assert len(few.picture.colors()) == 1
    assert few.changes == ("3 colours reduced to 1",)
    alone = find_source(picture).read(Conversion(background="208040"))
    assert alone.background == "208040"
    assert alone.picture.rows[1] == ("d03020", None, "3060c0")
    glyph = make_sources([A])[0]
    strict, loose = (glyph.read(how).picture for how in (Conversion(), Conversion(fit=(99, 99))))
    assert strict == loose
    assert strict.rows_above == 4


def test_a_very_long_text_is_refused_at_once_and_a_long_one_has_a_short_name() -> None:
    with pytest.raises(InputError, match="the text has 96,000 characters; expected at most 4,000"):
        make_text_source("Hello world " * 8000)
    assert make_text_source("Hello world " * 20).name == f"{'Hello world ' * 4}Hello wor..."
