"""The text form of plans (:mod:`tetrisprinter.game.plan`), the only lossless format."""

from __future__ import annotations

import re
from typing import Final

from tetrisprinter.formats import Format
from tetrisprinter.game.plan import Plan

_HEADER: Final = re.compile(
    r"board \d+x\d+|[0-9a-f]{6}( [0-9a-f]{6}){2}( background=[0-9a-f]{6})?\s*(\n|$)"
)


class _TextFormat:
    """The format of plans; see :class:`Format`."""

    name = "text"
    extensions = (".txt", ".plan")
    summary = "a plan"

    def can_parse(self, start: str) -> bool:
        """Return whether the first line is a plan's header."""
        return _HEADER.match(start) is not None

    def parse(self, text: str, source: str = "plan", board: tuple[int, int] | None = None) -> Plan:
        """Read a plan; ``board`` is ignored, because a plan names its own."""
        return Plan.parse(text, source)

    def format(self, plan: Plan, source: str = "plan") -> str:
        """Write a plan."""
        return str(plan)


TEXT: Final[Format] = _TextFormat()
