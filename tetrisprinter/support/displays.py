"""Registries of the functions that draw objects in a notebook.

The ``_repr_html_`` and similar methods of an object find their function here. So the object's
module does not import the drawing module, which is loaded on first use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tetrisprinter.support.registry import Registry

HTML: Final = Registry[Callable[..., str]](
    "view as HTML",
    {
        "plan": "tetrisprinter.render.notebook:draw_plan_html",
        "packings": "tetrisprinter.render.notebook:draw_packings_html",
    },
)
"""Functions that return the HTML of an object, with an optional title."""

SVG: Final = Registry[Callable[..., str]](
    "view as SVG",
    {
        "packing": "tetrisprinter.render.notebook:draw_packing_svg",
        "tilings": "tetrisprinter.render.tilings:draw_tilings_svg",
    },
)
"""Functions that return the SVG of an object."""

PNG: Final = Registry[Callable[..., bytes | None]](
    "view as PNG",
    {
        "field": "tetrisprinter.render.notebook:draw_field_png",
        "plan": "tetrisprinter.render.notebook:draw_plan_png",
        "picture": "tetrisprinter.render.notebook:draw_picture_png",
    },
)
"""Functions that return the PNG of an object; None if there is nothing to draw."""
