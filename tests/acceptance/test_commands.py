"""Commands run inside the tests' process show what a process of its own shows."""

import re
from pathlib import Path

import pytest

from tests.support.commands import EXAMPLES, run_here, run_in_subprocess
from tetrisprinter.cli.groups import COMMANDS, PATTERNS

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
    "studio": ("--folder", "plan.txt/jobs"),
    "page": ("-o", "."),  # which has other files
    "tile": ("10x10", "I4*inf", "--count", "--json"),
    "patterns": ("prove",),
    "verify": ("nowhere",),
}
PROVED: dict[str, tuple[object, ...]] = {
    "find": ("--emitted", 1, "--rows", 3, "--at", 3, "--exhaustive"),
    "prove": ("--emitted", 1, "--rows", 3, "--at", 7, "-o", "out"),
    "count": ("--emitted", 1, "--rows", 3, "--at", 6),
    "build": ("--emitted", 7, "-o", "tables", "--json"),
    "verify": ("nowhere",),
    "automaton": ("query", "--row", "###", "--rows", 3),
    "atlas": ("--width", "9-12"),
    "show": (3, "--at", "0,9,18"),
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
    assert PROVED.keys() == PATTERNS.keys()


EVERY_DAY = {"convert", "moves", "print", "studio", "tile", "verify", "watch"}
"""What answers in every way: files, figures, help, refusals of all kinds."""


@pytest.mark.parametrize(
    "words",
    [
        *(
            pytest.param((name, *words), marks=() if name in EVERY_DAY else pytest.mark.slow)
            for name, words in QUESTIONS.items()
        ),
        *(
            pytest.param(("patterns", name, *words), marks=pytest.mark.slow)
            for name, words in PROVED.items()
        ),
        *(("prnt",), ("play", "-h"), (), ("convert", "plan.txt", "-o", "a.json")),
    ],
)
def test_here_and_apart_it_is_the_same(words: tuple[object, ...], tmp_path: Path) -> None:
    seen = []
    for way in (run_here, run_in_subprocess):
        folder = tmp_path / way.__name__
        folder.mkdir()
        (folder / "plan.txt").write_text(PLAN)
        result = way(words, folder)
        texts = [timeless(text) for text in (result.stdout, result.stderr)]
        seen.append((result.returncode, *texts, files(folder)))
    assert seen[0] == seen[1]
    assert any(seen[0][1:3])
