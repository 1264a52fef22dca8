"""The page: the studio as a folder of files that any web server can serve.

Pages, scripts and styles are those of the studio. Where the studio sends requests to its server,
the page sends them to the package, which runs in the browser
(:mod:`~tetrisprinter.studio.page_engine`).

Its engine is Pyodide and this package, compiled. Pyodide comes from npm, python-sat from PyPI; both
must have the recorded checksums. Python files are stored as bytecode, compiled by the Python inside
Pyodide, because a page that compiles its modules at every visit starts three times as slowly.
Everything is kept in a cache.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from hashlib import sha256, sha512
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any, Final

from tetrisprinter import __version__
from tetrisprinter.api.request import PRESETS
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.plan import Plan
from tetrisprinter.render.page import make_page
from tetrisprinter.studio.prints import list_examples, make_demo_data
from tetrisprinter.studio.worker import TRIPLEX_SIZES
from tetrisprinter.triplex.generator import generate
from tetrisprinter.triplex.levels import make_triplex_page

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

_NODE_VERSION: Final = 20
_PROGRAMS: Final = ("node", "npm", "patch")
_PACKAGES: Final = ("Cython", "setuptools", "ziglang", "pip")  # what building the engine needs

_FETCHED_FILES: Final = ("pyodide.asm.wasm", "python_stdlib.zip", "tetrisprinter.zip")
"""The large files of the engine, whose loading the page reports."""

_PYODIDE_FILES: Final = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")

_SOLVER_FILES: Final = ("__init__", "_fileio", "_utils", "engines", "formula", "solvers")
"""The modules of python-sat's package ``pysat`` that its solvers need."""

_UNUSED: Final = (
    *("pdb.py", "bdb.py", "cmd.py", "pydoc.py", "pydoc_data/", "doctest.py", "unittest/", "test/"),
    *("_pyrepl/", "xml/", "xmlrpc/", "wsgiref/", "imaplib.py", "smtplib.py", "mailbox.py"),
    *("ftplib.py", "poplib.py", "optparse.py", "pickletools.py", "curses/", "sqlite3/", "idlelib/"),
    *("multiprocessing/", "ensurepip/", "venv/", "turtle", "tkinter/", "lib2to3/", "profiling/"),
    *("email/", "http/", "_pyio.py", "_pydecimal.py", "_pydatetime.py"),
    *("configparser.py", "statistics.py", "argparse.py", "getopt.py", "_strptime.py", "cgi"),
    *("socketserver.py", "webbrowser.py", "tracemalloc.py", "trace.py", "timeit.py", "profile.py"),
    *("cProfile.py", "pstats.py", "zoneinfo/", "wave.py", "sched.py", "code.py", "mimetypes.py"),
    *("tomllib/", "modulefinder.py", "compileall.py", "filecmp.py", "netrc.py", "nturl2path.py"),
    *("pyclbr.py", "tabnanny.py", "symtable.py", "rlcompleter.py", "zipapp.py", "plistlib.py"),
    *("csv.py", "ctypes/", "tarfile.py", "logging/config.py", "logging/handlers.py"),
    *("urllib/request.py", "urllib/robotparser.py", "importlib/metadata/", "pty.py"),
    *("fileinput.py", "tty.py"),
)
"""Modules of Python's library that the package never imports (beginnings of paths)."""

_OPTIMISATION: Final = "2"  # asserts and docstrings stay out of the page, as with ``python -OO``

_ENCODINGS: Final = ("__init__", "aliases", "ascii", "cp437", "idna", "latin_1", "utf_8")
"""The encodings that the engine keeps; ``zipfile`` reads names in cp437."""

LEFT_OUT: Final = (
    *("cli/", "__main__", "triplex/", "studio/static/"),
    *(f"packings/{name}.py" for name in ("certificates", "patterns")),
    *(f"studio/{name}.py" for name in ("app", "jobs", "page")),
    *("sat/proofs.py", "sat/proof_files.py", "bounds/certificate_writer.py", "bounds/verifier.py"),
    "render/terminal.py",
)
"""Paths in this package that the page does not use (beginnings of paths)."""

_PAGES: Final = ("index.html", "patterns.html", "tilings.html")

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

Report = Callable[[str], None]
"""Is called with a sentence before each step that takes seconds or more."""


# ---- The folder.


def find_cache() -> Path:
    """Return the folder of fetched and compiled files."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "tetrisprinter" / "page"


def publish(folder: Path, docs_address: str = "", report: Report = lambda _sentence: None) -> int:
    """Write the page into a folder, with a link to the documentation; return its size in bytes.

    ``report`` is called with a sentence before each step that takes long.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / "page.json").is_file():
        raise InputError(f"{folder}: contains other files; choose a new folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as name:
        new_folder = Path(name) / "page"
        make_engine(new_folder / "engine", find_cache(), report)
        report("writing the pages")
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
        if file.is_file() and not file.name.endswith(".html"):
            (folder / "static" / file.name).write_bytes(file.read_bytes())
    for name in _PAGES:
        text = resources.files("tetrisprinter.studio").joinpath(f"static/{name}").read_text("utf-8")
        text = text.replace(
            "<html ", f'<html data-engine="worker" data-home="{escape(docs_address)}" ', 1
        )
        loading = 'id="engine" role="status"'
        text = text.replace(f"{loading} hidden>", f"{loading}>The engine is being loaded: 0 %")
        policy = f'<meta http-equiv="Content-Security-Policy" content="{_make_policy()}">'
        manifest = '<link rel="manifest" href="manifest.webmanifest">'
        text = text.replace(
            '<meta charset="utf-8">', f'<meta charset="utf-8">\n{policy}\n{manifest}'
        )
        (folder / name).write_text(text, "utf-8")
    levels = [level for width, height in TRIPLEX_SIZES for level in generate(width, height, seed=0)]
    (folder / "triplex.html").write_text(make_triplex_page(levels), "utf-8")
    (folder / "demo.json").write_text(make_demo_data())
    (folder / "examples").mkdir()
    for path in list_examples().values():
        shutil.copyfile(path, folder / "examples" / path.name)
    presets = {name: asdict(preset) for name, preset in PRESETS.items()}
    page_data = {
        "version": __version__,
        "examples": list(list_examples()),
        "presets": presets,
        "engineBytes": sum((folder / "engine" / name).stat().st_size for name in _FETCHED_FILES),
    }
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


# ---- The engine.


def make_engine(target: Path, cache: Path, report: Report = lambda _sentence: None) -> None:
    """Write the engine into a folder; keep what is fetched and compiled in the cache."""
    root = _find_checkout()
    cache.mkdir(parents=True, exist_ok=True)
    target.mkdir(parents=True, exist_ok=True)
    with _lock_cache(cache):
        pyodide = _fetch_pyodide(cache, report)
        for name in _PYODIDE_FILES:
            shutil.copyfile(pyodide / name, target / name)
        info = json.loads((pyodide / "pyodide-lock.json").read_text("utf-8"))["info"]
        (target / "pyodide-lock.json").write_text(json.dumps({"info": info, "packages": {}}))
        library = _select_library(pyodide / "python_stdlib.zip")
        (target / "python_stdlib.zip").write_bytes(_compile_python(library, pyodide, cache, report))
        package = _select_package(root, cache, report)
        (target / "tetrisprinter.zip").write_bytes(_compile_python(package, pyodide, cache, report))


@contextlib.contextmanager
def _lock_cache(cache: Path) -> Iterator[None]:
    """Let only one process at a time fill the cache; the next process finds the files there."""
    with (cache / "lock").open("w") as lock:
        with contextlib.suppress(ImportError):  # Windows has no such locks
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _select_package(root: Path, cache: Path, report: Report) -> bytes:
    """Return a zip of this package, the packages that it imports, and the tables of patterns."""
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w") as archive:
        for path in sorted(root.joinpath("tetrisprinter").rglob("*")):
            name = path.relative_to(root).as_posix()
            inner_name = name.removeprefix("tetrisprinter/")
            suffixes = (".py", ".json", ".html", ".js", ".css", ".bdf")
            if path.suffix in suffixes and not inner_name.startswith(LEFT_OUT):
                _add_file(archive, path, name)
        kernels = compile_kernels(root, cache, report)
        for path in sorted(kernels.rglob("*" + SUFFIX)):
            _add_file(archive, path, path.relative_to(kernels).as_posix())
        sources = _fetch_python_sat(cache, report)
        for name in _SOLVER_FILES:
            _add_file(archive, sources / "pysat" / f"{name}.py", f"pysat/{name}.py")
        for path in sorted(Path(str(resources.files("py_fumen_py"))).glob("*.py")):
            _add_file(archive, path, f"py_fumen_py/{path.name}")
        solvers = compile_solvers(sources / "solvers", cache, report)
        _add_file(archive, solvers, solvers.name)
        for path in sorted(root.joinpath("patterns").iterdir()):
            _add_file(archive, path, f"patterns/{path.name}")
    return output.getvalue()


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


def _compile_python(archive: bytes, pyodide: Path, cache: Path, report: Report) -> bytes:
    """Return a zip with each Python file replaced by its bytecode, compressed."""
    script = Path(__file__).with_name("bytecode.mjs")
    digest = sha256(archive + script.read_bytes() + _OPTIMISATION.encode())
    compiled = cache / f"bytecode-{digest.hexdigest()[:16]}.zip"
    if not compiled.exists():
        sources, unfinished = compiled.with_suffix(".sources"), compiled.with_suffix(".new")
        sources.write_bytes(archive)
        with zipfile.ZipFile(sources) as zipped:
            report(f"compiling {len(zipped.namelist())} Python files to bytecode")
        run_tool([*NODE, script, pyodide, sources, unfinished, _OPTIMISATION])
        sources.unlink()
        unfinished.replace(compiled)
    return compiled.read_bytes()


def _find_checkout() -> Path:
    """Return the source checkout of this package; refuse if a required tool is missing."""
    root = Path(__file__).resolve().parents[2]
    if not (root / "build_kernels.py").is_file():
        raise InputError(
            "the page is built from a checkout, but this is an installed copy: run "
            "pip install -e '.[page]' in the folder of the checkout"
        )
    packages = [name for name in _PACKAGES if not _is_installed(name)]
    if packages:
        raise InputError(
            f"the page needs {_join(packages).lower()}: run pip install -e '.[page]' in {root}"
        )
    programs = [name for name in _PROGRAMS if shutil.which(name) is None]
    if programs:
        raise InputError(
            f"the page needs {_join(programs)}, not found on the PATH; install node "
            f"{_NODE_VERSION} or newer (which brings npm), and patch"
        )
    version = run_tool(["node", "--version"]).strip()
    if int(version.lstrip("v").partition(".")[0]) < _NODE_VERSION:
        raise InputError(f"the page needs node {_NODE_VERSION} or newer; this is node {version}")
    return root


def _is_installed(name: str) -> bool:
    """Return whether a package is installed; it is not looked up as a module.

    If pip is looked up as a module, setuptools no longer brings its own distutils.
    """
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _join(names: Sequence[str]) -> str:
    """Return names as a list in a sentence.

    >>> _join(["a"]), _join(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _fetch_pyodide(cache: Path, report: Report) -> Path:
    """Fetch Pyodide from npm, unless it is in the cache; return its folder."""
    archive = cache / f"pyodide-{PYODIDE}.tgz"
    if not archive.exists():
        report(f"fetching Pyodide {PYODIDE} from npm (6 MB)")
        run_tool(["npm", "pack", "--loglevel=error", f"pyodide@{PYODIDE}"], cwd=cache)
    digest = b64encode(sha512(archive.read_bytes()).digest()).decode()
    _verify_checksum(archive, f"sha512-{digest}", _PYODIDE_SUM)
    return _unpack(archive, cache / f"pyodide-{PYODIDE}") / "package"


def _fetch_python_sat(cache: Path, report: Report) -> Path:
    """Fetch python-sat's sources from PyPI, unless they are in the cache; return their folder."""
    archive = cache / f"python_sat-{PYTHON_SAT}.tar.gz"
    if not archive.exists():
        report(f"fetching python-sat {PYTHON_SAT} from PyPI (3 MB)")
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary=:all:"]
        run_tool([*pip, "--no-build-isolation", f"python-sat=={PYTHON_SAT}"], cwd=cache)
    digest = sha256(archive.read_bytes()).hexdigest()
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


# The compiled modules: the kernels of this package and three SAT solvers, in WebAssembly. The
# package ziglang compiles them against Python's limited API, from the headers of the Python that
# runs this, so that they load in any newer Python. The solvers are those of python-sat, with its
# patches and its wrapper, so they give the same answers as in the command.

SUFFIX: Final = ".abi3.so"
"""The ending of a compiled module that works in any newer Python."""

_OPTIONS: Final = (
    *("-target", "wasm32-wasi-musl", "-fPIC", "-O2", "-w", "-c"),
    # No fused multiply-add, as in build_kernels.py: plans must be the same on every machine.
    *("-ffp-contract=off", "-fno-sanitize=undefined"),
    *("-D__EMSCRIPTEN__", "-DPy_LIMITED_API=0x030B0000"),
)
_LINK: Final = (
    *("wasm-ld", "--no-entry", "-shared", "--experimental-pic", "--strip-all"),
    *("--unresolved-symbols=import-dynamic", "--export-if-defined=__wasm_call_ctors"),
)
_C_TYPE_SIZES: Final = {
    "LONG": 4,
    "SIZE_T": 4,
    "VOID_P": 4,
    "UINTPTR_T": 4,
    "PTHREAD_T": 4,
    "TIME_T": 8,
}
"""Sizes of C types in WebAssembly, in bytes."""

_SOLVERS: Final = ("glucose30", "glucose41", "glucose421")
_SOLVER_OPTIONS: Final = (
    # The options of the solvers' own makefiles.
    *("-std=c++11", "-DNDEBUG", "-DINCREMENTAL", "-fno-strict-aliasing"),
    *("-fwasm-exceptions", "-mexception-handling", "-mllvm", "-wasm-enable-eh"),
    *("-D_WASI_EMULATED_PROCESS_CLOCKS", "-D_WASI_EMULATED_SIGNAL"),
)

_HEADERS: Final = {
    # A page gets no Ctrl-C, so the wrapper never has to jump out of a solver.
    "setjmp.h": "typedef int jmp_buf[1];\n#define setjmp(env) 0\n"
    "#define longjmp(env, value) __builtin_trap()\n",
    "zlib.h": 'typedef void *gzFile;\nextern "C" int gzread(gzFile, void *, unsigned);\n',
    # In Pyodide errno is read by this function; zig's C library has a variable instead.
    "errno.h": "#pragma once\n#include_next <errno.h>\n#undef errno\n"
    'extern "C" int *__errno_location(void);\n#define errno (*__errno_location())\n',
}
_EXIT: Final = 'extern "C" void exit(int) { __builtin_trap(); }\n'
"""A definition of ``exit``, which only the solvers' own command line would call."""

_CORRECTIONS: Final = (
    # A `long` has 32 bits here; the wrapper reads budgets of 64 bits with it.
    (r'"Ol", &s_obj, &budget', '"OL", &s_obj, &budget'),
    (r"int64_t budget;", "long long budget;"),
    (r"\bPyList_SET_ITEM\(", "PyList_SetItem("),  # not in the limited API
)
"""Replacements in the source of python-sat's wrapper: pattern and new text."""


def run_tool(command: Iterable[str | Path], **options: Any) -> str:
    """Run a command and return its output."""
    arguments = [str(argument) for argument in command]
    try:
        process = subprocess.run(arguments, capture_output=True, text=True, check=False, **options)
    except OSError as error:
        raise InputError(f"the page needs {arguments[0]}, which does not run: {error}") from error
    if process.returncode:
        raise JobError(f"{' '.join(arguments[:4])} ... failed: {process.stderr.strip()[-1000:]}")
    output: str = process.stdout
    return output


def make_digest(paths: Iterable[Path]) -> str:
    """Return a short digest of some files, this module and the running Python version."""
    digest = sha256(" ".join((__version__, sys.version)).encode())
    for path in (*paths, Path(__file__)):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def compile_kernels(root: Path, cache: Path, report: Report) -> Path:
    """Compile every kernel, unless the same modules are in the cache; return their folder."""
    sources = sorted([*root.glob("tetrisprinter/**/_kernel*.py"), *root.glob("**/*.pxd")])
    target = cache / f"kernels-{make_digest([*sources, root / 'build_kernels.py'])}"
    if target.exists():
        return target
    report("compiling the inner loops for WebAssembly, which takes about a minute")
    with _make_work_folder(cache) as work:
        with _copy_sources(root, work) as build_script, ThreadPoolExecutor(os.cpu_count()) as pool:
            c_sources = build_script.write_c_sources(build_script.KERNELS, work / "c")
            for task in [pool.submit(_compile_kernel, c_source, work) for c_source in c_sources]:
                task.result()
        (work / "made").replace(target)
    return target


def compile_solvers(sources: Path, cache: Path, report: Report) -> Path:
    """Compile the solvers of python-sat, unless they are in the cache; return the module."""
    digest = make_digest([sources / "pysolvers.cc", *(_find_archive(sources, s) for s in _SOLVERS)])
    target = cache / f"solvers-{digest}" / f"pysolvers{SUFFIX}"
    if target.exists():
        return target
    report("compiling the solvers for WebAssembly, which takes about a minute")
    with _make_work_folder(cache) as work, ThreadPoolExecutor(os.cpu_count()) as pool:
        _write_headers(work)
        for name, text in _HEADERS.items():
            (work / "include" / name).write_text(text)
        (work / "exit.cc").write_text(_EXIT)
        wrapper = (sources / "pysolvers.cc").read_text("utf-8")
        for pattern, replacement in _CORRECTIONS:
            wrapper = re.sub(pattern, replacement, wrapper)
        (work / "pysolvers.cc").write_text(wrapper, "utf-8")
        files = [work / "exit.cc", work / "pysolvers.cc"]
        for name in _SOLVERS:
            folder = _unpack_solver(sources, name, work)
            files += [folder / "core" / "Solver.cc", folder / "utils" / "Options.cc"]
            files += folder.glob("core/lcm.cc")
        object_files = list(pool.map(lambda file: _compile_solver_file(file, work), files))
        module = work / "made" / target.name
        module.parent.mkdir()
        _link(object_files, "pysolvers", module)
        module.parent.replace(target.parent)
    return target


@contextlib.contextmanager
def _make_work_folder(cache: Path) -> Iterator[Path]:
    """Yield an empty folder, which is deleted at the end."""
    work = cache / f"making-{os.getpid()}"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _write_headers(work: Path) -> None:
    """Copy Python's headers, with the sizes of WebAssembly."""
    shutil.copytree(sysconfig.get_path("include"), work / "include")
    sizes = "".join(
        f"#undef SIZEOF_{name}\n#define SIZEOF_{name} {size}\n"
        for name, size in _C_TYPE_SIZES.items()
    )
    with (work / "include" / "pyconfig.h").open("a") as config:
        config.write(sizes)


@contextlib.contextmanager
def _copy_sources(root: Path, work: Path) -> Iterator[Any]:
    """Copy the sources without compiled modules (Cython would use them); yield the build script."""
    site = work / "site"
    ignored = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    shutil.copytree(root / "tetrisprinter", site / "tetrisprinter", ignore=ignored)
    shutil.copyfile(root / "build_kernels.py", site / "build_kernels.py")
    _write_headers(work)
    spec = importlib.util.spec_from_file_location("_kernels_of_page", site / "build_kernels.py")
    assert spec is not None
    assert spec.loader is not None
    kernels = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kernels)
    with contextlib.chdir(site):
        yield kernels


def _compile_kernel(extension: Any, work: Path) -> None:
    """Compile the C source of one kernel into a module."""
    source = Path(extension.sources[0])
    *folders, name = extension.name.split(".")
    target = work.joinpath("made", *folders, name + SUFFIX)
    target.parent.mkdir(parents=True, exist_ok=True)
    # Usually only a few kernels have changed: the others are cached from the last run.
    cached = work.parent / "modules" / f"{name}-{make_digest([source])}"
    if not cached.exists():
        object_file = source.with_suffix(".o")
        _run_zig("cc", *_OPTIONS, f"-I{work / 'include'}", source, "-o", object_file)
        module = object_file.with_suffix(".so")
        _link([object_file], name, module)
        cached.parent.mkdir(exist_ok=True)
        module.replace(cached)
    shutil.copyfile(cached, target)


def _find_archive(sources: Path, solver: str) -> Path:
    return sources / f"{solver}.tar.gz"


def _unpack_solver(sources: Path, solver: str, work: Path) -> Path:
    """Unpack a solver and apply python-sat's patch to it, as its own setup does."""
    unpacked = work / f"{solver}-archive"
    with tarfile.open(_find_archive(sources, solver)) as tar:
        tar.extractall(unpacked, filter="data")
    inner = next(path for path in unpacked.iterdir() if (path / "core").is_dir())
    folder = inner.rename(work / solver)
    patch = (sources / "patches" / f"{solver}.patch").resolve()
    run_tool(["patch", "-p2", "--silent", "--input", patch], cwd=folder)
    return folder


def _compile_solver_file(source: Path, work: Path) -> Path:
    """Compile one C++ file of the solvers; return the object file."""
    object_file = source.with_suffix(".o")
    # Files of a solver include each other from its folder, the wrapper by the solver's name.
    folders = [work / "include", source.parents[1], work]
    definitions = [f"-DWITH_{name.upper()}" for name in _SOLVERS]
    options = (*_OPTIONS, *_SOLVER_OPTIONS, *definitions, *(f"-I{folder}" for folder in folders))
    _run_zig("c++", *options, source, "-o", object_file)
    return object_file


def _link(object_files: Sequence[Path], module: str, target: Path) -> None:
    _run_zig(*_LINK, f"--export=PyInit_{module}", *object_files, "-o", target)


def _run_zig(*arguments: str | Path) -> None:
    run_tool([sys.executable, "-m", "ziglang", *arguments])
