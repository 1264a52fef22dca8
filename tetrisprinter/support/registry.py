"""What can be added to: things by name, imported when they are first asked for.

A registry is a mapping from names to objects of one protocol. An entry is the place of an
object, ``"package.module:ATTRIBUTE"``, so that listing names imports nothing, or the
object itself, for whoever adds one from outside the package::

    PLANNERS["mine"] = MyPlanner()

The command line takes its choices and their help from here.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Generic, TypeVar, cast

from tetrisprinter.errors import InputError

__all__ = ["Registry"]

T = TypeVar("T")


class Registry(MutableMapping[str, T], Generic[T]):
    """Objects by name.

    Parameters
    ----------
    kind : str
        What they are, for messages: ``"planner"``.
    entries : mapping of str to str or object
        The place of each, ``"package.module:ATTRIBUTE"``, or the object itself, in the
        order in which they are listed.

    Examples
    --------
    >>> shelf = Registry[object]("number", {"pi": "math:pi", "two": 2})
    >>> list(shelf), shelf["pi"], shelf["two"]
    (['pi', 'two'], 3.141592653589793, 2)
    >>> shelf["three"]
    Traceback (most recent call last):
    tetrisprinter.errors.InputError: there is no number 'three'; there are pi, two
    """

    def __init__(self, kind: str, entries: Mapping[str, str | T]) -> None:
        self.kind = kind
        self._entries: dict[str, str | T] = dict(entries)

    def __getitem__(self, name: str) -> T:
        if name not in self._entries:
            raise InputError(f"there is no {self.kind} {name!r}; there are {', '.join(self)}")
        entry = self._entries[name]
        if isinstance(entry, str):
            module, _, attribute = entry.partition(":")
            entry = cast("T", getattr(importlib.import_module(module), attribute))
            self._entries[name] = entry
        return entry

    def __setitem__(self, name: str, entry: str | T) -> None:
        self._entries[name] = entry

    def __delitem__(self, name: str) -> None:
        del self._entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)
