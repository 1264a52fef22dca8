"""The limits of a search: time, workers, seed, effort."""

from __future__ import annotations

from dataclasses import dataclass

from tetrisprinter.errors import InputError


@dataclass(frozen=True, slots=True)
class Limit:
    """The limits and the seed of a search.

    Attributes
    ----------
    seconds : float or None
        Wall time; None is unlimited.
    workers : int
        The number of threads or processes. It never changes an answer.
    seed : int
        The same seed gives the same answer, unless time runs out before.
    effort : float
        The work of a search for improvements, as a multiple of the default.

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
            raise InputError(f"invalid limit of {self.seconds:g} seconds; expected more than 0")
        if not self.effort > 0:
            raise InputError(f"invalid effort {self.effort:g}; expected more than 0")
        if self.workers < 1:
            raise InputError(f"invalid number of workers {self.workers}; expected 1 or more")
        if self.seed < 0:
            raise InputError(f"invalid seed {self.seed}; expected 0 or more")
