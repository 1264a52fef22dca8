"""What draws an object in a notebook, by the name of its kind.

A notebook asks an object to show itself (``_repr_html_`` and the like), and the object asks
here for the function that draws it. So an object need not import the module that draws it,
and that module is loaded when something is drawn for the first time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tetrisprinter.support.registry import Registry

__all__ = ["HTML", "PNG", "SVG"]

HTML: Final = Registry[Callable[..., str]](
    "view as HTML",
    {
        "plan": "tetrisprinter.render.notebook:draw_plan_html",
        "packings": "tetrisprinter.render.notebook:draw_packings_html",
    },
)
"""Functions from an object, and perhaps a title, to HTML."""

SVG: Final = Registry[Callable[..., str]](
    "view as SVG",
    {
        "packing": "tetrisprinter.render.notebook:draw_packing_svg",
        "tilings": "tetrisprinter.render.tilings:draw_tilings_svg",
    },
)
"""Functions from an object to SVG."""

PNG: Final = Registry[Callable[..., bytes | None]](
    "view as PNG",
    {
        "field": "tetrisprinter.render.notebook:draw_field_png",
        "plan": "tetrisprinter.render.notebook:draw_plan_png",
        "picture": "tetrisprinter.render.notebook:draw_picture_png",
    },
)
"""Functions from an object to a PNG; None where there is nothing to see."""
