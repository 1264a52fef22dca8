"""The files of the pages are small and fetch nothing from other servers."""

import re
from pathlib import Path

import tetrisprinter.studio

STATIC = Path(tetrisprinter.studio.__file__).parent / "static"
PLAYER = Path(tetrisprinter.studio.__file__).parents[1] / "render" / "player"
SCRIPTS = sorted(STATIC.glob("*.js"))
PAGES = sorted(STATIC.glob("*.html"))


def test_nothing_is_fetched_from_anywhere() -> None:
    for path in (*SCRIPTS, *PAGES, *STATIC.glob("*.css")):
        text = path.read_text("utf-8")
        assert not re.search(r"""https?:|["'`(]//|@import|url\(|\beval\(""", text), path


ENGINE = ("worker_engine", "page_worker", "service_worker", "convert", "draw", "shelf")


def test_no_page_is_heavy() -> None:
    """Whatever a page of the studio loads, with the player, is far below 300 KB."""
    files = [
        *(path for path in SCRIPTS if path.stem not in ENGINE),
        *STATIC.glob("*.css"),
        *PLAYER.iterdir(),
        max(PAGES, key=lambda p: p.stat().st_size),
    ]
    assert sum(path.stat().st_size for path in files) < 200_000


def list_imports(name: str) -> set[str]:
    """List the scripts that a script loads, at once or later."""
    text = (STATIC / name).read_text("utf-8")
    found = set(re.findall(r"""(?:from|import\() ?["']\./([\w.]+)["']""", text))
    return found.union(*map(list_imports, found - {name}))


def test_only_workers_convert_images() -> None:
    """An image's colours take longer than a page may be blocked."""
    assert "convert.js" in list_imports("image_worker.js") & list_imports("page_worker.js")
    for page in PAGES:
        (script,) = re.findall(r'src="static/([\w.]+)"', page.read_text("utf-8"))
        assert "common.js" in list_imports(script)
        assert not {"convert.js", "draw.js"} & list_imports(script)


def test_a_script_imports_what_it_calls() -> None:
    common = (STATIC / "common.js").read_text("utf-8")
    shared = re.findall(r"^export (?:async )?(?:function|const) (\w+)", common, re.MULTILINE)
    assert "drawPicture" in shared
    for script in SCRIPTS:
        text = script.read_text("utf-8")
        imported = " ".join(re.findall(r"import \{([^}]*)\}", text)).replace(",", " ").split()
        own = re.findall(r"(?:function|const|let) (\w+)", text)
        called = {name for name in shared if re.search(rf"(?<![\w.]){re.escape(name)}\(", text)}
        assert called <= {*imported, *own}, script.name
