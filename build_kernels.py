#!/usr/bin/env python3
"""Compiles the inner loops, the modules named ``_kernel*``, with Cython and a C compiler.

    python build_kernels.py [--check] [FILE]...    compile changed kernels in place; or list them

The compiler is the system's if it works, else that of the package ``ziglang``, which the build
requires in that case (see ``hatch_build.py``).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
PACKAGE = ROOT / "tetrisprinter"
KERNELS = tuple(sorted([*PACKAGE.rglob("_kernel*.py"), *ROOT.glob("tests/oracles/_kernel*.py")]))
_SUFFIX = EXTENSION_SUFFIXES[0]
_DIRECTIVES = {
    "auto_pickle": False,
    "boundscheck": False,
    "cdivision": True,
    "infer_types": True,
    "initializedcheck": False,
    "language_level": 3,
    "wraparound": False,
}
# No fused multiply-add (one rounding for a * b + c), so plans are the same on all machines.
_FLAGS = ["-O3", "-g0", "-ffp-contract=off"] if os.name != "nt" else ["/O2"]
_FLAGS_OF_MEMORY = ["-O1", "-g0"] if os.name != "nt" else ["/O1"]  # it contains no hot loop
_PROBE = "#include <Python.h>\nint main(void) { return 0; }\n"


class BuildError(Exception):
    """The kernels could not be compiled; the message says why."""


def get_library_path(kernel: Path) -> Path:
    """Return the path of the compiled module of a kernel, beside its source."""
    return kernel.with_name(kernel.stem + _SUFFIX)


def list_shared_modules() -> list[Path]:
    """Return the compiled modules of Cython's memory-view code, which all kernels share.

    Each kernel imports the one of the Cython version that compiled it.
    """
    return sorted((PACKAGE / "support").glob(f"_memory_*{_SUFFIX}"))


def list_stale(kernels: Iterable[Path] = KERNELS) -> list[Path]:
    """Return the kernels without compiled code, or with code older than its sources."""
    shared = [*PACKAGE.rglob("*.pxd"), Path(__file__)]
    newest = max(path.stat().st_mtime for path in shared)
    return [
        kernel
        for kernel in kernels
        if not get_library_path(kernel).exists()
        or not list_shared_modules()
        or get_library_path(kernel).stat().st_mtime < max(newest, kernel.stat().st_mtime)
    ]


def _compile_with_setuptools(extension: Any, folder: Path) -> None:
    """Compile an extension with the system's compiler, as setuptools finds it."""
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext

    command = build_ext(Distribution({"name": "kernels", "ext_modules": [extension]}))
    command.build_lib = str(folder)
    command.build_temp = str(folder / "objects")
    command.ensure_finalized()
    command.run()


def _find_compiler_fault() -> str:
    """Return why the system's compiler does not work; an empty string if it does."""
    from setuptools import Extension

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "probe.c").write_text(_PROBE)
        output = StringIO()
        try:
            with redirect_stdout(output), redirect_stderr(output):
                _compile_with_setuptools(Extension("probe", [str(folder / "probe.c")]), folder)
        except Exception as error:  # setuptools raises many types of errors
            return " ".join(str(error).split())
    return ""


def explain_missing_compiler() -> str:
    """Return what is missing to compile with the system's compiler, or an empty string."""
    fault = _find_compiler_fault()
    if not fault:
        return ""
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.exists():
        return (
            f"the header {header} is missing, without which no inner loop can be compiled: install "
            "the development files of this Python (Debian: python3-dev; Fedora: python3-devel)"
        )
    return f"no C compiler works here ({fault})"


def _compile_with_zig(extension: Any, folder: Path) -> None:
    """Compile an extension with the compiler of the package ``ziglang``."""
    out = get_library_path(folder.joinpath(*extension.name.split(".")))
    out.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "ziglang", "cc", "-shared", *extension.extra_compile_args]
    command += ["-mcpu=baseline", "-fno-sanitize=undefined"]
    command += [f"-I{sysconfig.get_path('include')}", f"-I{sysconfig.get_path('platinclude')}"]
    if sys.platform == "win32":
        version = f"{sys.version_info.major}{sys.version_info.minor}"
        command += [f"-L{Path(sys.base_prefix) / 'libs'}", f"-lpython{version}"]
    else:
        command += ["-fPIC", "-Wl,-s"]
    if sys.platform == "darwin":
        command += ["-undefined", "dynamic_lookup"]
    done = subprocess.run(
        [*command, *extension.sources, "-o", str(out)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BuildError(f"the compiler of the package ziglang failed:\n{done.stderr}")


def _list_extensions(kernels: Iterable[Path], memory: str) -> list[Any]:
    """Return the extensions to compile, those with the largest sources first."""
    from setuptools import Extension

    strip = ["-Wl,-s"] if sys.platform == "linux" else []
    listed = [
        Extension(
            ".".join(kernel.relative_to(ROOT).with_suffix("").parts),
            [str(kernel.relative_to(ROOT))],
            extra_compile_args=_FLAGS,
            extra_link_args=strip,
        )
        for kernel in sorted(kernels, key=lambda kernel: -kernel.stat().st_size)
    ]
    source = PACKAGE.parent.joinpath(*memory.split(".")).with_suffix(".c")
    if not get_library_path(source).exists():
        name = str(source.relative_to(ROOT))
        listed.append(
            Extension(memory, [name], extra_compile_args=_FLAGS_OF_MEMORY, extra_link_args=strip)
        )
    return listed


def write_c_sources(kernels: Iterable[Path], folder: Path) -> Iterator[Any]:
    """Write the C code of some kernels, and of their shared module unless it is compiled.

    Parameters
    ----------
    kernels : iterable of Path
        The Python sources of the kernels.
    folder : Path
        The folder for the C code.

    Yields
    ------
    Extension
        The next module to compile; its sources are C.
    """
    import Cython
    from Cython.Build import cythonize

    memory = "tetrisprinter.support._memory_" + re.sub(r"\W", "_", Cython.__version__)
    for extension in _list_extensions(kernels, memory):
        yield from cythonize(
            [extension],
            build_dir=str(folder),
            compiler_directives=_DIRECTIVES,
            quiet=True,
            shared_utility_qualified_name=memory,
        )


def build(kernels: Iterable[Path], folder: Path) -> dict[Path, Path]:
    """Compile some kernels, and their shared module unless it is compiled.

    While Cython writes the C code of one kernel, other kernels are compiled.

    Parameters
    ----------
    kernels : iterable of Path
        The Python sources of the kernels.
    folder : Path
        The folder for the compiled modules, with a subfolder for each package.

    Returns
    -------
    dict
        The path of each compiled module in the folder, by its future path in the package.

    Raises
    ------
    BuildError
        If there is no compiler, or the compiler fails.
    """
    compile_extension = _compile_with_setuptools
    if find_spec("ziglang") is not None and explain_missing_compiler():
        compile_extension = _compile_with_zig
    made: dict[Path, Path] = {}
    output = StringIO()
    start_folder = Path.cwd()
    os.chdir(ROOT)  # Cython finds packages and their .pxd from here
    try:
        with redirect_stdout(output), ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = []
            for extension in write_c_sources(kernels, folder / "c"):
                jobs.append(pool.submit(compile_extension, extension, folder))
                library = get_library_path(Path(*extension.name.split(".")))
                made[ROOT / library] = folder / library
            for job in jobs:
                job.result()
    except BuildError:
        raise
    except Exception as error:
        raise BuildError(explain_missing_compiler() or f"{output.getvalue()}{error}") from error
    finally:
        os.chdir(start_folder)
    return made


def build_in_place(kernels: Iterable[Path]) -> None:
    """Compile some kernels; copy the compiled modules beside the sources once all are complete."""
    with tempfile.TemporaryDirectory() as name:
        for place, code in build(kernels, Path(name)).items():
            temporary = place.with_suffix(f".{os.getpid()}")
            shutil.copyfile(code, temporary)
            temporary.replace(place)  # another process may be loading the old one


def main() -> None:
    """Compile the changed kernels, or list them with ``--check``."""
    named = [Path(word).resolve() for word in sys.argv[1:] if word != "--check"]
    changed = list_stale(named or KERNELS)
    if "--check" in sys.argv[1:]:
        print("\n".join(str(kernel.relative_to(ROOT)) for kernel in changed))
        sys.exit(bool(changed))
    if changed:
        try:
            build_in_place(changed)
        except BuildError as error:
            sys.exit(str(error))


if __name__ == "__main__":
    main()
