"""Compiled loops that need no numba once it has compiled them.

Loading numba, and through it code that it kept, takes a third of a second and 60 MiB: more than
many a search. A loop that allocates nothing and raises nothing is machine code that needs
nothing but its arguments, so that is what is kept here, beside numba's own files: loaded by
llvmlite, called as numba would call it. Where that is not possible (another kind of machine, a
folder that cannot be written to, a loop that does need something) numba does as it always does.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import os
import platform
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any, Final, cast

import numpy as np

from tetrisprinter.support.files import write_bytes

__all__ = ["Freestanding", "freestanding"]

_NAME: Final = "kernel"
_HARMLESS: Final = re.compile(r"llvm\.|mem(set|cpy|move)$")
"""What machine code may call: that is there in every process."""
_OWNERS: Final = {"NRT_incref", "NRT_decref"}
"""Nothing that is passed has an owner who would count who uses it, so these do nothing."""
_BODY: Final = re.compile(
    r"^define [^\n]*?@([\w.$]+|\"[^\"]+\")\([^\n]*\n.*?^}\n", re.MULTILINE | re.DOTALL
)
_CALL: Final = re.compile(r"call [^\n]*?@([\w.$]+|\"[^\"]+\")\(")
_KNOWN: Final = sys.platform == "linux" and platform.machine() == "x86_64"
"""Elsewhere nobody has looked at how arguments are passed."""
_REFUSED: Final = b"not freestanding"
"""What is kept of a loop that numba must be there for."""
_RESULTS: Final[dict[str, Any]] = {
    "none": ctypes.c_void_p,
    "bool": ctypes.c_bool,
    "int64": ctypes.c_int64,
    "uint64": ctypes.c_uint64,
    "float64": ctypes.c_double,
}
_ENGINES: Final[list[Any]] = []
"""They own the machine code."""

Kind = str | tuple[str, int]
"""A number, by its type in LLVM; or an array, by the type and the number of its axes."""


def freestanding(function: Any) -> Freestanding:
    """Return the function, to be compiled when it is first called.

    Parameters
    ----------
    function : callable
        Plain loops over numbers and arrays, as numba compiles them, that neither allocate nor
        raise. Those of its module that it calls are compiled with it.
    """
    return Freestanding(function)


class Freestanding:
    """A function that is called as machine code.

    Parameters
    ----------
    function : callable
        What it does.

    Attributes
    ----------
    py_func : callable
        The same, as Python.
    """

    def __init__(self, function: Any) -> None:
        self.py_func = function
        self._ready: dict[tuple[Kind, ...], Callable[..., Any]] = {}

    def __call__(self, *args: Any) -> Any:
        """Call it; the interpreter lock is let go while it runs."""
        kinds = tuple(map(_kind, args))
        ready = self._ready.get(kinds)
        if ready is None:
            ready = self._ready[kinds] = self._made(kinds, args)
        return ready(*args)

    @property
    def is_kept(self) -> bool:
        """Whether an earlier run left its machine code on disk."""
        if not _KNOWN:
            from tetrisprinter.support.compiled import is_kept

            return is_kept(self._dispatcher(cache=True))
        if self._folder is None:
            return False
        return any(self._folder.glob(f"{self._stem}-*.code"))

    @property
    def has_home(self) -> bool:
        """Whether there is a folder that its machine code can be kept in."""
        return not _KNOWN or self._folder is not None

    @property
    def _folder(self) -> Path | None:
        """The folder that numba would take: named, beside the module, or the user's."""
        named = os.environ.get("NUMBA_CACHE_DIR")
        if named:
            return _usable(Path(named))
        beside = Path(self.py_func.__code__.co_filename).parent / "__pycache__"
        user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        return _usable(beside) or _usable(user / "tetrisprinter")

    @property
    def _stem(self) -> str:
        code = self.py_func.__code__
        return f"{Path(code.co_filename).stem}.{code.co_name}"

    def _made(self, kinds: tuple[Kind, ...], args: tuple[Any, ...]) -> Callable[..., Any]:
        """Return what does the work: from the disk, or compiled and kept there."""
        folder = self._folder if _KNOWN else None
        path = folder / f"{self._stem}-{self._stamp(kinds)}.code" if folder else None
        content = _REFUSED
        if path is not None:
            content = path.read_bytes() if path.is_file() else b""
            with contextlib.suppress(Exception):  # whatever is wrong with it, it is made anew
                return _loaded(content, kinds)
        if folder is None or path is None or content == _REFUSED:
            return cast("Callable[..., Any]", self._dispatcher(cache=True))
        from numba import typeof

        dispatcher = self._dispatcher()
        dispatcher.compile(tuple(map(typeof, args)))
        content = _REFUSED
        with contextlib.suppress(Exception):  # whatever it needs, numba knows how to call it
            content = _machine_code(dispatcher, kinds)
        with contextlib.suppress(OSError):
            for old in folder.glob(f"{self._stem}-*.code"):
                old.unlink(missing_ok=True)
            write_bytes(path, content)
        return cast("Callable[..., Any]", dispatcher)

    def _stamp(self, kinds: tuple[Kind, ...]) -> str:
        """Return what tells machine code from that of another text, machine or compiler."""
        import llvmlite
        import llvmlite.binding as llvm

        files = (self.py_func.__code__.co_filename, __file__)
        texts = [Path(file).read_bytes() for file in files]
        machine = (llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
        what = repr((kinds, machine, llvmlite.__version__, texts))
        return hashlib.sha256(what.encode()).hexdigest()[:20]

    def _dispatcher(self, cache: bool = False) -> Any:
        """Return numba's function, for which those that it calls are numba's too."""
        from numba import njit

        names = self.py_func.__globals__
        inner = {
            name: names[name]._dispatcher()
            for name in self.py_func.__code__.co_names
            if isinstance(names.get(name), Freestanding)
        }
        function = FunctionType(self.py_func.__code__, {**names, **inner}, self.py_func.__name__)
        options = {"nogil": True, "error_model": "numpy"}
        try:
            return njit(cache=cache, **options)(function)
        except RuntimeError:  # no folder to keep compiled code in
            return njit(**options)(function)


def _usable(folder: Path) -> Path | None:
    """Return a folder, made if it is not there; None if it cannot be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def _kind(value: Any) -> Kind:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.ndim
    if isinstance(value, bool | np.bool_):
        return "i1"
    return "double" if isinstance(value, float | np.floating) else "i64"


def _passed(kind: Kind) -> list[Any]:
    """Return how a value is passed: an array as its parts, the first two of which own it."""
    if isinstance(kind, tuple):
        number = ctypes.c_int64
        return [ctypes.c_void_p] * 2 + [number] * 2 + [ctypes.c_void_p] + [number] * 2 * kind[1]
    return [{"i1": ctypes.c_uint8, "double": ctypes.c_double}.get(kind, ctypes.c_int64)]


def _machine_code(dispatcher: Any, kinds: tuple[Kind, ...]) -> bytes:
    """Return a line that tells the type of the result, and the object file after it.

    Raises
    ------
    ValueError
        If it needs more than its arguments.
    """
    import llvmlite.binding as llvm

    (signature,) = dispatcher.signatures
    result = str(dispatcher.overloads[signature].signature.return_type)
    text = dispatcher.inspect_llvm(signature)
    bodies = {body[1].strip('"'): body[0] for body in _BODY.finditer(text)}
    wrapper = next(name for name in bodies if name.startswith("cfunc."))
    name = wrapper.removeprefix("cfunc.")
    needed, left = set[str](), {name}
    while left:
        one = left.pop()
        needed.add(one)
        left |= {called.strip('"') for called in _CALL.findall(bodies.get(one, ""))} - needed
        left -= _OWNERS
    others = {one for one in needed - bodies.keys() if not _HARMLESS.match(one)}
    if result not in _RESULTS or others:
        raise ValueError(f"{name} returns {result} and calls {others}")
    if bodies[name].partition("\n")[0].count("%arg.") != sum(len(_passed(kind)) for kind in kinds):
        raise ValueError(f"{name} does not take {kinds}")
    for other in bodies.keys() - needed:
        stays = other in _OWNERS
        empty = f"define internal void @{other}(ptr) {{\n  ret void\n}}\n" if stays else ""
        text = text.replace(bodies[other], empty)
    module = llvm.parse_assembly(text.replace(f"@{name}(", f"@{_NAME}("))
    module.verify()
    code: bytes = _target().emit_object(module)
    header = {"result": result, "sha256": hashlib.sha256(code).hexdigest()}
    return json.dumps(header).encode() + b"\n" + code


def _target() -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        reloc="pic",
        codemodel="jitdefault",
        jit=True,
    )


def _loaded(content: bytes, kinds: tuple[Kind, ...]) -> Callable[..., Any]:
    """Return what calls machine code.

    Raises
    ------
    ValueError
        If it is not complete.
    """
    import llvmlite.binding as llvm

    head, _, code = content.partition(b"\n")
    header = json.loads(head)
    if hashlib.sha256(code).hexdigest() != header["sha256"]:
        raise ValueError("not complete")
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _ENGINES.append(engine)
    result = _RESULTS[header["result"]]
    types = [one for kind in kinds for one in _passed(kind)]
    entry = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *types)(
        engine.get_function_address(_NAME)
    )

    def call(*args: Any) -> Any:
        values: list[Any] = []
        for arg in args:
            if isinstance(arg, np.ndarray):
                data = arg.__array_interface__["data"][0]
                values += (None, None, arg.size, arg.itemsize, data, *arg.shape, *arg.strides)
            else:
                values.append(arg if isinstance(arg, int | float) else arg.item())
        out = result()
        status = entry(ctypes.addressof(out), None, *values)
        if status:
            raise RuntimeError("a loop that was to raise nothing did")
        return out.value

    return call
