"""Images like those of users, whose prints are inspected and measured.

Photographs are made by code from fixed seeds; emoji, logos, pixel art, screenshots, line drawings,
charts and flags are files in ``tests/data/images``, in a folder for each kind.
"""

from functools import partial

from PIL import Image

from tests.support import photographs
from tests.support.commands import ROOT
from tests.support.photographs import SCENES

__all__ = ["SCENES", "photographs"]

for path in sorted((ROOT / "tests" / "data" / "images").glob("*/*.png")):
    SCENES[path.stem] = path.parent.name.replace("_", " "), partial(Image.open, path)
