"""No command writes over a file that it reads, by whatever path or link; and what fits stays."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.commands import EXAMPLES
from tests.support.glyphs import LETTER_A

PLAN = "board 9x12 O=ff0000\n\nAA.......\nAA.......\n"
BOARD = "....\n....\n"
LEVELS = "4x3 I2h I2v*2 V1 V2 rotatable=I2h turns=1 difficulty=26\nAABB\nCABD\nCEED\n"


def _words(command: str, read: str, written: str) -> list[str]:
    return [{"IN": read, "OUT": written}.get(word, word) for word in command.split()]


WAYS = ("itself", "path", "link", "hard link")
COMMANDS = (
    ("a.png", None, "print IN --plan b.txt -o OUT"),
    ("a.png", None, "convert IN -o b.txt --preview OUT"),
    ("a.png", None, "print IN -o OUT"),
    ("a.png", None, "print IN -o b.png --plan OUT"),
    ("a.png", None, "print IN -o b.png --poster OUT"),
    ("a.png", None, "print IN -o b.png --preview OUT"),
    ("a.png", None, "bound IN --plan OUT"),
    ("a.png", None, "bound IN --preview OUT"),
    ("a.hex", f"{LETTER_A}\n", "text A --font IN -o b.png --plan OUT"),
    ("a.txt", PLAN, "convert IN -o OUT"),
    ("a.txt", PLAN, "play IN -o b.png --poster OUT"),
    ("a.txt", BOARD, "tile IN tetrominoes -o OUT"),
    ("a.html", LEVELS, "triplex page --levels IN -o OUT"),
)
"""What is read and its text, or an image, and the command; each meets one of the ways in turn."""


@pytest.mark.parametrize(
    ("name", "text", "command", "how"),
    [(*case, WAYS[number % 4]) for number, case in enumerate(COMMANDS)],
)
def test_what_is_read_is_not_written_over(
    run: Callable[..., object], tmp_path: Path, name: str, text: str | None, command: str, how: str
) -> None:
    read = tmp_path / name
    if text is None:
        read.write_bytes((EXAMPLES / "heart.png").read_bytes())
    else:
        read.write_text(text)
    (tmp_path / "sub").mkdir()
    suffix = ".txt" if "--plan" in command else read.suffix
    written = {"itself": name, "path": f"sub/../{name}"}.get(how, f"other{suffix}")
    if how == "link":
        (tmp_path / written).symlink_to(read)
    elif how == "hard link":
        os.link(read, tmp_path / written)
    before = read.read_bytes()
    done = run(*_words(command, name, written), code=2)
    assert read.read_bytes() == before
    stderr = done.stderr  # type: ignore[attr-defined]
    assert "this would overwrite the i" in stderr
    assert len(stderr.strip().splitlines()) == 1
