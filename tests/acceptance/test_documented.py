"""Every command in README and docs, exactly as written, in the order in which it is written.

What takes long is marked so. What takes minutes, or needs a terminal or a browser, is only
parsed here, which finds an option that is not there; other tests run such commands.
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

MINUTES = ("--planner shortest", "patterns build", "verify tables", "automaton verify",
           "--board 21x42", "tetrisprinter page")  # fmt: skip
TERMINAL = ("tetrisprinter watch", "tetrisprinter studio")
LONG = ("photo.jpg", "7x7", "triplex table", "--smooth", "--style bevel", "patterns verify",
        "prove", "verify", "--all", "--up-to-symmetry", "glyphs.hex", "--count  ",
        "tetrisprinter bound", "--effort", "--pieces")  # fmt: skip


def commands(page: Path) -> list[str]:
    """Return the commands of a page, with what is said behind them."""
    found = re.findall(r"^\$ (tetrisprinter .*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return [line for line in found if "..." not in line.split("#")[0]]


ALL = [line for page in PAGES for line in commands(page)]
ONLY_PARSED = (*MINUTES, *TERMINAL)
RUN = [line for line in dict.fromkeys(ALL) if not any(part in line for part in ONLY_PARSED)
       and line.partition("#")[0].strip() != "tetrisprinter verify"]  # fmt: skip
SLOW = [line for line in RUN if any(part in line for part in LONG)]


def split_words(line: str) -> list[str]:
    return shlex.split(line, comments=True)[1:]


def read_exit_code(line: str) -> int:
    """Return the exit code that a command is said to have."""
    said = re.search(r"exit code (\d+)", line.partition("#")[2])
    return int(said[1]) if said else 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the commands are about: the examples, and files of one's own."""
    place = tmp_path_factory.mktemp("documented")
    assert run_here(("examples", "--copy", "examples"), place).returncode == 0
    photo = Image.new("RGB", (18, 12))
    photo.putdata([(x * 12, y * 20, 90) for y in range(12) for x in range(18)])
    photo.save(place / "photo.jpg")
    drawn = Image.new("RGBA", (8, 6))
    for x, y in ((x, y) for x in range(8) for y in range(6) if (x + y) % 3):
        drawn.putpixel((x, y), (208, 48, 32, 255) if y < 3 else (48, 96, 192, 255))
    for name in ("picture.png", "sample1.png"):
        drawn.save(place / name)
    (place / "board.txt").write_text("....\n.##.\n....\n....\n....\n....\n")
    (place / "glyphs.hex").write_text("0041:0000000018242442427E424242420000\n")
    printed = ("print", "examples/mushroom.png", "-o", "m.png", "--plan", "mushroom.txt")
    assert run_here((*printed, "--planner", "table"), place).returncode == 0
    words = ("triplex", "generate", "4x3", "-o", "levels.json")
    assert run_here(words, place).returncode == 0
    return place


def answer(formula: Path) -> str:
    """Solve a formula as somebody else's solver would, and return what that prints."""
    from pysat.formula import CNF
    from pysat.solvers import Solver

    with Solver(name="minisat22", bootstrap_with=CNF(from_file=str(formula)).clauses) as solver:
        assert solver.solve()
        return "s SATISFIABLE\nv " + " ".join(map(str, solver.get_model())) + " 0\n"


def test_they_are_found() -> None:
    assert len(ALL) > 20
    assert {line for line in ALL if line not in RUN}


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


def failures(lines: list[str], folder: Path) -> list[str]:
    """Run commands one after the other, as they may go on with what others wrote."""
    wrong = []
    for line in lines:
        words = split_words(line)
        if "answer.txt" in words:
            (folder / "answer.txt").write_text(answer(folder / "f.cnf"))
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
@pytest.mark.usefixtures("share_repeated_requests", "search_little")
def test_what_is_written_works(folder: Path) -> None:
    assert failures([line for line in RUN if line not in SLOW], folder) == []


@pytest.mark.slow
@pytest.mark.usefixtures("share_repeated_requests", "search_little")
def test_what_is_written_and_takes_longer_works(folder: Path) -> None:
    assert failures(SLOW, folder) == []


@pytest.mark.slow
def test_the_drops_that_one_type_for_each_colour_costs_are_measured(folder: Path) -> None:
    text = " ".join((ROOT / "docs" / "watching.md").read_text(encoding="utf-8").split())
    types = re.findall(r"`(--types \S+)` prints each colour of the heart", text)[0].split()
    claims = re.findall(r"(\d+) instead of (\d+) with `--for (\w+)`", text)
    assert len(claims) == 2
    for *drops, place in claims:
        for claimed, options in zip(drops, (types, []), strict=True):
            command = ("print", "examples/heart.png", "--for", place, *options, "--json")
            assert str(json.loads(run_here(command, folder).stdout)["drops"]) == claimed
