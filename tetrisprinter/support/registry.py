"""A registry that imports its entries on first use.

A registry maps names to import paths, such as ``"package.module:attribute"``. Listing the names
imports nothing, and a command imports only the entries that it uses.

Some registries have the functions that draw objects in a notebook. The ``_repr_html_`` and similar
methods of an object find their function here. So the object's module does not import the drawing
module, which is loaded on first use.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Generic, TypeVar, cast

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


HTML: Final = Registry[Callable[..., str]](
    "view as HTML",
    {
        "plan": "tetrisprinter.render.still:draw_plan_html",
        "packings": "tetrisprinter.render.still:draw_packings_html",
    },
)
"""Functions that return the HTML of an object, with an optional title."""

SVG: Final = Registry[Callable[..., str]](
    "view as SVG",
    {
        "packing": "tetrisprinter.render.still:draw_packing_svg",
        "tilings": "tetrisprinter.render.still:draw_tilings_svg",
    },
)
"""Functions that return the SVG of an object."""

PNG: Final = Registry[Callable[..., bytes | None]](
    "view as PNG",
    {
        "field": "tetrisprinter.render.still:draw_field_png",
        "plan": "tetrisprinter.render.still:draw_plan_png",
        "picture": "tetrisprinter.render.still:draw_picture_png",
    },
)
"""Functions that return the PNG of an object; None if there is nothing to draw."""


SAVE: Final = Registry[Callable[..., None]](
    "way to save", {"print": "tetrisprinter.api.prints:save_plan"}
)
"""The function that writes a plan in the format of a file's name, a picture or a game."""


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
