"""Every command in README and docs, exactly as written, in the order in which it is written.

What takes minutes, or needs a terminal or a browser, is only parsed here, which finds an option
that is not there; other tests run such commands.
"""

import doctest
import json
import re
import shlex
import tempfile
from pathlib import Path

import click
import pytest
from PIL import Image

from tests.support.commands import ROOT, run_here
from tetrisprinter.cli import _root

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

ONLY_PARSED = (
    *("--planner shortest", "patterns build", "verify tables", "automaton verify"),
    *("--board 21x42", "tetrisprinter page", "tetrisprinter watch", "tetrisprinter studio"),
    "answer.txt",  # written by another solver; see test_prove
)


def list_commands(page: Path) -> list[str]:
    """Return the commands of a page, with what is said behind them."""
    found = re.findall(r"^\$ (tetrisprinter .*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return [line for line in found if "..." not in line.split("#")[0]]


ALL = [line for page in PAGES for line in list_commands(page)]
RUN = [line for line in dict.fromkeys(ALL) if not any(part in line for part in ONLY_PARSED)
       and line.partition("#")[0].strip() != "tetrisprinter verify"]  # fmt: skip


def split_words(line: str) -> list[str]:
    return shlex.split(line, comments=True)[1:]


def read_exit_code(line: str) -> int:
    """Return the exit code that a command is said to have."""
    said = re.search(r"exit code (\d+)", line.partition("#")[2])
    return int(said[1]) if said else 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the commands are about: files of one's own, and small examples."""
    place = tmp_path_factory.mktemp("documented")
    assert run_here(("examples", "--copy", "examples"), place).returncode == 0
    photo = Image.new("RGB", (12, 8))
    photo.putdata([(x * 20, y * 30, 90) for y in range(8) for x in range(12)])
    photo.save(place / "photo.jpg")
    drawn = Image.new("RGBA", (8, 6))
    for x, y in ((x, y) for x in range(8) for y in range(6) if (x + y) % 3):
        drawn.putpixel((x, y), (208, 48, 32, 255) if y < 3 else (48, 96, 192, 255))
    own = (place / "picture.png", place / "sample1.png")
    for path in (*own, *(place / "examples").glob("*.png")):
        drawn.save(path)
    (place / "board.txt").write_text("....\n.##.\n....\n....\n....\n....\n")
    (place / "glyphs.hex").write_text("0041:0000000018242442427E424242420000\n")
    printed = ("print", "examples/mushroom.png", "-o", "m.png", "--plan", "mushroom.txt")
    assert run_here((*printed, "--planner", "table"), place).returncode == 0
    words = ("triplex", "generate", "4x3", "-o", "levels.json")
    assert run_here(words, place).returncode == 0
    return place


@pytest.mark.parametrize("line", sorted(set(ALL)))
def test_what_is_written_can_be_asked(line: str) -> None:
    words = split_words(line)
    # Click keeps a command's help option, so its context must know -h as that of a process does.
    context, command = click.Context(_root, **_root.context_settings), None
    while command is None or isinstance(command, click.Group):
        group = command or _root
        assert isinstance(group, click.Group)
        command = group.get_command(context, words.pop(0))
        assert command is not None
    command.make_context(command.name, list(words), context)


def list_failures(lines: list[str], folder: Path) -> list[str]:
    """Run commands one after the other, as they may go on with what others wrote."""
    wrong = []
    for line in lines:
        words = split_words(line)
        result = run_here(words, folder)
        if result.returncode != read_exit_code(line):
            wrong.append(f"{line}: exit code {result.returncode}: {result.stderr}")
        elif "-o" in words:
            target = words[words.index("-o") + 1]
            if not (result.stdout if target == "-" else (folder / target).exists()):
                wrong.append(f"{line}: wrote nothing")
    return wrong


@pytest.mark.usefixtures("search_little")
def test_recipes_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (begin := tmp_path / "begin").mkdir()
    monkeypatch.chdir(begin)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    failed, tried = doctest.testfile(str(ROOT / "docs/recipes.md"), module_relative=False)
    assert tried > 20
    assert failed == 0
    assert list(begin.iterdir()) == []
    assert {path.suffix for path in Path().iterdir()} == {".gif", ".html", ".txt"}


@pytest.mark.slow
@pytest.mark.usefixtures("search_little")
def test_what_is_written_works(folder: Path) -> None:
    assert len(RUN) > 20
    assert list_failures(RUN, folder) == []


@pytest.mark.slow
def test_the_drops_that_one_type_for_each_colour_costs_are_measured(tmp_path: Path) -> None:
    text = " ".join((ROOT / "docs" / "watching.md").read_text(encoding="utf-8").split())
    types = re.findall(r"`(--types \S+)` prints each colour of the heart", text)[0].split()
    (claimed,) = re.findall(r"(\d+) instead of (\d+) with `--for fumen`", text)
    command = ("print", ROOT / "examples" / "heart.png", "--for", "fumen", "--json")
    for drops, options in zip(claimed, (types, ()), strict=True):
        assert str(json.loads(run_here((*command, *options), tmp_path).stdout)["drops"]) == drops
