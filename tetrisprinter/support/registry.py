"""A registry that imports its entries on first use.

A registry maps names to import paths, such as ``"package.module:attribute"``. Listing the names
imports nothing, and a command imports only the entries that it uses.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar, cast

from tetrisprinter.errors import InputError

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """A mapping from names to entries that are imported on first use, in a fixed order."""

    def __init__(self, kind: str, import_paths: Mapping[str, str]) -> None:
        self.kind = kind
        self._import_paths = dict(import_paths)
        self._loaded: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._loaded:
            module, _, attribute = self._import_paths[name].partition(":")
            self._loaded[name] = cast("T", getattr(importlib.import_module(module), attribute))
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._import_paths)

    def __len__(self) -> int:
        return len(self._import_paths)

    def __repr__(self) -> str:
        return f"<Registry of {self.kind}s: {', '.join(self)}>"

    def add(self, name: str, import_path: str) -> None:
        """Add an entry at the end; ``import_path`` is ``"package.module:attribute"``."""
        if name in self._import_paths:
            raise ValueError(f"the {self.kind} {name!r} exists already")
        self._import_paths[name] = import_path

    def pick(self, name: str) -> T:
        """Return the entry that a user names; refuse an unknown name."""
        if name not in self._import_paths:
            raise InputError(f"unknown {self.kind} {name!r}; choose from {', '.join(self)}")
        return self[name]
