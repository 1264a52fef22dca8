"""The glossary names things of the code, and the code has them."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "tetrisprinter"
ROWS = re.findall(
    r"^\| \*\*(.+?)\*\*.* \| (.*?) \|$", (ROOT / "docs" / "glossary.md").read_text("utf-8"), re.M
)


def has(name: str) -> bool:
    """Whether a dotted name is a package, a module, or what a module defines."""
    parts = name.split(".")
    path = PACKAGE
    while parts and (path / parts[0]).is_dir():
        path /= parts.pop(0)
    if not parts:
        return True
    if (path / f"{parts[0]}.py").exists():
        body = ast.parse((path / f"{parts.pop(0)}.py").read_text("utf-8")).body
    else:
        body = ast.parse((path / "__init__.py").read_text("utf-8")).body
    for part in parts:
        for node in body:
            match node:
                case ast.ClassDef(name=found) | ast.FunctionDef(name=found):
                    pass
                case ast.Assign([ast.Name(found)]) | ast.AnnAssign(ast.Name(found)):
                    pass
                case _:
                    continue
            if found == part:
                body = node.body if isinstance(node, ast.ClassDef) else []
                break
        else:
            return False
    return True


def test_what_the_glossary_names_is_there() -> None:
    named = [name for _, where in ROWS for name in re.findall(r"`([\w.]+)`", where)]
    assert len(named) > 30
    assert [name for name in named if not has(name)] == []
    assert not has("game.pieces.Shape")
    assert not has("game.field.Playfield.lift")


def test_every_top_package_says_where_its_words_are_explained() -> None:
    for path in sorted(PACKAGE.glob("*/__init__.py")):
        text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        assert "docs/glossary.md" in text, path.parent.name


def test_the_article_is_cited_once() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    assert [page.name for page in pages if "Birken" in page.read_text("utf-8")] == ["glossary.md"]
