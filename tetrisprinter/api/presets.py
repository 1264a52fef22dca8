"""Presets: print options for one destination, such as a game, an editor or a phone.

A preset is a set of defaults, which other options override. Commands and studio both offer the
presets of :data:`PRESETS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Preset:
    """The print options for one destination."""

    summary: str  # the name of the destination in lists
    board: str | None = None  # WxH; None: chosen for the picture
    pieces: str | None = None  # the piece queue; None: any piece at any time
    plan: str | None = None  # the extension of the plan's file
    # The extension of a second plan, beside a file that does not contain the drops
    drops_plan: str | None = None
    outputs: tuple[str, ...] = ("gif",)  # the extensions of the animations and pages
    shape: str | None = None  # W:H of an animation; None: the shape of its board

    @property
    def proportions(self) -> tuple[int, int] | None:
        """The shape as two numbers, width and height; None if the board decides."""
        if self.shape is None:
            return None
        width, _, height = self.shape.partition(":")
        return int(width), int(height)

    def options(self) -> dict[str, Any]:
        """Return the options of ``tetrisprinter print`` by the names of its parameters."""
        options: dict[str, Any] = {
            "outputs": [f"{{}}-print.{extension}" for extension in self.outputs]
        }
        if self.board is not None:
            options["board"] = self.board
        if self.pieces is not None:
            options |= {"pieces": self.pieces, "rules": "srs"}
        if self.plan is not None:
            extensions = filter(None, (self.plan, self.drops_plan))
            options["plans"] = [f"{{}}.{extension}" for extension in extensions]
        if self.shape is not None:
            options["shape"] = self.shape
        return options


PRESETS: Final = {
    "tetrio": Preset("TETR.IO", "10x20", "bag:0", "tetrio", "tetrio.txt", ("gif", "html")),
    "jstris": Preset("Jstris lessons", "10x20", "bag:0", "lesson", outputs=("gif", "html")),
    "fumen": Preset("a fumen editor", "10x22", None, "fumen"),
    "10x20": Preset("ten columns, twenty rows", "10x20"),
    "square": Preset("a square animation", shape="1:1"),
    "9:16": Preset("a tall animation for phones", shape="9:16"),
}
"""The presets by name."""
