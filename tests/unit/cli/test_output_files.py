"""Which files a print is written to."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import tetrisprinter as tp
from tests.support.commands import Run
from tests.support.processes import make_command
from tetrisprinter.cli.files import OutputFiles, choose_output_files, choose_previews
from tetrisprinter.cli.print_options import PrintJob
from tetrisprinter.errors import InputError
from tetrisprinter.pictures.sources import Source, make_sources
from tetrisprinter.render import Rendering
from tetrisprinter.support.signals import Stop


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("a.png", "b.png", "sub/a.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        Image.new("RGB", (2, 1), "red").save(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(images: list[Source], *outputs: str, **asked: Any) -> list[list[str]]:
    found = choose_output_files(images, PrintJob(outputs=outputs, **asked))
    return [list(map(str, one.files)) for one in found]


def test_one_image_is_written_where_it_is_said() -> None:
    one = make_sources(["a.png"])
    assert names(one, "x.gif", "y/../z.png") == [["x.gif", "y/../z.png"]]
    assert names(one, "{}.gif", plans=("p.txt", "{}.fumen")) == [["a.gif", "p.txt", "a.fumen"]]
    assert names(one, "sub") == [["sub/a-print.png"]] or names(one, "sub") == [["sub/a.png"]]
    assert names(one, "-") == [["-"]]


def test_each_of_several_has_a_file_of_its_own(here: Path) -> None:
    two = make_sources(["a.png", "b.png"])
    assert names(two, "out.gif") == [["a.gif"], ["b.gif"]]
    assert names(two, "new/") == [["new/a.png"], ["new/b.png"]]
    assert (here / "new").is_dir()
    assert names(two, "new") == [["new/a.png"], ["new/b.png"]]
    assert names(two, "deep/er/x-{}.webp") == [["deep/er/x-a.webp"], ["deep/er/x-b.webp"]]
    assert names(two, plans=("p.txt", "d/{}.drops.json")) == [
        ["a.txt", "d/a.drops.json"],
        ["b.txt", "d/b.drops.json"],
    ]
    assert not (here / "out.gif").exists()
    for given, said in (
        (PrintJob(outputs=("new2",)), r"-o new2/ for a folder, or -o new2\.png for"),
        (PrintJob(plans=("plans",)), r"--plan plans/ for a folder, or --plan plans\.txt for"),
        (PrintJob(outputs=("-",)), "standard output takes one print"),
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
    (again,) = choose_output_files(one, PrintJob(force=True))
    assert again.outputs == ("sub/a-print.gif",)
    assert names(one, plans=("p.txt",)) == [["p.txt"]]
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


def test_a_folder_has_all_that_print_reads_and_none_of_the_systems_own_files(here: Path) -> None:
    image = Image.new("RGB", (2, 1), "red")
    for name in ("c.jfif", "d", "e.jpg.bak", "f.qoi"):
        image.save(here / name, "QOI" if name == "f.qoi" else "JPEG")
    (here / "g.hex").write_text("0041:0000000018242442427E424242420000\n")
    (here / "h.svgx").write_text("<svg xmlns='http://www.w3.org/2000/svg' width='4' height='4'/>")
    (here / "plan.txt").write_text("board 4x6\n")
    (here / "movie.mpg").write_bytes(b"\0\0\1\xb3" + bytes(60))
    for name in ("._a.png", "Thumbs.db", ".DS_Store", "desktop.ini", "a-preview.png"):
        image.save(here / name, "PNG")
    found = [one.name for one in make_sources(["."])]
    assert [name for name in found if name != "h.svgx"] == [
        *("a.png", "b.png", "c.jfif", "d", "e.jpg.bak", "f.qoi", "U+0041")
    ]


def test_names_that_nobody_typed_overwrite_nothing(here: Path) -> None:
    one = make_sources(["a.png"])
    asked: dict[str, Any] = {
        "preset_outputs": ("{}-print.gif", "{}-print.html"),
        "preset_plans": ("{}.tetrio", "{}.tetrio.txt"),
    }
    first = ["a-print.gif", "a-print.html", "a.tetrio", "a.tetrio.txt"]
    assert names(one, **asked) == [first]
    (here / "a-print.html").touch()
    numbered = ["a-print-2.gif", "a-print-2.html", "a-2.tetrio", "a-2.tetrio.txt"]
    assert names(one, **asked) == [numbered]
    assert names(one, **asked, force=True) == names(one, **asked, resume=True) == [first]
    assert names(one, "x.gif", **asked) == [["x.gif", "a.tetrio", "a.tetrio.txt"]]
    assert choose_previews(one, "") == [Path("a-preview.png")]
    (here / "a-preview.png").touch()
    assert choose_previews(one, "") == [Path("a-preview-2.png")]
    assert choose_previews(one, "", overwrites=True) == [Path("a-preview.png")]


def test_previews_of_equal_names_are_numbered(here: Path) -> None:
    both = make_sources(["a.png", "sub/a.png"])
    for pattern in ("", "{}-preview.png"):
        assert choose_previews(both, pattern) == [Path("a-preview.png"), Path("a-2-preview.png")]
    assert choose_previews(both, "sub") == [Path("sub/a.png"), Path("sub/a-2.png")]
    with pytest.raises(InputError, match=r"--preview p\.png: one name for several images"):
        choose_previews(both, "p.png")


def test_a_file_is_not_written_twice() -> None:
    one = make_sources(["a.png"])
    asked: dict[str, Any]
    for asked in ({"poster": "x.png"}, {"plans": ("x.png",)}, {"preview": "x.png"}):
        with pytest.raises(InputError, match=r"x\.png: given twice"):
            names(one, "x.png", **asked)


def test_a_place_with_a_preview_prints_nothing(run: Run, tmp_path: Path) -> None:
    run("print a.png --for 10x20 --preview p.png")
    run("print a.png --preview --frame all")
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {"a.png", "b.png", "sub", "p.png", "a-preview.png"}
    for _ in range(2):
        run("print a.png --for tetrio --effort 0.1")
    assert {path.name for path in tmp_path.iterdir()} - written == {
        *("a-print.gif", "a-print.html", "a.tetrio", "a.tetrio.txt"),
        *("a-print-2.gif", "a-print-2.html", "a-2.tetrio", "a-2.tetrio.txt"),
    }


def test_every_file_that_is_written_is_named(run: Run) -> None:
    words = "print a.png -o x.png --plan x.txt --poster x.pdf --preview --force"
    printed = run(words).stdout
    assert "a.png: printed as x.png, x.txt, x.pdf: 2 pieces " in printed
    assert "; preview: a-preview.png\n" in printed
    files = json.loads(run(words, "--json").stdout)["files"]
    assert files == ["x.png", "x.txt", "x.pdf", "a-preview.png"]
    assert run("play x.txt --poster y.pdf").stdout.startswith("y.pdf: ")
    assert run("play x.txt -o y.png --poster y.pdf").stdout.startswith("y.png, y.pdf: ")
    files = json.loads(run("play x.txt -o y.png --poster y.pdf --json").stdout)["files"]
    assert files == ["y.png", "y.pdf"]
    assert run("tile 2x3 dominoes --all -o t.svg -o t.txt").stdout == "t.svg, t.txt: 3 tilings\n"
    assert run("patterns find --rows 3 --at 6 --save f.cnf").stdout.startswith("f.cnf: the model; ")
    saved = run("patterns find --rows 3 --at 6 --save f.cnf --json").stdout
    assert json.loads(saved) == {"saved": "f.cnf"}


def test_a_search_that_was_stopped_is_not_announced(capsys: pytest.CaptureFixture[str]) -> None:
    result, stop = tp.print_picture("a.png"), Stop()
    stop.request()
    files = OutputFiles(make_sources(["a.png"])[0], ("x.png",))
    files.offer(result, Rendering(), stop, None)
    assert capsys.readouterr().err == ""
    files.offer(result, Rendering(), Stop(), None)
    assert "searching for a shorter game" in capsys.readouterr().err


def test_standard_output_has_no_dash_for_a_name(here: Path) -> None:
    command = make_command("print", "a.png", "-o", "-", "--plan", "x.txt")
    done = subprocess.run(command, cwd=here, capture_output=True, check=True)
    assert done.stdout.startswith(b"GIF89a")
    assert b"a.png: printed as x.txt and to standard output: 2 pieces" in done.stderr
    command = make_command("play", "x.txt", "-o", "-")
    done = subprocess.run(command, cwd=here, capture_output=True, check=True)
    assert done.stderr.startswith(b"standard output: 2 squares left")
