"""What ends a search, and what it may use: one object for all searches."""

from __future__ import annotations

from dataclasses import dataclass

from tetrisprinter.errors import InputError

__all__ = ["Limit"]


@dataclass(frozen=True, slots=True)
class Limit:
    """How long a search may take, and where its chance comes from.

    Attributes
    ----------
    seconds : float or None
        Wall time; None is as long as it takes.
    workers : int
        How many threads or processes may work side by side. Their number never changes
        an answer.
    seed : int
        Same seed, same answer, unless the time was up before it was found.
    effort : float
        How much longer than usual a search for something better may go on.

    Raises
    ------
    InputError
        If the time, the effort or the number of workers is not positive.
    """

    seconds: float | None = None
    workers: int = 1
    seed: int = 0
    effort: float = 1.0

    def __post_init__(self) -> None:
        if self.seconds is not None and not self.seconds > 0:
            raise InputError(f"a limit of {self.seconds:g} seconds: more than 0 is needed")
        if not self.effort > 0:
            raise InputError(f"an effort of {self.effort:g}: more than 0 is needed")
        if self.workers < 1:
            raise InputError(f"{self.workers} workers: 1 or more are needed")
        if self.seed < 0:
            raise InputError(f"a seed of {self.seed}: 0 or more is needed")
