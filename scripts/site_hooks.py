"""What the site shows that is made as it is built: reference, playground, a print that plays."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ready_plans
from mkdocs.structure.files import File, Files

from tetrisprinter.formats import read_game
from tetrisprinter.render.save import save

_ROOT = Path(__file__).resolve().parent.parent
_PACKAGE = _ROOT / "tetrisprinter"
_PLAN = _ROOT / "docs" / "heart.txt"


def on_files(files: Files, config: Any) -> Files:
    """Add the page that plays the heart, and a page of reference for every package."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "heart.html"
        save(read_game(_PLAN), page, title="A heart")
        files.append(File.generated(config, "player/heart.html", content=page.read_text("utf-8")))
    for name in ("index.html", "play.js"):
        text = (ready_plans.FOLDER / name).read_text("utf-8")
        files.append(File.generated(config, f"play/{name}", content=text))
    files.append(File.generated(config, "play/plans.js", content=ready_plans.playground()))
    pages = {"index": ("The front door", ["tetrisprinter"])}
    for package in sorted(path.parent for path in _PACKAGE.glob("*/__init__.py")):
        if package.name != "cli":
            pages[package.name] = (f"tetrisprinter.{package.name}", list(_modules(package)))
    for name, (title, modules) in pages.items():
        blocks = "".join(f"\n::: {module}\n" for module in modules)
        files.append(File.generated(config, f"reference/{name}.md", content=f"# {title}\n{blocks}"))
    return files


def _modules(package: Path) -> Iterator[str]:
    """Name every public module of a package, the package itself first."""
    for path in sorted(package.rglob("*.py"), key=lambda p: (p.parent, p.name != "__init__.py", p)):
        parts = path.relative_to(_ROOT).with_suffix("").parts
        named = parts[:-1] if parts[-1] == "__init__" else parts
        if not any(part.startswith("_") for part in named):
            yield ".".join(named)
