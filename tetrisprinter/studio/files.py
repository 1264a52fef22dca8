"""The names of the files in a job's folder, and the kinds of file that can be downloaded."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from hashlib import sha256
from importlib import resources
from importlib.util import find_spec
from typing import Final

TRIPLEX_SIZES: Final = ((4, 3), (5, 3), (4, 4), (6, 3), (5, 4))
"""Columns and rows of the levels in the game Triplex."""

DOWNLOADS: Final[Mapping[str, tuple[str, str]]] = {
    "png": (".png", "image/png"),
    "gif": (".gif", "image/gif"),
    "apng": (".apng", "image/apng"),
    "webp": (".webp", "image/webp"),
    "mp4": (".mp4", "video/mp4"),
    "html": (".html", "text/html; charset=utf-8"),
    "plan": (".txt", "text/plain; charset=utf-8"),
    "art": (".json", "application/json"),
    "fumen": (".fumen", "text/plain; charset=utf-8"),
    "drops": (".drops.json", "application/json"),
    "tetrio": (".tetrio", "text/plain; charset=utf-8"),
    "lesson": (".lesson", "text/plain; charset=utf-8"),
}
"""The kinds of download: the extension and the media type."""


def list_downloads() -> list[str]:
    """Return the kinds that this installation can write; videos need the library PyAV."""
    has_video = find_spec("av") is not None
    return [name for name in DOWNLOADS if name != "mp4" or has_video]


def name_plan_file(version: int) -> str:
    """Return the file name of a version of a job's plan."""
    return f"plan-{version}.txt"


@functools.cache
def _hash_player() -> str:
    script = resources.files("tetrisprinter.render").joinpath("player/player.js").read_bytes()
    return sha256(script).hexdigest()[:8]


def name_player_file(version: int) -> str:
    """Return the file name of a plan's player data; it changes with the player's script."""
    return f"player-{version}-{_hash_player()}.json"


def name_download(name: str, extension: str) -> str:
    """Return the name under which a browser saves a file.

    >>> name_download("Ein Bild.png", ".gif"), name_download("../..", ".png")
    ('Ein Bild.gif', 'print.png')
    """
    stem = name.rsplit(".", 1)[0] if "." in name[-6:] else name
    stem = "".join(c if c.isalnum() or c in " -_()" else "_" for c in stem).strip(" _")
    return (stem[:60] or "print") + extension
