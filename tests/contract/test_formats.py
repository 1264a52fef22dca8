"""Every registered format stands the same demands, and none takes another's for its own."""

from pathlib import Path

import pytest

from tests.contract.demands import bare, format_stands, game
from tetrisprinter.formats import FORMATS, find_format, format_game, read_game, write_game


@pytest.mark.parametrize("name", FORMATS)
def test_it_stands_all_demands(name: str, tmp_path: Path) -> None:
    assert FORMATS[name].name == name
    format_stands(FORMATS[name], tmp_path)


def test_no_extension_has_two_formats() -> None:
    for form in FORMATS.values():
        for extension in form.extensions:
            assert find_format(f"a.b{extension}") is form


@pytest.mark.parametrize("writer", FORMATS)
def test_only_one_recognises_a_text(writer: str) -> None:
    for seed in range(5):
        start = FORMATS[writer].format(game(10, 22, 17, 40, seed))[:4096]
        assert [name for name in FORMATS if FORMATS[name].can_parse(start)] == [writer]


@pytest.mark.parametrize("name", FORMATS)
def test_the_content_decides_whatever_the_file_is_called(name: str, tmp_path: Path) -> None:
    plan = game(10, 22, 17, 30, seed=1)
    for called in ("game", "game.json", "game.fumen", "game.txt"):
        path = tmp_path / called
        path.write_text(" \n" * (name != "text") + FORMATS[name].format(plan))
        assert read_game(path) == plan


def test_a_text_that_nobody_recognises_is_read_as_its_name_says(tmp_path: Path) -> None:
    for called, said in (("a.json", "invalid JSON"), ("a.fumen", "fumen"), ("a.txt", "a plan")):
        path = tmp_path / called
        path.write_text("neither")
        with pytest.raises(Exception, match=said):
            read_game(path)


@pytest.mark.parametrize("name", ["a.txt", "a.plan", "a", "a.json", "A.FUMEN", "a.drops.json"])
def test_the_name_decides_what_is_written(name: str, tmp_path: Path) -> None:
    plan = game(10, 22, 17, 30, seed=2)
    path = tmp_path / name
    write_game(plan, path)
    assert path.read_text() == format_game(plan, name)
    assert bare(read_game(path)) == bare(plan)
