#!/usr/bin/env python3
"""Compiles the inner loops: every module called ``_kernel*``, by Cython and a C compiler.

    python build_kernels.py [--check]      compile in place what changed; or say what did

The compiler is the system's, if there is one that works, else that of the package ``ziglang``,
which the build asks the package index for (see ``hatch_build.py``).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

__all__ = [
    "KERNELS",
    "BuildError",
    "build",
    "build_in_place",
    "library",
    "missing",
    "refresh",
    "stale",
]

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
# No a * b + c in one rounding: plans are the same on all machines.
_FLAGS = ["-O3", "-g0", "-ffp-contract=off"]
_PROBE = "#include <Python.h>\nint main(void) { return 0; }\n"


class BuildError(Exception):
    """What is compiled could not be; the message says what is missing."""


def library(kernel: Path) -> Path:
    """Return where the compiled code of a kernel lies beside its source."""
    return kernel.with_name(kernel.stem + _SUFFIX)


def stale() -> list[Path]:
    """Return the kernels without compiled code, or with code older than what it comes from."""
    shared = [*PACKAGE.rglob("*.pxd"), Path(__file__)]
    newest = max(path.stat().st_mtime for path in shared)
    return [
        kernel
        for kernel in KERNELS
        if not library(kernel).exists()
        or library(kernel).stat().st_mtime < max(newest, kernel.stat().st_mtime)
    ]


def _made(extensions: Sequence[object], folder: Path) -> None:
    """Compile by the system's compiler, as setuptools finds it; what it says comes at an error."""
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext

    command = build_ext(Distribution({"name": "kernels", "ext_modules": list(extensions)}))
    command.build_lib = str(folder)
    command.build_temp = str(folder / "objects")
    command.parallel = os.cpu_count() or 1
    command.ensure_finalized()
    command.run()


def _system_fault() -> str:
    """Return why the system's compiler does not work; nothing if it does."""
    from setuptools import Extension

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "probe.c").write_text(_PROBE)
        said = StringIO()
        try:
            with redirect_stdout(said), redirect_stderr(said):
                _made([Extension("probe", [str(folder / "probe.c")])], folder)
        except Exception as error:  # whatever: setuptools has many
            return " ".join(str(error).split())
    return ""


def missing() -> str:
    """Say what is missing to compile by the system's compiler; nothing if it can be done."""
    fault = _system_fault()
    if not fault:
        return ""
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.exists():
        return (
            f"the header {header} is missing, without which no inner loop can be compiled: install "
            "the development files of this Python (Debian: python3-dev; Fedora: python3-devel)"
        )
    return f"no C compiler works here ({fault})"


def _zig(source: Path, out: Path) -> None:
    """Compile by the compiler that comes from the package index."""
    command = [sys.executable, "-m", "ziglang", "cc", "-shared", *_FLAGS, "-mcpu=baseline"]
    command += ["-fno-sanitize=undefined", f"-I{sysconfig.get_path('include')}"]
    command += [f"-I{sysconfig.get_path('platinclude')}"]
    if sys.platform == "win32":
        version = f"{sys.version_info.major}{sys.version_info.minor}"
        command += [f"-L{Path(sys.base_prefix) / 'libs'}", f"-lpython{version}"]
    else:
        command += ["-fPIC", "-Wl,-s"]
    if sys.platform == "darwin":
        command += ["-undefined", "dynamic_lookup"]
    done = subprocess.run(
        [*command, str(source), "-o", str(out)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BuildError(f"the compiler of the package ziglang failed:\n{done.stderr}")


def build(kernels: Iterable[Path], folder: Path) -> dict[Path, Path]:
    """Compile some kernels.

    Parameters
    ----------
    kernels : iterable of Path
        Their sources.
    folder : Path
        Where the compiled code is put, under the names of the packages.

    Returns
    -------
    dict
        The compiled code of each.

    Raises
    ------
    BuildError
        If there is no compiler, or it fails.
    """
    from Cython.Build import cythonize
    from setuptools import Extension

    flags = _FLAGS if os.name != "nt" else ["/O2"]
    strip = ["-Wl,-s"] if sys.platform == "linux" else []
    listed = [
        Extension(
            ".".join(kernel.relative_to(ROOT).with_suffix("").parts),
            [str(kernel.relative_to(ROOT))],
            extra_compile_args=flags,
            extra_link_args=strip,
        )
        for kernel in kernels
    ]
    back = Path.cwd()
    os.chdir(ROOT)  # Cython finds packages and their .pxd from here
    try:
        extensions = cythonize(
            listed, build_dir=str(folder / "c"), compiler_directives=_DIRECTIVES, quiet=True
        )
        if find_spec("ziglang") is not None and missing():
            for one in extensions:
                out = folder.joinpath(*one.name.split(".")).with_suffix("")
                out.parent.mkdir(parents=True, exist_ok=True)
                _zig(Path(one.sources[0]), out.with_name(out.name + _SUFFIX))
        else:
            said = StringIO()
            try:
                with redirect_stdout(said):
                    _made(extensions, folder)
            except Exception as error:
                raise BuildError(missing() or f"{said.getvalue()}{error}") from error
    finally:
        os.chdir(back)
    return {
        kernel: folder / library(kernel).relative_to(ROOT)
        for kernel in map(ROOT.joinpath, (one.relative_to(ROOT) for one in kernels))
    }


def build_in_place(kernels: Iterable[Path]) -> None:
    """Compile some kernels, and put the code beside the sources when all of it is there."""
    with tempfile.TemporaryDirectory() as name:
        for kernel, code in build(list(kernels), Path(name)).items():
            waiting = library(kernel).with_suffix(f".{os.getpid()}")
            shutil.copyfile(code, waiting)
            waiting.replace(library(kernel))  # another process may be loading the old one


def refresh() -> None:
    """Compile in place what changed, as another process; called by the editable install.

    Raises
    ------
    ImportError
        If that fails.
    """
    changed = stale()
    if not changed:
        return
    names = ", ".join(str(kernel.relative_to(ROOT)) for kernel in changed)
    print(f"tetrisprinter: compiling what changed ({names}) ...", file=sys.stderr, flush=True)
    command = [sys.executable, str(Path(__file__))]
    if find_spec("Cython") is None or find_spec("setuptools") is None:
        pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"]
        command = [sys.executable, *pip, "--editable", str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ImportError(f"the inner loops could not be compiled:\n{done.stdout}{done.stderr}")


def main() -> None:
    """Compile, or tell."""
    changed = stale()
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
