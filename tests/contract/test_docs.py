"""The pages of the documentation name what is there: files, headings, packages, names."""

import re
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

from tests.support.commands import ROOT

PACKAGE = ROOT / "tetrisprinter"
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
MADE_WITH_THE_SITE = ("print/", "play/", "player/", "reference/", "commands.md")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text("utf-8")


# ---- Links


def remove_code(text: str) -> str:
    return re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.M | re.S)


@cache
def list_anchors(page: Path) -> frozenset[str]:
    """List the anchors of a page's headings, as Python-Markdown and GitHub make them."""
    titles = re.findall(r"^#+ (.+)$", remove_code(page.read_text("utf-8")), re.M)
    kept = (re.sub(r"[^\w\s-]", "", title).strip().lower() for title in titles)
    return frozenset(re.sub(r"[\s]+", "-", title) for title in kept)


def list_broken_links(page: Path) -> list[str]:
    wrong = []
    prose = re.sub(r"`[^`\n]+`", "", remove_code(page.read_text("utf-8")))
    for link in re.findall(r"\]\(([^)\s]+)\)", prose):
        name, _, anchor = link.partition("#")
        if "://" in link or name.startswith(MADE_WITH_THE_SITE):
            continue
        target = page.parent / name if name else page
        if not target.exists() or (anchor and anchor not in list_anchors(target)):
            wrong.append(link)
    return wrong


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        assert list_broken_links(page) == [], page.name


def test_pages_that_the_package_names_exist() -> None:
    for path in PACKAGE.rglob("*.py"):
        for name in re.findall(r"docs/\w+\.md", path.read_text("utf-8")):
            assert (ROOT / name).exists(), f"{path.name}: {name}"


# ---- The glossary


def has_name(name: str) -> bool:
    """Whether a dotted name is a package, a module, or what a module defines."""
    try:
        resolve_name(f"tetrisprinter.{name}")
    except (ImportError, AttributeError):
        owner, _, field = name.rpartition(".")
        return bool(owner) and field in resolve_name(f"tetrisprinter.{owner}").__annotations__
    return True


def test_what_the_glossary_names_is_there() -> None:
    glossary = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    rows = re.findall(r"^\| \*\*.+?\*\*.* \| (.*?) \|$", glossary, re.M)
    names = [name for where in rows for name in re.findall(r"`([\w.]+)`", where)]
    assert len(names) > 30
    assert [name for name in names if not has_name(name)] == []


def test_every_top_package_says_where_its_words_are_explained() -> None:
    for path in sorted(PACKAGE.glob("*/__init__.py")):
        assert "docs/glossary.md" in path.read_text("utf-8"), path.parent.name


def test_the_article_is_cited_once() -> None:
    citing = [page.name for page in PAGES if "Birken" in page.read_text("utf-8")]
    assert citing == ["glossary.md"]


# ---- The page about the architecture


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
    folders, files = read_tree(ARCHITECTURE.split("```")[1])
    packages = PACKAGE.rglob("__init__.py")
    assert folders == {f"{path.parent.relative_to(ROOT).as_posix()}/" for path in packages}
    assert len(files) > 40
    assert [name for name in sorted(files) if not (ROOT / name).exists()] == []
    for name in re.findall(r"`([\w./]+\.(?:py|toml))`", "".join(ARCHITECTURE.split("```")[::2])):
        assert (ROOT / name).exists() or (PACKAGE / name).exists(), name


def test_the_table_of_layers_is_that_of_the_contract() -> None:
    contract = (ROOT / "pyproject.toml").read_text("utf-8").split("layers = [")[1].split("]")[0]
    layers = [re.findall(r"\w+", line) for line in re.findall(r'"(.*)"', contract)]
    rows = re.findall(r"^\| (`.*?`) \|", ARCHITECTURE.split("## Where")[0], re.M)
    shown = [re.findall(r"\w+", row) for row in rows]
    assert shown == [layer for layer in layers if layer not in (["tilings"], ["triplex"])]
