"""The state of a running studio: its folder, its access policy and its jobs."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tetrisprinter.studio.access import AccessPolicy
from tetrisprinter.studio.jobs import JobLimits, Jobs
from tetrisprinter.studio.store import Store

MAX_RECEIVING: Final = 500_000_000
"""Bytes that all unfinished uploads may take on the disk together."""


@dataclass(slots=True)
class Studio:
    """The state of a running studio."""

    store: Store  # the folder of jobs and pictures
    access: AccessPolicy  # which requests are allowed
    limits: JobLimits = field(default_factory=JobLimits)  # the limits of each job
    gallery: tuple[tuple[str, Path], ...] = ()  # names and plan files of the prints in a gallery
    jobs: Jobs = field(init=False)
    receiving: int = 0  # bytes of all uploads that are not finished
    file_locks: dict[Path, asyncio.Lock] = field(default_factory=dict)  # by file in writing

    def __post_init__(self) -> None:
        self.jobs = Jobs(self.store, self.limits)

    async def write_file_once(self, work: str, target: Path, options: dict[str, Any]) -> None:
        """Let a process write a file; requests for the same file share the result."""
        lock = self.file_locks.setdefault(target, asyncio.Lock())
        async with lock:
            if not target.is_file():
                await self.jobs.run_small(work, {**options, "target": str(target)})
        self.file_locks.pop(target, None)
