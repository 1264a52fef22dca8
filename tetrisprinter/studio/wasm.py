"""Compiled modules of the page: the kernels of this package and three SAT solvers, in WebAssembly.

The package ``ziglang`` compiles them against Python's limited API, from the headers of the Python
that runs this, so that they load in any newer Python. The solvers are those of python-sat, with
its patches and its wrapper, so they give the same answers as in the command.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from tetrisprinter import __version__
from tetrisprinter.errors import InputError, JobError

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
    digest = hashlib.sha256(" ".join((__version__, sys.version)).encode())
    for path in (*paths, Path(__file__)):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def compile_kernels(root: Path, cache: Path, report: Callable[[str], None]) -> Path:
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


def compile_solvers(sources: Path, cache: Path, report: Callable[[str], None]) -> Path:
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
