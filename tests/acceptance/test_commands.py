"""Commands run inside the tests' process show what a process of its own shows."""

import re
from pathlib import Path

import pytest

from tests.support.commands import EXAMPLES, run_here, run_in_subprocess

PLAN = "board 4x9 I=ff0000\n\n" + "A...\n" * 4

# Answers and refusals of all kinds: files, figures, help, and what solvers do.
QUESTIONS: tuple[tuple[object, ...], ...] = (
    ("print", EXAMPLES / "heart.png", "-o", "o.png", "--planner", "table", "--json"),
    ("watch", "plan.txt"),
    ("tile", "10x10", "I4*inf", "--count", "--json"),
    (),
)
LONGER: tuple[tuple[object, ...], ...] = (
    ("play", "plan.txt", "-o", "a.gif", "-o", "a.html"),
    ("patterns", "prove", "--emitted", 1, "--rows", 3, "--at", 7, "-o", "out"),
)


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def timeless(text: str) -> str:
    """Take out times."""
    return re.sub(r'"seconds": [\d.]+|\d+(\.\d+)? s\b', "<time>", text)


@pytest.mark.parametrize(
    "words", [*QUESTIONS, *(pytest.param(words, marks=pytest.mark.slow) for words in LONGER)]
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
