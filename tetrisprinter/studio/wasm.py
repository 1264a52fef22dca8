"""Makes the engine of the page: Pyodide, and the package with its inner loops for WebAssembly.

Pyodide comes from npm and must have the recorded sum. The loops are compiled by the package
``ziglang`` against Python's limited API, from the headers of the Python that runs this, so that
they load in any newer Python, too. All of it is kept in a cache.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from tetrisprinter import __version__
from tetrisprinter.errors import InputError, JobError

__all__ = ["NODE", "PYODIDE", "make_engine"]

PYODIDE: Final = "314.0.7"
"""The version of Pyodide; it has Python 3.14."""

_SUM: Final = (
    "sha512-0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/"
    "6V5JEsOlD2R1A=="
)
"""Of the archive that npm has, as npm writes it."""

NODE: Final = ("node", "--experimental-wasm-extended-const")
"""Runs it outside a browser: node 20 still has to be told that linkers add to constants."""

_PARTS: Final = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
_SUFFIX: Final = ".abi3.so"
_COMPILE: Final = (
    *("cc", "-target", "wasm32-wasi-musl", "-fPIC", "-O2", "-w", "-c"),
    # As build_kernels.py says: no a * b + c in one rounding, so that plans are the same anywhere.
    *("-ffp-contract=off", "-fno-sanitize=undefined"),
    *("-D__EMSCRIPTEN__", "-DPy_LIMITED_API=0x030B0000"),
)
_LINK: Final = (
    *("wasm-ld", "--no-entry", "-shared", "--experimental-pic", "--strip-all"),
    "--unresolved-symbols=import-dynamic",
)
_WIDTHS: Final = {"LONG": 4, "SIZE_T": 4, "VOID_P": 4, "UINTPTR_T": 4, "PTHREAD_T": 4, "TIME_T": 8}
"""Bytes of what a pointer is, in WebAssembly."""

_UNUSED: Final = (
    *("pdb.py", "pydoc.py", "pydoc_data/", "doctest.py", "unittest/", "test/", "idlelib/"),
    *("_pyrepl/", "xml/", "xmlrpc/", "wsgiref/", "imaplib.py", "smtplib.py", "mailbox.py"),
    *("ftplib.py", "poplib.py", "optparse.py", "pickletools.py", "curses/", "sqlite3/"),
    *("multiprocessing/", "ensurepip/", "venv/", "turtle", "tkinter/", "lib2to3/", "profiling/"),
)
"""Parts of Python's library that the package never imports."""

_LEFT_OUT: Final = ("cli/", "studio/static/", "studio/wasm.py", "studio/publishing.py", "bot/")
"""Parts of this package that the page has no use for."""


def make_engine(target: Path, cache: Path) -> None:
    """Put the engine into a folder."""
    root = _checkout()
    cache.mkdir(parents=True, exist_ok=True)
    target.mkdir(parents=True, exist_ok=True)
    package = _pyodide(cache)
    for name in _PARTS:
        shutil.copyfile(package / name, target / name)
    info = json.loads((package / "pyodide-lock.json").read_text("utf-8"))["info"]
    (target / "pyodide-lock.json").write_text(json.dumps({"info": info, "packages": {}}))
    _pack_library(package / "python_stdlib.zip", target / "python_stdlib.zip")
    loops = _loops(root, cache)
    with zipfile.ZipFile(target / "tetrisprinter.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(root.joinpath("tetrisprinter").rglob("*")):
            name = path.relative_to(root).as_posix()
            inside = name.removeprefix("tetrisprinter/")
            if path.suffix in (".py", ".json", ".html", ".js", ".css") and not inside.startswith(
                _LEFT_OUT
            ):
                _store(archive, path, name)
        for path in sorted(loops.rglob("*" + _SUFFIX)):
            _store(archive, path, path.relative_to(loops).as_posix())
        for path in sorted(root.joinpath("patterns").iterdir()):
            _store(archive, path, f"patterns/{path.name}")


def _store(archive: zipfile.ZipFile, path: Path, name: str) -> None:
    """Add a file whose time says nothing, so that the same sources make the same archive."""
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, path.read_bytes())


def _checkout() -> Path:
    root = Path(__file__).resolve().parents[2]
    if not (root / "build_kernels.py").is_file():
        raise InputError(
            "the page is made in a checkout of tetrisprinter, where its loops are compiled; "
            "this is an installed package"
        )
    for name, install in (("Cython", "cython"), ("setuptools", "setuptools")):
        if importlib.util.find_spec(name) is None:
            raise InputError(f"the page needs {install}: pip install '.[page]'")
    if importlib.util.find_spec("ziglang") is None:
        raise InputError("the page needs ziglang: pip install '.[page]'")
    return root


def _run(command: Iterable[str | Path], **options: Any) -> str:
    """Run a command and return its output."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, **options)
    except OSError as error:
        raise InputError(f"the page needs {words[0]}, which does not run: {error}") from error
    if done.returncode:
        raise JobError(f"{' '.join(words[:4])} ... failed: {done.stderr.strip()[-1000:]}")
    output: str = done.stdout
    return output


def _pyodide(cache: Path) -> Path:
    """Fetch Pyodide from npm, unless it is in the cache; return its folder."""
    archive = cache / f"pyodide-{PYODIDE}.tgz"
    if not archive.exists():
        _run(["npm", "pack", "--silent", f"pyodide@{PYODIDE}"], cwd=cache)
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if f"sha512-{digest}" != _SUM:
        archive.unlink()
        raise JobError(f"pyodide {PYODIDE}: npm has another file than was recorded")
    folder = cache / f"pyodide-{PYODIDE}"
    if not folder.exists():
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
    return folder / "package"


def _pack_library(source: Path, target: Path) -> None:
    """Copy Python's library without what is never imported here."""
    with zipfile.ZipFile(source) as whole, zipfile.ZipFile(target, "w") as archive:
        for item in whole.infolist():
            if not item.filename.startswith(_UNUSED):
                archive.writestr(item, whole.read(item), zipfile.ZIP_DEFLATED, 9)


def _digest(paths: Iterable[Path]) -> str:
    made = hashlib.sha256(" ".join((__version__, sys.version, *_COMPILE)).encode())
    for path in paths:
        made.update(path.name.encode() + path.read_bytes())
    return made.hexdigest()[:16]


def _loops(root: Path, cache: Path) -> Path:
    """Compile every kernel for WebAssembly, unless the same ones are in the cache."""
    sources = sorted([*root.glob("tetrisprinter/**/_kernel*.py"), *root.glob("**/*.pxd")])
    build = root / "build_kernels.py"
    done = cache / f"loops-{_digest([*sources, build])}"
    if done.exists():
        return done
    work = cache / f"making-{os.getpid()}"
    shutil.rmtree(work, ignore_errors=True)
    try:
        with _copy_sources(root, work) as kernels, ThreadPoolExecutor(os.cpu_count()) as pool:
            written = kernels.sources(kernels.KERNELS, work / "c")
            jobs = [pool.submit(_compile, one, work) for one in written]
            for job in jobs:
                job.result()
        (work / "made").replace(done)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return done


@contextlib.contextmanager
def _copy_sources(root: Path, work: Path) -> Iterator[Any]:
    """Copy the sources, as Cython looks for compiled code beside them; be there meanwhile."""
    site = work / "site"
    ignored = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    shutil.copytree(root / "tetrisprinter", site / "tetrisprinter", ignore=ignored)
    shutil.copyfile(root / "build_kernels.py", site / "build_kernels.py")
    shutil.copytree(sysconfig.get_path("include"), work / "include")
    sizes = "".join(f"#undef SIZEOF_{n}\n#define SIZEOF_{n} {w}\n" for n, w in _WIDTHS.items())
    with (work / "include" / "pyconfig.h").open("a") as config:
        config.write(sizes)
    spec = importlib.util.spec_from_file_location("_kernels_of_page", site / "build_kernels.py")
    assert spec is not None
    assert spec.loader is not None
    kernels = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kernels)
    with contextlib.chdir(site):
        yield kernels


def _compile(extension: Any, work: Path) -> None:
    """Make a side module of the C of one kernel."""
    source = Path(extension.sources[0])
    part = source.with_suffix(".o")
    *folders, name = extension.name.split(".")
    place = work.joinpath("made", *folders, name + _SUFFIX)
    place.parent.mkdir(parents=True, exist_ok=True)
    # Of many kernels only a few have changed: the others are there from the last time.
    known = work.parent / "modules" / f"{name}-{_digest([source])}"
    if not known.exists():
        zig = [sys.executable, "-m", "ziglang"]
        _run([*zig, *_COMPILE, f"-I{work / 'include'}", source, "-o", part])
        _run([*zig, *_LINK, f"--export=PyInit_{name}", part, "-o", part.with_suffix(".so")])
        known.parent.mkdir(exist_ok=True)
        part.with_suffix(".so").replace(known)
    shutil.copyfile(known, place)
