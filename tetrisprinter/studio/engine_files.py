"""The engine of the page (the studio without a server): Pyodide and this package, compiled.

Pyodide comes from npm, python-sat from PyPI; both must have the recorded checksums. Python files
are stored as bytecode, compiled by the Python inside Pyodide, because a page that compiles its
modules at every visit starts three times as slowly. Everything is kept in a cache.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import importlib.util
import io
import json
import shutil
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.studio.wasm_modules import (
    SUFFIX,
    compile_kernels,
    compile_solvers,
    run_tool,
)

PYODIDE: Final = "314.0.7"
"""The version of Pyodide; it has Python 3.14."""

_PYODIDE_SUM: Final = (
    "sha512-0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/"
    "6V5JEsOlD2R1A=="
)
"""The checksum of Pyodide's archive, in the format of npm."""

PYTHON_SAT: Final = "1.9.dev22"
"""The version of python-sat, which brings the sources of the solvers Glucose 3, 4.1 and 4.2.1."""

_PYTHON_SAT_SUM: Final = "cb36d48ae636f959c2cc8b85543e9175e7ab70a11a6593815bdf048a0761188a"
"""The SHA-256 of python-sat's source archive."""

NODE: Final = ("node", "--experimental-wasm-extended-const")
"""The command that runs the engine outside a browser; the flag is for node 20."""

_PYODIDE_FILES: Final = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")

_SOLVER_FILES: Final = ("__init__", "_fileio", "_utils", "engines", "formula", "solvers")
"""The modules of python-sat's package ``pysat`` that its solvers need."""

_UNUSED: Final = (
    *("pdb.py", "bdb.py", "cmd.py", "pydoc.py", "pydoc_data/", "doctest.py", "unittest/", "test/"),
    *("_pyrepl/", "xml/", "xmlrpc/", "wsgiref/", "imaplib.py", "smtplib.py", "mailbox.py"),
    *("ftplib.py", "poplib.py", "optparse.py", "pickletools.py", "curses/", "sqlite3/", "idlelib/"),
    *("multiprocessing/", "ensurepip/", "venv/", "turtle", "tkinter/", "lib2to3/", "profiling/"),
    *("email/", "http/", "_pyio.py", "_pydecimal.py", "_pydatetime.py", "ipaddress.py"),
    *("configparser.py", "statistics.py", "argparse.py", "getopt.py", "_strptime.py", "cgi"),
    *("socketserver.py", "webbrowser.py", "tracemalloc.py", "trace.py", "timeit.py", "profile.py"),
    *("cProfile.py", "pstats.py", "zoneinfo/", "wave.py", "sched.py", "code.py", "mimetypes.py"),
    *("tomllib/", "modulefinder.py", "compileall.py", "filecmp.py", "netrc.py", "nturl2path.py"),
    *("pyclbr.py", "tabnanny.py", "symtable.py", "rlcompleter.py", "zipapp.py", "plistlib.py"),
    *(
        "csv.py",
        "ctypes/",
        "tarfile.py",
        "logging/config.py",
        "logging/handlers.py",
    ),
    *("urllib/request.py", "urllib/robotparser.py", "importlib/metadata/", "pty.py"),
    *("fileinput.py", "tty.py"),
)
"""Modules of Python's library that the package never imports (beginnings of paths)."""

_ENCODINGS: Final = ("__init__", "aliases", "ascii", "cp437", "idna", "latin_1", "utf_8")
"""The encodings that the engine keeps; ``zipfile`` reads names in cp437."""

LEFT_OUT: Final = (
    *("cli/", "__main__", "triplex/", "packings/proofs/", "api/bot", "studio/static/"),
    *(f"studio/{name}.py" for name in ("app", "http_answers", "access", "jobs", "server")),
    *(f"studio/{name}.py" for name in ("pattern_routes", "studio_state", "worker", "page_files")),
    *("studio/engine_files.py", "studio/wasm_modules.py"),
    *("bounds/certificate_writer.py", "bounds/certificate_file.py"),
    *("formats/link.py", "support/workers.py"),
    *("bounds/verifier.py", "render/live_clock.py", "render/notebook.py", "render/poster.py"),
    *("render/tilings.py", "render/video.py", "render/webp.py", "render/viewer.py"),
    *("render/terminal.py", "render/halfblocks.py", "render/side_by_side.py"),
)
"""Paths in this package that the page does not use (beginnings of paths)."""


def make_engine(target: Path, cache: Path) -> None:
    """Write the engine into a folder; keep what is fetched and compiled in the cache."""
    root = _find_checkout()
    cache.mkdir(parents=True, exist_ok=True)
    target.mkdir(parents=True, exist_ok=True)
    with _lock_cache(cache):
        pyodide = _fetch_pyodide(cache)
        for name in _PYODIDE_FILES:
            shutil.copyfile(pyodide / name, target / name)
        info = json.loads((pyodide / "pyodide-lock.json").read_text("utf-8"))["info"]
        (target / "pyodide-lock.json").write_text(json.dumps({"info": info, "packages": {}}))
        library = _select_library(pyodide / "python_stdlib.zip")
        (target / "python_stdlib.zip").write_bytes(_compile_python(library, 2, pyodide, cache))
        package = _select_package(root, cache)
        # Asserts and docstrings stay out of the page, as with `python -OO`.
        (target / "tetrisprinter.zip").write_bytes(_compile_python(package, 2, pyodide, cache))


@contextlib.contextmanager
def _lock_cache(cache: Path) -> Iterator[None]:
    """Let only one process at a time fill the cache; the next process finds the files there."""
    with (cache / "lock").open("w") as lock:
        with contextlib.suppress(ImportError):  # Windows has no such locks
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _select_package(root: Path, cache: Path) -> bytes:
    """Return a zip of this package, the packages that it imports, and the tables of patterns."""
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w") as archive:
        for path in sorted(root.joinpath("tetrisprinter").rglob("*")):
            name = path.relative_to(root).as_posix()
            inner_name = name.removeprefix("tetrisprinter/")
            suffixes = (".py", ".json", ".html", ".js", ".css", ".bdf")
            if path.suffix in suffixes and not inner_name.startswith(LEFT_OUT):
                _add_file(archive, path, name)
        kernels = compile_kernels(root, cache)
        for path in sorted(kernels.rglob("*" + SUFFIX)):
            _add_file(archive, path, path.relative_to(kernels).as_posix())
        sources = _fetch_python_sat(cache)
        for name in _SOLVER_FILES:
            _add_file(archive, sources / "pysat" / f"{name}.py", f"pysat/{name}.py")
        for path in sorted(_find_package("py_fumen_py").glob("*.py")):
            _add_file(archive, path, f"py_fumen_py/{path.name}")
        solvers = compile_solvers(sources / "solvers", cache)
        _add_file(archive, solvers, solvers.name)
        for path in sorted(root.joinpath("patterns").iterdir()):
            _add_file(archive, path, f"patterns/{path.name}")
    return output.getvalue()


def _find_package(name: str) -> Path:
    """Return the folder of an installed package."""
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def _add_file(archive: zipfile.ZipFile, path: Path, name: str) -> None:
    """Add a file with a fixed time, so that the same sources make the same archive."""
    archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), path.read_bytes())


def _select_library(source: Path) -> bytes:
    """Return Python's library without modules that this package never imports."""
    output = io.BytesIO()
    encodings = tuple(f"encodings/{name}.py" for name in _ENCODINGS)
    with zipfile.ZipFile(source) as library, zipfile.ZipFile(output, "w") as archive:
        for item in library.infolist():
            name = item.filename
            if name.startswith("encodings/") and name not in encodings:
                continue
            if not name.startswith(_UNUSED) and not name.endswith("/"):
                archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), library.read(name))
    return output.getvalue()


def _compile_python(archive: bytes, optimisation: int, pyodide: Path, cache: Path) -> bytes:
    """Return a zip with each Python file replaced by its bytecode, compressed."""
    script = Path(__file__).with_name("bytecode.mjs")
    digest = hashlib.sha256(archive + script.read_bytes() + f"{optimisation}".encode())
    compiled = cache / f"bytecode-{digest.hexdigest()[:16]}.zip"
    if not compiled.exists():
        sources, unfinished = compiled.with_suffix(".sources"), compiled.with_suffix(".new")
        sources.write_bytes(archive)
        run_tool([*NODE, script, pyodide, sources, unfinished, str(optimisation)])
        sources.unlink()
        unfinished.replace(compiled)
    return compiled.read_bytes()


def _find_checkout() -> Path:
    """Return the source checkout of this package; refuse if a required tool is missing."""
    root = Path(__file__).resolve().parents[2]
    if not (root / "build_kernels.py").is_file():
        raise InputError(
            "the page can only be built in a checkout of tetrisprinter; "
            "this is an installed package"
        )
    for name in ("Cython", "setuptools", "ziglang"):
        if importlib.util.find_spec(name) is None:
            raise InputError(f"the page needs {name.lower()}: pip install '.[page]'")
    return root


def _fetch_pyodide(cache: Path) -> Path:
    """Fetch Pyodide from npm, unless it is in the cache; return its folder."""
    archive = cache / f"pyodide-{PYODIDE}.tgz"
    if not archive.exists():
        run_tool(["npm", "pack", "--silent", f"pyodide@{PYODIDE}"], cwd=cache)
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    _verify_checksum(archive, f"sha512-{digest}", _PYODIDE_SUM)
    return _unpack(archive, cache / f"pyodide-{PYODIDE}") / "package"


def _fetch_python_sat(cache: Path) -> Path:
    """Fetch python-sat's sources from PyPI, unless they are in the cache; return their folder."""
    archive = cache / f"python_sat-{PYTHON_SAT}.tar.gz"
    if not archive.exists():
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary=:all:"]
        run_tool([*pip, "--no-build-isolation", f"python-sat=={PYTHON_SAT}"], cwd=cache)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    _verify_checksum(archive, digest, _PYTHON_SAT_SUM)
    return _unpack(archive, cache / "python-sat") / f"python_sat-{PYTHON_SAT}"


def _verify_checksum(archive: Path, actual: str, recorded: str) -> None:
    """Delete and refuse a fetched archive whose checksum is not the recorded one."""
    if actual != recorded:
        archive.unlink()
        raise JobError(f"{archive.name}: the downloaded file has a wrong checksum and was deleted")


def _unpack(archive: Path, folder: Path) -> Path:
    """Unpack an archive into a folder, unless the folder exists; return the folder."""
    if not folder.exists():
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
    return folder
