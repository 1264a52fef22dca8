"""Lazy loading: names of a package that are imported on first use (PEP 562)."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


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
