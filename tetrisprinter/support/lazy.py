"""Names that a package offers and loads when they are first used (PEP 562)."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["lazily"]


def lazily(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return a package's ``__getattr__`` and ``__dir__``.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    homes : mapping of str to str
        Where each name lies inside the package: ``"module"`` if it is called the same
        there, ``"module:other"`` if it is not, ``"module:"`` if it is the module itself.
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        place, named, attribute = homes[name].partition(":")
        module = importlib.import_module(f"{package}.{place}")
        found = module if named and not attribute else getattr(module, attribute or name)
        setattr(sys.modules[package], name, found)
        return found

    def names() -> list[str]:
        special = (name for name in vars(sys.modules[package]) if name.startswith("__"))
        return sorted({*homes, *special})

    return get, names
