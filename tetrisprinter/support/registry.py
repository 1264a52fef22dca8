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

    def __init__(self, kind: str, places: Mapping[str, str]) -> None:
        self.kind = kind
        self._places = dict(places)
        self._loaded: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._loaded:
            module, _, attribute = self._places[name].partition(":")
            self._loaded[name] = cast("T", getattr(importlib.import_module(module), attribute))
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return f"<Registry of {self.kind}s: {', '.join(self)}>"

    def add(self, name: str, place: str) -> None:
        """Add an entry at the end; ``place`` is its import path, ``"package.module:attribute"``."""
        if name in self._places:
            raise ValueError(f"the {self.kind} {name!r} exists already")
        self._places[name] = place

    def pick(self, name: str) -> T:
        """Return the entry that a user names; refuse an unknown name."""
        if name not in self._places:
            raise InputError(f"unknown {self.kind} {name!r}; choose from {', '.join(self)}")
        return self[name]
