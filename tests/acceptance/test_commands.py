"""Commands run inside the tests' process show what a process of its own shows."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path

import pytest

from tests.support.commands import EXAMPLES, run_apart, run_here
from tetrisprinter.cli.groups import COMMANDS, PROOFS

PLAN = "board 4x9 I=ff0000\n\n" + "A...\n" * 4

# An answer, or a refusal, of every command.
QUESTIONS: dict[str, tuple[object, ...]] = {
    "print": (EXAMPLES / "heart.png", "-o", "o.png", "--planner", "table", "--json"),
    "text": ("i", "-o", "x.png", "--planner", "rows"),
    "slideshow": (EXAMPLES / "heart.png", EXAMPLES / "none.png", "-o", "film.gif"),
    "clock": ("--from", "25:00", "--until", "10:03", "-o", "clock.html"),
    "qr": ("",),
    "bot": (EXAMPLES / "cat.png", "--exact"),
    "bound": (EXAMPLES / "heart.png", "--steps", 0),
    "convert": ("none.png", "-o", "x.txt"),
    "play": ("plan.txt", "-o", "a.gif", "-o", "a.html"),
    "watch": ("plan.txt",),
    "moves": ("plan.txt",),
    "examples": ("heart", "--copy", "examples"),
    "triplex": ("check", "3x2 I3h*2"),
    "studio": ("--read-only-gallery", "nowhere"),
    "page": ("-o", "."),  # which has other files
    "tile": ("10x10", "I4*inf", "--count", "--json"),
    "proofs": ("prove",),
}
PROVED: dict[str, tuple[object, ...]] = {
    "search": ("--emitted", 1, "--rows", 3, "--at", 3, "--exhaustive"),
    "prove": ("--emitted", 1, "--rows", 3, "--at", 7, "-o", "out"),
    "certificates": ("verify", "nowhere"),
    "automaton": ("query", "--row", "###", "--rows", 3),
    "atlas": ("--width", "9-12"),
    "patterns": ("show", 3, "--at", "0,9,18"),
}


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def timeless(text: str) -> str:
    """Take out times."""
    return re.sub(r'"seconds": [\d.]+|\d+(\.\d+)? s\b', "<time>", text)


def test_every_command_is_asked() -> None:
    assert QUESTIONS.keys() == COMMANDS.keys()
    assert PROVED.keys() == PROOFS.keys()


@pytest.mark.parametrize(
    "words",
    [
        *((name, *words) for name, words in QUESTIONS.items()),
        *(("proofs", name, *words) for name, words in PROVED.items()),
        *(("prnt",), ("play", "-h"), (), ("convert", "plan.txt", "-o", "a.json")),
        *(("print", "none.png", "--avatar"), ("print", EXAMPLES / "heart.png", "--race", "me")),
    ],
)
def test_here_and_apart_it_is_the_same(words: tuple[object, ...], tmp_path: Path) -> None:
    seen = []
    for way in (run_here, run_apart):
        folder = tmp_path / way.__name__
        folder.mkdir()
        (folder / "plan.txt").write_text(PLAN)
        result = way(words, folder)
        texts = [timeless(text) for text in (result.stdout, result.stderr)]
        seen.append((result.returncode, *texts, files(folder)))
    assert seen[0] == seen[1]
    assert any(seen[0][1:3])


def test_what_is_written_past_python_is_captured(tmp_path: Path) -> None:
    """By processes that a command starts, and by compiled libraries."""
    code = "import os, sys; os.write(1, b'one'); os.write(2, b'two'); sys.exit('three')"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tetrisprinter.cli.main", lambda: exec(code))
        result = run_here([], tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (1, "one", "twothree\n")


def test_warnings_go_where_they_would(tmp_path: Path) -> None:
    def main() -> None:
        warnings.warn("look out", UserWarning, stacklevel=1)
        warnings.warn("old", DeprecationWarning, stacklevel=1)
        print(json.dumps(str(Path.cwd())))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tetrisprinter.cli.main", main)
        result = run_here([], tmp_path)
    assert (result.returncode, result.stdout) == (0, f'"{tmp_path}"\n')
    assert "UserWarning: look out" in result.stderr
    assert "old" not in result.stderr


def test_a_traceback_is_not_swallowed(tmp_path: Path) -> None:
    def main() -> None:
        raise ZeroDivisionError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tetrisprinter.cli.main", main)
        with pytest.raises(ZeroDivisionError):
            run_here([], tmp_path)


def test_a_print_is_told_in_words_and_with_v_in_figures(tmp_path: Path) -> None:
    image = EXAMPLES / "heart.png"
    words = ("print", image, "-o", "o.png", "--planner", "rows")
    told = run_here(words, tmp_path).stdout
    assert re.search(
        r"printed as o\.png: \d+ pieces clear \d+ lines and leave 104 squares(; [^;]*)?$",
        told.strip(),
    )
    told = run_here((*words, "-v"), tmp_path).stdout
    assert re.search(
        r"13x12, \d+ passes, .* no game of hard drops has fewer than \d+\)$", told.strip()
    )
