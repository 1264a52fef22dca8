"""Forty images as people bring them, drawn here: what becomes of each is looked at and measured.

``SCENES`` maps the name of each to its kind and to what draws it. Every one is made by code
from fixed seeds and in Pillow's own font, so it is the same everywhere.
"""

from tests.support import drawings, photographs
from tests.support.easel import SCENES

__all__ = ["KINDS", "SCENES", "drawings", "photographs"]

KINDS: tuple[str, ...] = tuple(dict.fromkeys(kind for kind, _ in SCENES.values()))
"""The kinds, each once."""
