"""MkDocs hooks that make pages of the site: reference, playground, and a print that plays."""

import tempfile
from collections.abc import Iterator
from inspect import ismodule
from pathlib import Path
from typing import Any

import ready_plans
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Link, Navigation, Section

import tetrisprinter as tp
from tetrisprinter.formats import read_game
from tetrisprinter.render.save import save
from tetrisprinter.studio.page_files import publish

_ROOT = Path(__file__).resolve().parent.parent
_PACKAGE = _ROOT / "tetrisprinter"
_FIRST = (
    *("print_picture", "print_slideshow", "Picture", "load_picture", "set_text", "convert_image"),
    *("Conversion", "PrintResult", "Proof", "Plan", "read_plan", "write_plan", "play", "Game"),
    *("save", "Rendering", "Look", "Task", "Board", "make_plan", "Run", "Progress", "Limit"),
)
"""The first names on the reference page of the package, in order; the other names follow them."""
_PLAN = _ROOT / "docs" / "heart.txt"


def on_files(files: Files, config: Any) -> Files:
    """Add the heart's player, the playground, the page that prints, and the reference pages."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "heart.html"
        save(read_game(_PLAN), page, title="A heart")
        files.append(File.generated(config, "player/heart.html", content=page.read_text("utf-8")))
    for name in ("index.html", "play.js"):
        text = (ready_plans.FOLDER / name).read_text("utf-8")
        files.append(File.generated(config, f"play/{name}", content=text))
    files.append(
        File.generated(config, "play/plans.js", content=ready_plans.make_playground_script())
    )
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "print"
        publish(page, docs_address="../index.html")
        for path in sorted(page.rglob("*")):
            if path.is_file():
                name = f"print/{path.relative_to(page).as_posix()}"
                files.append(File.generated(config, name, content=path.read_bytes()))
    pages = {"index": ("The front door", ["tetrisprinter"])}
    for package in sorted(path.parent for path in _PACKAGE.glob("*/__init__.py")):
        if package.name != "cli":
            pages[package.name] = (
                f"tetrisprinter.{package.name}",
                list(_yield_module_names(package)),
            )
    rest = [name for name in tp.__all__ if name not in _FIRST and not ismodule(getattr(tp, name))]
    names = "".join(f"\n::: tetrisprinter.{name}\n" for name in (*_FIRST, *rest))
    for name, (title, modules) in pages.items():
        alone = "    options:\n      members: false\n" + names if name == "index" else ""
        blocks = "".join(f"\n::: {module}\n{alone}" for module in modules)
        files.append(File.generated(config, f"reference/{name}.md", content=f"# {title}\n{blocks}"))
    return files


def on_nav(nav: Navigation, config: Any, files: Files) -> Navigation:
    """Add a link to the page that prints pictures, and a section of pages to play with."""
    play = {
        "Patterns: three lines or seven": "print/patterns.html",
        "Tilings and the game Triplex": "print/tilings.html",
        "Playground of ready games": "play/index.html",
    }
    links = [Link(name, address) for name, address in play.items()]
    nav.items[1:1] = [Link("Drop a picture here", "print/index.html"), Section("Play", links)]
    return nav


def _yield_module_names(package: Path) -> Iterator[str]:
    """Yield the name of every public module of a package, the package itself first."""
    for path in sorted(package.rglob("*.py"), key=lambda p: (p.parent, p.name != "__init__.py", p)):
        parts = path.relative_to(_ROOT).with_suffix("").parts
        named = parts[:-1] if parts[-1] == "__init__" else parts
        if not any(part.startswith("_") for part in named):
            yield ".".join(named)
