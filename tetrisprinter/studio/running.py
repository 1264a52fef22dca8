"""What a running studio has: its folder, its doors, its jobs."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tetrisprinter.studio.guard import Doors
from tetrisprinter.studio.jobs import Grants, Jobs
from tetrisprinter.studio.store import Store

__all__ = ["MAX_RECEIVING", "Studio"]

MAX_RECEIVING: Final = 500_000_000
"""Bytes that all unfinished uploads may take on the disk together."""


@dataclass(slots=True)
class Studio:
    """Everything a running studio has."""

    store: Store  # its folder
    doors: Doors  # where it can be reached
    grants: Grants = field(default_factory=Grants)  # what each job may take
    gallery: tuple[tuple[str, Path], ...] = ()  # names and plans to be shown, if it is a gallery
    jobs: Jobs = field(init=False)
    receiving: int = 0  # bytes of all uploads that are not finished
    writing: dict[Path, asyncio.Lock] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.jobs = Jobs(self.store, self.grants)

    async def written(self, work: str, target: Path, asked: dict[str, Any]) -> None:
        """Have a file written, once however many ask for it."""
        lock = self.writing.setdefault(target, asyncio.Lock())
        async with lock:
            if not target.is_file():
                await self.jobs.small(work, {**asked, "target": str(target)})
        self.writing.pop(target, None)
