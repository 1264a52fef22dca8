"""Helpers without any knowledge of Tetris: counts and sizes as text, imports on first use.

The modules of this package have options, files, executors, signals and what compiled loops need.

With import paths of objects, which are imported on first use, a command imports only what it uses,
and an object can be shown in a notebook although its module does not import the drawing module.

Words: docs/glossary.md
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Generic, TypeVar


def format_count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun.

    >>> format_count(1, "level"), format_count(1200, "level"), format_count(2, "pass", "passes")
    ('1 level', '1200 levels', '2 passes')
    """
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


_SIZE: Final = re.compile(r"([0-9]+)[xX]([0-9]+)")

LARGEST_SIDE: Final = 9999


def parse_size(text: str, max_side: int = LARGEST_SIDE) -> tuple[int, int] | None:
    """Read a size such as 21x42; None if the text is invalid or a side is not 1 to ``max_side``."""
    match = _SIZE.fullmatch(text)
    # Longer numbers are out of range, and int() refuses the longest ones.
    if match is None or max(map(len, match.groups())) > len(str(max_side)):
        return None
    width, height = int(match[1]), int(match[2])
    return (width, height) if 1 <= width <= max_side and 1 <= height <= max_side else None


def format_size(width: int, height: int) -> str:
    """Return a size in the form that :func:`parse_size` reads."""
    return f"{width}x{height}"


T = TypeVar("T")


def load(import_path: str) -> Any:
    """Return the object with an import path such as ``"package.module:attribute"``."""
    module, _, attribute = import_path.partition(":")
    return getattr(importlib.import_module(module), attribute)


class LazyModule:
    """A module that is imported when one of its names is used; it stands for a heavy library.

    For the type checker, the module is imported under ``TYPE_CHECKING``.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(importlib.import_module(self._name), name)
        setattr(self, name, value)  # so this function is called once for each name
        return value


class LazyDict(Mapping[str, T], Generic[T]):
    """A mapping from names to objects in a fixed order; listing the names imports nothing."""

    def __init__(self, import_paths: Mapping[str, str]) -> None:
        self._import_paths = dict(import_paths)

    def __getitem__(self, name: str) -> T:
        value: T = load(self._import_paths[name])
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._import_paths)

    def __len__(self) -> int:
        return len(self._import_paths)

    def __repr__(self) -> str:
        return f"<LazyDict {', '.join(self)}>"

    def add(self, name: str, import_path: str) -> None:
        """Add an object at the end, by its import path."""
        if name in self:
            raise ValueError(f"the name {name!r} exists already")
        self._import_paths[name] = import_path


def make_lazy(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return a package's ``__getattr__`` and ``__dir__``; ``homes`` maps names to modules."""

    def import_name(name: str) -> Any:
        # A home is ``module``, ``module:attribute``, or ``module:`` for the module itself.
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module_name, colon, attribute = homes[name].partition(":")
        module = importlib.import_module(f"{package}.{module_name}")
        value = module if colon and not attribute else getattr(module, attribute or name)
        setattr(sys.modules[package], name, value)
        return value

    def list_names() -> list[str]:
        special = (name for name in vars(sys.modules[package]) if name.startswith("__"))
        return sorted({*homes, *special})

    return import_name, list_names
