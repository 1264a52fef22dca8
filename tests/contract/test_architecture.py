"""The page about the house shows the house as it is."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "tetrisprinter"
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
UNNAMED = {"__init__.py", "__main__.py"}


def drawn(tree: str) -> set[str]:
    """List the files of an indented tree; several may share a line, words follow after spaces."""
    found: set[str] = set()
    folders: list[tuple[int, str]] = []
    for line in tree.splitlines():
        indent = len(line) - len(line.lstrip())
        while folders and folders[-1][0] >= indent:
            folders.pop()
        folder = "".join(name for _, name in folders)
        for name in re.findall(r"(?:^|\s)([\w]+\.(?:py|html))(?=\s|$)", line):
            found.add(folder + name)
        head = re.match(r"\s*(\w+/)(?:\s|$)", line)
        if head:
            folders.append((indent, head[1]))
    return found


def test_the_tree_of_the_page_is_that_of_the_package() -> None:
    tree = PAGE.split("```")[1]
    there = {
        path.relative_to(ROOT).as_posix()
        for path in PACKAGE.rglob("*")
        if path.suffix in (".py", ".html") and path.name not in UNNAMED
    }
    assert there - drawn(tree) == set(), "the page does not show these"
    assert drawn(tree) - there == set(), "the page shows these, which are not there"


def test_every_other_file_that_the_page_names_is_there() -> None:
    rest = "".join(PAGE.split("```")[::2])
    for name in re.findall(r"`([\w./]+\.(?:py|toml))`", rest):
        assert (ROOT / name).exists() or (PACKAGE / name).exists(), name


def test_a_tree_is_read_as_it_is_drawn() -> None:
    tree = "a/\n  b.py  c.py  two\n  d/   words.\n    e.html\n  f.py   g.py  more\n"
    assert drawn(tree) == {"a/b.py", "a/c.py", "a/d/e.html", "a/f.py", "a/g.py"}
