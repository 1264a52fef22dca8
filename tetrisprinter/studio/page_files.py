"""The files of the page: the studio as a folder that any web server can serve.

Pages, scripts and styles are those of the studio. Where the studio sends requests to its server,
the page sends them to the package, which runs in the browser
(:mod:`~tetrisprinter.studio.page_engine`).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from base64 import b64encode
from dataclasses import asdict
from hashlib import sha256
from html import escape
from importlib import resources
from pathlib import Path
from typing import Final

from tetrisprinter import __version__
from tetrisprinter.api.presets import PRESETS
from tetrisprinter.errors import InputError
from tetrisprinter.game.plan import Plan
from tetrisprinter.render.page import make_page
from tetrisprinter.studio.engine_files import PYODIDE, PYTHON_SAT, make_engine
from tetrisprinter.studio.files import TRIPLEX_SIZES
from tetrisprinter.studio.preview import list_examples
from tetrisprinter.triplex.generator import generate
from tetrisprinter.triplex.page import LANGUAGES, make_triplex_page

_PAGES: Final = ("index.html", "patterns.html", "tilings.html")
_SERVER_ONLY: Final = "gallery.js"

_POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' {script}; worker-src 'self'; "
    "connect-src 'self'; style-src 'self' {style}; img-src 'self' blob: data:; "
    "frame-src 'self' blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'"
)
"""Only scripts of the folder and of the player run; the page sends nothing to other sites."""

_LICENCES: Final = f"""\
tetrisprinter {__version__}: MIT licence, see LICENSE of the project.
Pyodide {PYODIDE}: Mozilla Public License 2.0, https://github.com/pyodide/pyodide
Python, in it: PSF licence, https://docs.python.org/3/license.html
In Pyodide, too: Emscripten's libraries (MIT), musl (MIT), zlib, bzip2, libffi (MIT).
python-sat {PYTHON_SAT}, its wrapper of SAT solvers: MIT licence, https://pysathq.github.io
Glucose 3 and 4.2.1, MiniSat in them: MIT licence, https://github.com/audemard/glucose
Glucose 4.1: MIT licence; SAT competitions need the permission of its authors.
"""


def find_cache() -> Path:
    """Return the folder of fetched and compiled files."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "tetrisprinter" / "page"


def publish(folder: Path, cache: Path | None = None, docs_address: str = "") -> int:
    """Write the page into a folder, with a link to the documentation; return its size in bytes."""
    if folder.exists() and any(folder.iterdir()) and not (folder / "page.json").is_file():
        raise InputError(f"{folder}: contains other files; choose a new folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as name:
        new_folder = Path(name) / "page"
        make_engine(new_folder / "engine", cache or find_cache())
        _write_pages(new_folder, docs_address)
        _write_service_worker(new_folder)
        new_folder.chmod(0o755)
        shutil.rmtree(folder, ignore_errors=True)
        new_folder.replace(folder)
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _make_policy() -> str:
    """Return the security policy, with digests of the player's inline script and style."""
    page = make_page(Plan.parse("board 4x6 O=ff0000\n\n.AA.\n.AA.\n"))
    digests = {}
    for kind in ("script", "style"):
        texts = re.findall(rf"<{kind}>(.*?)</{kind}>", page, re.DOTALL)
        digests_of_kind = [b64encode(sha256(text.encode()).digest()).decode() for text in texts]
        digests[kind] = " ".join(f"'sha256-{digest}'" for digest in digests_of_kind)
    return _POLICY.format(**digests)


def _write_pages(folder: Path, docs_address: str) -> None:
    """Write the pages with their scripts, styles, examples, manifest and licences."""
    (folder / "static").mkdir()
    for file in resources.files("tetrisprinter.studio").joinpath("static").iterdir():
        if file.is_file() and file.name != _SERVER_ONLY and not file.name.endswith(".html"):
            (folder / "static" / file.name).write_bytes(file.read_bytes())
    for name in _PAGES:
        text = resources.files("tetrisprinter.studio").joinpath(f"static/{name}").read_text("utf-8")
        text = text.replace(
            "<html ", f'<html data-engine="worker" data-home="{escape(docs_address)}" ', 1
        )
        policy = f'<meta http-equiv="Content-Security-Policy" content="{_make_policy()}">'
        manifest = '<link rel="manifest" href="manifest.webmanifest">'
        text = text.replace(
            '<meta charset="utf-8">', f'<meta charset="utf-8">\n{policy}\n{manifest}'
        )
        (folder / name).write_text(text, "utf-8")
    levels = [level for width, height in TRIPLEX_SIZES for level in generate(width, height, seed=0)]
    for language in LANGUAGES:
        text = make_triplex_page(levels, language=language)
        (folder / f"triplex-{language}.html").write_text(text, "utf-8")
    (folder / "examples").mkdir()
    for path in list_examples().values():
        shutil.copyfile(path, folder / "examples" / path.name)
    presets = {name: asdict(preset) for name, preset in PRESETS.items()}
    page_data = {"version": __version__, "examples": list(list_examples()), "presets": presets}
    (folder / "page.json").write_text(json.dumps(page_data))
    manifest_data = {
        "name": "tetrisprinter",
        "short_name": "tetrisprinter",
        "start_url": "index.html",
        "display": "standalone",
        "icons": [{"src": "examples/heart.png", "sizes": "any", "type": "image/png"}],
    }
    (folder / "manifest.webmanifest").write_text(json.dumps(manifest_data))
    (folder / "LICENCES.txt").write_text(_LICENCES)


def _write_service_worker(folder: Path) -> None:
    """Write the service worker, with all file names and a digest of their contents."""
    files = sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )
    digest = sha256()
    for name in files:
        digest.update(name.encode() + (folder / name).read_bytes())
    source = (folder / "static" / "service_worker.js").read_text("utf-8")
    (folder / "static" / "service_worker.js").unlink()
    files.remove("static/service_worker.js")
    source = source.replace('"{{sum}}"', json.dumps(digest.hexdigest()[:16]))
    source = source.replace('"{{files}}"', json.dumps(["./", *files]))
    (folder / "sw.js").write_text(source, "utf-8")
