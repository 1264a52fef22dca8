"""What lies in a job's folder under which name, and what can be downloaded."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from hashlib import sha256
from importlib import resources
from importlib.util import find_spec
from typing import Final

__all__ = ["DOWNLOADS", "download_name", "downloads", "plan_name", "player_name"]

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
"""Everything a print can be taken away as: how such a file ends, and what it is."""


def downloads() -> list[str]:
    """List what can be written here: films need a library that may be missing."""
    film = find_spec("av") is not None
    return [name for name in DOWNLOADS if name != "mp4" or film]


def plan_name(version: int) -> str:
    """Return the name of a job's plan."""
    return f"plan-{version}.txt"


@functools.cache
def _player() -> str:
    text = resources.files("tetrisprinter.render").joinpath("player/player.js").read_bytes()
    return sha256(text).hexdigest()[:8]


def player_name(version: int) -> str:
    """Return the name of what the player is told of a plan; another player, another name."""
    return f"player-{version}-{_player()}.json"


def download_name(name: str, extension: str) -> str:
    """Return the name under which something is saved by a browser.

    >>> download_name("Ein Bild.png", ".gif"), download_name("../..", ".png")
    ('Ein Bild.gif', 'print.png')
    """
    stem = name.rsplit(".", 1)[0] if "." in name[-6:] else name
    stem = "".join(c if c.isalnum() or c in " -_()" else "_" for c in stem).strip(" _")
    return (stem[:60] or "print") + extension
