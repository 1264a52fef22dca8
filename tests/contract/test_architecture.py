"""The page about the architecture shows the packages as they are."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "tetrisprinter"
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")


def read_tree(tree: str) -> tuple[set[str], set[str]]:
    """List the folders and the files of an indented tree; a line may describe several files."""
    folders: list[tuple[int, str]] = []
    found: set[str] = set()
    files: set[str] = set()
    for line in tree.splitlines():
        head = re.match(r"( *)(\w+/)(?:\s|$)", line)
        if head:
            while folders and folders[-1][0] >= len(head[1]):
                folders.pop()
            folders.append((len(head[1]), head[2]))
            found.add("".join(name for _, name in folders))
        indent = len(line) - len(line.lstrip())
        place = "".join(name for at, name in folders if head or at < indent)
        files |= {place + name for name in re.findall(r"\b\w+\.(?:py|html)\b", line)}
    return found, files


def test_the_tree_shows_every_package_and_only_files_that_exist() -> None:
    folders, files = read_tree(PAGE.split("```")[1])
    there = {
        f"{path.parent.relative_to(ROOT).as_posix()}/" for path in PACKAGE.rglob("__init__.py")
    }
    assert folders == there
    assert len(files) > 40
    assert [name for name in sorted(files) if not (ROOT / name).exists()] == []


def test_every_other_file_that_the_page_names_is_there() -> None:
    rest = "".join(PAGE.split("```")[::2])
    for name in re.findall(r"`([\w./]+\.(?:py|toml))`", rest):
        assert (ROOT / name).exists() or (PACKAGE / name).exists(), name


def test_the_table_of_layers_is_that_of_the_contract() -> None:
    contract = (ROOT / "pyproject.toml").read_text("utf-8").split("layers = [")[1].split("]")[0]
    layers = [re.findall(r"\w+", line) for line in re.findall(r'"(.*)"', contract)]
    rows = re.findall(r"^\| (`.*?`) \|", PAGE.split("## Where")[0], re.M)
    shown = [re.findall(r"\w+", row) for row in rows]
    assert shown == [layer for layer in layers if layer not in (["tilings"], ["triplex"])]
