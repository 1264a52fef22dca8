"""Names of objects in other modules, which are imported on first use.

So a command imports only what it uses, and an object can be shown in a notebook although its module
does not import the drawing module.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

T = TypeVar("T")


def load(import_path: str) -> Any:
    """Return the object with an import path such as ``"package.module:attribute"``."""
    module, _, attribute = import_path.partition(":")
    return getattr(importlib.import_module(module), attribute)


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
