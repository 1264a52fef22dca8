"""Which files a print is written to."""

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tetrisprinter.cli.output_files import OutputOptions, choose_output_files
from tetrisprinter.errors import InputError
from tetrisprinter.pictures.convert import Conversion
from tetrisprinter.pictures.sources import Source, list_frames, make_sources


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("a.png", "b.png", "sub/a.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        Image.new("RGB", (2, 1), "red").save(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(images: list[Source], *outputs: str, **asked: Any) -> list[list[str]]:
    found = choose_output_files(images, OutputOptions(outputs, **asked))
    return [list(map(str, one.files)) for one in found]


def test_one_image_is_written_where_it_is_said() -> None:
    one = make_sources(["a.png"])
    assert names(one, "x.gif", "y/../z.png") == [["x.gif", "y/../z.png"]]
    assert names(one, "{}.gif", plans=("p.txt",), drops="{}.json") == [["a.gif", "p.txt", "a.json"]]
    assert names(one, "sub") == [["sub/a-print.png"]] or names(one, "sub") == [["sub/a.png"]]
    assert names(one, "-") == [["-"]]


def test_each_of_several_has_a_file_of_its_own(here: Path) -> None:
    two = make_sources(["a.png", "b.png"])
    assert names(two, "out.gif") == [["a.gif"], ["b.gif"]]
    assert names(two, "new/") == [["new/a.png"], ["new/b.png"]]
    assert (here / "new").is_dir()
    assert names(two, "new") == [["new/a.png"], ["new/b.png"]]
    assert names(two, "deep/er/x-{}.webp") == [["deep/er/x-a.webp"], ["deep/er/x-b.webp"]]
    assert names(two, plans=("p.txt",), drops="d/") == [
        ["a.txt", "d/a.json"],
        ["b.txt", "d/b.json"],
    ]
    assert not (here / "out.gif").exists()
    for given, said in (
        (OutputOptions(("new2",)), r"-o new2/ for a folder, or -o new2\.png for"),
        (OutputOptions(plans=("plans",)), r"--plan plans/ for a folder, or --plan plans\.txt for"),
        (OutputOptions(("-",)), "standard output takes one print"),
    ):
        with pytest.raises(InputError, match=said):
            choose_output_files(two, given)
    assert not (here / "new2").exists()


def test_images_of_one_name_are_numbered() -> None:
    both = make_sources(["a.png", "sub/a.png"])
    assert names(both, "out.gif") == [["a.gif"], ["a-2.gif"]]


def test_nothing_is_written_over_an_image() -> None:
    two = make_sources(["a.png", "b.png"])
    assert names(two, "out.png") == [["a-print.png"], ["b-print.png"]]


def test_what_has_no_name_goes_beside_the_image_and_over_nothing(here: Path) -> None:
    one = make_sources(["sub/a.png"])
    assert names(one) == [["sub/a-print.gif"]]
    (here / "sub" / "a-print.gif").touch()
    assert names(one) == [["sub/a-print-2.gif"]]
    (again,) = choose_output_files(one, OutputOptions(force=True))
    assert again.outputs == ("sub/a-print.gif",)
    assert names(one, plans=("p.txt",)) == [["p.txt"]]
    assert choose_output_files(one, OutputOptions(watch=True))[0].outputs == ()
    assert names(make_sources(["0041:0000000018242442427E424242420000"])) == [["U+0041-print.gif"]]


def test_a_folder_is_all_the_pictures_in_it(here: Path) -> None:
    (here / "notes.txt").touch()
    assert [one.name for one in make_sources(["."])] == ["a.png", "b.png"]
    for (name,) in names(make_sources(["."])):
        Image.new("RGB", (2, 2)).save(name)
    assert [one.name for one in make_sources(["."])] == ["a.png", "b.png"], "prints are not printed"
    (here / "empty").mkdir()
    with pytest.raises(InputError, match="empty: no image in this folder"):
        make_sources(["empty"])


def test_every_frame_is_an_image() -> None:
    shades = [Image.new("RGB", (2, 2), (20 * n + 9, 0, 0)) for n in range(11)]
    shades[0].save("a.gif", save_all=True, append_images=shades[1:])
    (source,) = make_sources(["a.gif"])
    frames = list_frames(source)
    assert [one.stem for one in frames] == [f"a-{n:02}" for n in range(11)]
    colors = [one.read(Conversion()).picture.colors() for one in frames]
    assert len(set(colors)) == 11
    (still,) = make_sources(["a.png"])
    assert list_frames(still) == [still]
